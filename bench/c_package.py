"""Exported C beside our own machine code: `python -m bench.c_package`

Forward dynamics of many states, one state at a time: the package of `model.export("c", ...)` by every C compiler that
is found (-O3 -march=native and what the package's CMake file says), and our scalar machine code, called in turn; the
minimum of many repeats on one core.
"""

from __future__ import annotations

import ctypes
import math
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from anyjoint.mechanism import Mechanism, gallery

STATES = 1024
MODELS: dict[str, Callable[[], Mechanism]] = {
    "6 generic hinges": lambda: gallery.revolute_chain(6),
    "20 generic hinges": lambda: gallery.revolute_chain(20),
    "100 generic hinges": lambda: gallery.revolute_chain(100),
    "20 tori": lambda: gallery.torus_chain(20),
}


def compiled(mech: Mechanism, folder: Path, compiler: str) -> Any:
    """The batch function of the package."""
    mech.compile().export("c", folder, prefix="it")
    library, source = folder / f"it_{compiler}.so", "it_forward_dynamics.c"
    flags = ["-std=c99", "-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC"]
    told = (line for line in (folder / "CMakeLists.txt").read_text().splitlines() if source in line)
    flags += ["-fno-tree-slp-vectorize"] if compiler == "gcc" and "slp" in "".join(told) else []
    subprocess.run([compiler, *flags, "-o", library, folder / source, "-lm"], check=True)
    return ctypes.CDLL(str(library)).it_forward_dynamics_batch


def best(calls: list[Callable[[], Any]], repeats: int = 200) -> list[float]:
    """Nanoseconds per state of each call, the minimum of many, in turn."""
    found = [math.inf] * len(calls)
    for _ in range(repeats):
        for k, call in enumerate(calls):
            begin = time.perf_counter()
            call()
            found[k] = min(found[k], time.perf_counter() - begin)
    return [seconds / STATES * 1e9 for seconds in found]


def measure(name: str, compilers: list[str]) -> None:
    """Print one line of the table."""
    mech, rng = MODELS[name](), np.random.default_rng(0)
    model = mech.compile(width=1)  # one state at a time, as the C code
    q = np.tile(np.array(mech.start[0]) if mech.start else mech.neutral, (STATES, 1))
    v, tau = rng.normal(size=(2, STATES, model.nv))
    program, wanted = model.program("forward_dynamics"), np.zeros((STATES, model.nv))
    calls: list[Callable[[], Any]] = [lambda: program(q, v, tau, out=wanted)]
    found, work = [np.zeros_like(wanted) for _ in compilers], np.zeros(1 << 20)
    with tempfile.TemporaryDirectory() as folder:
        for compiler, a in zip(compilers, found, strict=True):
            rows = [ctypes.c_void_p(x.ctypes.data) for x in (q, v, tau, a)]
            arguments = (ctypes.c_size_t(STATES), *rows, None, ctypes.c_void_p(work.ctypes.data))
            calls.append(partial(compiled(mech, Path(folder), compiler), *arguments))
        ours, *theirs = best(calls)
    errors = [np.abs(a - wanted).max() / np.abs(wanted).max() for a in found]
    cells = [f"{x:9.0f} ({x / ours:.2f}x, off by {error:.0e})" for x, error in zip(theirs, errors, strict=True)]
    print(f"{name:20s}", f"{ours:9.0f}", *cells, sep="  ")


def main() -> None:
    """Print the table."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
    print("ns per state         ours       ", *(f"C by {name}" for name in compilers), sep="  ")
    for name in MODELS:
        measure(name, compilers)


if __name__ == "__main__":
    main()
