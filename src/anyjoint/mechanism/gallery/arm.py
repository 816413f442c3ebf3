"""An arm with an elbow of its own kind, and muscles to be seen, which move with it and weigh nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from anyjoint.joints import Coupled, Joint, Prismatic, Revolute, Spherical, joint
from anyjoint.mechanism import Mechanism, shapes
from anyjoint.scalar import Scalar, atan2, cos, sqrt
from anyjoint.spatial import Pose

from .palette import CORAL, IVORY, SAND

Point = tuple[float, float, float]
UPPER, LOWER = 0.3, 0.26  # lengths of the bones
CARRYING, GLIDE = 0.2, 0.004  # the angle by which a stretched forearm leans out, and how far the axis moves
MUSCLES: dict[str, tuple[Point, Point]] = {
    "flexor": ((0.0, 0.03, -0.06), (0.0, 0.014, -0.05)), "extensor": ((0.0, -0.03, -0.05), (0.0, -0.032, 0.028)),
}  # fmt: skip


def arm(load: float = 2.0, muscles: Mapping[str, tuple[Point, Point]] = MUSCLES) -> Mechanism:
    """A ball joint with springs (3), an elbow (1), a weight of `load` kg in the hand; without muscles it just hangs.

    `muscles` are drawn from a point of the upper arm to one of the forearm: bellies turn and tendons slide with the
    elbow, each by a `Coupled` joint. To pull, they have to be forces.
    """
    idea = "An arm whose elbow is no hinge: the forearm swings in from its carrying angle while it bends."
    mech = Mechanism("arm", description=idea)
    mech.draw(shapes.Sphere(0.04, color=SAND), shapes.rod((-0.14, -0.04, 0.03), (0, 0, 0), 0.02, IVORY))
    upper = shapes.rod((0, 0, 0), (0, 0, -UPPER), 0.017, IVORY)
    mech.add_body("upper arm", None, Spherical(), None, upper.inertia(2.2), upper, stiffness=60.0, damping=3.0)
    lower, cap = shapes.rod((0, 0, 0), (0, 0, -LOWER), 0.014, IVORY), shapes.Sphere(0.024, color=SAND)
    across = Pose.translation(0, 0, -LOWER - 0.02) @ Pose.rotation_y(math.pi / 2)
    ends = [across @ Pose.translation(0, 0, side * 0.07) for side in (-1, 1)]
    weights = [shapes.Cylinder(0.045, 0.04, color="#3a3f4b", pose=end) for end in ends]
    bar = shapes.Cylinder(0.012, 0.2, color="#7d8597", pose=across)
    solid = lower.inertia(1.3) + weights[0].inertia(load / 2) + weights[1].inertia(load / 2)
    # Muscles end on small processes of the bone.
    knobs = [shapes.rod((0, 0, min(last[2], 0.0)), last, 0.01, IVORY) for _, last in muscles.values()]
    forearm = [lower, cap, bar, *weights, *knobs]
    mech.add_body("forearm", "upper arm", elbow(), Pose.translation(0, 0, -UPPER), solid, forearm, damping=0.4)
    for name, (first, last) in muscles.items():
        _draw_muscle(mech, name, first, last)
    mech.set_start([0.0, 0.0, 0.0, 0.3])
    return mech


def elbow() -> Joint:
    """Bending by one angle: the forearm leans out when stretched and swings in, on an axis that glides forward."""

    @joint(dof=1, domain=[(-0.5, 2.8)])
    def bending(q: Sequence[Scalar]) -> Pose:
        glide = Pose.translation(0, GLIDE / 2 * (1 - cos(q[0])), 0)
        return glide @ Pose.rotation_x(q[0]) @ Pose.rotation_y(CARRYING / 2 * (1 + cos(q[0])))

    made: Joint = bending
    return made


def _draw_muscle(mech: Mechanism, name: str, first: Point, last: Point) -> None:
    """A belly on the upper arm that looks to where the muscle ends, and a tendon that slides in it."""
    bend, place = elbow(), Pose.translation(*first)

    def way(q: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
        """Forward and down from the first point to the last."""
        p = bend.pose(q).act(last)
        return p[1] - first[1], first[2] - (p[2] - UPPER)

    def angle(q: Sequence[Scalar]) -> Scalar:
        return atan2(*way(q))

    def slide(q: Sequence[Scalar]) -> Scalar:
        y, z = way(q)
        return -sqrt(y * y + z * z)

    belly: Any = shapes.Ellipsoid(0.024, 0.024, 0.075, color=CORAL, pose=Pose.translation(0, 0, -0.075))
    mech.add_body(name, "upper arm", Coupled(Revolute("x"), angle, "forearm"), place, shape=belly)
    tendon = shapes.rod((0, 0, 0), (0, 0, 0.13), 0.007, SAND)
    mech.add_body(f"{name} tendon", name, Coupled(Prismatic("z"), slide, "forearm"), shape=tendon)
