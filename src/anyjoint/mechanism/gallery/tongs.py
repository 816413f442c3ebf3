"""Lazy tongs that hold a fish: 32 links that all follow one angle [GL Fig. 5d]."""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.errors import InputError
from anyjoint.joints import Coupled, Revolute, Universal
from anyjoint.mechanism import Inertia, Mechanism, shapes
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .palette import AMBER, CORAL, INK

HALF = 0.12  # half the length of a link
THICK = 0.011
HINGE = Revolute((0, 1, 0))
LINK = Inertia.capsule(0.05, THICK, 2 * HALF)
DOWN = Pose.translation(0, 0, -HALF)


def tongs_with_fish(stages: int = 16, opening: float = 0.95) -> Mechanism:
    """Crossed pairs of links, hinged in their middles and at their ends, and a fish on a universal joint.

    Every link leans by +q or -q against the vertical, so all closed loops close for any q: three coordinates move
    2 * stages + 1 bodies, with no constraint left to enforce.
    """
    if stages < 1:
        raise InputError(f"tongs_with_fish(stages={stages}): tongs have at least one pair of links")
    idea = "Lazy tongs: 32 links follow one angle, so every loop is closed by construction."
    mech = Mechanism("tongs with a fish", description=idea)
    mech.draw(shapes.Sphere(0.02, color=CORAL))
    # The one link with a coordinate of its own; a spring holds the tongs half open.
    mech.add_body("a0", None, HINGE, None, LINK, _link(1, 0, stages), stiffness=60.0, rest=1.1)
    mech.add_body("b0", "a0", Coupled(HINGE, _closing, "a0"), None, LINK, _link(-1, 0, stages))
    for k in range(1, stages):
        # The lower end of a link is the upper end of the next link of the other hand.
        joint_at = DOWN if k == 1 else DOWN @ DOWN
        for hand, other, follow, side in (("a", "b", _opening, 1), ("b", "a", _closing, -1)):
            joint, shape = Coupled(HINGE, follow, "a0"), _link(side, k, stages, DOWN)
            mech.add_body(f"{hand}{k}", f"{other}{k - 1}", joint, joint_at, LINK.moved(DOWN), shape)
    middle = DOWN if stages > 1 else Pose()
    flesh = Inertia.ellipsoid(0.4, 0.055, 0.03, 0.14).moved(HEAD)
    mech.add_body("fish", f"a{stages - 1}", Universal(), middle, flesh, FISH)
    mech.set_start([opening, 0.25, -opening], [0.0, 0.0, 0.6])
    return mech


def _opening(q: Sequence[Scalar]) -> tuple[Scalar, ...]:
    return (2 * q[0],)


def _closing(q: Sequence[Scalar]) -> tuple[Scalar, ...]:
    return (-2 * q[0],)


def _link(side: int, k: int, stages: int, middle: Pose | None = None) -> shapes.Capsule:
    """A rod about its middle; the two hands lie one behind the other."""
    pose = (middle or Pose()) @ Pose.translation(0, THICK * side, 0)
    return shapes.Capsule(THICK, 2 * HALF, color=shapes.shade(k, stages), pose=pose)


HEAD = Pose.translation(0, 0, -0.26)
FISH = (
    shapes.rod((0, 0, 0), (0, 0, -0.12), 0.004, INK),
    shapes.Ellipsoid(0.055, 0.03, 0.14, color=CORAL, pose=HEAD),
    shapes.Ellipsoid(0.07, 0.008, 0.035, color=AMBER, pose=Pose.translation(0, 0, -0.42)),
    shapes.Ellipsoid(0.03, 0.008, 0.05, color=AMBER, pose=Pose.translation(0.05, 0, -0.25) @ Pose.rotation_y(-0.5)),
    shapes.Sphere(0.009, color=INK, pose=Pose.translation(0.02, 0.024, -0.18)),
    shapes.Sphere(0.009, color=INK, pose=Pose.translation(0.02, -0.024, -0.18)),
)
