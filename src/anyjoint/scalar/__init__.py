"""Functions over any scalar; the ground on which physics is written once."""

from .differentiate import derivative, jet
from .functions import (
    Scalar,
    absolute,
    acos,
    asin,
    atan2,
    cos,
    exp,
    floor,
    gather,
    is_number,
    known,
    less,
    log,
    maximum,
    minimum,
    power,
    select,
    sin,
    sincos,
    sincos_of_sum,
    sqrt,
    tan,
)

__all__ = [
    "Scalar", "absolute", "acos", "asin", "atan2", "cos", "derivative", "exp", "floor", "gather", "is_number", "jet",
    "known", "less", "log", "maximum", "minimum", "power", "select", "sin", "sincos", "sincos_of_sum", "sqrt",
    "tan",
]  # fmt: skip
