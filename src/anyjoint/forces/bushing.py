"""A rubber bushing: six springs and dampers between two frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar, asin, atan2, reals
from anyjoint.spatial import Pose, Turn, dot, vector
from anyjoint.spatial.factor import Translation

from .force import Values, check_pose, two_bodies

FRAME = 12


@frozen
class Bushing:
    """Holds a frame of body b in a frame of body a (None: the ground), by three springs that turn and three that shift.

    `stiffness` and `damping` are six numbers, turning first, about and along the axes of the frame of a. A `turn` by an
    angle counts as its "sine", along its axis: up to a right angle the bushing pulls back. Or it counts as "xyz", the
    three angles about x, then y, then z, as OpenSim has it; then the second must stay away from a right angle.
    """

    body_a: Where
    body_b: Where
    stiffness: Sequence[float]
    damping: Sequence[float] = (0.0,) * 6
    at_a: Pose = field(default_factory=Pose)
    at_b: Pose = field(default_factory=Pose)
    turn: str = "sine"

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            object.__setattr__(self, name, six(name, getattr(self, name)))
        for name in ("at_a", "at_b"):
            check_pose("Bushing", name, getattr(self, name))
        if self.turn not in tuple(OFFSETS):
            raise InputError(f"Bushing: turn={self.turn!r}; expected {' or '.join(map(repr, OFFSETS))}")

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        bodies = two_bodies(mechanism, self.body_a, self.body_b, "Bushing")
        frames = [x for frame in (self.at_a, self.at_b) for x in (*frame.R.ravel(), *frame.p)]
        numbers = tuple(float(x) for x in (*frames, *self.stiffness, *self.damping))
        measure = OFFSETS[self.turn]
        return [Push(what="Bushing", measure=measure, effort=hold, bodies=bodies, numbers=numbers, energy=stored)]


def six(name: str, given: Any) -> tuple[float, ...]:
    """Six finite numbers that are not negative."""
    try:
        numbers = reals(given)
    except (TypeError, ValueError):
        numbers = np.full(0, np.nan)
    if numbers.shape != (6,) or not (numbers >= 0).all() or not np.isfinite(numbers).all():
        raise InputError(f"Bushing: {name}={given!r}; expected six numbers that are not negative, turning first")
    return tuple(float(x) for x in numbers)


def framed(n: Values) -> Pose:
    """A frame from its numbers."""
    return Pose((Translation(tuple(n[9:12])), Turn(vector(*n[:9]).reshape(3, 3))))


def between(a: Pose, b: Pose, n: Values) -> tuple[Values, Values]:
    """The turn and the shift of the frame of b in that of a."""
    first, second = a @ framed(n[:FRAME]), b @ framed(n[FRAME : 2 * FRAME])
    return first.R.T @ second.R, first.R.T @ (second.p - first.p)


def by_sine(a: Pose, b: Pose, n: Values) -> Values:
    """The sine of the angle along the axis, and the shift."""
    R, p = between(a, b, n)
    return vector((R[2, 1] - R[1, 2]) / 2, (R[0, 2] - R[2, 0]) / 2, (R[1, 0] - R[0, 1]) / 2, *p)


def by_angles(a: Pose, b: Pose, n: Values) -> Values:
    """Angles about x, the new y and the new z, and the shift."""
    R, p = between(a, b, n)
    return vector(atan2(-R[1, 2], R[2, 2]), asin(R[0, 2]), atan2(-R[0, 1], R[0, 0]), *p)


OFFSETS = {"sine": by_sine, "xyz": by_angles}


def hold(s: Values, rate: Values, n: Values, signals: Values) -> Values:
    """Six springs and dampers."""
    return [-(k * x + d * v) for k, d, x, v in zip(n[24:30], n[30:36], s, rate, strict=True)]


def stored(s: Values, n: Values) -> Scalar:
    return 0.5 * dot(vector(*n[24:30]) * s, s)
