"""Muscles: what pulls along a path with any function of its length, its rate and an activation; Hill's among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, exp, less, maximum, minimum, select, sqrt

from .flv import FLV
from .force import Values, ask, check_number
from .lag import Lag, activated, check_lag
from .path import Item, check_listed, read_path
from .signal import Signal, check_signal, joined, parted
from .wrap import TINY

WIDTH = 0.45  # of the curve of force over length, in optimal lengths
STEEP, STRAIN = 4.0, 0.6  # passive force: exponential, of full strength at this strain
BENT = 0.25  # of Hill's hyperbola
ECCENTRIC = 1.4  # the most that a muscle pulls when it is stretched


@frozen
class Hill:
    """Hill's muscle on a tendon that does not stretch: active force over length and speed, and passive force.

    `max_force` is that of full activation at the `optimal_length` at rest; `max_speed` is the fastest shortening, in
    optimal lengths per second; the tendon takes `tendon` of the path's length. Fibres meet the tendon at an angle that
    is `pennation` (in radians) at the optimal length; the muscle keeps its thickness.
    """

    max_force: float
    optimal_length: float
    max_speed: float = 10.0
    tendon: float = 0.0
    pennation: float = 0.0

    def __post_init__(self) -> None:
        bounds = {"max_force": 0.0, "optimal_length": 1e-12, "max_speed": 1e-12, "tendon": 0.0, "pennation": 0.0}
        for name, least in bounds.items():
            check_number("Hill", name, getattr(self, name), least)
        if not self.pennation < math.pi / 2:
            raise InputError(f"Hill: pennation={self.pennation!r}; expected an angle in radians below pi / 2")

    @property
    def numbers(self) -> tuple[float, ...]:
        """What distinguishes one muscle from another; the last is the sine of the pennation."""
        return self.max_force, self.optimal_length, self.max_speed, self.tendon, math.sin(self.pennation)

    @property
    def law(self) -> Callable[..., Scalar]:
        """The tension of given numbers."""
        return hill

    def __call__(self, length: Scalar, rate: Scalar, activation: Scalar) -> Scalar:
        """The tension."""
        return hill(length, rate, activation, self.numbers)


@frozen
class Muscle:
    """Pulls along a path (see Cable) with force(length, rate, activation), and never pushes.

    `force` is a `Hill`, an `FLV`, or a plain function of three numbers; `activation` is a number or a function of time,
    kept between 0 and 1. With a `lag` (MuscleLag, Filter) it is what is asked for, and the muscle follows it.
    """

    path: Sequence[Item]
    force: Callable[[Scalar, Scalar, Scalar], Scalar]
    activation: Signal = 0.0
    lag: Lag | None = None

    def __post_init__(self) -> None:
        check_listed(self.path, "Muscle")
        check_signal("Muscle", "activation", self.activation)
        check_lag("Muscle", self.lag)
        if not callable(self.force):
            raise InputError(f"Muscle: force={self.force!r}; expected Hill(...) or force(length, rate, activation)")

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        path = read_path(self.path, mechanism, "Muscle")
        (activation,), functions, (timed,) = parted([activated(self.activation, self.lag)])
        own = self.force if isinstance(self.force, (Hill, FLV)) else None
        shape = own.numbers if own else ()  # muscles that differ in numbers alone share their code
        effort = pull(own.law if own else self.force, timed, len(shape))
        return [
            Push(what="Muscle", measure=path.measure, effort=effort, bodies=path.bodies,
                 coordinates=path.coordinates, numbers=(*path.numbers, activation, *shape), signals=functions)
        ]  # fmt: skip


@cache
def pull(force: Callable[..., Scalar], timed: bool, shape: int) -> Callable[..., Values]:
    """What a muscle pulls with; the last numbers are its activation and its own `shape`."""

    def effort(s: Values, rate: Values, n: Values, signals: Values) -> Values:
        at = len(n) - shape
        (activation,) = joined(n[at - 1 : at], signals, (timed,))
        given = minimum(maximum(activation, 0.0), 1.0)
        if shape:
            return [-maximum(force(s[0], rate[0], given, n[at:]), 0.0)]
        tension = ask("Muscle: force(length, rate, activation)", force, s[0], rate[0], given)
        return [-select(less(tension, 0.0), 0.0, tension)]  # what is no number stays none

    return effort


def hill(length: Scalar, rate: Scalar, activation: Scalar, n: Values) -> Scalar:
    """Tension of a muscle of (max_force, optimal_length, max_speed, tendon, sine of the pennation)."""
    along = (length - n[3]) / n[1]  # of the fibres, by optimal lengths
    stretch = sqrt(along * along + n[4] * n[4] + TINY)
    cosine = along / stretch
    speed = rate * cosine / (n[1] * n[2])
    off = (stretch - 1) / WIDTH
    by_length = exp(-off * off)
    shortening = maximum(1 + speed, 0.0) / (1 - minimum(speed, 0.0) / BENT)
    # Beyond 0, a hyperbola of the same slope at 0 that ends at the eccentric force.
    slope = (1 + 1 / BENT) / (ECCENTRIC - 1)
    lengthening = ECCENTRIC - (ECCENTRIC - 1) / (1 + slope * maximum(speed, 0.0))
    by_speed = select(less(speed, 0.0), shortening, lengthening)
    beyond = maximum(stretch - 1, 0.0) / STRAIN
    passive = (exp(STEEP * beyond) - 1) / (exp(STEEP) - 1)
    return n[0] * (activation * by_length * by_speed + passive) * cosine
