"""Muscles as MuJoCo has them: force over length and speed by pieces of parabolas."""

from __future__ import annotations

import math
from collections.abc import Callable

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, is_real, less, select

from .force import Values, check_number


@frozen
class FLV:
    """MuJoCo's muscle (its documentation has the curves): active force over length and speed, and passive force.

    Lengths are (length of the path - `zero`) / `unit`, such that 1 is the best one; between `shortest` and `longest`
    the muscle pulls. `max_speed` is the fastest shortening, in units per second; `eccentric` is the most that a muscle
    pulls when it is stretched, and `passive` its passive force between 1 and `longest`, both as parts of `max_force`.
    """

    max_force: float
    unit: float
    zero: float = 0.0
    shortest: float = 0.5
    longest: float = 1.6
    max_speed: float = 1.5
    passive: float = 1.3
    eccentric: float = 1.2

    def __post_init__(self) -> None:
        bounds = {"max_force": 0.0, "unit": 1e-12, "max_speed": 1e-12, "passive": 0.0, "eccentric": 1.0}
        for name, least in bounds.items():
            check_number("FLV", name, getattr(self, name), least)
        ends = self.zero, self.shortest, self.longest
        if not all(is_real(x) and math.isfinite(x) for x in ends) or not self.shortest < 1 < self.longest:
            raise InputError(f"FLV: zero, shortest, longest = {ends!r}; expected numbers, shortest < 1 < longest")

    @property
    def numbers(self) -> tuple[float, ...]:
        """What distinguishes one muscle from another."""
        return (self.max_force, self.unit, self.zero, self.shortest, self.longest, self.max_speed, self.passive,
                max(self.eccentric - 1, 1e-15))  # fmt: skip

    @property
    def law(self) -> Callable[..., Scalar]:
        """The tension of given numbers."""
        return flv

    def __call__(self, length: Scalar, rate: Scalar, activation: Scalar) -> Scalar:
        """The tension."""
        return flv(length, rate, activation, self.numbers)


def flv(length: Scalar, rate: Scalar, activation: Scalar, n: Values) -> Scalar:
    """Tension of a muscle of (max_force, unit, zero, shortest, longest, max_speed, passive, eccentric - 1)."""
    force, unit, zero, low, high, fastest, passive, beyond = n
    x, speed = (length - zero) / unit, rate / (unit * fastest)
    return force * (activation * _by_length(x, low, high) * _by_speed(speed, beyond) + passive * _passive(x, high))


def _by_length(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """A bump of four parabolas: 0 at its ends, 1 at 1."""
    left, right = 0.5 * (low + 1), 0.5 * (1 + high)
    pieces = (
        (low, 0.0),
        (left, 0.5 * ((x - low) / (left - low)) ** 2),
        (1.0, 1 - 0.5 * ((1 - x) / (1 - left)) ** 2),
        (right, 1 - 0.5 * ((x - 1) / (right - 1)) ** 2),
        (high, 0.5 * ((high - x) / (high - right)) ** 2),
    )
    made: Scalar = 0.0
    for end, value in reversed(pieces):
        made = select(less(end, x), made, value)
    return made


def _by_speed(v: Scalar, beyond: Scalar) -> Scalar:
    """0 at the fastest shortening, 1 at rest, 1 + `beyond` when stretched quickly."""
    lengthening = 1 + beyond - (beyond - v) ** 2 / beyond
    made = select(less(beyond, v), 1 + beyond, select(less(0.0, v), lengthening, (v + 1) ** 2))
    return select(less(v, -1.0), 0.0, made)


def _passive(x: Scalar, high: Scalar) -> Scalar:
    """0 up to 1, then a parabola, then a line."""
    half = 0.5 * (high - 1)
    stretch = (x - 1) / half
    return select(less(x, 1.0), 0.0, select(less(stretch, 1.0), 0.5 * stretch**2, stretch - 0.5))
