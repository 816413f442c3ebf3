"""Any function of one parameter as a curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector

from ..called import called
from ..check import EVERYWHERE, check_intervals
from .curve import Curve
from .line import Line


@frozen
class FunctionCurve(Curve):
    """The curve of `curves.curve(f)`: f(s) returns three scalars; its frames are differentiated from it."""

    function: Callable[[Scalar], Any]
    domain: tuple[float, float] = (-math.pi, math.pi)
    period: float | None = None
    defined: tuple[float, float] = EVERYWHERE
    continuity: float = math.inf
    planar: bool = False

    def point(self, s: Scalar) -> Vector:
        return called(f"curve function {self.name}", self.function, s)

    @property
    def name(self) -> str:
        owner = getattr(self.function, "__self__", None)  # the point method of a curve whose numbers are fixed
        if isinstance(owner, Curve):
            return owner.name
        return getattr(self.function, "__name__", type(self.function).__name__)


def curve(
    f: Callable[[Scalar], Sequence[Scalar]],
    *,
    domain: tuple[float, float] = (-math.pi, math.pi),
    period: float | None = None,
    defined: tuple[float, float] = EVERYWHERE,
) -> Curve:
    """A curve from any function of one parameter returning three numbers.

    `domain` is where it is meant to be used and drawn, `defined` the interval outside of which the function means
    nothing: joints on the curve must stay inside.
    """
    if not callable(f):
        raise InputError(f"curve({f!r}): expected a function of one parameter that returns three numbers")
    check_intervals("curve", domain, defined)
    return FunctionCurve(f, domain, period, defined)


def constant(given: Curve) -> Curve:
    """The same curve with its numbers fixed, for tables made from it: they cannot follow a change at run time."""
    if isinstance(given, (FunctionCurve, Line)):
        return given
    return FunctionCurve(given.point, given.domain, given.period, given.defined, given.continuity, given.planar)


def as_curve(given: Any) -> Curve:
    """The curve itself, or a plain function made into one."""
    return given if isinstance(given, Curve) else curve(given)
