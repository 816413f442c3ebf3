"""Functions over any scalar; the ground on which physics is written once."""

from .differentiate import derivative, jet
from .dual import plain
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
    sqrt,
    tan,
)

__all__ = [
    "Scalar", "absolute", "acos", "asin", "atan2", "cos", "derivative", "exp", "floor", "gather", "is_number", "jet",
    "known", "less", "log", "maximum", "minimum", "plain", "power", "select", "sin", "sincos", "sqrt",
    "tan",
]  # fmt: skip
