"""Functions over any scalar; the ground on which physics is written once."""

from .code_line import definition
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
    fmod,
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
from .real import holds_truth, is_real, reals
from .user_code import at_numbers, failure, user_code

__all__ = [
    "Scalar", "absolute", "acos", "asin", "at_numbers", "atan2", "cos", "definition", "derivative", "exp", "failure",
    "floor", "fmod", "gather", "holds_truth", "is_number", "is_real", "jet", "known", "less", "log", "maximum",
    "minimum", "plain", "power", "reals", "select", "sin", "sincos", "sincos_of_sum", "sqrt", "tan", "user_code",
]  # fmt: skip
