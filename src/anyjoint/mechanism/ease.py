"""How easily points and joints yield to forces, on plain numbers: what contacts and stops are made as stiff as."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.scalar.array import Floats

from .inertia import spatial_inertias

if TYPE_CHECKING:
    from .mechanism import Mechanism

NOTHING = 1e-12  # of the largest inertia: what weighs less does not count


class Ease:
    """Jacobians of all bodies and the inverse mass matrix at one place."""

    def __init__(self, mechanism: Mechanism, q: Any) -> None:
        self.poses = [np.asarray(pose.matrix, dtype=float) for pose in mechanism.poses([float(x) for x in q])]
        self.nv = mechanism.nv
        self.jacobians = self._jacobians(mechanism, q)
        M = np.diag([x for body in mechanism.bodies for x in body.armature]).astype(float)
        inertias = spatial_inertias([body.inertia for body in mechanism.bodies])
        for J, own in zip(self.jacobians, inertias, strict=True):
            M = M + J.T @ own @ J
        size, axes = np.linalg.eigh((M + M.T) / 2)
        real = size > NOTHING * max(float(size[-1]), 1e-300) if len(size) else np.zeros(0, dtype=bool)
        self.inverse = (axes[:, real] / size[real]) @ axes[:, real].T

    def _jacobians(self, mechanism: Mechanism, q: Any) -> list[Floats]:
        """Of each body its twist, in its own axes, by all velocities."""
        made: list[Floats] = []
        for body in mechanism.bodies:
            local = np.asarray((body.placement @ mechanism.joint_pose(body, q)).matrix, dtype=float)
            J = np.zeros((6, self.nv)) if body.parent < 0 else _seen(local, made[body.parent])
            if body.joint.nv:
                J[:, body.v] += np.asarray(body.joint.jacobian([float(x) for x in q[body.q]]), dtype=float)
            made.append(J)
        return made

    def point(self, body: int, point: Sequence[float], other: int = -1) -> float:
        """The least mass with which a point of a body resists, against another body."""
        place = self.poses[body] @ [*point, 1.0]
        J = self._velocity(body, place[:3]) - (self._velocity(other, place[:3]) if other >= 0 else 0.0)
        return 1.0 / max(float(np.linalg.eigvalsh(J @ self.inverse @ J.T)[-1]), 1e-300)

    def joint(self, velocity: int) -> float:
        """The inertia with which a velocity resists while all others are free."""
        return 1.0 / max(float(self.inverse[velocity, velocity]), 1e-300)

    def _velocity(self, body: int, place: Floats) -> Floats:
        """How a point of the world that rides on a body moves, by all velocities."""
        R, arm = self.poses[body][:3, :3], place - self.poses[body][:3, 3]
        w, u = R @ self.jacobians[body][:3], R @ self.jacobians[body][3:]
        return np.asarray(u + np.cross(w.T, arm).T)


def _seen(local: Floats, J: Floats) -> Floats:
    """Twists of a parent as those of a frame that rides on it."""
    R, p = local[:3, :3], local[:3, 3]
    return np.vstack([R.T @ J[:3], R.T @ (J[3:] + np.cross(J[:3].T, p).T)])


def ease_of(mechanism: Mechanism) -> Ease:
    """At the mechanism's own start, or its neutral place."""
    return Ease(mechanism, mechanism.start[0] if mechanism.start else mechanism.neutral)


