"""Compile time per operation from 1,000 to 50,000 operations, and loading a cached function of 10,000.

Run: python -m bench.compile_time (times are processor seconds, so that a busy computer does not change them much)
`--piles` measures piles instead: from the mechanism to the first step under contacts, and the steps while they fall.
"""

import os
import random
import sys
import tempfile
import time
from typing import Any

import numpy as np

from anyjoint.codegen import compile_function
from anyjoint.mechanism import Mechanism
from anyjoint.symbolic import Graph, variables
from bench import things

SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)


def random_function(operations: int, seed: int = 0) -> tuple[Any, list[Any]]:
    """Variables and outputs of a random program of sums, products and a few sines; all of it is needed."""
    rng = random.Random(seed)
    x = variables("x", 20, graph=Graph())
    recent = list(x)
    for count in range(operations - len(recent)):
        a, b = recent[count % 20], recent[rng.randrange(20)]
        kind = rng.random()
        # Each new value replaces one of its operands, so nothing is lost and values live for various times.
        recent[count % 20] = (
            0.5 * a * b if kind < 0.3 else a + b if kind < 0.8 else a - b if kind < 0.98 else a.sin() + b
        )
    return x, recent


def seconds(action: Any) -> float:
    """How much processor time an action takes."""
    begin = time.process_time()
    action()
    return time.process_time() - begin


def measure(operations: int) -> tuple[int, float, float]:
    """Operations, and seconds to compile for single states and for batches."""
    x, outputs = random_function(operations)
    begin = time.process_time()
    f = compile_function([x], outputs)
    single = time.process_time() - begin
    return f.op_count().total, single, seconds(lambda: f(np.zeros((1, 20))))


def cached_load(operations: int) -> float:
    """Seconds from the expression graph to a callable function whose machine code is in the cache."""
    x, outputs = random_function(operations, seed=1)
    compile_function([x], outputs)
    return min(seconds(lambda: compile_function([x], outputs)) for _ in range(10))


def pile(mech: Mechanism) -> str:
    """Seconds to compile the steps of a pile, and microseconds of one of them."""
    options = {"dt": 1e-3, "method": "time-stepping"}
    model = mech.compile()
    first = seconds(lambda: model.simulate(duration=2e-3, **options))
    again = seconds(lambda: model.simulate(duration=2e-3, **options))
    steps = seconds(lambda: model.simulate(duration=0.5, **options)) - again
    return f"{mech.name:>10} {len(mech.contacts):6d} {first:9.2f} {steps / 500 * 1e6:12.0f}"


def piles() -> None:
    """Print the table of piles."""
    print("      pile contacts   first step (s)   us/step")
    for mech in (things.balls(8), things.balls(16), things.boxes(10)):
        print(pile(mech), flush=True)


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ANYJOINT_CACHE"] = folder
        measure(100)
        if "--piles" in sys.argv[1:]:
            return piles()
        print("operations   single states           batches")
        print("             s       us/operation    s       us/operation")
        for size in SIZES:
            count, single, batch = measure(size)
            print(f"{count:10d} {single:7.3f} {single / count * 1e6:10.1f} {batch:11.3f} {batch / count * 1e6:10.1f}")
        print(f"load a cached function of 10,000 operations: {cached_load(10_000) * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
