"""One instance of every joint kind, for law tests of this and other suites."""

from collections.abc import Iterator

import numpy as np

from anyjoint import joints
from anyjoint.geometry import curves, functions, surfaces
from anyjoint.joints import Joint
from anyjoint.scalar import cos, sin
from anyjoint.spatial import Pose


@joints.joint(dof=2)
def bead_on_helix(q):
    wire = curves.curve(lambda s: (cos(s), sin(s), 0.2 * s))
    return wire.frenet(q[0]) @ Pose.rotation_x(q[1])


@joints.joint(dof=1, domain=[(-1.0, 1.0)])
def cam(q):
    return Pose.translation(0.3 * cos(2 * q[0]), 0, 0.1 * q[0] ** 3) @ Pose.rotation((1, 1, 0), sin(q[0]))


@joints.joint(dof=2)
def matrix_joint(q):
    c, s = cos(q[0]), sin(q[0])
    return [[c, -s, 0, 0.3 * q[1]], [s, c, 0, c], [0, 0, 1, 0.2 * q[1] * q[1]], [0, 0, 0, 1]]


ELLIPSOID = surfaces.Ellipsoid(1.0, 0.8, 0.6)
TORUS = surfaces.Torus(1.0, 0.3)
TRACK = [(0, 0, 0), (1, 0, 1), (2, 2, 0), (3, 1, 1), (4, 0, 0)]
TUBE = [[(np.cos(t), np.sin(t), z) for z in range(4)] for t in np.arange(6) * np.pi / 3]
LOOP = [(1, 0, 0), (0, 1, 0.3), (-1, 0.2, 0), (0, -1, -0.2), (0.6, -0.6, 0.1)]
FRAMES = [
    Pose.translation(i, 0.3 * i * i, (-1) ** i) @ Pose.rotation((1, i, 2), 0.5 * i) for i in range(6)
] + [Pose.translation(3, 3, 0)]
CUBE = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
HILLS = [[(i, j, 0.3 * np.sin(i + 2.0 * j)) for j in range(6)] for i in range(5)]


def paraboloid(u, v):
    return u, v, 0.3 * u * u + 0.2 * v * v


