"""Steps under contact beside MuJoCo's mj_step: `python -m bench.contact`.

ANYmal stands on four balls, Talos on the eight corners of its soles, held by springs in their joints. They are dropped
by a centimetre and settle; then both engines take steps in turn, many in one call, and the best round counts. Told as
well: how long steps took while the robot landed, whether its feet bear the weight, how far they creep in ten seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint import shapes
from bench import engines, models, ours
from bench.peers import coordinates, mjcf

Array = np.ndarray[Any, np.dtype[Any]]
GAINS = {"ANYmal": (200.0, 5.0), "Talos": (3000.0, 60.0)}  # stiffness and damping of the joints
RADIUS, SOLE = 0.03, (0.1, 0.06)  # of ANYmal's feet; half lengths of Talos' soles
FRICTION, DT, DROP = 0.8, 2e-3, 0.01
SETTLED, ROUNDS, STEPS = 20.0, 7, 20_000
FALLS = 60  # of which the shortest counts
GOAL, BORNE, CREPT = 4.0, 1e-3, 1e-4  # times as fast as mj_step; of the weight; metres in ten seconds


@dataclass(frozen=True)
class Case:
    """A robot, its feet (body, points in its frame) and its posture, standing on the ground."""

    name: str
    model: models.Model
    feet: list[tuple[int, Array]]
    q: Array


def case(name: str, folder: Path) -> Case:
    """From what `bench.robots` wrote: legs bent a little, the lowest point on the ground."""
    model = models.load(folder / f"{name}.json")
    mech = ours.mechanism(model)
    q, feet = np.array(mech.neutral, dtype=float), []
    for n, (k, T) in enumerate(json.loads((folder / f"{name}-feet.json").read_text(encoding="utf-8"))):
        if name == "ANYmal":
            knee = mech.bodies[k]
            bend = 0.4 if n < 2 else -0.4  # knees of the front legs point back, of the hind legs to the front
            q[mech.bodies[knee.parent].q.start], q[knee.q.start] = bend, -2 * bend
            feet.append((k, np.array([np.array(T)[:3, 3]])))
        else:
            corners = [(a * SOLE[0], b * SOLE[1], 0.0, 1.0) for a in (-1, 1) for b in (-1, 1)]
            feet.append((k, np.array([(np.array(T) @ corner)[:3] for corner in corners])))
    poses, radius = mech.poses(list(q)), RADIUS if name == "ANYmal" else 0.0
    q[6] -= min(float(poses[k].act(tuple(p))[2]) for k, points in feet for p in points) - radius
    return Case(name, model, feet, q)


def mechanism(of: Case) -> aj.Mechanism:
    """The robot with springs in its joints, and its feet on the ground."""
    mech = ours.mechanism(of.model)
    stiffness, damping = GAINS[of.name]
    for body in mech.bodies[1:]:
        held = {"stiffness": (stiffness,), "damping": (damping,), "rest": tuple(of.q[body.q].tolist())}
        mech.replace_body(replace(body, sprung=True, **held))
    for k, points in of.feet:
        ball = shapes.Sphere(RADIUS, pose=aj.Pose.translation(*points[0]))
        mech.add_contact(mech.bodies[k], ball if of.name == "ANYmal" else points, friction=FRICTION)
    mech.set_start(of.q)
    return mech


def ours_of(of: Case) -> tuple[dict[str, float], Any]:
    """How well it stands, and a function that takes so many steps."""
    mech = mechanism(of)
    model = mech.compile()
    start = of.q.copy()
    start[6] += DROP

    def run(q: Array, v: Array, seconds: float, every: int) -> Any:
        return model.simulate(q, v, duration=seconds, dt=DT, method="time-stepping", save_every=every)

    run(start, np.zeros(model.nv), 10 * DT, 10)  # compiles
    rest = np.zeros(model.nv)
    calling = min(steps_time(lambda: run(start, rest, DT, 1), 1) for _ in range(FALLS))  # what a call costs by itself
    falling = min(steps_time(lambda: run(start, rest, 0.5, 250), 1) for _ in range(FALLS))
    landing = (falling - calling) / 249
    settled = run(start, np.zeros(model.nv), SETTLED, 50)
    q, v = settled.q[-1], settled.v[-1]
    traj = run(q, v, 10.0, 50)
    weight = -mech.gravity[2] * sum(body.inertia.mass for body in mech.bodies)
    borne = sum(track.force[1:, 2] for track in traj.contacts.values())
    crept = max(float(np.abs(x.points[-1] - x.points[1])[:, :2].max()) for x in traj.contacts.values())
    found = {"landing": landing, "borne": float(np.abs(borne / weight - 1).max()), "crept": crept}
    return found, lambda: run(q, v, STEPS * DT, STEPS)


def steps_time(call: Any, steps: int) -> float:
    """Microseconds per step of one call."""
    begin = time.perf_counter()
    call()
    return (time.perf_counter() - begin) / steps * 1e6


def mujoco_text(of: Case) -> str:
    """The same robot as MJCF: spheres or boxes on a plane, position servos as springs."""
    text = mjcf.text(of.model).replace('<flag contact="disable" constraint="disable"/>', "")
    for k, points in of.feet:
        middle = points.mean(axis=0)
        if of.name == "ANYmal":
            geom = f'<geom type="sphere" size="{RADIUS}" pos="{_row(middle)}" {FOOT}/>'
        else:
            raised = middle + np.array([0, 0, 0.01])
            geom = f'<geom type="box" size="{SOLE[0]} {SOLE[1]} 0.01" pos="{_row(raised)}" {FOOT}/>'
        head, tail = text.split(f'<body name="b{k}"', 1)
        first, rest = tail.split("\n", 1)
        text = f'{head}<body name="b{k}"{first}\n{geom}\n{rest}'
    for k, body in enumerate(of.model.bodies):
        if body.kind != "free":
            head, tail = text.split(f'<body name="b{k}"', 1)
            text = f'{head}<body name="b{k}"{tail.replace("<joint ", f"<joint name={chr(34)}j{k}{chr(34)} ", 1)}'
    plane = f'<geom type="plane" size="10 10 .1" contype="1" conaffinity="0" friction="{FRICTION} 0.005 0.0001"/>'
    stiffness, damping = GAINS[of.name]
    servos = [f'<position joint="j{k}" kp="{stiffness}" kv="{damping}"/>'
              for k, body in enumerate(of.model.bodies) if body.kind != "free"]  # fmt: skip
    text = text.replace("<worldbody>", f"<worldbody>\n{plane}")
    return text.replace("</mujoco>", "<actuator>" + "".join(servos) + "</actuator></mujoco>")


FOOT = f'contype="0" conaffinity="1" mass="0" friction="{FRICTION} 0.005 0.0001"'


def _row(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


def hand_over(of: Case, folder: Path) -> None:
    """Write the robot and where it starts for the peers' environment, which knows nothing of us."""
    start = of.q.copy()
    start[6] += DROP
    (folder / f"{of.name}.xml").write_text(mujoco_text(of), encoding="utf-8")
    q = coordinates.mujoco(of.model).q(start[None])[0]
    (folder / f"{of.name}-start.json").write_text(json.dumps(q.tolist()), encoding="utf-8")


