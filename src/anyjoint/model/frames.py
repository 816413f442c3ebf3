"""Frames of bodies: where they are, how they move, and the Jacobians of that."""

from __future__ import annotations

import numpy as np

from anyjoint.dynamics.blocks import skew
from anyjoint.errors import InputError
from anyjoint.mechanism import Body
from anyjoint.mechanism.frame import HERE, Frame, WhichFrame, find_frame
from anyjoint.options import nearest
from anyjoint.scalar.array import ArrayLike, Floats

from .arguments import checked_row
from .part import Part, WhichBody

AXES = ("local", "world-aligned", "world")


class FrameQuestions(Part):
    """The part of Model that is about frames.

    A frame is named by `mech.add_frame` or by its file, or it is a body, or (body, point or pose) without a name.
    Twists are angular part first; `axes` says whose they are: "local", the frame's own; "world-aligned", the world's
    axes at the frame's origin; "world", the world's axes and the point of the body that passes the world's origin.
    """

    def frame_pose(self, q: ArrayLike, frame: WhichFrame) -> Floats:
        """World pose of a frame, (4, 4), or (batch, 4, 4)."""
        found, T = find_frame(self.mechanism, frame, "frame_pose"), self.whole.body_poses(q)
        if found.body < 0:
            return np.broadcast_to(found.pose.matrix.astype(self.dtype), (*T.shape[:-3], 4, 4)).copy()
        return np.asarray(T[..., found.body, :, :] @ found.pose.matrix.astype(self.dtype))

    def frame_velocity(self, q: ArrayLike, v: ArrayLike, frame: WhichFrame, axes: str = "local") -> Floats:
        """Twist of a frame, (6,): angular velocity, then that of its origin."""
        J = self._jacobian("frame_velocity", q, frame, axes)
        v = checked_row("frame_velocity", v, "v", self.nv, self.dtype)
        return np.asarray((J @ v[..., None])[..., 0])

    def frame_jacobian(self, q: ArrayLike, frame: WhichFrame, axes: str = "local") -> Floats:
        """Twist of a frame per unit velocities, (6, nv)."""
        return self._jacobian("frame_jacobian", q, frame, axes)

    def _jacobian(self, where: str, q: ArrayLike, frame: WhichFrame, axes: str) -> Floats:
        if axes not in AXES:
            raise InputError(f"{where}: axes={axes!r} is unknown{nearest(axes, AXES)}")
        J, T = self._motion(q, find_frame(self.mechanism, frame, where))
        if axes == "local":
            return J
        R, p = T[..., :3, :3], T[..., :3, 3]
        angular, linear = R @ J[..., :3, :], R @ J[..., 3:, :]
        if axes == "world":
            linear += skew(p) @ angular
        return np.asarray(np.concatenate([angular, linear], axis=-2), self.dtype)

    def body_jacobian(self, q: ArrayLike, body: WhichBody) -> Floats:
        """The body's twist per unit velocities, (6, nv), angular rows first, in the body's own frame."""
        return self._motion(q, Frame("", self.whole.body_index(body), HERE))[0]

    def point_jacobian(self, q: ArrayLike, body: Body | str, point: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
        """Velocity of a point of a body (or of a frame) per unit velocities, (3, nv), along the world's axes."""
        return self._jacobian("point_jacobian", q, (body, point), "world-aligned")[..., 3:, :]

    def _motion(self, q: ArrayLike, found: Frame) -> tuple[Floats, Floats]:
        """The Jacobian (6, nv) of a frame in its own axes, and its world pose."""
        own = found.pose.matrix.astype(self.dtype)
        on = np.zeros(self.nb, self.dtype)
        if found.body >= 0:
            on[found.body] = 1
        row = self.whole.evaluate("frame_motion", (q, on, own[:3].ravel()))
        rows, T = self.whole.program("frame_motion").split(row)
        if found.body < 0:
            T = np.broadcast_to(own, T.shape).copy()
        return np.ascontiguousarray(np.swapaxes(rows, -1, -2)), T
