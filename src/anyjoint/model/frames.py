"""Frames of bodies: where they are, how they move, and the Jacobians of that."""

from __future__ import annotations

from typing import Any

import numpy as np

from anyjoint.dynamics.blocks import skew
from anyjoint.errors import InputError
from anyjoint.mechanism.frame import Frame, find_frame
from anyjoint.options import nearest
from anyjoint.scalar.array import ArrayLike, Floats

from .part import Part, WhichBody

AXES = ("local", "world-aligned", "world")


class FrameQuestions(Part):
    """The part of Model that is about frames.

    A frame is named by `mech.add_frame` or by its file, or it is a body, or (body, point or pose) without a name.
    Twists are angular part first; `axes` says whose they are: "local", the frame's own; "world-aligned", the world's
    axes at the frame's origin; "world", the world's axes and the point of the body that passes the world's origin.
    """

    def frame_pose(self, q: ArrayLike, frame: Any) -> Floats:
        """World pose of a frame, (4, 4), or (batch, 4, 4)."""
        found = find_frame(self.mechanism, frame, "frame_pose")
        own = np.asarray(found.pose.matrix, dtype=float)
        if found.body < 0:
            self.body_poses(q)  # checks q
            return np.asarray(np.broadcast_to(own, (*np.shape(q)[:-1], 4, 4)).astype(self.dtype))
        return np.asarray(np.asarray(self.body_poses(q))[..., found.body, :, :] @ own.astype(self.dtype))

    def frame_velocity(self, q: ArrayLike, v: ArrayLike, frame: Any, axes: str = "local") -> Floats:
        """Twist of a frame, (6,): angular velocity, then that of its origin."""
        found = find_frame(self.mechanism, frame, "frame_velocity")
        twists = np.asarray(self.body_twists(q, v))
        twist = np.zeros_like(twists[..., 0, :]) if found.body < 0 else twists[..., found.body, :]
        X = self._seen_from("frame_velocity", q, found, axes)
        return np.asarray((X @ twist[..., None])[..., 0])

    def frame_jacobian(self, q: ArrayLike, frame: Any, axes: str = "local") -> Floats:
        """Twist of a frame per unit velocities, (6, nv)."""
        found = find_frame(self.mechanism, frame, "frame_jacobian")
        X = self._seen_from("frame_jacobian", q, found, axes)
        if found.body < 0:
            return np.zeros((*np.shape(X)[:-1], self.nv), self.dtype)
        return np.asarray(X @ self.body_jacobian(q, found.body))

    def point_jacobian(self, q: ArrayLike, body: WhichBody, point: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
        """Velocity of a point of a body (or of a frame) per unit velocities, (3, nv), along the world's axes."""
        return self.frame_jacobian(q, (body, point), "world-aligned")[..., 3:, :]

    def _seen_from(self, where: str, q: ArrayLike, frame: Frame, axes: str) -> Floats:
        """(6, 6) from a body's twist in its own frame to the twist of a frame on it, along some axes."""
        if axes not in AXES:
            raise InputError(f"{where}: axes={axes!r} is unknown{nearest(axes, AXES)}")
        R, p = (np.asarray(x, dtype=float) for x in (frame.pose.R, frame.pose.p))
        X = np.zeros((6, 6))
        X[:3, :3] = X[3:, 3:] = R.T
        X[3:, :3] = -R.T @ skew(p)
        if axes == "local":
            return np.asarray(np.broadcast_to(X, (*np.shape(q)[:-1], 6, 6)).astype(self.dtype))
        T = np.asarray(self.frame_pose(q, frame), dtype=float)
        out = np.zeros((*T.shape[:-2], 6, 6))
        out[..., :3, :3] = out[..., 3:, 3:] = T[..., :3, :3]
        if axes == "world":
            out[..., 3:, :3] = skew(T[..., :3, 3]) @ T[..., :3, :3]
        return np.asarray((out @ X).astype(self.dtype))
