"""A board with a rider on a Bezier surface of 25 control points [SG Fig. 4]."""

from __future__ import annotations

import math

from anyjoint.geometry import surfaces
from anyjoint.joints import OnSurface, Revolute, Universal
from anyjoint.mechanism import Inertia, Mechanism, shapes
from anyjoint.spatial import Pose

from .palette import AMBER, CORAL, INK, SAND, SEA, SKY

# Heights of a 5 x 5 grid of control points: a bowl with a rise in the middle and an uneven rim.
HEIGHTS = (
    (2.9, 1.8, 1.5, 1.9, 3.8),
    (1.3, -0.9, -0.2, -0.7, 2.0),
    (1.1, -0.4, 1.3, -0.6, 1.6),
    (1.4, -0.6, -0.3, -1.0, 2.0),
    (3.1, 2.0, 1.3, 1.8, 3.5),
)


def control_points(width: float = 6.0) -> list[list[tuple[float, float, float]]]:
    """The grid of control points, 5 x 5, evenly spaced in x and y."""
    return [[(width * (i / 4 - 0.5), width * (j / 4 - 0.5), HEIGHTS[i][j]) for j in range(5)] for i in range(5)]


def board_on_spline_surface() -> Mechanism:
    """The board stays in the tangent plane and turns about the normal; its rider sways on springs. 7 coordinates."""
    hill = surfaces.Bezier(control_points())
    idea = "A board slides over a spline surface, always tangent to it; its rider sways on springs."
    mech = Mechanism("board on a spline surface", description=idea)
    mech.draw(shapes.surface(hill, color=SKY, opacity=0.35), shapes.net(hill, radius=0.012, color=SEA))
    deck = shapes.Box(0.8, 0.24, 0.04, color=CORAL, pose=Pose.translation(0, 0, 0.05))
    nose = shapes.Cylinder(0.12, 0.04, color=CORAL, pose=Pose.translation(0.4, 0, 0.05))
    tail = shapes.Cylinder(0.12, 0.04, color=CORAL, pose=Pose.translation(-0.4, 0, 0.05))
    board = mech.add_body("board", None, OnSurface(hill, spin=True), None, deck.inertia(2.5), [deck, nose, tail])
    legs = [shapes.rod((side, 0, 0), (0, 0, 0.5), 0.05, INK) for side in (0.2, -0.2)]
    body = shapes.rod((0, 0, 0.55), (0, 0, 0.85), 0.11, SEA)
    head = shapes.Sphere(0.11, color=SAND, pose=Pose.translation(0, 0, 1.1))
    figure, feet = [*legs, body, head], Pose.translation(0, 0, 0.07)
    rider = mech.add_body("rider", board, Universal(), feet, RIDER, figure, stiffness=90.0, damping=3.0)
    for side, name in ((1, "left"), (-1, "right")):
        hand = shapes.Sphere(0.06, color=SAND, pose=Pose.translation(0, side * 0.55, 0))
        arm = [shapes.rod((0, side * 0.05, 0), (0, side * 0.5, 0), 0.04, AMBER), hand]
        solid = Inertia.capsule(0.8, 0.04, 0.5).moved(Pose.translation(0, side * 0.3, 0) @ Pose.rotation_x(math.pi / 2))
        shoulder = Pose.translation(0, side * 0.1, 0.85)
        mech.add_body(f"{name} arm", rider, Revolute((1, 0, 0)), shoulder, solid, arm, stiffness=4.0, damping=0.1)
    mech.set_start([0.2, 0.78, -0.6, 0.0, 0.0, 0.2, -0.2])
    return mech


RIDER = Inertia.cylinder(5.0, 0.12, 0.9).moved(Pose.translation(0, 0, 0.6))
