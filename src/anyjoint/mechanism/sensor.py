"""Sensors that files name: what a model says of a coordinate, a path, a frame, or all of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.spatial.quaternions import quaternions

if TYPE_CHECKING:
    from anyjoint.model import Model


@dataclass(frozen=True, eq=False)
class Sensor:
    """Something that is measured: `sensor(model, q, v)` is its value at a state, or at each of a batch.

    `of` is a body whose joint is meant, a path, or a frame (body, pose); a coordinate is scaled and shifted where it
    follows the one of `of`.
    """

    kind: str
    of: Any = None
    scale: float = 1.0
    offset: float = 0.0

    def __call__(self, model: Model, q: ArrayLike, v: ArrayLike) -> Floats:
        return np.asarray(KINDS[self.kind](self, model, np.asarray(q, dtype=float), np.asarray(v, dtype=float)))


def _own(sensor: Sensor, model: Model, q: Floats) -> Floats:
    return q[..., model.mechanism[sensor.of].q]


def _rates(sensor: Sensor, model: Model, v: Floats) -> Floats:
    return v[..., model.mechanism[sensor.of].v]


def _twist(model: Model, q: Floats, v: Floats, of: Any, axes: str) -> Floats:
    return np.asarray(model.frame_velocity(q, v, of, axes))


def _quaternion(T: Floats) -> Floats:
    """(w, x, y, z) of a pose, w not negative."""
    found = quaternions(T[..., :3, :3])[..., [3, 0, 1, 2]]
    return np.asarray(np.where(found[..., :1] < 0, -found, found))


KINDS: dict[str, Any] = {
    "coordinate": lambda s, m, q, v: s.scale * _own(s, m, q) + s.offset,
    "rate": lambda s, m, q, v: s.scale * _rates(s, m, v),
    "coordinates": lambda s, m, q, v: _own(s, m, q),
    "velocities": lambda s, m, q, v: _rates(s, m, v),
    "length": lambda s, m, q, v: m.path_length(q, s.of)[..., None],
    "length rate": lambda s, m, q, v: -np.einsum("...i,...i->...", m.moment_arms(q, s.of), v)[..., None],
    "position": lambda s, m, q, v: m.frame_pose(q, s.of)[..., :3, 3],
    "quaternion": lambda s, m, q, v: _quaternion(m.frame_pose(q, s.of)),
    "x axis": lambda s, m, q, v: m.frame_pose(q, s.of)[..., :3, 0],
    "y axis": lambda s, m, q, v: m.frame_pose(q, s.of)[..., :3, 1],
    "z axis": lambda s, m, q, v: m.frame_pose(q, s.of)[..., :3, 2],
    "linear velocity": lambda s, m, q, v: _twist(m, q, v, s.of, "world-aligned")[..., 3:],
    "angular velocity": lambda s, m, q, v: _twist(m, q, v, s.of, "world-aligned")[..., :3],
    "gyro": lambda s, m, q, v: _twist(m, q, v, s.of, "local")[..., :3],
    "velocimeter": lambda s, m, q, v: _twist(m, q, v, s.of, "local")[..., 3:],
    "potential energy": lambda s, m, q, v: m.energy(q, v)[1][..., None],
    "kinetic energy": lambda s, m, q, v: m.energy(q, v)[0][..., None],
}
