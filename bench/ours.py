"""anyjoint itself, behind the same protocol as its peers."""

from __future__ import annotations

import importlib
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint import joints
from anyjoint.codegen.schedule import aligned
from bench import models
from bench.models import Body, Model
from bench.peers.protocol import QUANTITIES, Array, Engine, Measured, States, best_time, main

BATCH = 4096
DENSE = 40
"""Beyond so many velocities a batch of mass matrices would only measure memory."""
ARGUMENTS = {"forward_dynamics": ("q", "v", "tau"), "inverse_dynamics": ("q", "v", "a"), "mass_matrix": ("q",)}
"""What each quantity is a function of."""


def mechanism(model: Model) -> aj.Mechanism:
    """A neutral model as an anyjoint mechanism; one without bodies is a mechanism of the gallery, by its name."""
    if not model.bodies:
        return _gallery(model.name)
    mech = aj.Mechanism(model.name, gravity=model.gravity)
    made: list[Any] = []
    for k, body in enumerate(model.bodies):
        made.append(
            mech.add_body(
                f"b{k}",
                parent=mech.ground if body.parent < 0 else made[body.parent],
                joint=_joint(body),
                placement=aj.Pose.from_matrix(np.array(body.placement)),
                inertia=aj.Inertia(mass=body.mass, com=body.com, tensor=body.tensor),
            )
        )
    return mech


def build(model: Model) -> Engine:
    """Compile one model and describe how to measure it."""
    mech = mechanism(model)
    compiled = mech.compile()
    sizes = {"nb": compiled.nb, "nq": compiled.nq, "nv": compiled.nv}
    operations = {name: int(compiled.op_count(name).total) for name in QUANTITIES}
    quantities = {name: _quantity(compiled, mech, name) for name in QUANTITIES}
    notes = {"version": aj.__version__, "sizes": sizes, "operations": operations}
    return Engine(quantities, notes, lambda states, seconds: _extra(compiled, model, states, seconds))


def _quantity(compiled: Any, mech: aj.Mechanism, name: str) -> Callable[[States, float], Measured]:
    """Answers from Python, state by state; the time is that of the bare kernel in a loop, as for compiled peers."""

    def run(states: States, seconds: float) -> Measured:
        inputs = [getattr(states_of(mech, states), x) for x in ARGUMENTS[name]]
        call = getattr(compiled, name)
        answer = np.array([call(*state) for state in zip(*inputs, strict=True)])
        return Measured(answer, kernel_time(compiled, name, inputs, seconds) if seconds else 0.0)

    return run


