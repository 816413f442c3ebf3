"""Real numbers as users give them; texts and truth values, which Python and NumPy would bend into numbers, are none."""

from __future__ import annotations

from numbers import Real
from typing import Any, TypeGuard

import numpy as np

from .array import Floats


def is_real(x: Any) -> TypeGuard[float]:
    """True for one plain real number."""
    return isinstance(x, Real) and not isinstance(x, (bool, np.bool_))


def reals(value: Any) -> Floats:
    """A number, or numbers in nested sequences, as an array of floats; TypeError or ValueError for anything else."""
    given = np.asarray(value)
    if given.dtype.kind == "O" and all(map(is_real, given.ravel())):
        try:
            given = given.astype(float)
        except OverflowError as error:
            raise ValueError(f"{value!r} has whole numbers that are too large") from error
    if given.dtype.kind not in "fiu" or holds_truth(value):
        raise TypeError(f"{value!r} is not made of real numbers")
    return given.astype(float)


def holds_truth(value: Any) -> bool:
    """Whether there is a truth value among numbers in nested sequences."""
    if isinstance(value, (list, tuple)):
        return any(map(holds_truth, value))
    return isinstance(value, (bool, np.bool_)) or (isinstance(value, np.ndarray) and value.dtype.kind == "b")
