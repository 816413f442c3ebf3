"""A shoulder blade that glides on the rib cage, with the arm on it; the cage is an ellipsoid."""

from __future__ import annotations

import math

from anyjoint.geometry import surfaces
from anyjoint.joints import OnSurface, Revolute, Spherical
from anyjoint.mechanism import Inertia, Mechanism, shapes
from anyjoint.spatial import Pose

from .palette import CORAL, IVORY, ROSE, SAND

# Half axes of the rib cage: width, depth, height; its poles are on the spine, far from the blade.
CAGE = surfaces.Ellipsoid(0.15, 0.11, 0.24)


def shoulder_blade() -> Mechanism:
    """Blade on an ellipsoid (2 + spin), ball joint of the arm (3), hinge of the elbow (1): 7 coordinates.

    Springs stand for the muscles that hold the blade; the arm is raised sideways and falls.
    """
    idea = "The shoulder blade has no hinge: it glides and turns on the rib cage, and the arm hangs from it."
    mech = Mechanism("shoulder blade", description=idea)
    _draw_thorax(mech)
    # Right and behind: u is the angle round the spine, v the angle from the upper pole.
    rest = (-0.9, 1.15, 0.0)
    blade = mech.add_body(
        "blade", None, OnSurface(CAGE, spin=True), None, Inertia.box(0.7, 0.1, 0.13, 0.02), _blade(),
        stiffness=(25.0, 25.0, 8.0), damping=(0.6, 0.6, 0.2), rest=rest,
    )  # fmt: skip
    upper_solid = Inertia.capsule(2.0, 0.04, 0.28).moved(Pose.translation(0, 0, -0.14))
    lower_solid = Inertia.capsule(1.4, 0.032, 0.26).moved(Pose.translation(0, 0, -0.13))
    # Turned so that the arm hangs straight down at zero while the blade is at rest.
    hanging = SOCKET @ Pose.from_rotation(CAGE.frame(*rest[:2]).R.T)
    upper = mech.add_body("upper arm", blade, Spherical(), hanging, upper_solid, _upper_arm(), damping=0.15)
    elbow = Revolute((1, 0, 0))
    mech.add_body("forearm", upper, elbow, ELBOW, lower_solid, _forearm(), damping=0.08, stiffness=0.4, rest=0.5)
    mech.set_start([*rest, 0.0, -1.4, 0.0, 0.6])
    return mech


ELBOW = Pose.translation(0, 0, -0.28)
SOCKET = Pose.translation(0.1, 0.08, 0.02)


def _draw_thorax(mech: Mechanism) -> None:
    mech.draw(shapes.Ellipsoid(0.148, 0.108, 0.238, color=IVORY))
    for k in range(-3, 4):  # ribs
        z = 0.055 * k
        scale = math.sqrt(1 - (z / 0.24) ** 2)
        ring = [(0.151 * scale * math.cos(t), 0.111 * scale * math.sin(t), z) for t in _turn(60)]
        mech.draw(shapes.Tube(ring, 0.006, color=SAND))
    mech.draw(shapes.rod((0, -0.11, -0.3), (0, -0.11, 0.32), 0.018, SAND))


def _turn(n: int) -> list[float]:
    return [2 * math.pi * k / n for k in range(n + 1)]


def _blade() -> list[shapes.Shape]:
    """A thin triangle, its spine, and the socket of the arm."""
    corners = [(-0.07, -0.09), (0.07, 0.06), (-0.06, 0.07)]
    vertices = [(x, y, z) for z in (-0.006, 0.008) for x, y in corners]
    faces = [(0, 2, 1), (3, 4, 5), (0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4), (2, 0, 3), (2, 3, 5)]
    plate = shapes.Mesh(vertices, faces, color=CORAL)
    ridge = shapes.rod((-0.06, 0.05, 0.01), (0.1, 0.08, 0.02), 0.009, CORAL)
    return [plate, ridge, shapes.Sphere(0.03, color=ROSE, pose=SOCKET)]


def _upper_arm() -> list[shapes.Shape]:
    return [shapes.Sphere(0.035, color=IVORY), shapes.rod((0, 0, -0.02), (0, 0, -0.26), 0.026, IVORY)]


def _forearm() -> list[shapes.Shape]:
    hand = shapes.Ellipsoid(0.035, 0.018, 0.06, color=SAND, pose=Pose.translation(0, 0, -0.33))
    return [shapes.Sphere(0.03, color=ROSE), shapes.rod((0, 0, 0), (0, 0, -0.26), 0.02, IVORY), hand]