def kernel_time(compiled: Any, name: str, inputs: list[Array], seconds: float) -> float:
    """Best nanoseconds per state of the bare scalar code, one state after the other, as in the peers' C loops."""
    program = compiled.program(name)
    rounds = max(1, 100 // max(compiled.nv, 1))  # enough states that the call from Python does not count
    rows = [np.ascontiguousarray(np.tile(x, (rounds, 1)), dtype=program.dtype) for x in inputs]
    count = len(rows[0])
    own = (count,) if name != "mass_matrix" else ()  # matrices go to one place again and again, as the peers' do
    result = aligned(math.prod((*own, program.size)), program.dtype).reshape(*own, program.size)  # as the peers' are
    result[:] = 0.0
    words = program.code.words([*rows, result, program.numbers], 1, 0)
    entry, schedule = program.code.entry(1), program.code.onto_zeros_at
    return best_time(lambda _: entry(*words, schedule, count), 1, seconds) / count


def _extra(compiled: Any, model: Model, states: States, seconds: float) -> dict[str, Any]:
    """Batches in both precisions, two threads, calls from Python, compile times."""
    mech = mechanism(model)
    states = states_of(mech, states)
    single = mech.compile(dtype=np.float32)
    batch = {
        "float64": {name: batch_time(compiled, name, states, np.float64, seconds) for name in QUANTITIES},
        "float32": {name: batch_time(single, name, states, np.float32, seconds) for name in QUANTITIES},
    }
    found: dict[str, Any] = {
        "batch": batch,
        "python_call": {q: _call_time(compiled, q, states, seconds) for q in QUANTITIES},
    }
    found["compile"] = _compile_times(model)
    if (os.cpu_count() or 1) > 1:
        with _every_core():
            found["two_threads"] = batch_time(compiled, "forward_dynamics", states, np.float64, seconds, threads=2)
    return found


def batch_time(
    model: Any, name: str, states: States, dtype: Any, seconds: float, threads: int = 1, count: int = BATCH
) -> float:
    """Best nanoseconds per state in a batch, from Python, all overhead included."""
    count = len(states.q) if name == "mass_matrix" and model.nv > DENSE else count
    inputs = [_tile(getattr(states, x), count).astype(dtype) for x in ARGUMENTS[name]]
    call = getattr(model, name)
    options: dict[str, Any] = {"threads": threads}
    first = call(*inputs, **options)  # compiles the vector code
    if name != "mass_matrix":
        options["out"] = first
    return best_time(lambda _: call(*inputs, **options), 1, seconds) / len(inputs[0])


def _call_time(model: Any, name: str, states: States, seconds: float) -> float:
    """Best nanoseconds per call on one state from Python."""
    rows = list(zip(*(getattr(states, x) for x in ARGUMENTS[name]), strict=True))
    call = getattr(model, name)
    return best_time(lambda i: call(*rows[i]), len(rows), seconds)


def _compile_times(model: Model) -> dict[str, float]:
    """Seconds from a mechanism to its first answer, in fresh processes: with an empty cache, then with a full one."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.json"
        model.save(file)
        environment = dict(os.environ, ANYJOINT_CACHE=str(Path(folder) / "cache"))
        command = [sys.executable, "-m", "bench.ours", "--first-answer", str(file)]
        runs = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(2)]
    return dict(zip(("cold", "cached"), (float(run.stdout) for run in runs), strict=True))


def _first_answer(path: Path) -> float:
    """Seconds from a mechanism to its first answer in this process."""
    neutral = models.load(path)
    mech = mechanism(neutral)
    states = states_of(mech, States(*models.random_states(neutral, 1)))
    importlib.import_module("anyjoint.model")  # modules, LLVM among them, are loaded once whatever is compiled
    started = time.perf_counter()
    mech.compile().forward_dynamics(states.q[0], states.v[0], states.tau[0])
    return time.perf_counter() - started


def states_of(mech: aj.Mechanism, states: States) -> States:
    """The given states; the gallery's mechanisms get random ones of their own, around their start."""
    if states.v.shape[1]:
        return states
    rng, count = np.random.default_rng(0), len(states.q)
    q0, _ = mech.start
    q = np.asarray(q0) + rng.uniform(-0.1, 0.1, (count, mech.nq))
    return States(q, *(rng.normal(size=(count, mech.nv)) for _ in range(3)))


def _tile(rows: Array, count: int) -> Array:
    return np.ascontiguousarray(np.tile(rows, (count // len(rows), 1)))


def _joint(body: Body) -> Any:
    if body.kind == "free":
        return joints.FreeQuaternion()
    return (joints.Revolute if body.kind == "revolute" else joints.Prismatic)(axis=body.axis)


def _gallery(name: str) -> aj.Mechanism:
    from anyjoint.mechanism import gallery

    makers = {
        "TC10": lambda: gallery.torus_chain(10),
        "TC20": lambda: gallery.torus_chain(20),
        "windmill": gallery.windmill,
    }
    return makers[name]()


class _every_core:
    """Within it, threads may run on any core although the process is pinned to one."""

    def __enter__(self) -> None:
        self.before = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
        if self.before is not None:
            os.sched_setaffinity(0, range(os.cpu_count() or 1))

    def __exit__(self, *_: object) -> None:
        if self.before is not None:
            os.sched_setaffinity(0, self.before)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--first-answer"]:
        print(_first_answer(Path(sys.argv[2])))
    else:
        main(build)
