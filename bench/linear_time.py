"""Chains of 10 to 10,000 hinges, or loops: is everything linear? `python -m bench.linear_time [--loops] [SIZES ...]`

All links differ (random axes, placements and inertias). Compile time is the whole way from the mechanism to machine
code for single states: with an empty cache, and again with the traces and machine code on disk. Run time is forward
dynamics per body: one state at a time, and per state of a batch. Memory is what an evaluation touches: parameters,
records of the links and offsets, for one state. With `--loops` it is four-bars that hang from each other, three bodies
and one loop each.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anyjoint import gallery
from anyjoint.joints import Revolute
from anyjoint.mechanism import Inertia, Mechanism
from anyjoint.spatial import Pose

SIZES = (10, 30, 100, 300, 1_000, 3_000, 10_000)
LOOPS = (10, 30, 100, 300, 1_000)


@dataclass(frozen=True)
class Row:
    """What was measured for one chain."""

    bodies: int
    build: float
    cold: float
    cached: float
    single: float  # nanoseconds per body
    batch: float
    kernels: int
    memory: int  # bytes of one state


def chain(n: int, seed: int = 0) -> Mechanism:
    """n hinges with random numbers."""
    rng = np.random.default_rng(seed)
    mech = Mechanism(f"{n} hinges")
    for k in range(n):
        place = Pose.translation(*rng.normal(size=3).tolist()) @ Pose.rpy(*rng.uniform(-1, 1, 3).tolist())
        a = rng.normal(size=(3, 3))
        solid = Inertia(float(rng.uniform(0.5, 2.0)), rng.normal(size=3), 0.1 * a @ a.T + 3 * np.eye(3))
        mech.add_body(f"link{k}", mech.bodies[-1] if k else None, Revolute(rng.normal(size=3).tolist()), place, solid)
    return mech


def seconds(action: Callable[[], Any]) -> tuple[float, Any]:
    """How long an action takes, and what it returns."""
    begin = time.perf_counter()
    made = action()
    return time.perf_counter() - begin, made


def best(action: Callable[[], Any], budget: float = 0.6) -> float:
    """The shortest of many runs, in seconds."""
    action()
    once = seconds(action)[0]
    inner = max(1, int(2e-3 / once))
    rounds = max(5, int(budget / (inner * once)))
    return min(seconds(lambda: [action() for _ in range(inner)])[0] for _ in range(rounds)) / inner


def measure(links: int, build_chain: Callable[[int], Mechanism] = chain) -> Row:
    """Build, compile twice, run."""
    build, mech = seconds(lambda: build_chain(links))
    n = mech.nv
    mech.validate()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ANYJOINT_CACHE"] = folder
        cold, _ = seconds(lambda: mech.compile(form="kernels"))
        cached, model = seconds(lambda: mech.compile(form="kernels"))
        program = model.program("forward_dynamics")
        states = min(1024, max(64, 100_000 // n))
        q, v, tau = np.random.default_rng(1).uniform(-1, 1, (3, states, n))
        if mech.constraints:
            q, v = (np.tile(x, (states, 1)) for x in mech.start)
        one = program.code.bind(q[0], v[0], tau[0], np.empty(n), program.numbers)
        out = np.empty((states, n))
        single = best(one) / n
        batch = best(lambda: program(q, v, tau, out=out)) / (n * states)
    work = program.trace.schedule.work * program.dtype.itemsize
    memory = program.numbers.nbytes + work + program.trace.schedule.words.nbytes
    return Row(n, build, cold, cached, single * 1e9, batch * 1e9, len(program.trace.schedule.kernels), memory)


def caches() -> dict[str, int]:
    """Sizes of this computer's data caches in bytes, where the system tells them."""
    found = {}
    for path in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((path / name).read_text().strip() for name in ("level", "type", "size"))
        if kind != "Instruction":
            found[f"L{level}"] = int(size.rstrip("KM")) * (1024 if size.endswith("K") else 1024**2)
    return found


def main(arguments: list[str]) -> None:
    """Print the table, and say where an evaluation no longer fits into a cache."""
    loops = "--loops" in arguments
    sizes = [int(x) for x in arguments if x != "--loops"] or (LOOPS if loops else SIZES)
    build = gallery.chain_of_four_bars if loops else chain
    measure(5, build)  # imports and first calls
    print("         build   compile, s        ns per body              memory, bytes")
    print(" bodies      s     cold   cached       one    batch  kernels     all per body")
    rows = []
    for n in sizes:
        r = measure(n, build)
        rows.append(r)
        print(
            f"{r.bodies:7d} {r.build:8.3f} {r.cold:8.3f} {r.cached:8.3f} {r.single:9.1f} {r.batch:8.1f} {r.kernels:8d} "
            f"{r.memory:8d} {r.memory / r.bodies:8.0f}"
        )
    for name, size in caches().items():
        outside = next((r.bodies for r in rows if r.memory > size), None)
        where = f"from {outside} bodies on" if outside else "never here"
        print(f"{name}: {size // 1024} KiB; one state does not fit {where}")
    inside = [r.single for r in rows if r.bodies >= 100 and r.memory <= max(caches().values(), default=2**40)]
    if inside:
        print(f"one state from 100 bodies on: {min(inside):.1f} to {max(inside):.1f} ns per body")


if __name__ == "__main__":
    main(sys.argv[1:])
