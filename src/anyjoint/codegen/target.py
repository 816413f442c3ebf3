"""What code is printed for: number type, lanes, contraction; and what this computer's processor offers."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from anyjoint.errors import ExpressionError, InputError
from anyjoint.frozen import frozen

DTYPES = {"float64": 8, "float32": 4}


@frozen
class Target:
    """Number type, how many states are computed side by side, and how products and sums may be fused.

    One state of a batch may be `alone`: what it stores in rows is looked at on its way, as where states are together.
    """

    dtype: str = "float64"
    width: int = 1
    contract: bool = True
    fma: bool = True
    alone: bool = False

    @property
    def real(self) -> str:
        """The LLVM type of one number."""
        return "double" if self.dtype == "float64" else "float"

    @property
    def type(self) -> str:
        """The LLVM type of a value: a number, or one number per lane."""
        return self.vector(self.real)

    @property
    def suffix(self) -> str:
        """How LLVM names intrinsics over values of this type."""
        scalar = "f64" if self.dtype == "float64" else "f32"
        return scalar if self.width == 1 else f"v{self.width}{scalar}"

    @property
    def looks(self) -> bool:
        """Whether kernels tell if all that they store in rows is finite."""
        return self.width > 1 or self.alone

    @property
    def size(self) -> int:
        """Bytes of one number."""
        return DTYPES[self.dtype]

    def vector(self, element: str) -> str:
        """The LLVM type of one element per lane."""
        return element if self.width == 1 else f"<{self.width} x {element}>"

    def splat(self, element: str, text: str) -> str:
        """A literal that has the same value in every lane."""
        return text if self.width == 1 else f"splat ({element} {text})"

    def rounded(self, value: float) -> float:
        """The nearest number of this type."""
        if self.dtype == "float64":
            return value
        if abs(value) > float(np.finfo(np.float32).max):
            raise ExpressionError(f"The constant {value!r} is too large for float32; scale it or use float64.")
        return float(np.float32(value))

    def literal(self, value: float) -> str:
        """A number, exactly: LLVM writes both precisions with the bits of a double."""
        bits = struct.unpack("<Q", struct.pack("<d", self.rounded(value)))[0]
        return self.splat(self.real, f"0x{bits:016X}")


def checked_dtype(dtype: Any) -> str:
    """'float64' or 'float32', from a name, a NumPy dtype or a type."""
    try:
        name = str(np.dtype(dtype).name)
    except TypeError:
        name = str(dtype)
    if name not in DTYPES:
        raise InputError(f"dtype {dtype!r} is not known here; expected 'float64' or 'float32'.")
    return name


@lru_cache(maxsize=1)
def host_features() -> dict[str, bool]:
    """Features of this computer's processor, as LLVM names them."""
    return dict(llvm.get_host_cpu_features())


def register_lanes(dtype: str) -> int:
    """How many numbers one vector register of this computer holds."""
    features = host_features()
    size = 16
    if features.get("avx512f"):
        size = 64
    elif features.get("avx"):
        size = 32
    return size // DTYPES[dtype]


def default_lanes(dtype: str) -> int:
    """The fastest number of states at once: 64 bytes of them with AVX (two registers of AVX2), 32 bytes elsewhere.

    Two registers per value hide the latency of one behind the other: 5 to 15 % faster than one, at twice the time to
    compile. Letting two tiles of one register take turns at each body gained no more.
    """
    return max(register_lanes(dtype), (64 if host_features().get("avx") else 32) // DTYPES[dtype])


def has_fma() -> bool:
    """Whether this computer multiplies and adds with one rounding (all 64-bit ARM processors do)."""
    features = host_features()
    return bool(features.get("fma") or features.get("neon"))


def host_target(dtype: str, width: int | None, contract: bool, straight: bool = False) -> Target:
    """A target for this computer; width None takes what is fastest: one register per value in long straight code."""
    lanes = register_lanes(dtype)
    if width is None:
        width = lanes if straight else default_lanes(dtype)
    if isinstance(width, bool) or not isinstance(width, int) or width < 1 or width & (width - 1):
        raise InputError(f"width {width!r} is not a power of two; expected 1, 2, 4 ... {2 * lanes}, or None.")
    if width > 2 * lanes:
        raise InputError(
            f"width {width} is more than this processor computes at once in {dtype}: its registers hold {lanes}"
            f" numbers; choose at most {2 * lanes} (two registers), or None."
        )
    return Target(dtype, width, bool(contract), has_fma() and bool(contract))
