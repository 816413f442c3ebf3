"""Derivatives of dynamics beside Pinocchio C++: `python -m bench.derivatives [NAME ...]`.

All engines get the same states, in one run, pinned to one core; they take turns, and the best of many rounds counts.
Answers are compared before anything is timed. One by one, Pinocchio leaves its answers in matrices of its own, while
ours are written to a row of the caller's. In batches, called from Python, both leave the answers of all states in rows,
which begin where a line of the caches begins.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench import engines, models, ours
from bench.models import Array
from bench.peers.native import lined_up
from bench.peers.pinocchio_derivatives import QUANTITIES, batch_states
from bench.peers.protocol import States, best_time
from bench.run import machine, smallest

NAMES = ("UR5", "Panda", "ANYmal", "Talos", "RC20", "RC100")
PEERS = {f"Pinocchio ({compiler})": ("--compiler", compiler) for compiler in ("clang", "gcc")}
GOALS = {"inverse_dynamics_derivatives": 2.0, "forward_dynamics_derivatives": 1.5}
BATCH_GOAL = 4.0
STATES = 16
TOLERANCE = 1e-7  # between engines, relative to the largest entry: chains of 100 hinges lose some digits
OUT = engines.ROOT / "bench" / "derivatives.json"


def main() -> int:
    """Run, print, write."""
    parser = argparse.ArgumentParser(prog="python -m bench.derivatives", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(NAMES)}; default all")
    parser.add_argument("--seconds", type=float, default=0.3, help="time per quantity and round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--core", type=int, default=max((os.cpu_count() or 1) - 1, 0))
    parser.add_argument("--engines", nargs="*", default=[*PEERS], help=f"beginnings of {', '.join(PEERS)}; default all")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    results: dict[str, Any] = {"machine": machine(), "models": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or NAMES:
            results["models"][name] = found = measure(name, Path(folder), options)
            print(lines(name, found), flush=True)
    options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print("\n" + table(results))
    return 0


def measure(name: str, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Answers and times of every engine on one model."""
    neutral = describe(name, folder)
    files = folder / f"{name}.json", folder / f"{name}.npz", folder / "result.npz"
    neutral.save(files[0])
    states = States(*models.random_states(neutral, STATES))
    np.savez(files[1], **vars(states))
    model = ours.mechanism(neutral).compile()
    found: dict[str, Any] = {"nv": model.nv, "times": {}, "errors": {}, "absent": {}, "operations": {}, "compile": {}}
    want = {}
    for quantity, third in QUANTITIES.items():
        started = time.perf_counter()
        model.program(quantity).code.entry(1)
        found["compile"][quantity] = time.perf_counter() - started
        found["operations"][quantity] = int(model.op_count(quantity).total)
        rows = (states.q, states.v, getattr(states, third))
        want[quantity] = np.array([model.evaluate(quantity, row) for row in zip(*rows, strict=True)])
    for _ in range(options.rounds):
        found["times"] = smallest_of(found["times"], own_times(model, states, options))
        for label, arguments in PEERS.items():
            if not label.startswith(tuple(options.engines)):
                continue
            peer(label, arguments, files, want, found, options)
    return found


def peer(
    label: str, arguments: tuple[str, ...], files: tuple[Path, Path, Path], want: dict[str, Array],
    found: dict[str, Any], options: argparse.Namespace,
) -> None:  # fmt: skip
    """One round of a peer."""
    engine = engines.Engine(label, label, "bench.peers.pinocchio_derivatives", arguments)
    outcome = engines.run(engine, *files, options.seconds, options.core)
    if outcome.failure:
        found["absent"][label] = outcome.failure
        return
    for quantity, answer in outcome.answers.items():
        scale = np.abs(want[quantity]).max(axis=1, keepdims=True)
        found["errors"][f"{label} {quantity}"] = float((np.abs(answer - want[quantity]) / scale).max())
    times = {f"{label} {quantity}": t for quantity, t in outcome.report["times"].items()}
    times |= {f"{label}, batch {quantity}": t for quantity, t in outcome.report["batches"].items()}
    found["times"] = smallest_of(found["times"], times)