def measure(name: str, folder: Path, core: int) -> dict[str, Any]:
    """Both engines on one robot, in turn."""
    of = case(name, folder)
    found, steps = ours_of(of)
    hand_over(of, folder)
    counts = [str(x) for x in (DT, int(SETTLED / DT), STEPS)]
    command = [str(engines.peers_python()), "-m", "bench.peers.mujoco_contact", str(folder / name), *counts]
    peer = engines.started(command, core)
    told = peer.stdout.readline()
    times: dict[str, list[float]] = {"anyjoint": [], "mj_step": []}
    for _ in range(ROUNDS):
        times["anyjoint"].append(steps_time(steps, STEPS))
        if told:
            peer.stdin.write("\n")
            peer.stdin.flush()
            times["mj_step"].append(json.loads(peer.stdout.readline()))
    peer.stdin.close()
    peer.wait()
    best = {engine: min(values) for engine, values in times.items() if values}
    return {**found, "times": best, "mujoco": json.loads(told) if told else None}


def show(name: str, found: dict[str, Any]) -> None:
    """Print the numbers of one robot."""
    times = found["times"]
    print(f"{name}: {times['anyjoint']:.2f} us per step, landing {found['landing']:.2f} us", end="")
    if found["mujoco"]:
        peer, ratio = found["mujoco"], times["mj_step"] / times["anyjoint"]
        print(f"; MuJoCo {peer['version']} {times['mj_step']:.2f} us, landing {peer['landing']:.2f} us,", end="")
        print(f" {peer['points']} points: {ratio:.1f} times as fast (goal {GOAL:g}: {verdict(ratio >= GOAL)})")
    else:
        print("; MuJoCo did not run")
    borne, crept = found["borne"], found["crept"]
    print(f"  weight is borne to {borne:.1e} (goal {BORNE:g}: {verdict(borne < BORNE)}), feet crept", end="")
    print(f" {crept:.1e} m in 10 s (goal {CREPT:g}: {verdict(crept < CREPT)})")


def verdict(good: bool) -> str:
    """In a word."""
    return "met" if good else "missed"


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.contact", description=__doc__)
    parser.add_argument("names", nargs="*", default=[*GAINS])
    parser.add_argument("--core", type=int, default=max((os.cpu_count() or 1) - 1, 0))
    parser.add_argument("--json", type=Path, help="also write the numbers here")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {options.core})
    result = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        done = engines.call([str(engines.peers_python()), "-m", "bench.robots", str(folder), *options.names], None)
        if done.returncode:
            sys.exit(f"bench.contact: reading robots needs pin and example-robot-data\n{done.stderr}")
        for robot in options.names:
            result[robot] = measure(robot, folder, options.core)
            show(robot, result[robot])
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
