"""Any function of one parameter as a curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from anyjoint.errors import InputError
from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, vector

from .curve import Curve


@dataclass(frozen=True)
class FunctionCurve(Curve):
    """The curve of `curves.curve(f)`: f(s) returns three scalars; its frames are differentiated from it."""

    function: Callable[[Scalar], Any]
    domain: tuple[float, float] = (-math.pi, math.pi)
    period: float | None = None

    def point(self, s: Scalar) -> Vector:
        p = self.function(s)
        try:
            x, y, z = p
        except (TypeError, ValueError) as error:
            raise InputError(f"curve function {self.name}: expected three numbers (x, y, z), got {p!r}") from error
        return vector(x, y, z)

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
) -> Curve:
    """A curve from any function of one parameter returning three numbers."""
    if not callable(f):
        raise InputError(f"curve({f!r}): expected a function of one parameter that returns three numbers")
    return FunctionCurve(f, domain, period)


def constant(given: Curve) -> Curve:
    """The same curve with its numbers fixed, for tables made from it: they cannot follow a change at run time."""
    return given if isinstance(given, FunctionCurve) else FunctionCurve(given.point, given.domain, given.period)


def as_curve(given: Any) -> Curve:
    """The curve itself, or a plain function made into one."""
    return given if isinstance(given, Curve) else curve(given)
