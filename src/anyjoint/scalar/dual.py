"""Dual numbers a + b*eps, nested to any depth: derivatives on floats, the oracle of the symbolic ones.

Each differentiation draws a fresh level, so that nested derivatives never mix their infinitesimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from anyjoint.errors import BranchError

from . import compound
from .compound import divmod
from .functions import Scalar, cos, exp, floor, fmod, gather, known, log, sin, sqrt, tan
from .functions import acos as _acos
from .functions import asin as _asin
from .functions import atan2 as _atan2
from .refusal import NO_EQUALITY, refused


class Dual:
    """value + slope * eps(level); value and slope may be duals of lower levels."""

    __slots__ = ("level", "slope", "value")

    def __init__(self, value: Scalar, slope: Scalar, level: int) -> None:
        self.value, self.slope, self.level = value, slope, level

    def _parts(self, x: Scalar) -> tuple[Scalar, Scalar]:
        """x as (value, slope) at this level."""
        if isinstance(x, Dual) and x.level == self.level:
            return x.value, x.slope
        return x, 0.0

    def _below(self, x: Any) -> bool:
        """True if x carries a higher level, so that x must lead the operation."""
        return isinstance(x, Dual) and x.level > self.level

    def _outside(self, x: Any) -> bool:
        """True if x is an array of scalars, which takes this number as one for each of them."""
        return isinstance(x, np.ndarray) and not isinstance(self.value, np.ndarray)

    def _lift(self, value: Scalar, slope: Scalar) -> Dual:
        return Dual(value, slope, self.level)

    # Sums and products are most of what is done here, so they look at the other operand once and call nothing.

    def __add__(self, other: Scalar) -> Scalar:
        if isinstance(other, Dual):
            if other.level == self.level:
                return Dual(self.value + other.value, self.slope + other.slope, self.level)
            if other.level > self.level:
                return other.__radd__(self)
        elif self._outside(other):
            return NotImplemented
        return Dual(self.value + other, self.slope, self.level)

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return self._lift(-self.value, -self.slope)

    def __pos__(self) -> Dual:
        return self

    def __sub__(self, other: Scalar) -> Scalar:
        if isinstance(other, Dual) and other.level == self.level:
            return Dual(self.value - other.value, self.slope - other.slope, self.level)
        return self + (-other)

    def __rsub__(self, other: Scalar) -> Scalar:
        return (-self) + other

    def __mul__(self, other: Scalar) -> Scalar:
        value = self.value
        if isinstance(other, Dual):
            if other.level == self.level:
                v = other.value
                return Dual(value * v, value * other.slope + self.slope * v, self.level)
            if other.level > self.level:
                return other.__rmul__(self)
        elif self._outside(other):
            return NotImplemented
        return Dual(value * other, self.slope * other, self.level)

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Scalar:
        if self._outside(other):
            return NotImplemented
        if self._below(other):
            return other.__rtruediv__(self)
        v, s = self._parts(other)
        quotient = self.value / v
        return self._lift(quotient, (self.slope - quotient * s) / v)

    def __rtruediv__(self, other: Scalar) -> Scalar:
        return self._lift(other, 0.0) / self

    def __floordiv__(self, other: Scalar) -> Scalar:
        return divmod(self, other)[0]

    def __rfloordiv__(self, other: Scalar) -> Scalar:
        return divmod(other, self)[0]

    def __mod__(self, other: Scalar) -> Scalar:
        return divmod(self, other)[1]

    def __rmod__(self, other: Scalar) -> Scalar:
        return divmod(other, self)[1]

    __divmod__ = divmod

    def __pow__(self, exponent: Scalar) -> Scalar:
        if self._outside(exponent):
            return NotImplemented
        if isinstance(exponent, (int, float)):
            if exponent == 0:
                return self._lift(1.0, 0.0)
            return self._lift(self.value**exponent, exponent * self.value ** (exponent - 1) * self.slope)
        return exp(exponent * log(self))

    def __rpow__(self, base: Scalar) -> Scalar:
        return exp(self * log(base))

    def _chain(self, value: Scalar, slope: Scalar) -> Dual:
        return self._lift(value, slope * self.slope)

    def sin(self) -> Dual:
        return self._chain(sin(self.value), cos(self.value))

    def cos(self) -> Dual:
        return self._chain(cos(self.value), -sin(self.value))

    def tan(self) -> Dual:
        t = tan(self.value)
        return self._chain(t, 1.0 + t * t)

    def arcsin(self) -> Dual:
        return self._chain(_asin(self.value), 1.0 / sqrt(1.0 - self.value * self.value))

    def arccos(self) -> Dual:
        return self._chain(_acos(self.value), -1.0 / sqrt(1.0 - self.value * self.value))

    def arctan2(self, other: Scalar) -> Scalar:
        if self._below(other):
            return other.reflected("arctan2", self)
        x, dx = self._parts(other)
        y, dy = self.value, self.slope
        return self._lift(_atan2(y, x), (x * dy - y * dx) / (x * x + y * y))

    def reflected(self, name: str, other: Scalar) -> Scalar:
        """name(other, self), when the left operand is a plain number or of a lower level."""
        return getattr(self._lift(other, 0.0), name)(self)

    def exp(self) -> Dual:
        e = exp(self.value)
        return self._chain(e, e)

    def log(self) -> Dual:
        return self._chain(log(self.value), 1.0 / self.value)

    def sqrt(self) -> Dual:
        r = sqrt(self.value)
        return self._chain(r, 0.5 / r)

    def fmod(self, other: Scalar) -> Scalar:
        if self._below(other):
            return other.reflected("fmod", self)
        y, dy = self._parts(other)
        left = fmod(self.value, y)
        return self._lift(left, self.slope + (left - self.value) / y * dy)

    def floor(self) -> Scalar:
        return floor(self.value)

    __floor__, __ceil__, ceil = floor, compound.ceil, compound.ceil  # math.floor asks for the first
    arctan, hypot, square = compound.arctan, compound.hypot, compound.square
    sinh, cosh, tanh = compound.sinh, compound.cosh, compound.tanh
    log2, log10 = compound.log2, compound.log10
    radians = deg2rad = compound.radians
    degrees = rad2deg = compound.degrees

    def __abs__(self) -> Dual:
        return self if real_part(self) >= 0 else -self

    def minimum(self, other: Scalar) -> Scalar:
        return self if real_part(self) <= real_part(other) else other

    def maximum(self, other: Scalar) -> Scalar:
        return self if real_part(self) >= real_part(other) else other

    def gather(self, table: Sequence[float]) -> Scalar:
        return gather(table, self.value)

    # Conditions are NumPy's, for which ~ means not, as it does for expressions.

    def __lt__(self, other: Scalar) -> np.bool_:
        return np.bool_(real_part(self) < real_part(other))

    def __le__(self, other: Scalar) -> np.bool_:
        return np.bool_(real_part(self) <= real_part(other))

    def __gt__(self, other: Scalar) -> np.bool_:
        return np.bool_(real_part(self) > real_part(other))

    def __ge__(self, other: Scalar) -> np.bool_:
        return np.bool_(real_part(self) >= real_part(other))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (int, float)):
            raise BranchError(NO_EQUALITY)
        return self is other

    __hash__ = object.__hash__

    def __float__(self) -> NoReturn:
        raise refused("float", "a number with its derivative")

    def __int__(self) -> NoReturn:
        raise refused("int", "a number with its derivative")

    def __index__(self) -> NoReturn:
        raise refused("index", "a number with its derivative")

    def __round__(self, digits: int | None = None) -> NoReturn:
        raise refused("round", "a number with its derivative")

    def __repr__(self) -> str:
        return f"Dual({self.value!r}, {self.slope!r}, level={self.level})"


def plain(x: Scalar) -> float | None:
    """The plain number that a scalar has here, below all levels; None for graph nodes and arrays."""
    while isinstance(x, Dual):
        x = x.value
    return known(x)


def real_part(x: Scalar) -> float:
    """The plain number below all levels."""
    while isinstance(x, Dual):
        x = x.value
    return float(x.real) if isinstance(x, complex) else float(x)
