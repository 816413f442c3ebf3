"""Any function of two parameters as a surface."""

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
from .surface import Interval, Surface


@frozen
class FunctionSurface(Surface):
    """The surface of `surfaces.surface(f)`: f(u, v) returns three scalars; its frame is differentiated from it."""

    function: Callable[[Scalar, Scalar], Sequence[Scalar]]
    domain: tuple[Interval, Interval] = ((-math.pi, math.pi), (-math.pi, math.pi))
    periods: tuple[float | None, float | None] = (None, None)
    orientation: int = 1
    defined: tuple[Interval, Interval] = (EVERYWHERE, EVERYWHERE)

    def point(self, u: Scalar, v: Scalar) -> Vector:
        return called(f"surface function {self.name}", self.function, u, v)

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)


def surface(
    f: Callable[[Scalar, Scalar], Sequence[Scalar]],
    *,
    domain: tuple[Interval, Interval] = ((-math.pi, math.pi), (-math.pi, math.pi)),
    periods: tuple[float | None, float | None] = (None, None),
    flip: bool = False,
    defined: tuple[Interval, Interval] = (EVERYWHERE, EVERYWHERE),
) -> Surface:
    """A surface from any function of (u, v) returning three numbers; `flip` turns its normal round.

    `domain` is where it is meant to be used and drawn, `defined` the intervals outside of which the function means
    nothing: joints on the surface must stay inside.
    """
    if not callable(f):
        raise InputError(f"surface({f!r}): expected a function of two parameters that returns three numbers")
    for used, known in zip(domain, defined, strict=True):
        check_intervals("surface", used, known)
    return FunctionSurface(f, domain, periods, -1 if flip else 1, defined)


def as_surface(given: Any) -> Surface:
    """The surface itself, or a plain function made into one."""
    return given if isinstance(given, Surface) else surface(given)
