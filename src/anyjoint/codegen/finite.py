"""Whether an array is finite, by machine code: the look at every input and result must cost next to nothing."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from anyjoint.codegen.finite_llvm import finite_text
from anyjoint.codegen.jit import Module, compile_module
from anyjoint.codegen.schedule import address
from anyjoint.codegen.target import DTYPES, Target

_TYPES = {np.dtype(name): name for name in DTYPES}


def all_finite(array: np.ndarray[Any, Any]) -> bool:
    """Whether all numbers of an array are finite."""
    if array.size == 1:
        return math.isfinite(array.item())  # sooner than any call of machine code
    name = _TYPES.get(array.dtype)
    if name is None or not array.flags.c_contiguous:
        return bool(np.isfinite(array).all())
    return bool(finite_function(name)(address(array), array.size))


@cache
def finite_function(dtype: str) -> Callable[[int, int], int]:
    """The function for one type of number; it keeps the library that holds it, as long as any thread calls it."""
    text = finite_text(Target(dtype))
    library = compile_module(f"finite {text}", lambda: Module(text, optimise=False))
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64)
    function = kind(library.address("finite"))
    function.__dict__["library"] = library
    return function
