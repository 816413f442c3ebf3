"""Calls into the compiled loops of `loop.h`."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Pointer = ctypes.POINTER(ctypes.c_double)


class Shape(ctypes.Structure):
    """`Shape` of loop.h."""

    _fields_ = [(name, ctypes.c_long) for name in ("states", "nq", "nv", "nu", "nout")]


def run(
    library: Any, context: Any, what: int, q: Array, v: Array, u: Array, nout: int, seconds: float, entry: str = "run"
) -> tuple[Array, float]:
    """Answers (one row per state) and best nanoseconds per state of one kernel of a compiled engine."""
    loop = getattr(library, entry)
    q, v, u = (np.ascontiguousarray(x, dtype=float) for x in (q, v, u))
    out = np.zeros((len(q), nout))
    shape = Shape(len(q), q.shape[1], v.shape[1], u.shape[1], nout)
    loop.restype = ctypes.c_double
    pointers = [pointer(x) for x in (q, v, u, out)]
    best = loop(ctypes.c_void_p(context), what, *pointers, ctypes.byref(shape), ctypes.c_double(seconds))
    return out, float(best)


def pointer(array: Array) -> Any:
    """Address of an array for a C function."""
    return ctypes.c_void_p(array.ctypes.data)
