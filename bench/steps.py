"""Steps per second: a double pendulum against hand-written C, chains and a robot beside MuJoCo's mj_step.

`python -m bench.steps [--json FILE]`; all in one run, the best of several rounds counts.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import shutil
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
from bench import engines, models, ours

MILLION = 1_000_000
ROUNDS = 5
BATCH = 256
GOAL = 0.5  # of the speed of hand-written C
MODELS = ("RC20", "TC20", "ANYmal")

# Two point masses on massless rods of length one, relative angles: the mass matrix, its inverse and the forces by hand.
PENDULUM_C = """
#include <math.h>
static void rate(const double *y, double *f) {
    double s1 = sin(y[0]), s2 = sin(y[1]), c2 = cos(y[1]), s12 = sin(y[0] + y[1]), g = 9.81;
    double m11 = 3 + 2 * c2, m12 = 1 + c2, det = m11 - m12 * m12;
    double r1 = s2 * y[3] * (2 * y[2] + y[3]) - g * (2 * s1 + s12), r2 = -s2 * y[2] * y[2] - g * s12;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = (r1 - m12 * r2) / det;
    f[3] = (m11 * r2 - m12 * r1) / det;
}
void steps(double *y, double h, long n) {
    double k1[4], k2[4], k3[4], k4[4], z[4];
    for (long i = 0; i < n; ++i) {
        rate(y, k1);
        for (int j = 0; j < 4; ++j) z[j] = y[j] + h / 2 * k1[j];
        rate(z, k2);
        for (int j = 0; j < 4; ++j) z[j] = y[j] + h / 2 * k2[j];
        rate(z, k3);
        for (int j = 0; j < 4; ++j) z[j] = y[j] + h * k3[j];
        rate(z, k4);
        for (int j = 0; j < 4; ++j) y[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    }
}
"""


def best(run: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """The shortest time of several rounds, in seconds."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return min(times)


# -- the double pendulum -----------------------------------------------------------------------------------------


def pendulum() -> Any:
    """The same pendulum for anyjoint."""
    mech = aj.Mechanism("double pendulum")
    parent: Any = None
    for k in range(2):
        place = aj.Pose.translation(0, 0, -1) if k else aj.Pose()
        mass = aj.Inertia.point(1.0, (0, 0, -1))
        parent = mech.add_body(f"mass {k}", parent, joints.Revolute((0, -1, 0)), place, mass)
    return mech.compile()


def compiled_c(folder: Path) -> Any | None:
    """The C loop, by the system's compiler at -O3 for this machine; None without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    source, library = folder / "pendulum.c", folder / "pendulum.so"
    source.write_text(PENDULUM_C, encoding="utf-8")
    command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    steps = ctypes.CDLL(str(library)).steps
    steps.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_long]
    return steps


def double_pendulum(folder: Path, count: int = MILLION) -> dict[str, Any]:
    """A million RK4 steps of both, in turn; both end at the same place after a thousand."""
    model, steps, h = pendulum(), compiled_c(folder), 1e-3
    start = np.array([1.0, 0.5, 0.0, 0.0])

    def run_ours(n: int) -> Any:
        return model.simulate(start[:2], start[2:], duration=n * h, dt=h, save_every=n)

    run_ours(1000)  # compiles
    found: dict[str, Any] = {"steps": count}
    if steps is None:
        return found | {"ours": best(lambda: run_ours(count)), "absent": "no C compiler (cc) was found"}
    y = start.copy()
    steps(y.ctypes.data, h, 1000)
    traj = run_ours(1000)
    found["difference"] = float(np.abs(np.concatenate([traj.q[-1], traj.v[-1]]) - y).max())
    times: dict[str, list[float]] = {"ours": [], "c": []}
    for _ in range(ROUNDS):
        y = start.copy()
        times["c"].append(best(lambda y=y: steps(y.ctypes.data, h, count), 1))  # type: ignore[misc]
        times["ours"].append(best(lambda: run_ours(count), 1))
    return found | {name: min(values) for name, values in times.items()}


# -- chains and a robot --------------------------------------------------------------------------------------------


def describe(name: str, folder: Path) -> models.Model | None:
    """A neutral model; the robot needs Pinocchio in the peers' environment."""
    if name in models.PAPER_MODELS:
        return models.Model(name, ())
    if name.startswith("RC"):
        return models.chain(name)
    done = engines.call([str(engines.peers_python()), "-m", "bench.robots", str(folder), name], None)
    return None if done.returncode else models.load(folder / f"{name}.json")


def our_speed(neutral: models.Model, seconds: float) -> dict[str, float]:
    """Steps per second of one trajectory by both fixed methods, and of a batch, all threads included."""
    mech = ours.mechanism(neutral)
    model = mech.compile()
    q = np.asarray(mech.start[0] if mech.start else mech.neutral)
    v = np.zeros(mech.nv)
    found = {}
    for label, method, batch in (("euler", "semi-implicit-euler", 1), ("rk4", "rk4", 1), ("rk4 batch", "rk4", BATCH)):
        start = (q, v) if batch == 1 else (np.tile(q, (batch, 1)), np.tile(v, (batch, 1)))

        def run(n: int, start: Any = start, method: str = method) -> Any:
            return model.simulate(*start, duration=n * 1e-5, dt=1e-5, method=method, save_every=n)

        run(10)
        n = max(10, int(10 * seconds / max(best(lambda run=run: run(10), 2), 1e-6)))  # type: ignore[misc]
        found[label] = n * batch / best(lambda run=run, n=n: run(n), 3)  # type: ignore[misc]
    return found


def mujoco_speed(neutral: models.Model, folder: Path, seconds: float) -> dict[str, float] | str:
    """Steps per second of mj_step, or why there are none."""
    if not neutral.bodies:
        return "MuJoCo has no such joint"
    path = folder / "model.json"
    neutral.save(path)
    done = engines.call([str(engines.peers_python()), "-m", "bench.steps", "--mujoco", str(path), str(seconds)], None)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "MuJoCo failed"
    found: dict[str, float] = json.loads(done.stdout)
    return found


def mujoco_steps(path: Path, seconds: float) -> dict[str, float]:
    """In the peers' environment: mj_step called for many steps at once, so that Python does not count."""
    import mujoco  # type: ignore[import-not-found]

    from bench.peers import mjcf

    model = mujoco.MjModel.from_xml_string(mjcf.text(models.load(path)))
    model.opt.timestep = 1e-5
    found = {}
    for label, integrator in (("euler", "mjINT_EULER"), ("rk4", "mjINT_RK4")):
        model.opt.integrator = getattr(mujoco.mjtIntegrator, integrator)
        data = mujoco.MjData(model)
        begin = time.perf_counter()
        mujoco.mj_step(model, data, 100)
        n = max(100, int(100 * seconds / (time.perf_counter() - begin)))
        found[label] = n / best(lambda data=data, n=n: mujoco.mj_step(model, data, n), 3)  # type: ignore[misc]
    return found


# -- the run -------------------------------------------------------------------------------------------------------


def measure(seconds: float = 0.5) -> dict[str, Any]:
    """Everything, in one run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result: dict[str, Any] = {"double pendulum": double_pendulum(folder), "models": {}}
        for model in MODELS:
            neutral = describe(model, folder)
            if neutral is None:
                result["models"][model] = {"absent": "reading it needs pin and example-robot-data"}
                continue
            peers = mujoco_speed(neutral, folder, seconds)
            result["models"][model] = {"anyjoint": our_speed(neutral, seconds), "mujoco": peers}
    return result


def show(result: dict[str, Any]) -> None:
    """Print the numbers."""
    d = result["double pendulum"]
    print(f"double pendulum, {d['steps']:,} RK4 steps: anyjoint {d['ours']:.3f} s", end="")
    if "c" in d:
        ratio = d["c"] / d["ours"]
        verdict = "met" if ratio >= GOAL else "missed"
        print(f", C -O3 {d['c']:.3f} s: {ratio:.2f} of its speed (goal {GOAL}: {verdict})", end="")
        print(f"; they differ by {d['difference']:.1e} after 1,000 steps")
    else:
        print(f" ({d['absent']})")
    print(f"{'steps/s':10}{'euler':>12}{'rk4':>12}{'rk4 batch':>12}{'mj euler':>12}{'mj rk4':>12}")
    for name, entry in result["models"].items():
        if "absent" in entry:
            print(f"{name:10}{entry['absent']}")
            continue
        mine, theirs = entry["anyjoint"], entry["mujoco"]
        cells = [mine[k] for k in ("euler", "rk4", "rk4 batch")]
        peer = f"   {theirs}" if isinstance(theirs, str) else "".join(f"{theirs[k]:12,.0f}" for k in ("euler", "rk4"))
        print(f"{name:10}" + "".join(f"{x:12,.0f}" for x in cells) + peer)


def main() -> int:
    """Measure, print, write; fails if the goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.steps", description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5, help="time per measurement")
    parser.add_argument("--json", type=Path, help="also write the numbers here")
    options = parser.parse_args()
    result = measure(options.seconds)
    show(result)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    d = result["double pendulum"]
    return int("c" in d and d["c"] / d["ours"] < GOAL)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--mujoco"]:
        print(json.dumps(mujoco_steps(Path(sys.argv[2]), float(sys.argv[3]))))
    else:
        sys.exit(main())
