"""Exported C beside our own machine code: `python -m bench.c_package`

Forward dynamics of many states, one state at a time: the package of `model.export("c", ...)` by every C compiler that
is found (-O3 -march=native and what the package's CMake file says), and our scalar machine code, called in turn; the
minimum of many repeats on one core. Both round, at different places: compilers join products and sums as they like. So
beside the largest difference of the two stand the errors of each, against the same schedule and numbers in 40 digits,
for a few states. All are shares of the largest acceleration.
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

import mpmath
import numpy as np

from anyjoint.mechanism import Mechanism, gallery
from anyjoint.symbolic.interpret import evaluate_ids

STATES, CHECKED = 1024, 8
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


def exact(program: Any, rows: dict[str, Any]) -> list[float]:
    """What a program answers for one state, its schedule being followed in 40 digits."""
    schedule, number = program.trace.schedule, mpmath.mpf
    given = rows | {"numbers": program.numbers}
    sizes = {"result": program.size, "work": schedule.work}
    with mpmath.workdps(40):
        data = [
            [*map(number, given[x.name].tolist())] if x.name in given else [number(0)] * sizes[x.name]
            for x in schedule.arrays
        ]
        for run in schedule.runs:
            kernel = schedule.kernels[run.kernel]
            for offsets in run.offsets.tolist():
                known = {i: data[run.arrays[j]][offsets[j] + k] for i, (j, k) in kernel.loads.items()}
                found = evaluate_ids(kernel.graph, [store.node.id for store in kernel.stores], known)
                for store in kernel.stores:
                    array, at = data[run.arrays[store.array]], offsets[store.array] + store.offset
                    array[at] = found[store.node.id] + (array[at] if store.accumulate else 0)
        result = next(k for k, x in enumerate(schedule.arrays) if x.name == "result")
        return [float(x) for x in data[result]]


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
    right = np.array([exact(program, {"q": q[k], "v": v[k], "tau": tau[k]}) for k in range(CHECKED)])

    def error(a: Any, b: Any) -> str:
        return f"{np.abs(a[: len(b)] - b).max() / np.abs(b).max():.0e}"

    cells = [
        f"{x:9.0f} ({x / ours:.2f}x, differs by {error(a, wanted)}, error {error(a, right)})"
        for x, a in zip(theirs, found, strict=True)
    ]
    print(f"{name:20s}", f"{ours:9.0f} (error {error(wanted, right)})", *cells, sep="  ")


def main() -> None:
    """Print the table."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
    print("ns per state         ours                     ", *(f"C by {name}" for name in compilers), sep="  ")
    for name in MODELS:
        measure(name, compilers)


if __name__ == "__main__":
    main()
