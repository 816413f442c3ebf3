"""MuJoCo's steps under contact: settle, say so, then time steps whenever asked by a line.

`python -m bench.peers.mujoco_contact PATH DT SETTLE STEPS`, where PATH.xml is the robot and PATH-start.json its qpos.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import mujoco  # type: ignore[import-not-found]

FALLS, LANDING = 60, 250  # how often it is dropped, and the steps of one fall


def run(path: str, dt: float, settle: int, steps: int) -> None:
    """Answer on standard output: what was found, then microseconds per step for every line that comes in."""
    model = mujoco.MjModel.from_xml_path(f"{path}.xml")
    model.opt.timestep = dt
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST  # Euler steps blow up under these springs
    data = mujoco.MjData(model)
    start = json.loads(Path(f"{path}-start.json").read_text(encoding="utf-8"))
    landing = min(fall(model, data, start) for _ in range(FALLS))
    mujoco.mj_step(model, data, settle)
    print(json.dumps({"landing": landing, "points": int(data.ncon), "version": mujoco.__version__}), flush=True)
    for _ in sys.stdin:
        print(json.dumps(timed(model, data, steps)), flush=True)


def fall(model: Any, data: Any, start: list[float]) -> float:
    """Microseconds per step from the start until it has landed; servos hold the posture that it has there."""
    mujoco.mj_resetData(model, data)
    data.qpos[:] = start
    data.ctrl[:] = [data.qpos[model.jnt_qposadr[model.actuator_trnid[k, 0]]] for k in range(model.nu)]
    return timed(model, data, LANDING)


def timed(model: Any, data: Any, steps: int) -> float:
    """Microseconds per step."""
    begin = time.perf_counter()
    mujoco.mj_step(model, data, steps)
    return (time.perf_counter() - begin) / steps * 1e6


if __name__ == "__main__":
    run(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
