"""Forces beside gravity: springs and dampers in joints and between points, wrenches on bodies, servos.

A force says on which speeds it works with which effort; all are traced once into expressions of the state, so that
they run inside the compiled step loop. A new kind of force is a class with these two methods.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from anyjoint.errors import InputError
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, less, maximum, minimum, reals, select, sqrt

from .force_trace import (
    TINY,
    ForceTrace,
    Signal,
    angular_velocity,
    body_index,
    dot3,
    point,
)  # fmt: skip

__all__ = ["Force", "Limits", "Servo", "Spring", "Wrench"]

Vector3 = Sequence[Any]
Effort = tuple[Any, Any]  # a force or torque, and the speed that it works on


class Force(Protocol):
    """Something that pushes: it gives generalized forces, and an energy where it has a potential."""

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        """Pairs (effort, speed that it works on); power is their product, and the speed is linear in v."""

    def potential(self, trace: ForceTrace) -> Scalar:
        """The energy stored, or 0."""


@dataclass(frozen=True)
class Spring:
    """A spring and damper between a point of one body and a point of another (None: the ground).

    The force along the line is stiffness * (distance - length) + damping * its rate.
    """

    body_a: Any
    point_a: Vector3
    body_b: Any
    point_b: Vector3
    stiffness: float
    damping: float = 0.0
    length: float = 0.0

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping", "length"):
            check_number("Spring", name, getattr(self, name), least=0.0)
        for name in ("point_a", "point_b"):
            object.__setattr__(self, name, checked_vector("Spring", name, getattr(self, name)))

    def _line(self, trace: ForceTrace) -> list[Any]:
        """From a to b, in the world."""
        a = point(trace.pose(self.body_a, "Spring"), self.point_a)
        b = point(trace.pose(self.body_b, "Spring"), self.point_b)
        return [y - x for x, y in zip(a, b, strict=True)]

    def _stretch(self, trace: ForceTrace, distance: Any) -> Any:
        return distance - trace.number(self.length) if self.length else distance

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        line = self._line(trace)
        along = dot3(line, trace.rate_of(line))
        if not self.length and not self.damping:  # no direction needed, so points may coincide
            return [(-trace.number(self.stiffness), along)]
        distance = sqrt(dot3(line, line) + TINY)
        rate = along / distance
        pull = trace.number(self.stiffness) * self._stretch(trace, distance) + trace.number(self.damping) * rate
        return [(-pull, rate)]

    def potential(self, trace: ForceTrace) -> Scalar:
        line = self._line(trace)
        stretch = self._stretch(trace, sqrt(dot3(line, line) + TINY))
        return 0.5 * trace.number(self.stiffness) * stretch * stretch


@dataclass(frozen=True)
class Wrench:
    """A torque and a force (constant, or functions of time) on a point of a body, in world or body axes."""

    body: Any
    torque: Sequence[Signal] = (0.0, 0.0, 0.0)
    force: Sequence[Signal] = (0.0, 0.0, 0.0)
    point: Vector3 = (0.0, 0.0, 0.0)
    axes: str = "world"

    def __post_init__(self) -> None:
        if self.axes not in ("world", "body"):
            raise InputError(f'Wrench: axes={self.axes!r}; expected "world" or "body"')
        object.__setattr__(self, "point", checked_vector("Wrench", "point", self.point))
        for name in ("torque", "force"):
            given = tuple(getattr(self, name))
            numbers = checked_vector("Wrench", name, [0.0 if callable(x) else x for x in given])
            object.__setattr__(self, name, tuple(x if callable(x) else y for x, y in zip(given, numbers, strict=True)))

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        pose = trace.pose(self.body, "Wrench")
        R = pose.R
        made: list[Effort] = []
        if any(callable(x) or x for x in self.force):
            velocity = trace.rate_of(point(pose, self.point))
            made += zip(self._in_world(R, self.force, trace), velocity, strict=True)
        if any(callable(x) or x for x in self.torque):
            made += zip(self._in_world(R, self.torque, trace), angular_velocity(trace, R), strict=True)
        return made

    def _in_world(self, R: Any, values: Sequence[Signal], trace: ForceTrace) -> list[Any]:
        given = [trace.signal(x) if callable(x) or x else 0.0 for x in values]
        return given if self.axes == "world" else [sum(R[i][k] * given[k] for k in range(3)) for i in range(3)]

    def potential(self, trace: ForceTrace) -> Scalar:
        return 0.0


@dataclass(frozen=True)
class Servo:
    """Pulls one coordinate of a body's joint to a target (a number or a function of time), with at most `limit`."""

    body: Any
    target: Signal
    stiffness: float
    damping: float = 0.0
    coordinate: int = 0
    limit: float = math.inf

    def __post_init__(self) -> None:
        check_number("Servo", "stiffness", self.stiffness, least=0.0)
        check_number("Servo", "damping", self.damping, least=0.0)
        if not self.limit > 0:
            raise InputError(f"Servo: limit={self.limit!r}; expected a positive number, or leave it out")

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        body = trace.mechanism.bodies[body_index(trace.mechanism, self.body, "Servo")]
        if body.joint.nq != body.joint.nv or not 0 <= self.coordinate < body.joint.nv:
            raise InputError(
                f"Servo: body {body.name!r} has no coordinate {self.coordinate} to drive; it has {body.joint.nv}"
            )
        if body.joint.coordinates[self.coordinate].wrap:
            raise InputError(f"Servo: body {body.name!r} takes whole turns off (wrap=True), a jolt; use wrap=False")
        q, v = trace.q[body.q][self.coordinate], trace.v[body.v][self.coordinate]
        push = trace.number(self.stiffness) * (trace.signal(self.target) - q) - trace.number(self.damping) * v
        if math.isfinite(self.limit):
            most = trace.number(self.limit)
            push = minimum(maximum(push, -most), most)
        return [(push, v)]

    def potential(self, trace: ForceTrace) -> Scalar:
        return 0.0


