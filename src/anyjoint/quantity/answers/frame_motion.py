"""Where a frame of a body is, and its Jacobian: one program for all frames, which are told at run time."""

from __future__ import annotations

from anyjoint.dynamics.frame import FRAME
from anyjoint.scalar import Scalar
from anyjoint.spatial import vector
from anyjoint.trace.straight import Straight
from anyjoint.trace.workshop import Trace, Workshop

from ..quantity import Q, Quantity, Row


def trace(workshop: Workshop, _: str) -> Trace:
    """By sweeps; where joints follow others, columns are projected."""
    if not workshop.expansion:
        return workshop.sweeps(FRAME)
    return workshop.straight("frame, projected", FRAME.inputs, projected, FRAME.over, FRAME.gravity, sized=FRAME.sized)


def projected(tree: Straight) -> list[Scalar]:
    """Columns of the mechanism's own velocities: J = J_e Phi."""
    assert tree.expanded is not None  # or nothing had to be projected
    tree.run(FRAME)
    made = vector(*tree.outputs(FRAME))
    J = made[:-16].reshape(-1, 6)
    return [*(tree.expanded.Phi.T @ J).flat, *made[-16:]]


FRAME_MOTION = Quantity(
    "frame_motion",
    "Jacobian and world pose of a frame of a body, in linear time.",
    (
        Q,
        Row("on", "bodies", (), "1 for the body that the frame rides on, 0 for all others"),
        Row("frame", "whole", (12,), "the frame in that body: rows of the rotation, each with its entry of the origin"),
    ),
    (
        Row("jacobian", "velocities", (6,), "per velocity: angular velocity, then that of the origin, in its axes"),
        Row("pose", "whole", (4, 4), "world pose"),
    ),
    trace,
)
