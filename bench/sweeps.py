"""Runs per second of a sweep: a million double pendulums, beside a Python loop and MuJoCo's rollout; a Dask cluster.

`python -m bench.sweeps [--runs N] [--json FILE]`; all in one run. MuJoCo and the loop do fewer runs, and say how many.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
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
from anyjoint.sweep.executor import processors
from anyjoint.sweep.shipment import shipped, warm_up, work

DURATION, DT = 1.0, 1e-3
SPACE = {"upper/mass": aj.uniform(0.8, 1.2), "lower/mass": aj.uniform(0.8, 1.2), "q0": aj.uniform(-2, 2)}
GOAL_RATIO, GOAL_BYTES = 20.0, 1e9
MJCF = f"""
<mujoco><option timestep="{DT}" integrator="RK4" gravity="0 0 -9.81"><flag contact="disable"/></option>
<worldbody><body><joint axis="0 1 0"/><inertial pos="0 0 -1" mass="1" diaginertia=".01 .01 .01"/>
<body pos="0 0 -1"><joint axis="0 1 0"/><inertial pos="0 0 -1" mass="1" diaginertia=".01 .01 .01"/></body>
</body></worldbody></mujoco>
"""


def pendulum(*vary: str) -> Any:
    """Two balls on two rods; of what varies no number is built into the code."""
    mech = aj.Mechanism("double pendulum")
    solid = aj.Inertia(mass=1.0, com=(0, 0, -1), tensor=(0.01 * np.eye(3)).tolist())
    hinge = joints.Revolute(axis=(0, 1, 0))
    upper = mech.add_body("upper", joint=hinge, inertia=solid)
    mech.add_body("lower", upper, hinge, aj.Pose.translation(0, 0, -1), solid)
    return mech.compile(vary=vary)


def timed(runs: int, call: Callable[[], Any]) -> tuple[Any, dict[str, Any]]:
    """What a call gives, and its time: by the clock, and of all processors, which others at work do not change."""
    begin, busy = time.perf_counter(), time.process_time()
    found = call()
    seconds, cpu = time.perf_counter() - begin, time.process_time() - busy
    return found, {"runs": runs, "seconds": seconds, "per_second": runs / seconds, "cpu_each": cpu / runs}


def ours(model: Any, runs: int) -> dict[str, Any]:
    """The sweep itself, and the most memory that this process has had."""
    aj.sweep(model, SPACE, 4096, duration=DURATION, dt=DT)  # compiles
    result, facts = timed(runs, lambda: aj.sweep(model, SPACE, runs, duration=DURATION, dt=DT))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return facts | {"peak_bytes": peak, "failed": int((~result.ok).sum())}


def loop(runs: int = 300) -> dict[str, Any]:
    """The same by a loop over parameters.set and simulate."""
    model = pendulum("upper/mass", "lower/mass")
    result = aj.sweep(model, SPACE, runs, duration=DURATION, dt=DT)
    rows = [result.sample(k) for k in range(runs)]
    model.simulate(rows[0]["q0"], duration=DURATION, dt=DT)  # compiles

    def one(row: Any) -> Any:
        model.parameters.set({name: float(row[name]) for name in ("upper/mass", "lower/mass")})
        return model.simulate(row["q0"], duration=DURATION, dt=DT, save_every=round(DURATION / DT)).q[-1]

    ends, facts = timed(runs, lambda: [one(row) for row in rows])
    return facts | {"difference": float(np.abs(np.array(ends) - result.values[:, :2]).max())}


def rollout(runs: int = 2000) -> dict[str, Any]:
    """MuJoCo's rollout on as many threads, one mass for all; it keeps every step, so there are fewer runs."""
    try:
        import mujoco
        from mujoco.rollout import rollout as roll
    except ImportError:
        return {"absent": "mujoco is not installed"}
    model = mujoco.MjModel.from_xml_string(MJCF)
    threads, steps = processors(), round(DURATION / DT)
    data = [mujoco.MjData(model) for _ in range(threads)]
    state = np.zeros((runs, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    state[:, 1:3] = np.random.default_rng(0).uniform(-2, 2, (runs, 2))
    roll(model, data, state[:64], nstep=steps)
    (final, _), facts = timed(runs, lambda: roll(model, data, state, nstep=steps))
    mine = pendulum().simulate(state[0, 1:3], duration=DURATION, dt=DT)
    away = float(np.abs(final[0, -1, 1:3] - mine.q[-1]).max())
    return facts | {"version": mujoco.__version__, "difference": away}


def cluster(model: Any, runs: int = 100_000) -> dict[str, Any]:
    """Two Dask workers: warm-up from shipped code, overhead of a chunk, and the same bits as here."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        return {"absent": "distributed is not installed"}
    here = aj.sweep(model, SPACE, runs, duration=DURATION, dt=DT)
    with tempfile.TemporaryDirectory() as folder:
        own = os.environ.get("ANYJOINT_CACHE", "")
        os.environ["ANYJOINT_CACHE"] = str(Path(folder) / "workers")  # so that nothing is there but what was shipped
        local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1")
        with local, Client(local) as client:
            os.environ["ANYJOINT_CACHE"] = own
            parcel = shipped(here.job, here.space.draw(0, 2))
            warm = client.run(warm_up, parcel)
            begin = time.perf_counter()
            there = aj.sweep(model, SPACE, runs, duration=DURATION, dt=DT, executor=client)
            seconds = time.perf_counter() - begin
            tiny = here.space.draw(0, 2)
            remote = client.submit(_same, parcel)
            client.submit(work, remote, tiny, pure=False).result()
            begin = time.perf_counter()
            for _ in range(20):
                client.submit(work, remote, tiny, pure=False).result()
            overhead = (time.perf_counter() - begin) / 20
    return {
        "per_second": runs / seconds, "equal": bool(np.array_equal(here.values, there.values)),
        "import_seconds": _import_seconds(), "warm_up_seconds": max(warm.values()),
        "chunk_overhead_seconds": overhead, "shipment_bytes": len(parcel.data) + sum(len(x) for _, x in parcel.entries),
    }  # fmt: skip


def _import_seconds() -> float:
    """Of a fresh process."""
    code = "import time; t = time.perf_counter(); import anyjoint.sweep; print(time.perf_counter() - t)"
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def _same(parcel: Any) -> Any:
    return parcel


def _speed(facts: dict[str, Any]) -> str:
    return f"{facts['per_second']:12,.0f} runs/s {facts['cpu_each'] * 1e6:9,.0f} us of processor each"


def report(found: dict[str, Any]) -> None:
    """Print the numbers, and whether they keep to the goals."""
    mine, other = found["ours"], found["loop"]
    print(f"double pendulum, {DURATION:g} s by rk4 in steps of {DT:g} s, {processors()} threads")
    print(f"  aj.sweep        {_speed(mine)}   {mine['runs']:,} runs in {mine['seconds']:.1f} s")
    print(f"  peak memory     {mine['peak_bytes'] / 1e6:12,.0f} MB       goal: {GOAL_BYTES / 1e6:,.0f} MB")
    ratio = mine["per_second"] / other["per_second"]
    print(f"  Python loop     {_speed(other)}   {ratio:.0f} x slower (goal: {GOAL_RATIO:g} x)")
    print(f"    runs of both end {other['difference']:.1e} rad apart at most")
    peer = found["rollout"]
    if "absent" in peer:
        print(f"  MuJoCo rollout  {peer['absent']}")
    else:
        print(f"  MuJoCo rollout  {_speed(peer)}   {mine['per_second'] / peer['per_second']:.0f} x slower")
        print(f"    version {peer['version']}; one run of both ends {peer['difference']:.1e} rad apart")
    dask = found["cluster"]
    if "absent" in dask:
        print(f"  two workers     {dask['absent']}")
        return
    print(f"  two workers     {dask['per_second']:12,.0f} runs/s   equal to the bit: {dask['equal']}")
    warm, size, brought = dask["warm_up_seconds"], dask["shipment_bytes"] / 1e3, dask["import_seconds"]
    print(f"    worker: warm-up {warm:.2f} s (goal: 1 s) from {size:,.0f} kB, after {brought:.2f} s of imports")
    print(f"    overhead of a chunk {dask['chunk_overhead_seconds'] * 1e3:.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    model = pendulum()
    found = {"ours": ours(model, chosen.runs), "loop": loop(), "rollout": rollout()}
    found["cluster"] = cluster(pendulum(), min(chosen.runs, 100_000))
    report(found)
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
