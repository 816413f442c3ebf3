"""One joint of every kind, and trees in which they are mixed at random."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from anyjoint import joints
from anyjoint.geometry import curves, surfaces
from anyjoint.joints import Joint
from anyjoint.mechanism import Inertia, Mechanism, shapes
from anyjoint.scalar import Scalar, cos, sin
from anyjoint.spatial import Pose, Vector


@joints.joint(dof=2, names=["along", "turn"], domain=[(-1.5, 1.5), (-1.5, 1.5)])
def screw_cam(q: Sequence[Scalar]) -> Pose:
    """A joint of one's own: a cam that lifts and tilts while it turns."""
    lift = Pose.translation(0.3 * cos(q[0]), 0, 0.2 * q[0])
    return lift @ Pose.rotation((1, 1, 0), 0.5 * sin(q[0])) @ Pose.rotation_z(q[1])


def helix(s: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """A wire."""
    return 0.5 * cos(s), 0.5 * sin(s), 0.2 * s


def sway(x: Scalar) -> Scalar:
    """An angle that grows faster than its coordinate."""
    return x + 0.1 * x * x


def control_frames() -> list[Pose]:
    """Six frames along a winding way."""
    steps = [(0.3 * k, 0.1 * (-1) ** k, 0.05 * k * k) for k in range(6)]
    return [Pose.translation(*step) @ Pose.rpy(0.2 * k, -0.1 * k, 0.3) for k, step in enumerate(steps)]


def control_values() -> Vector:
    """Positions and angles over a 5 x 4 grid: a saddle that turns its riders."""
    u, v = np.meshgrid(np.arange(5) - 2.0, np.arange(4) - 1.5, indexing="ij")
    return np.array([0.3 * u, 0.3 * v, 0.05 * (u * u - v * v), 0.1 * v, -0.1 * u, 0.1 * u * v])


def every_kind() -> dict[str, Joint]:
    """A joint of every kind by name, `Coupled` excepted: it needs a source."""
    ring, ball, egg = surfaces.Torus(0.5, 0.15), surfaces.Sphere(0.3), surfaces.Ellipsoid(0.5, 0.4, 0.3)
    return {
        "fixed": joints.Fixed(),
        "revolute": joints.Revolute((1, 2, 3)),
        "prismatic": joints.Prismatic((0, 1, 1)),
        "helical": joints.Helical((1, 0, 1), pitch=0.1),
        "planar": joints.Planar(),
        "translational": joints.Translational(),
        "universal": joints.Universal(),
        "euler-angles": joints.EulerAngles("zyx"),
        "spherical": joints.Spherical(),
        "spherical-quaternion": joints.SphericalQuaternion(),
        "free": joints.Free(),
        "free-planar": joints.FreePlanar(),
        "free-quaternion": joints.FreeQuaternion(),
        "composite": joints.Composite(joints.Revolute((1, 0, 0)), joints.Prismatic((0, 0, 1))),
        "on-curve": joints.OnCurve(helix, spin=True),
        "on-surface": joints.OnSurface(ring),
        "sliding-surface": joints.OnSurface(egg, slide=True, spin=True),
        "surface-surface": joints.SurfaceSurface(ring, ring, twist=math.pi / 2),
        "contact": joints.Contact(egg, ball),
        "rolling": joints.Rolling(egg, ball),
        "curve-curve": joints.CurveCurve(curves.Circle(0.5), curves.Circle(0.2), spin=True),
        "rolling-wheel": joints.RollingWheel(0.2, curves.Circle(0.6)),
        "four-bar": joints.FourBar(),
        "spline-curve": joints.SplineCurve(control_frames()),
        "spline-surface": joints.SplineSurface(control_values()),
        "function-based": joints.FunctionBased([((0, 0, 1), sway)], [((1, 0, 0), sin), ((0, 1, 0), cos)]),
        "own": screw_cam,
    }


def random_tree(
    seed: int = 0,
    n: int | None = None,
    kinds: Mapping[str, Joint] | None = None,
    branching: float = 0.5,
    coupled: bool = False,
) -> Mechanism:
    """A random tree of n bodies that uses every joint kind as often as every other, as nearly as n allows.

    `branching` is the chance that a body is joined to any earlier one instead of the last; `coupled=True` adds one
    more body, whose joint follows that of another.
    """
    rng = np.random.default_rng(seed)
    kinds = every_kind() if kinds is None else kinds
    n = len(kinds) if n is None else n
    names = [name for _ in range(-(-n // len(kinds))) for name in rng.permutation(list(kinds))][:n]
    mech = Mechanism(f"random tree {seed}", gravity=tuple(rng.normal(size=3).tolist()))
    q: list[float] = []
    for k, name in enumerate(names):
        parent = None if k == 0 else mech.bodies[int(rng.integers(k)) if rng.random() < branching else -1]
        arm = rng.normal(size=3) * 0.2
        placement = Pose.translation(*arm.tolist()) @ Pose.rpy(*rng.uniform(-1, 1, 3).tolist())
        color = shapes.shade(k, n)
        look = [shapes.Sphere(0.05, color=color), shapes.rod((0, 0, 0), (0.2, 0, 0), 0.02, color)]
        joint = kinds[str(name)]
        mech.add_body(f"{name}-{k}", parent, joint, placement, random_inertia(rng), look)
        q += regular_coordinates(joint, rng).tolist()
    if coupled:
        _add_follower(mech, rng)
    mech.set_start(q, (rng.normal(size=mech.nv) * 0.3).tolist())
    return mech


def _add_follower(mech: Mechanism, rng: np.random.Generator) -> None:
    leaders = [body for body in mech.bodies if body.joint.rates_are_velocities and body.joint.nv]
    leader = leaders[int(rng.integers(len(leaders)))]
    joint = joints.Coupled(joints.Revolute((1, 1, 0)), float(rng.uniform(-2, 2)), leader.name)
    parent = mech.bodies[int(rng.integers(mech.nb))]
    mech.add_body("follower", parent, joint, Pose.translation(0.2, 0.1, 0), random_inertia(rng))


def random_inertia(rng: np.random.Generator) -> Inertia:
    """A box of random size, somewhere near the origin, turned."""
    x, y, z = rng.uniform(0.1, 0.5, 3).tolist()
    middle = Pose.translation(*(rng.normal(size=3) * 0.1).tolist()) @ Pose.rpy(*rng.uniform(-1, 1, 3).tolist())
    return Inertia.box(float(rng.uniform(0.3, 2.0)), x, y, z).moved(middle)


def regular_coordinates(joint: Joint, rng: np.random.Generator) -> Vector:
    """Random coordinates in the middle of the domain, away from poles and ends; quaternions of unit length."""
    q = []
    for c in joint.coordinates:
        low, high = max(c.domain[0], c.neutral - 2.0), min(c.domain[1], c.neutral + 2.0)
        q.append(c.neutral + float(rng.uniform(0.4 * (low - c.neutral), 0.4 * (high - c.neutral))))
    values = np.array(q, dtype=float)
    if any(c.name == "qw" for c in joint.coordinates):
        values[:4] /= np.linalg.norm(values[:4])
    return values
