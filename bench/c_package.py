"""Exported C beside our own machine code: `python -m bench.c_package`

Forward dynamics of many states, one state at a time: the package of `model.export("c", ...)` by every C compiler that
is found (-O3 -march=native and what the package's CMake file says), and our scalar machine code, called in turn; the
minimum of many repeats on one core.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
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
    library = folder / f"it_{compiler}.so"
    flags = ["-std=c99", "-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC"]
    flags += ["-fno-tree-slp-vectorize"] if compiler == "gcc" else []
    subprocess.run([compiler, *flags, "-o", library, folder / "it_forward_dynamics.c", "-lm"], check=True)
    return ctypes.CDLL(str(library)).it_forward_dynamics_batch


def best(call: Callable[[], Any], repeats: int = 60) -> float:
    """Nanoseconds per state, the minimum of many."""
    found = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        found.append(time.perf_counter() - begin)
    return min(found) / STATES * 1e9


def measure(name: str, compilers: list[str]) -> None:
    """Print one line of the table."""
    mech, rng = MODELS[name](), np.random.default_rng(0)
    model = mech.compile(width=1)  # one state at a time, as the C code
    q = np.tile(np.array(mech.start[0]) if mech.start else mech.neutral, (STATES, 1))
    v, tau = rng.normal(size=(2, STATES, model.nv))
    a, work = np.zeros((STATES, model.nv)), np.zeros(1 << 20)
    program = model.program("forward_dynamics")
    ours = best(lambda: program(q, v, tau, out=a))
    wanted = a.copy()
    cells = [f"{ours:9.0f}"]
    with tempfile.TemporaryDirectory() as folder:
        for compiler in compilers:
            function = compiled(mech, Path(folder), compiler)
            rows = [ctypes.c_void_p(x.ctypes.data) for x in (q, v, tau, a)]
            arguments = (ctypes.c_size_t(STATES), *rows, None, ctypes.c_void_p(work.ctypes.data))
            theirs = best(lambda f=function, x=arguments: f(*x))
            error = np.abs(a - wanted).max() / np.abs(wanted).max()
            cells.append(f"{theirs:9.0f} ({theirs / ours:.2f}x, off by {error:.0e})")
    print(f"{name:20s}", *cells, sep="  ")


def main() -> None:
    """Print the table."""
    os.sched_setaffinity(0, {0})
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
    print("ns per state         ours       ", *(f"C by {name}" for name in compilers), sep="  ")
    for name in MODELS:
        measure(name, compilers)


if __name__ == "__main__":
    main()