KINDS: dict[str, Joint] = {
    "fixed": joints.Fixed(),
    "revolute": joints.Revolute(axis=(1, 2, 3)),
    "revolute-x": joints.Revolute(axis=(-1, 0, 0), wrap=True),
    "prismatic": joints.Prismatic(axis=(0, 1, 1)),
    "prismatic-y": joints.Prismatic(axis=(0, -1, 0)),
    "helical": joints.Helical(axis=(0, 1, 2), pitch=0.2),
    "planar": joints.Planar(),
    "translational": joints.Translational(),
    "universal": joints.Universal(),
    "euler-angles": joints.EulerAngles(),
    "euler-angles-zxz": joints.EulerAngles("zxz"),
    "euler-angles-that-switch": joints.EulerAngles("zyx", switch=True),
    "spherical": joints.Spherical(),
    "spherical-quaternion": joints.SphericalQuaternion(),
    "free": joints.Free(),
    "free-translation-first": joints.Free(order="translation-first"),
    "free-quaternion": joints.FreeQuaternion(),
    "free-planar": joints.FreePlanar(),
    "composite": joints.Composite(joints.Prismatic((1, 2, 0)), joints.Spherical(), joints.Prismatic((0, 0, 1))),
    "composite-of-surfaces": joints.Composite(joints.OnSurface(TORUS, slide=True), joints.OnSurface(surfaces.Plane())),
    "composite-of-quaternion": joints.Composite(joints.SphericalQuaternion(), joints.Prismatic((1, 0, 0))),
    "on-curve": joints.OnCurve(lambda s: (s, s * s, 0.3 * s**3)),
    "on-circle": joints.OnCurve(curves.Circle(0.7), spin=True, wrap=True),
    "on-helix": joints.OnCurve(curves.Helix(0.7, 0.2), spin=True),
    "on-ellipse": joints.OnCurve(curves.Ellipse(1.2, 0.7)),
    "on-line": joints.OnCurve(curves.Line((1, 1, 0)), frame="fixed-up", spin=True),
    "on-bezier": joints.OnCurve(curves.Bezier(TRACK), frame="fixed-up"),
    "on-spline": joints.OnCurve(curves.BSpline(LOOP, closed=True), frame="rotation-minimising", spin=True),
    "on-open-spline": joints.OnCurve(curves.BSpline(LOOP), frame="rotation-minimising"),
    "on-torus": joints.OnSurface(TORUS),
    "on-sphere": joints.OnSurface(surfaces.Sphere(0.5), spin=True),
    "on-sphere-x": joints.OnSurface(surfaces.Sphere(0.5, axis="x"), slide=True, spin=True),
    "on-ellipsoid": joints.OnSurface(ELLIPSOID),
    "on-ellipsoid-y": joints.OnSurface(surfaces.Ellipsoid(1.0, 0.8, 0.6, axis="y")),
    "on-charts": joints.OnSurface(surfaces.atlas([surfaces.Sphere(0.5, axis) for axis in "zxy"]), spin=True),
    "on-plane": joints.OnSurface(surfaces.Plane(), spin=True),
    "on-cylinder": joints.OnSurface(surfaces.Cylinder(0.4)),
    "on-bezier-patch": joints.OnSurface(surfaces.Bezier(np.array(HILLS)[:4, :4])),
    "on-spline-surface": joints.OnSurface(surfaces.BSpline(HILLS)),
    "on-closed-spline-surface": joints.OnSurface(surfaces.BSpline(TUBE, closed=(True, False))),
    "on-nurbs-circle": joints.OnCurve(curves.NURBS.circle(0.7), spin=True),
    "on-nurbs-torus": joints.OnSurface(surfaces.NURBS.torus(1.0, 0.3), slide=True),
    "on-subdivided-cube": joints.SurfaceSurface(surfaces.Plane(), surfaces.CatmullClark(CUBE, SIDES, 5)),
    "slide-torus": joints.OnSurface(TORUS, slide=True),
    "tori": joints.SurfaceSurface(TORUS, TORUS, twist=np.pi / 2),
    "tori-aligned": joints.SurfaceSurface(TORUS, surfaces.Torus(0.8, 0.2), wrap=True),
    "paraboloid-ellipsoid": joints.SurfaceSurface(paraboloid, surfaces.Ellipsoid(0.6, 0.4, 0.3)),
    "contact": joints.Contact(ELLIPSOID, surfaces.Sphere(0.3)),
    "contact-of-charts": joints.Contact(surfaces.atlas(ELLIPSOID), surfaces.atlas(surfaces.Sphere(0.3))),
    "contact-of-patches": joints.Contact(surfaces.Bezier(np.array(HILLS)[:4, :4]), surfaces.Plane()),
    "rolling-ball": joints.Rolling(ELLIPSOID, surfaces.Sphere(0.3)),
    "rolling-rattleback": joints.Rolling(surfaces.Plane(), surfaces.Ellipsoid(0.6, 0.4, 0.3, axis="x"), wrap=True),
    "rolling-tori": joints.Rolling(surfaces.Torus(1.0, 0.3), surfaces.Torus(0.5, 0.2)),
    "rolling-in-a-bowl": joints.Rolling(paraboloid, surfaces.Sphere(0.2)),
    "slipping-ball": joints.Rolling(ELLIPSOID, surfaces.Sphere(0.3), slip=True),
    "slipping-tori": joints.Rolling(surfaces.Torus(1.0, 0.3), surfaces.Torus(0.5, 0.2), slip=True),
    "composite-of-rolling": joints.Composite(
        joints.Rolling(ELLIPSOID, surfaces.Sphere(0.3)), joints.Prismatic((1, 2, 0))
    ),
    "discs": joints.CurveCurve(curves.Circle(0.7), curves.Ellipse(1.2, 0.7), wrap=True),
    "wires": joints.CurveCurve(
        curves.Helix(0.7, 0.2), lambda s: (s, s * s, 0.3 * s**3), frame="rotation-minimising", meet="inside", spin=True
    ),
    "wheel-on-line": joints.RollingWheel(0.3, curves.Line((1, 2, 0))),
    "wheel-in-circle": joints.RollingWheel(0.3, curves.Circle(1.1)),
    "wheel-outside-circle": joints.RollingWheel(0.3, curves.Circle(1.1), side="right"),
    "wheel-on-ellipse": joints.RollingWheel(0.2, curves.Ellipse(1.2, 0.7)),
    "wheel-on-hills": joints.RollingWheel(0.2, lambda s: (s, 0.3 * sin(s), 0)),
    "spline-curve": joints.SplineCurve(FRAMES),
    "closed-spline-curve": joints.SplineCurve(FRAMES, closed=True),
    "spline-surface": joints.SplineSurface(0.4 * np.random.default_rng(3).normal(size=(6, 5, 6))),
    "knee": joints.FunctionBased(
        rotations=[((0, 0, 1), functions.Linear()), ((0, 1, 0.2), functions.Polynomial([0.1, 0.2, -0.1]))],
        translations=[
            ((1, 0, 0), functions.SimmSpline([-2, -1, 0, 1.5, 2], [0.1, 0.3, 0.2, 0, 0.1])),
            ((0, 1, 0), functions.NaturalCubic([-1, 0, 1], [0.1, 0.3, 0.2])),
            ((0, 1, 1), lambda x, y: y + x * y, (0, 1)),
        ],
        names=("flexion", "slide"),
        domains=((-0.9, 2.5), (-1, 1)),
    ),
    "four-bar": joints.FourBar(),
    "four-bar-rocker": joints.FourBar(1.0, 0.8, 0.5, 0.6, branch=-1, body="rocker"),
    "helix": bead_on_helix,
    "cam": cam,
    "matrix": matrix_joint,
}


def configurations(joint: Joint, count: int, seed: int = 0) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Random (q, v) inside the domain, a few of them near its ends, near the neutral point and near singular places."""
    rng = np.random.default_rng(seed)
    low = np.array([c.domain[0] for c in joint.coordinates])
    high = np.array([c.domain[1] for c in joint.coordinates])
    neutral = np.array([c.neutral for c in joint.coordinates])
    for k in range(count):
        share = rng.uniform(0.02, 0.98, joint.nq)
        q = low + share * (high - low)
        if k % 10 == 1:
            q = neutral + 10.0 ** -rng.uniform(1, 12) * (q - neutral)
        elif k % 10 == 2:
            edge = np.where(rng.uniform(size=joint.nq) < 0.5, 1e-3, 1 - 1e-3)
            q = low + edge * (high - low)
        if any(c.name.endswith("qw") for c in joint.coordinates):
            at = next(i for i, c in enumerate(joint.coordinates) if c.name.endswith("qw"))
            q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
        yield q, rng.normal(size=joint.nv)
