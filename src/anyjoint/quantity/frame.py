"""Where a frame of a body is, and its Jacobian; a quantity for every frame that somebody names."""

from __future__ import annotations

import numpy as np

from anyjoint.dynamics.frame_jacobian import frame_jacobian
from anyjoint.errors import InputError
from anyjoint.mechanism.frame import Frame
from anyjoint.scalar import Scalar
from anyjoint.spatial import as_matrix, vector
from anyjoint.trace.straight import Straight
from anyjoint.trace.workshop import Trace, Workshop

from .quantity import Q, Quantity, Row


def frame_quantity(frame: Frame) -> Quantity:
    """The pose of a frame and the twist of its origin per unit velocity, straight: as long as its way to the ground."""
    if frame.body < 0:
        raise InputError(f"frame {frame.name!r} rides on the ground: it does not move, and nothing is to be computed")
    own = np.asarray(frame.pose.matrix, dtype=float)
    name = f"frame of body {frame.body} at {[x.hex() for x in own.ravel().tolist()]}"

    def found(tree: Straight) -> list[Scalar]:
        R, p = as_matrix(own[:3, :3]), vector(*own[:3, 3])
        pose, J = frame_jacobian(tree.records, tree.plan.parents, frame.body, R, p)
        return [*pose.flat, *(tree.expanded.Phi.T @ J if tree.expanded else J).flat]

    def trace(workshop: Workshop, _: str) -> Trace:
        return workshop.straight(name, ("q",), found, "bodies")

    return Quantity(
        name,
        "World pose of a frame, as a 4x4 matrix, and its Jacobian.",
        (Q,),
        (
            Row("pose", "whole", (4, 4), "world pose"),
            Row("jacobian", "velocities", (6,), "per velocity: angular velocity, then that of the origin, in its axes"),
        ),
        trace,
    )
