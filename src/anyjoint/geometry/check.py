"""Checks of plain numbers at the boundary; scalars of other kinds (parameters of generated code) pass unseen."""

import dataclasses
import math
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.scalar import Scalar, is_number, is_real, reals

Table = np.ndarray[Any, np.dtype[np.float64]]


POSITIVE = (0.0, math.inf)
EVERYWHERE = (-math.inf, math.inf)


def parameter(domain: tuple[float, float], bounds: tuple[float, float] = EVERYWHERE, **options: Any) -> Any:
    """A dataclass field that is a number changeable at run time.

    `domain` is a typical range of ordinary size, for checks. What is outside `bounds` is refused, wherever it is set;
    so generated code may rely on it: the root of the square of a positive radius is the radius.
    """
    return dataclasses.field(metadata={"domain": domain, "bounds": bounds}, **options)


INTERVAL = "expected a pair (low, high) of numbers with low < high"


def is_interval(given: Any) -> bool:
    """Two numbers in increasing order."""
    pair = isinstance(given, (tuple, list)) and len(given) == 2 and all(map(is_real, given))
    return pair and bool(given[0] < given[1])


def check_intervals(owner: str, domain: tuple[float, float], defined: tuple[float, float]) -> None:
    """Refuse intervals that are empty, and a domain that reaches beyond where something is defined."""
    for name, given in (("domain", domain), ("defined", defined)):
        if not is_interval(given):
            raise InputError(f"{owner}({name}={given!r}): {INTERVAL}")
    if not defined[0] <= domain[0] < domain[1] <= defined[1]:
        raise InputError(
            f"{owner}(domain={domain}, defined={defined}): the domain, where it is used, must lie inside the interval "
            "where it is defined; give both"
        )


def finite(owner: str, **values: Scalar) -> None:
    """Refuse NaN and infinities."""
    for name, value in values.items():
        if isinstance(value, (bool, np.bool_)) or (not is_number(value) and not hasattr(value, "sin")):
            raise InputError(f"{owner}({name}={value!r}): expected a number")
        if is_number(value) and not np.isfinite(value):
            raise InputError(f"{owner}({name}={value}): expected a finite number")


def positive(owner: str, **values: Scalar) -> None:
    """Refuse lengths that are not above zero."""
    finite(owner, **values)
    for name, value in values.items():
        if is_number(value) and not value > 0:
            raise InputError(f"{owner}({name}={value}): expected a length above zero")


def table(owner: str, values: Any, shape: tuple[int | None, ...], least: tuple[int, ...] = ()) -> Table:
    """An array of finite numbers of the given shape (None is any size, at least as large as `least` says)."""
    wanted = " x ".join("n" if n is None else str(n) for n in shape)
    try:
        array = reals(values)
    except (TypeError, ValueError) as error:
        raise InputError(f"{owner}: expected an array of numbers of shape {wanted}, got {values!r}") from error
    if array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape, strict=True)):
        raise InputError(f"{owner}: expected an array of shape {wanted}, got shape {array.shape}")
    sizes = [m for n, m in zip(shape, array.shape, strict=True) if n is None]
    for size, minimum in zip(sizes, least, strict=False):
        if size < minimum:
            raise InputError(f"{owner}: {size} given along one direction, at least {minimum} are needed")
    if not np.isfinite(array).all():
        raise InputError(f"{owner}: all numbers must be finite, got {array[~np.isfinite(array)][0]}")
    return array


def nested(array: Table) -> Any:
    """Nested tuples of floats, so that a dataclass that holds them can be compared and hashed."""
    return tuple(nested(row) for row in array) if array.ndim > 1 else tuple(float(x) for x in array)
