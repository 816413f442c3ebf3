"""Constrained forward dynamics beside Pinocchio, MuJoCo and Drake: `python -m bench.constraints [NAME ...]`.

All engines get the same states, in one run, pinned to one core; they take turns, and the best of many rounds counts.
Errors are against a dense solution of [[M, G^T], [G, 0]] refined in extended precision. MuJoCo's and Drake's steps are
soft and contain more than accelerations: they are here for their size.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint import joints
from bench import engines, ours
from bench.constrained_models import FEET, NAMES, Case, anchored, four_bars, pinned_chain, robot
from bench.constraints_table import line, table
from bench.models import Array
from bench.peers.protocol import States
from bench.run import machine, smallest

PEERS = {
    "Pinocchio (clang)": ("bench.peers.pinocchio_constraints", "--compiler", "clang"),
    "Pinocchio (g++)": ("bench.peers.pinocchio_constraints", "--compiler", "gcc"),
    "MuJoCo": ("bench.peers.mujoco_constraints",),
    "Drake": ("bench.peers.drake_constraints",),
}
OUT = engines.ROOT / "bench" / "constraints.json"
BATCH = 256  # states per call, few enough that a busy machine leaves some calls alone


def main() -> int:
    """Run, print, write."""
    parser = argparse.ArgumentParser(prog="python -m bench.constraints", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"beginnings of {', '.join(NAMES)}; default all")
    parser.add_argument("--seconds", type=float, default=0.5, help="time per engine and round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--core", type=int, default=max((os.cpu_count() or 1) - 1, 0))
    parser.add_argument("--engines", nargs="*", default=[*PEERS], help=f"beginnings of {', '.join(PEERS)}; default all")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    results: dict[str, Any] = {"machine": machine(), "cases": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            if not options.names or any(name.startswith(given) for given in options.names):
                results["cases"][name] = found = measure(name, Path(folder), options)
                print(line(name, found), flush=True)
    options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print("\n" + table(results))
    return 0


def measure(name: str, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Answers and times of every engine on one case."""
    case, model = build(name, folder)
    path = folder / "case.npz"
    case.save(path)
    want = dense(model, case)
    free = ours.mechanism(case.model).compile()
    found: dict[str, Any] = {
        "operations": model.op_count().total,
        "free operations": free.op_count().total,
        "times": {},
        "errors": {"anyjoint": error(model.forward_dynamics(case.q, case.v, case.tau), want)},
        "absent": {},
    }
    for _ in range(options.rounds):
        found["times"] = smallest_of(found["times"], own_times(model, free, case, options))
        for label, (module, *arguments) in PEERS.items():
            if not label.startswith(tuple(options.engines)):
                continue
            command = [str(engines.peers_python()), "-m", module, str(path), str(folder / "result.npz"), *arguments]
            done = engines.call([*command, "--seconds", str(options.seconds)], options.core)
            if done.returncode:
                said = done.stderr.strip().splitlines()
                found["absent"][label] = said[-1] if said else f"ended with status {done.returncode}"
                continue
            with np.load(folder / "result.npz") as file:
                times = {f"{label} {key}": x for key, x in json.loads(str(file["report"])).items()}
                found["times"] = smallest_of(found["times"], times)
                answers = {f"{label} {key}": file[key] for key in file.files if key != "report" and file[key].size}
            found["errors"] |= {key: error(x, want) for key, x in answers.items()}
    return found


def smallest_of(old: dict[str, float], new: dict[str, float]) -> dict[str, float]:
    """Two tables of times, the smaller where both have one."""
    return {**old, **{key: smallest(old.get(key), x) for key, x in new.items()}}


def own_times(model: Any, free: Any, case: Case, options: argparse.Namespace) -> dict[str, float]:
    """Nanoseconds per state: one at a time from a loop, in batches, and without constraints; pinned as peers are."""
    before = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    if before is not None:
        os.sched_setaffinity(0, {options.core})
    inputs, states = [case.q, case.v, case.tau], States(case.q, case.v, case.tau, case.tau)
    made = {
        "anyjoint": ours.kernel_time(model, "forward_dynamics", inputs, options.seconds),
        "anyjoint, batch": ours.batch_time(model, "forward_dynamics", states, np.float64, options.seconds, count=BATCH),
        "anyjoint, free": ours.kernel_time(free, "forward_dynamics", inputs, options.seconds),
    }
    if before is not None:
        os.sched_setaffinity(0, before)
    return made


# -- cases ------------------------------------------------------------------------------------------------------------


def build(name: str, folder: Path) -> tuple[Case, Any]:
    """A case with states on its constraints, and its model."""
    if "four-bars" in name:
        case = four_bars(40)
        return case, constrained(case).compile()
    case = pinned_chain() if "hinges" in name else _robot(name.split(",")[0], folder)
    poses = ours.mechanism(case.model).compile().body_poses(case.q[0])
    case = anchored(case, poses)
    model = constrained(case).compile()
    q, v = zip(*(model.assemble(*_near(case, k)) for k in range(len(case.q))), strict=True)
    return replace(case, q=np.array(q), v=np.array(v)), model


def _robot(name: str, folder: Path) -> Case:
    done = engines.call([str(engines.peers_python()), "-m", "bench.robots", str(folder), *FEET], None)
    if done.returncode:
        sys.exit(f"bench.constraints: reading robots needs pin and example-robot-data\n{done.stderr}")
    return robot(folder, name)


def _near(case: Case, k: int) -> tuple[Array, Array]:
    """A guess near the first state, where the ends were anchored."""
    q = 0.9 * case.q[0] + 0.1 * case.q[k]
    if case.model.bodies[0].kind == "free":
        q[:4] /= np.linalg.norm(q[:4])
    return q, case.v[k]


def constrained(case: Case) -> aj.Mechanism:
    """The case as a mechanism with loops; bodies come first, so that rows on the ground are in their axes."""
    mech = ours.mechanism(case.model)
    for row in case.held:
        ends = [mech.bodies[k] if k >= 0 else mech.ground for k in (row.first, row.second)]
        at = tuple(aj.Pose.from_matrix(T) for T in row.poses)
        mech.add_loop(*ends, joint=joints.Spherical() if row.rows == 3 else joints.Fixed(), at=at)
    return mech


def dense(model: Any, case: Case) -> Array:
    """The dense oracle, state by state: least squares, then refinement with residuals in extended precision."""
    made = []
    M, bias = model.mass_matrix(case.q), model.bias_forces(case.q, case.v)
    G, gamma = model.constraint_jacobian(case.q), model.constraint_bias(case.q, case.v)
    for k in range(len(case.q)):
        m = len(gamma[k])
        A = np.block([[M[k], G[k].T], [G[k], np.zeros((m, m))]])
        right = np.concatenate([case.tau[k] - bias[k], -gamma[k]])
        inverse, x = np.linalg.pinv(A, rcond=1e-12), np.zeros(len(A), dtype=np.longdouble)
        for _ in range(4):
            x = x + inverse @ np.asarray(right - A.astype(np.longdouble) @ x, dtype=float)
        made.append(x[: model.nv].astype(float))
    return np.array(made)


def error(got: Array, want: Array) -> float:
    """The largest error over all states, relative to the largest acceleration of each."""
    return float((np.abs(got - want).max(axis=1) / np.abs(want).max(axis=1)).max())


if __name__ == "__main__":
    sys.exit(main())
