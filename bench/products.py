"""What derivatives cost beside what is differentiated: products of quantities, and gradients of whole runs.

`python -m bench.products [NAME ...]` prints ratios of processor times on one core, each the minimum of many repeats in
turns with what is differentiated, so that both see the same machine; values are part of every product. The last table
is chains of growing length: time per body, and compile time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from anyjoint import gallery
from anyjoint.codegen import count_schedule

REPEATS, STATES, STEPS = 15, 64, 1000
GOALS = {("vjp", "inverse_dynamics"): 2.6, ("vjp", "forward_dynamics"): 2.8, ("jvp", "forward_dynamics"): 2.5,
         ("hvp", "inverse_dynamics"): 7.0, ("hvp", "forward_dynamics"): 7.0}  # fmt: skip
MODELS = {
    "RC6": lambda: gallery.revolute_chain(6),
    "RC20": lambda: gallery.revolute_chain(20),
    "TC5": lambda: gallery.torus_chain(5),
    "RC100": lambda: gallery.revolute_chain(100),
}


def best(call: Callable[[], Any], repeats: int = REPEATS) -> float:
    """The shortest processor time of a call, in seconds."""
    found = []
    for _ in range(repeats):
        begin = time.thread_time()
        call()
        found.append(time.thread_time() - begin)
    return min(found)


def in_turns(*calls: Callable[[], Any], repeats: int = 4 * REPEATS) -> Any:
    """The shortest processor time of each call, in seconds."""
    return np.min([[best(call, 1) for call in calls] for _ in range(repeats)], axis=0)


def runner(program: Any) -> Callable[[], Any]:
    """The program on many states one after the other, by scalar code."""
    rng = np.random.default_rng(0)
    rows = [rng.uniform(0.2, 0.8, size=(STATES, n)) for _, n in program.inputs]
    arrays = [*rows, np.zeros((STATES, program.size)), program.numbers]
    code = program.code
    return lambda: code.entry(1)(*code.words(arrays, 1, 0), code.runs_at, STATES)


def products(name: str, model: Any) -> None:
    """Ratios of products over the quantity: time, and operations."""
    for quantity in ("inverse_dynamics", "forward_dynamics"):
        own = model.program(quantity)
        base = runner(own)
        for kind in ("jvp", "vjp", "hvp"):
            begin = time.thread_time()
            program = model.products.named(f"{kind} {quantity}")
            call = runner(program)
            call()
            compiled = time.thread_time() - begin
            plain, both = in_turns(base, call)
            ratio = both / plain
            operations = program.op_count().total / count_schedule(own.trace.schedule).total
            goal = GOALS.get((kind, quantity))
            said = f"   goal {goal}: {'met' if ratio <= goal else 'missed'}" if goal else ""
            print(f"{name:7} {kind} {quantity:17} {ratio:6.2f} x time {operations:6.2f} x operations"
                  f" {compiled:6.2f} s to make{said}", flush=True)  # fmt: skip


def run_gradient(name: str, model: Any) -> None:
    """The gradient of a run of a thousand steps, the run included, over the plain run."""
    q, v = np.full(model.nq, 0.3), np.zeros(model.nv)
    options = {"duration": STEPS * 1e-4, "dt": 1e-4}
    weights = np.ones(model.nv)
    traj = model.simulate(q, v, gradient=True, **options)
    traj.gradient(dq=weights)
    plain, both = in_turns(
        lambda: model.simulate(q, v, **options),
        lambda: model.simulate(q, v, gradient=True, **options).gradient(dq=weights),
    )
    states = (traj.q.nbytes + traj.v.nbytes) / 2**20
    kept = sum(rows.nbytes for _, rows in traj.run.log.left) / 2**20
    ratio = both / plain
    print(f"{name:7} {STEPS} steps {plain * 1e3:8.2f} ms, with gradient {both * 1e3:8.2f} ms: {ratio:5.2f} x, states"
          f" {states:.2f} MiB, accelerations {kept:.2f} MiB   goal 3: {'met' if ratio <= 3 else 'missed'}", flush=True)


def growth() -> None:
    """Chains of any length: time per body, and time to compile."""
    for n in (10, 100, 1000):
        model = gallery.revolute_chain(n).compile(form="kernels")
        begin = time.thread_time()
        program = model.products.named("vjp forward_dynamics")
        call = runner(program)
        call()
        made = time.thread_time() - begin
        per_body = best(call, 5) / STATES / n * 1e9
        print(f"chain of {n:5} vjp forward_dynamics {per_body:7.1f} ns per body, {made:5.2f} s to make", flush=True)


if __name__ == "__main__":
    made = {name: build().compile() for name, build in MODELS.items() if name in (sys.argv[1:] or MODELS)}
    for name, model in made.items():
        products(name, model)
    for name, model in made.items():
        run_gradient(name, model)
    growth()
