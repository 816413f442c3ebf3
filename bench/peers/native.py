"""Calls into the compiled loops of `loop.h`."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Pointer = ctypes.POINTER(ctypes.c_double)
LINE = 8  # numbers


class Shape(ctypes.Structure):
    """`Shape` of loop.h."""

    _fields_ = [(name, ctypes.c_long) for name in ("states", "nq", "nv", "nu", "nout")]


def run(
    library: Any, context: Any, what: int, q: Array, v: Array, u: Array, nout: int, seconds: float, entry: str = "run"
) -> tuple[Array, float]:
    """Answers (one row per state) and best nanoseconds per state of one kernel of a compiled engine."""
    loop = getattr(library, entry)
    q, v, u = (np.ascontiguousarray(x, dtype=float) for x in (q, v, u))
    out = lined_up(len(q), nout)
    shape = Shape(len(q), q.shape[1], v.shape[1], u.shape[1], nout)
    loop.restype = ctypes.c_double
    pointers = [pointer(x) for x in (q, v, u, out)]
    best = loop(ctypes.c_void_p(context), what, *pointers, ctypes.byref(shape), ctypes.c_double(seconds))
    return out, float(best)


def lined_up(*shape: int) -> Array:
    """Zeros that begin where a line of the caches begins; NumPy's begin 16 bytes behind, which costs a few percent."""
    room = np.zeros(math.prod(shape) + LINE)
    begin = -room.ctypes.data // room.itemsize % LINE
    return room[begin : begin + math.prod(shape)].reshape(shape)


def pointer(array: Array) -> Any:
    """Address of an array for a C function."""
    return ctypes.c_void_p(array.ctypes.data)
