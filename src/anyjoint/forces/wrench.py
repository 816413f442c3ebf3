"""A torque and a force on a body."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, Twist

from .force import Values, Vector3, checked_vector, moving_index
from .signal import Signal, joined, parted


@frozen
class Wrench:
    """A torque and a force (constant, or functions of time) on a point of a body, in world or body axes."""

    body: Where
    torque: Sequence[Signal] = (0.0, 0.0, 0.0)
    force: Sequence[Signal] = (0.0, 0.0, 0.0)
    point: Vector3 = (0.0, 0.0, 0.0)
    axes: str = "world"

    def __post_init__(self) -> None:
        if self.axes not in ("world", "body"):
            raise InputError(f'Wrench: axes={self.axes!r}; expected "world" or "body"')
        object.__setattr__(self, "point", checked_vector("Wrench", "point", self.point))
        for name in ("torque", "force"):
            given = getattr(self, name)
            listed = isinstance(given, Iterable)
            numbers = checked_vector("Wrench", name, [0.0 if callable(x) else x for x in given] if listed else given)
            object.__setattr__(self, name, tuple(x if callable(x) else y for x, y in zip(given, numbers, strict=True)))

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        body = (moving_index(mechanism, self.body, "Wrench"),)
        return [
            *self._push(body, self.force, SPEEDS[self.axes], self.point),
            *self._push(body, self.torque, SPINS[self.axes], ()),
        ]

    def _push(
        self, body: tuple[int], values: Sequence[Signal], measure: Callable[..., Values], place: Vector3
    ) -> list[Push]:
        if not any(callable(x) or x for x in values):
            return []
        numbers, functions, timed = parted(values)
        return [
            Push(what="Wrench", measure=measure, effort=given_efforts(timed), bodies=body, numbers=(*numbers, *place),
                 signals=functions, velocity=True)
        ]  # fmt: skip


def speed_in_world(pose: Pose, twist: Twist, n: Values) -> Values:
    return pose.R @ twist.at(n[3:6])


def speed_in_body(pose: Pose, twist: Twist, n: Values) -> Values:
    return twist.at(n[3:6])


def spin_in_world(pose: Pose, twist: Twist, n: Values) -> Values:
    return pose.R @ twist.angular


def spin_in_body(pose: Pose, twist: Twist, n: Values) -> Values:
    return twist.angular


SPEEDS = {"world": speed_in_world, "body": speed_in_body}
SPINS = {"world": spin_in_world, "body": spin_in_body}


@cache
def given_efforts(timed: tuple[bool, ...]) -> Callable[..., list[Scalar]]:
    """Efforts that are given, some as functions of time."""
    return lambda s, rate, n, signals: joined(n[: len(timed)], signals, timed)
