"""Sensors that files name: what a model says of a coordinate, a path, a frame, part of it, or all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.options import nearest
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.spatial.quaternions import quaternions

from .frame import find_frame

if TYPE_CHECKING:
    from anyjoint.model import Model


@frozen(eq=False)
class Sensor:
    """Something that is measured: `sensor(model, q, v)` is its value at a state, or at each of a batch.

    `of` is a body whose joint is meant or which carries what is meant (None: the ground, all), a path, or a frame
    (body, pose), which may be seen from a `reference` frame; a coordinate or length is scaled and shifted, potential
    energy is shifted. What depends on accelerations wants them: `sensor(model, q, v, a)`, where `a` is of
    `model.forward_dynamics`.
    """

    kind: str
    of: Any = None
    scale: float = 1.0
    offset: float = 0.0
    reference: Any = None

    def __post_init__(self) -> None:
        known = [*KINDS, *ACCELERATED]
        if self.kind not in known:
            raise InputError(f"Sensor: kind={self.kind!r}{nearest(self.kind, known)}")

    def __call__(self, model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike | None = None) -> Floats:
        given = [np.asarray(x, dtype=float) for x in ((q, v) if a is None else (q, v, a))]
        if self.kind not in ACCELERATED:
            return np.asarray(KINDS[self.kind](self, model, *given[:2]))
        if a is None:
            remedy = "give sensor(model, q, v, a), such as of a = model.forward_dynamics(q, v, tau)"
            raise InputError(f"sensor ({self.kind}): it depends on accelerations; {remedy}")
        return np.asarray(ACCELERATED[self.kind](self, model, *given))


def _own(sensor: Sensor, model: Model, q: Floats) -> Floats:
    return q[..., model.mechanism[sensor.of].q]


def _rates(sensor: Sensor, model: Model, v: Floats) -> Floats:
    return v[..., model.mechanism[sensor.of].v]


def _length_rate(sensor: Sensor, model: Model, q: Floats, v: Floats) -> Floats:
    return np.asarray(-sensor.scale * np.einsum("...i,...i->...", model.moment_arms(q, sensor.of), v)[..., None])


def _pose(sensor: Sensor, model: Model, q: Floats) -> Floats:
    """Of the frame in the world, or in its reference."""
    T = model.frame_pose(q, sensor.of)
    return T if sensor.reference is None else np.asarray(np.linalg.inv(model.frame_pose(q, sensor.reference)) @ T)


def _twist(sensor: Sensor, model: Model, q: Floats, v: Floats) -> Floats:
    """Of the frame along the world's axes, or as its reference sees it."""
    own = np.asarray(model.frame_velocity(q, v, sensor.of, "world-aligned"))
    if sensor.reference is None:
        return own
    other = np.asarray(model.frame_velocity(q, v, sensor.reference, "world-aligned"))
    T = model.frame_pose(q, sensor.reference)
    away = model.frame_pose(q, sensor.of)[..., :3, 3] - T[..., :3, 3]
    moved = own - other
    moved[..., 3:] -= np.cross(other[..., :3], away)  # the reference turns below it
    return np.concatenate([_turned_back(T, moved[..., :3]), _turned_back(T, moved[..., 3:])], axis=-1)


def _turned_back(T: Floats, x: Floats) -> Floats:
    """A vector of the world along the axes of a pose."""
    return np.asarray(np.einsum("...ji,...j->...i", T[..., :3, :3], x))


def _local(sensor: Sensor, model: Model, q: Floats, v: Floats) -> Floats:
    return np.asarray(model.frame_velocity(q, v, sensor.of, "local"))


def _quaternion(T: Floats) -> Floats:
    """(w, x, y, z) of a pose, w not negative."""
    found = quaternions(T[..., :3, :3])[..., [3, 0, 1, 2]]
    return np.asarray(np.where(found[..., :1] < 0, -found, found))


# -- what a body carries ----------------------------------------------------------------------------------------------


