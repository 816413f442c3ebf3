"""What Python costs around the machine code: `python -m bench.calls`

One call on one state, what a batch costs beside its states, a change of a parameter and the run after it, a torque from
Python in every step, and compiling 10,000 bodies with an empty cache. The best of several rounds counts; compiling is
measured in processor seconds.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint import gallery, joints
from bench import ours
from bench.linear_time import chain
from bench.steps import describe

ROUNDS = 30
SIZE = 10_000


def tree(n: int) -> aj.Mechanism:
    """A binary tree of hinges about two axes in turn."""
    mech, solid = aj.Mechanism("tree"), aj.Inertia.box(1.0, 0.1, 0.2, 0.3)
    hinges = joints.Revolute((1, 0, 0)), joints.Revolute((0, 1, 0))
    place = aj.Pose.translation(0.1, 0.2, 0.3) @ aj.Pose.rpy(0.1, 0.2, 0.3)
    for k in range(n):
        mech.add_body(f"body {k}", mech.bodies[(k - 1) // 2] if k else None, hinges[k % 2], place, solid)
    return mech


def microseconds(call: Callable[[], Any], calls: int = 1000, rounds: int = ROUNDS) -> float:
    """The shortest time of a call, of several rounds of many."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        times.append(time.perf_counter() - begin)
    return 1e6 * min(times) / calls


def one_call() -> float:
    """Forward dynamics of six hinges, one state."""
    model = gallery.revolute_chain(6).compile()
    q, v, tau = np.random.default_rng(0).normal(size=(3, 6))
    return microseconds(lambda: model.forward_dynamics(q, v, tau))


def batch_overhead(quantity: str = "forward_dynamics") -> float:
    """Of a batch of eight states of six hinges: the whole call, less what the machine code takes by itself."""
    model = gallery.revolute_chain(6).compile()
    given = [*np.random.default_rng(0).normal(size=(3, 8, 6))]
    ask = getattr(model, quantity)
    ask(*given)
    program = model.program(quantity)
    rows = [*given, *(np.full(n, 1e-3) for _, n in program.inputs[3:]), np.empty((8, program.size)), program.numbers]
    width = program.code.target.width
    entry, words = program.code.entry(width), program.code.words(rows, width, 0)
    calls = (lambda: ask(*given), lambda: entry(*words, program.code.runs_at, 8))
    # Short rounds in turn, since others may be at work.
    rounds = [[microseconds(call, 200, rounds=1) for call in calls] for _ in range(5 * ROUNDS)]
    whole, bare = np.min(rounds, axis=0)
    return float(whole - bare)


def change_and_run() -> float:
    """A mass of the board on its surface is set, and one step is made."""
    mech = gallery.board_on_spline_surface()
    name = f"{mech.bodies[-1].name}/mass"
    model = mech.compile(vary=[name])
    masses = iter(np.linspace(1.0, 2.0, ROUNDS + 1))

    def change() -> None:
        model.parameters[name] = float(next(masses))
        model.simulate(*mech.start, duration=0.01, dt=0.01)

    change()
    return microseconds(change, calls=1) / 1e3


def python_torque(hold: int | None = None) -> float:
    """A step of rk4 of ANYmal with a torque from Python, asked at every stage or every so many steps."""
    with tempfile.TemporaryDirectory() as folder:
        neutral = describe("ANYmal", Path(folder))
    if neutral is None:  # reading it needs pin and example-robot-data
        return float("nan")
    mech = ours.mechanism(neutral)
    model = mech.compile()
    zero, q = np.zeros(model.nv), np.asarray(mech.neutral)
    steps = 200

    def run() -> None:
        model.simulate(q, zero, duration=steps * 1e-4, dt=1e-4, tau=lambda t, q, v: zero, hold=hold)

    return microseconds(run, calls=1, rounds=5) / steps


def compile_seconds(make: Callable[[int], aj.Mechanism]) -> float:
    """Processor time from a mechanism of 10,000 bodies to machine code for one state, nothing being known."""
    times = []
    for _ in range(3):
        mech = make(SIZE)
        with tempfile.TemporaryDirectory() as folder:
            os.environ["ANYJOINT_CACHE"] = folder
            begin = time.process_time()
            mech.compile()
            times.append(time.process_time() - begin)
    return min(times)


def main() -> None:
    """Print all, with the goals."""
    rows: list[tuple[str, Callable[[], float], str, float | None]] = [
        ("forward dynamics, one state", one_call, "us", 2.5),
        ("batch call, beside its states", batch_overhead, "us", 10.0),
        ("step of a batch, beside its states", lambda: batch_overhead("step"), "us", 10.0),
        ("ANYmal, rk4 step, torque from Python", python_torque, "us", None),
        ("ANYmal, the same held for ten steps", lambda: python_torque(10), "us", None),
        ("set a mass and make a step, board", change_and_run, "ms", None),
        (f"compile a binary tree of {SIZE}", lambda: compile_seconds(tree), "s", 3.0),
        (f"compile a chain of {SIZE}", lambda: compile_seconds(chain), "s", 1.0),
    ]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ANYJOINT_CACHE"] = folder
        gallery.revolute_chain(2).compile()  # imports and LLVM itself
        for name, measure, unit, goal in rows:
            wanted = f"  goal {goal:g}" if goal else ""
            print(f"{name:40s} {measure():8.2f} {unit}{wanted}")


if __name__ == "__main__":
    main()