@dataclass(frozen=True)
class Limits:
    """Pushes coordinates back into the limits of their joints: springs that act only outside, and never pull.

    Stiffness and damping are one number for all, or one for each limited coordinate in the mechanism's order.
    """

    stiffness: float | Sequence[float]
    damping: float | Sequence[float] = 0.0

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            given = getattr(self, name)
            for value in given if isinstance(given, (list, tuple)) else (given,):
                check_number("Limits", name, value, least=0.0)

    def _stops(self, trace: ForceTrace) -> Iterator[tuple[Any, Any, Any, Any]]:
        """For each side of a limited coordinate: how far it is beyond (with a sign), velocity, stiffness, damping."""
        found = list(limited(trace.mechanism))
        stiffness, damping = (_each(x, len(found)) for x in (self.stiffness, self.damping))
        for (_, at_q, at_v, (low, high)), *numbers in zip(found, stiffness, damping, strict=True):
            x, v, (k, d) = trace.q[at_q], trace.v[at_v], map(trace.number, numbers)
            if math.isfinite(high):
                yield maximum(x - trace.number(high), 0.0), v, k, d
            if math.isfinite(low):
                yield minimum(x - trace.number(low), 0.0), v, k, d

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        made = []
        for x, v, k, d in self._stops(trace):
            back = k * x + d * v
            push = select(less(0.0, x), maximum(back, 0.0), select(less(x, 0.0), minimum(back, 0.0), 0.0))
            made.append((-push, v))
        return made

    def potential(self, trace: ForceTrace) -> Scalar:
        return sum((0.5 * k * x * x for x, _, k, _ in self._stops(trace)), 0.0)


def limited(mechanism: Mechanism) -> Iterator[tuple[str, int, int, tuple[float, float]]]:
    """Coordinates with limits: name, place among the coordinates, place among the velocities, limits."""
    for body in mechanism.bodies:
        for k, (name, c) in enumerate(zip(body.coordinate_names, body.joint.coordinates, strict=True)):
            rate = body.joint.velocity_of(k)
            if rate is not None and any(map(math.isfinite, c.limits)):
                yield name, body.q.start + k, body.v.start + rate, c.limits


def _each(given: float | Sequence[float], n: int) -> Sequence[float]:
    if isinstance(given, (int, float)):
        return [float(given)] * n
    if len(given) != n:
        raise InputError(f"Limits: {len(given)} numbers for {n} coordinates that have limits; give one, or one each")
    return given


def is_number(x: Any) -> bool:
    """Whether x is a real number, and not a truth value."""
    return isinstance(x, (int, float, np.integer, np.floating)) and not isinstance(x, bool)


def check_number(what: str, name: str, value: Any, least: float) -> None:
    """Refuse what is not a finite number of at least `least`."""
    if not is_number(value) or not least <= float(value) < math.inf:
        raise InputError(f"{what}: {name}={value!r}; expected a finite number of at least {least:g}")


def checked_vector(what: str, name: str, value: Any) -> tuple[float, ...]:
    """Three finite numbers, as a tuple."""
    try:
        numbers = reals(value)
    except (TypeError, ValueError):
        numbers = np.full(0, np.nan)
    if numbers.shape != (3,) or not np.isfinite(numbers).all():
        raise InputError(f"{what}: {name}={value!r}; expected three finite numbers")
    return tuple(float(x) for x in numbers)
