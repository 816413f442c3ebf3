"""Numbers that a joint has one of for each coordinate: springs, dampers, limits of its drive."""

from __future__ import annotations

from typing import Any

import numpy as np

from anyjoint.errors import ModelError
from anyjoint.scalar import reals
from anyjoint.spatial import Vector


def numbers_of(value: Any) -> Vector:
    """Numbers as floats; an array that fits nowhere where they are none."""
    try:
        return reals(value)
    except (TypeError, ValueError):
        return np.empty((0, 0))


def per_coordinate(value: Any, n: int, name: str, what: str, nothing: float = 0.0) -> tuple[float, ...]:
    """A tuple of n numbers from one for all, or one each; `nothing` is the one that means none."""
    numbers = numbers_of(value)
    if numbers.ndim == 0:
        if numbers != nothing and not n:
            raise ModelError(
                f"body {name!r}: {what} {value!r} has no coordinate to act on; give it to the joint that has one"
            )
        numbers = np.full(n, float(numbers))
    if numbers.shape != (n,):
        raise ModelError(f"body {name!r}: {what} {value!r} must be one number or {n}, one per coordinate of the joint")
    return tuple(float(x) for x in numbers)
