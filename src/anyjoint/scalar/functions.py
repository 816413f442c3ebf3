"""Elementary functions over any scalar: floats, complex, arrays, dual numbers, graph nodes.

Dispatch is by method, as NumPy does for object arrays: a scalar class that is not a plain number brings
`.sin()`, `.arctan2(other)` and so on. So physics never imports the expression graph.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anyjoint.errors import InputError

Scalar = Any  # a float, complex, ndarray, dual number or graph node


def _unary(name: str, on_float: Callable[[float], float]) -> Callable[[Scalar], Scalar]:
    on_array = getattr(np, name)

    def function(x: Scalar) -> Scalar:
        if isinstance(x, (float, int)):
            return on_float(x)
        if isinstance(x, (complex, np.generic, np.ndarray)):
            return on_array(x)
        if hasattr(x, name):
            return getattr(x, name)()
        return on_array(np.asarray(x))  # a list or tuple of scalars

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of any scalar."
    return function


sin = _unary("sin", math.sin)
cos = _unary("cos", math.cos)
tan = _unary("tan", math.tan)
asin = _unary("arcsin", math.asin)
acos = _unary("arccos", math.acos)
exp = _unary("exp", math.exp)
log = _unary("log", math.log)
sqrt = _unary("sqrt", math.sqrt)
_floor = _unary("floor", lambda x: float(math.floor(x)))


def floor(x: Scalar) -> Scalar:
    """The largest integer not above x; of the real part, so that complex steps pass (its derivative is zero)."""
    return _floor(float(x.real) if isinstance(x, (complex, np.complexfloating)) else x)


def sincos(x: Scalar) -> tuple[Scalar, Scalar]:
    """The pair (sin x, cos x)."""
    return sin(x), cos(x)


def sincos_of_sum(x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
    """The pair (sin, cos) of x + y, where y is a number that does not change; a huge x loses no digits.

    Generated code adds y when it has reduced x; plain numbers take the addition theorem instead.
    """
    if not is_number(x):
        return sincos(x + y)
    (sx, cx), (sy, cy) = sincos(x), sincos(y)
    return sx * cy + cx * sy, cx * cy - sx * sy


def is_number(x: Scalar) -> bool:
    """True for plain numbers, false for scalars that bring methods of their own."""
    return isinstance(x, (float, int, complex, np.generic))


def known(x: Scalar) -> float | None:
    """The value of a scalar that is a plain number already while the program is being written, else None."""
    if is_number(x):
        return float(x.real)
    value: float | None = getattr(x, "known", None)
    return value


def _pair(
    name: str, on_number: Callable[[Any, Any], Any], on_array: Callable[[Any, Any], Any]
) -> Callable[..., Scalar]:
    def function(x: Scalar, y: Scalar) -> Scalar:
        for scalar, swap in ((x, False), (y, True)):
            if not is_number(scalar) and not isinstance(scalar, np.ndarray):
                return getattr(scalar, name)(y) if not swap else scalar.reflected(name, x)
        if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
            return on_array(x, y)
        return on_number(x, y)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of any two scalars."
    return function


atan2 = _pair("arctan2", lambda y, x: _atan2(y, x), np.arctan2)
minimum = _pair("minimum", lambda x, y: x if _real(x) <= _real(y) else y, np.minimum)
maximum = _pair("maximum", lambda x, y: x if _real(x) >= _real(y) else y, np.maximum)


fmod = _pair("fmod", lambda x, y: _fmod(x, y), np.fmod)


def _fmod(x: Scalar, y: Scalar) -> Scalar:
    """Exact on floats; on complex numbers derivatives pass, as a complex step wants."""
    if isinstance(x, (complex, np.complexfloating)) or isinstance(y, (complex, np.complexfloating)):
        return x - y * np.trunc(_real(x) / _real(y))
    return math.fmod(x, y)


def _atan2(y: Scalar, x: Scalar) -> Scalar:
    if not isinstance(y, (complex, np.complexfloating)) and not isinstance(x, (complex, np.complexfloating)):
        return math.atan2(y, x)
    # First order in the imaginary parts: what a complex step asks for.
    slope = (x.real * y.imag - y.real * x.imag) / (x.real * x.real + y.real * y.real)
    return complex(math.atan2(y.real, x.real), slope)


def _real(x: Scalar) -> float:
    return float(x.real) if isinstance(x, (complex, np.complexfloating)) else x


def power(x: Scalar, y: Scalar) -> Scalar:
    """x to the power y."""
    return x**y


def absolute(x: Scalar) -> Scalar:
    """|x|; analytic on complex numbers (the sign of the real part), so that complex steps pass through."""
    if isinstance(x, (complex, np.complexfloating)):
        return x if x.real >= 0 else -x
    return abs(x)


def select(condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """`a` where the condition holds, else `b`; the only branch that expressions have."""
    if isinstance(condition, (bool, np.bool_)):
        return a if condition else b
    if isinstance(condition, np.ndarray):
        return np.where(condition, a, b)
    if not hasattr(condition, "select"):
        raise InputError(f"select: the condition must be a comparison such as x < y, got {condition!r}")
    return condition.select(a, b)


def less(x: Scalar, y: Scalar) -> Scalar:
    """The condition x < y, by the real part for complex numbers."""
    return _real(x) < _real(y)


def gather(table: Sequence[float], index: Scalar) -> Scalar:
    """table[floor(index)], the index held inside the table; its derivative is zero."""
    if hasattr(index, "gather"):
        return index.gather(table)
    values = np.asarray(table, dtype=float)
    position = np.clip(np.floor(np.real(index)), 0, len(values) - 1).astype(int)
    return values[position] if isinstance(index, np.ndarray) else float(values[position])