def _carried(sensor: Sensor, model: Model, q: Floats, v: Floats) -> tuple[Floats, Floats, Floats]:
    """Centre of mass, its velocity, and the momentum about it, of a body and all that it carries."""
    bodies, first = model.mechanism.bodies, -1 if sensor.of is None else model.mechanism[sensor.of].index
    inside = {first}
    for body in bodies:  # parents come first
        if body.parent in inside:
            inside.add(body.index)
    found = sorted(inside - {-1})
    T, twist = np.asarray(model.body_poses(q))[..., found, :, :], np.asarray(model.body_twists(q, v))[..., found, :]
    R, p, w, u = T[..., :3, :3], T[..., :3, 3], twist[..., :3], twist[..., 3:]
    m, com, I = (np.array([getattr(bodies[k].inertia, x) for k in found]) for x in ("mass", "com", "tensor"))
    if not m.sum() > 0:
        raise InputError(f"sensor ({sensor.kind}): nothing that {sensor.of!r} carries has mass")
    at = p + np.einsum("...bij,bj->...bi", R, com)
    speed = np.einsum("...bij,...bj->...bi", R, u + np.cross(w, com))
    spin = np.einsum("...bij,bjk,...bk->...bi", R, I, w)
    center, moving = (np.einsum("b,...bi->...i", m, x) / m.sum() for x in (at, speed))
    off, faster = at - center[..., None, :], speed - moving[..., None, :]
    momentum = np.sum(spin + m[:, None] * np.cross(off, faster), axis=-2)
    return center, moving, np.asarray(momentum)


# -- what depends on accelerations ------------------------------------------------------------------------------------


def _felt(sensor: Sensor, model: Model, q: Floats, v: Floats, a: Floats) -> tuple[Floats, Floats, Floats]:
    """The pose of a frame, its angular acceleration, and that of its origin without gravity's, in the world."""
    frame, T = find_frame(model.mechanism, sensor.of, "sensor"), model.frame_pose(q, sensor.of)
    g = np.array(model.mechanism.gravity)
    if frame.body < 0:
        return T, np.zeros(T.shape[:-2] + (3,)), np.broadcast_to(-g, T.shape[:-2] + (3,))
    on, point = (..., frame.body, slice(None)), np.asarray(frame.pose.p, dtype=float)
    twist, rate = np.asarray(model.body_twists(q, v))[on], np.asarray(model.body_twists(q, a))[on]
    rate = rate + np.asarray(model.jacobian_rate_times(q, v, v))[on]
    w, u, alpha = twist[..., :3], twist[..., 3:], rate[..., :3]
    linear = rate[..., 3:] + np.cross(w, u + np.cross(w, point)) + np.cross(alpha, point)
    R = np.asarray(model.body_poses(q))[..., frame.body, :3, :3]
    angular, linear = (np.einsum("...ij,...j->...i", R, x) for x in (alpha, linear))
    return T, angular, linear - g


KINDS: dict[str, Any] = {
    "coordinate": lambda s, m, q, v: s.scale * _own(s, m, q) + s.offset,
    "rate": lambda s, m, q, v: s.scale * _rates(s, m, v),
    "coordinates": lambda s, m, q, v: _own(s, m, q),
    "velocities": lambda s, m, q, v: _rates(s, m, v),
    "length": lambda s, m, q, v: s.scale * m.path_length(q, s.of)[..., None],
    "length rate": _length_rate,
    "position": lambda s, m, q, v: _pose(s, m, q)[..., :3, 3],
    "quaternion": lambda s, m, q, v: _quaternion(_pose(s, m, q)),
    "x axis": lambda s, m, q, v: _pose(s, m, q)[..., :3, 0],
    "y axis": lambda s, m, q, v: _pose(s, m, q)[..., :3, 1],
    "z axis": lambda s, m, q, v: _pose(s, m, q)[..., :3, 2],
    "linear velocity": lambda s, m, q, v: _twist(s, m, q, v)[..., 3:],
    "angular velocity": lambda s, m, q, v: _twist(s, m, q, v)[..., :3],
    "gyro": lambda s, m, q, v: _local(s, m, q, v)[..., :3],
    "velocimeter": lambda s, m, q, v: _local(s, m, q, v)[..., 3:],
    "carried center": lambda s, m, q, v: _carried(s, m, q, v)[0],
    "carried velocity": lambda s, m, q, v: _carried(s, m, q, v)[1],
    "carried momentum": lambda s, m, q, v: _carried(s, m, q, v)[2],
    "potential energy": lambda s, m, q, v: m.energy(q, v)[1][..., None] + s.offset,
    "kinetic energy": lambda s, m, q, v: m.energy(q, v)[0][..., None],
}
ACCELERATED: dict[str, Any] = {
    "angular acceleration": lambda *given: _felt(*given)[1],
    "linear acceleration": lambda *given: _felt(*given)[2],  # less gravity's, as MuJoCo has it
    "accelerometer": lambda *given: _turned_back(*_felt(*given)[::2]),
}