def describe(name: str, folder: Path) -> models.Model:
    """The neutral model; robots come from Pinocchio, in the peers' interpreter."""
    if name.startswith("RC"):
        return models.chain(name)
    done = engines.call([str(engines.peers_python()), "-m", "bench.robots", str(folder), name], None)
    if done.returncode:
        sys.exit(f"bench.derivatives: reading robots needs pin and example-robot-data\n{done.stderr}")
    return models.load(folder / f"{name}.json")


def own_times(model: Any, states: States, options: argparse.Namespace) -> dict[str, float]:
    """Nanoseconds per state, one at a time from a loop and in batches; pinned as peers are."""
    before = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    if before is not None:
        os.sched_setaffinity(0, {options.core})
    made = {}
    for quantity, third in QUANTITIES.items():
        inputs = [states.q, states.v, getattr(states, third)]
        made[f"anyjoint {quantity}"] = loop_time(model, quantity, inputs, options.seconds)
        count = batch_states(model.nv)
        rows = [np.resize(x, (count, x.shape[1])) for x in inputs]
        out = lined_up(count, 3 * model.nv**2)
        model.evaluate(quantity, tuple(rows), out)  # compiles the vector code
        made[f"anyjoint, batch {quantity}"] = best_time(
            lambda _, quantity=quantity, rows=rows, out=out: model.evaluate(quantity, tuple(rows), out), 1,
            options.seconds,
        ) / count  # fmt: skip
    if before is not None:
        os.sched_setaffinity(0, before)
    return made


def loop_time(model: Any, quantity: str, inputs: list[Array], seconds: float) -> float:
    """Best nanoseconds per state of the bare scalar code, one state after the other, into one row as peers do."""
    program = model.program(quantity)
    rows = [np.ascontiguousarray(x) for x in inputs]
    count, result = len(rows[0]), np.zeros(program.size)
    words = program.code.words([*rows, result, program.numbers], 1, 0)
    entry, schedule = program.code.entry(1), program.code.onto_zeros_at
    return best_time(lambda _: entry(*words, schedule, count), 1, seconds) / count


def smallest_of(old: dict[str, float], new: dict[str, float]) -> dict[str, float]:
    """Two tables of times, the smaller where both have one."""
    return {**old, **{key: smallest(old.get(key), x) for key, x in new.items()}}


def best_peer(found: dict[str, Any], quantity: str, way: str = "") -> float:
    """The best time of all builds of Pinocchio whose answers agree, one by one or, as `way` says, in batches."""
    labels = [label for label in PEERS if found["errors"].get(f"{label} {quantity}", np.inf) <= TOLERANCE]
    return min((found["times"][f"{label}{way} {quantity}"] for label in labels), default=float("nan"))


def lines(name: str, found: dict[str, Any]) -> str:
    """One model for the terminal."""
    made = [f"{name}: {found['nv']} velocities, operations {found['operations']}"]
    for key, t in found["times"].items():
        error = f"differs by {found['errors'][key]:.1e}" if key in found["errors"] else ""
        made.append(f"  {key:60s} {t / 1e3:9.3f} us   {error}")
    return "\n".join(made + [f"  {key:60s} absent: {why}" for key, why in found["absent"].items()])


def table(results: dict[str, Any]) -> str:
    """All models as a table in Markdown; ratios below their goals are in bold."""
    heads = ["us per state", "operations", "anyjoint", "batch", "Pinocchio C++", "batch", "ratio", "ratio, batch"]
    made = []
    for quantity, goal in GOALS.items():
        made += [f"\n`{quantity}`: goals {goal:g}x, batches {BATCH_GOAL:g}x\n", f"| {' | '.join(heads)} |"]
        made.append("|---" + "|--:" * (len(heads) - 1) + "|")
        for name, found in results["models"].items():
            one, batch = (found["times"][f"{way} {quantity}"] for way in ("anyjoint", "anyjoint, batch"))
            peers = [best_peer(found, quantity, way) for way in ("", ", batch")]
            ratios = [(peers[0] / one, goal), (peers[1] / batch, BATCH_GOAL)]
            cells = [name, f"{found['operations'][quantity]:,}", *(f"{t / 1e3:.2f}" for t in (one, batch, *peers))]
            cells += [f"{x:.1f}x" if x >= wanted else f"**{x:.1f}x**" for x, wanted in ratios]
            made.append(f"| {' | '.join(cells)} |")
    return "\n".join(made)


if __name__ == "__main__":
    sys.exit(main())
