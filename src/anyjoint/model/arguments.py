"""Arguments of a call, checked: states as rows or batches, places for results, numbers of threads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.codegen import all_finite
from anyjoint.errors import InputError
from anyjoint.scalar import holds_truth, reals
from anyjoint.scalar.array import ArrayLike, Dtype, Floats

Inputs = Sequence[tuple[str, int]]  # names and lengths of rows


def checked_row(where: str, x: ArrayLike, name: str, n: int, dtype: Dtype) -> Floats:
    """An input as machine code wants it: real, finite, of this dtype, (n,) or (batch, n), rows contiguous."""
    try:
        given = np.asarray(x)
    except ValueError:
        raise InputError(f"{where}: {name} is ragged; expected shape ({n},) or (batch, {n})") from None
    if given.dtype.kind not in "fiu" or holds_truth(x):
        kind = "bool" if holds_truth(x) else given.dtype
        raise InputError(f"{where}: {name} is of type {kind}; expected real numbers")
    if n == 1 and given.ndim == 0:
        given = given.reshape(1)
    if given.ndim not in (1, 2) or given.shape[-1] != n:
        raise InputError(f"{where}: {name} has shape {given.shape}; expected ({n},) or (batch, {n})")
    size = given.itemsize
    if given.dtype != dtype or given.strides[-1] != size or any(stride % size for stride in given.strides):
        with np.errstate(over="ignore"):
            given = np.ascontiguousarray(given, dtype=dtype)
    check_finite(where, name, given)
    return given


def checked_per_body(where: str, name: str, x: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """A table with one row for each body, or a batch of such tables."""
    try:
        given = reals(x)
    except (TypeError, ValueError):
        raise InputError(f"{where}: {name} are not real numbers; expected {shape}: one row for each body") from None
    if given.shape[-2:] != shape:
        raise InputError(f"{where}: {name} have shape {given.shape}; expected {shape}: one row for each body")
    check_finite(where, name, given)
    return given


def check_finite(where: str, name: str, given: Floats) -> None:
    """Refuse NaN and infinities, also where they would not matter for the result."""
    if not all_finite(given):
        index = [int(k) for k in np.argwhere(~np.isfinite(given))[0]]
        raise InputError(f"{where}: {name}{index} is not finite; give finite numbers of type {given.dtype}")


def checked_rows(
    where: str, arrays: Sequence[ArrayLike], inputs: Inputs, dtype: Dtype
) -> tuple[list[Floats], tuple[int, ...]]:
    """All inputs of a call, and its batch: () for one state, else (states,)."""
    if len(arrays) != len(inputs):
        names = ", ".join(name for name, _ in inputs)
        raise InputError(f"{where}: {len(arrays)} arrays were given; expected {names}")
    rows = [checked_row(where, x, name, n, dtype) for x, (name, n) in zip(arrays, inputs, strict=True)]
    batches = {len(x) for x in rows if x.ndim == 2}
    if len(batches) > 1:
        raise InputError(f"{where}: batches of {sorted(batches)} states were given together; they must be equal")
    return rows, tuple(batches)


def checked_out(
    where: str, out: object, shape: tuple[int, ...], dtype: Dtype, rows: Sequence[Floats]
) -> Floats:
    """The caller's place for the result, or a new one."""
    if out is None:
        return np.empty(shape, dtype)
    given = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
    given += ", not contiguous" if isinstance(out, np.ndarray) and not out.flags.c_contiguous else ""
    if not isinstance(out, np.ndarray) or out.dtype != dtype or out.shape != shape or not out.flags.c_contiguous:
        raise InputError(f"{where}: out is {given}; expected a contiguous {dtype} array of shape {shape}")
    if not out.flags.writeable:
        raise InputError(f"{where}: out is read-only; give an array that may be written")
    if any(np.shares_memory(out, row) for row in rows):
        raise InputError(f"{where}: out overlaps an input; give it memory of its own")
    return out


def flat_out(where: str, out: Any, shape: tuple[int, ...]) -> Any:
    """A caller's place for tables of a shape as the rows that programs write: the same memory, never a copy of it."""
    if len(shape) < 2 or not isinstance(out, np.ndarray) or out.shape[-1:] == (math.prod(shape),):
        return out
    if out.shape[-len(shape) :] != shape:
        table = ", ".join(map(str, shape))
        raise InputError(f"{where}: out has shape {out.shape}; expected ({table}), or (batch, {table}) for a batch")
    if not out.flags.c_contiguous:
        raise InputError(f"{where}: out is not contiguous; expected a contiguous array of shape {out.shape}")
    return out.reshape(*out.shape[: -len(shape)], math.prod(shape))


def write_out(where: str, out: Any, results: tuple[Floats, ...]) -> Any:
    """Write results to the caller's arrays, one for each, which may be inputs of the call."""
    if not isinstance(out, (tuple, list)) or len(out) != len(results) or not all(map(_fits, out, results)):
        given = out if isinstance(out, (tuple, list)) else (out,)
        got = ", ".join(f"{x.dtype} {x.shape}" if isinstance(x, np.ndarray) else type(x).__name__ for x in given)
        wanted = " and ".join(f"{x.dtype} {x.shape}" for x in results)
        raise InputError(f"{where}: out is {got}; expected arrays to write to, {wanted}")
    if any(np.shares_memory(x, y) for k, x in enumerate(out) for y in out[:k]):
        raise InputError(f"{where}: arrays of out overlap each other; give each memory of its own")
    for place, result in zip(out, results, strict=True):
        place[...] = result
    return out


def _fits(place: object, result: Floats) -> bool:
    if not isinstance(place, np.ndarray) or place.dtype != result.dtype or place.shape != result.shape:
        return False
    return place.flags.writeable


ONE = 1  # thread, unless more are asked for: compared by identity, which an array in its place cannot upset


def checked_threads(where: str, threads: object) -> int:
    """A whole number of threads."""
    if not isinstance(threads, (int, np.integer)) or threads < 1:
        raise InputError(f"{where}: threads={threads!r}; expected a whole number of at least 1")
    return int(threads)


def checked_time(t: object) -> None:
    """Refuse what is no time, where nothing depends on it."""
    if t is not None and not (isinstance(t, float) and math.isfinite(t)):
        finite("t", t)


def checked_flag(where: str, name: str, given: object) -> bool:
    """True or False."""
    if not isinstance(given, (bool, np.bool_)):
        raise InputError(f"{where}: {name}={given!r}; expected True or False")
    return bool(given)


def finite(what: str, given: object, *shapes: tuple[int, ...], hint: str = "") -> Floats:
    """Finite numbers of one of some shapes, or of any if none is named."""
    wanted = " or ".join(f"finite numbers {shape}" if shape else "a finite number" for shape in shapes)
    expected = f"expected {wanted or 'finite numbers'}{hint}"
    try:
        values = reals(given)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}={given!r}; {expected}") from error
    if shapes and values.shape not in shapes:
        raise InputError(f"{what} has shape {values.shape}; {expected}")
    if not np.isfinite(values).all():
        raise InputError(f"{what} holds NaN or infinity; {expected}")
    return values
