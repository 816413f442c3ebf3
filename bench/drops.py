"""Drop random piles and mechanisms, millions of steps: `python -m bench.drops [--steps 10000000]`.

Every round drops a batch of something else, with other sizes, masses, friction and joints. No step may fail, no energy
may come out of nothing, and nothing may sink in. Energy, with that of the springs of contacts and stops, wavers in
flight, as that of all methods of second order does: its rise is told as a share of the largest kinetic energy, and held
against the square of what the fastest velocity moves in a step (rad or m). Depth is held against the way that the
fastest point of contact goes in a step: half of it is inside before anything pushes, and what bears others gives way
further. At rest it counts in metres.
A round is its number: `--first 17 --steps 1` drops what was dropped in round 17, and nothing else.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint.simulate.springs import held_by_springs
from bench import things

Array = np.ndarray[Any, np.dtype[Any]]
METHOD, EVERY = "time-stepping", 4
STEPS, BATCH, LENGTHS = 1500, 128, (5e-4, 1e-3)  # of a round, and of its steps in seconds
GAIN, DEEP, REST = 0.5, 1.0, 1e-4  # bounds: of the square of what the fastest moves in a step, of that; metres at rest
STILL = 1e-3  # m/s and rad/s: what is slower is at rest
REACH = 0.3  # metres from a body's origin: no point of those that are touched is further off
PROBE = 1e-6  # metres, for the slope of a distance


@dataclass(frozen=True)
class Found:
    """What a round, or all of them, came to: `gain`, `deep` and `rest` are as the bounds, `why` says what failed.

    `rise` is the share of the largest kinetic energy that came out of nothing, `still` counts what came to rest.
    """

    steps: int = 0
    rise: float = 0.0
    gain: float = 0.0
    deep: float = 0.0
    rest: float = 0.0
    still: int = 0
    why: tuple[str, ...] = ()

    def __add__(self, other: Found) -> Found:
        worst = (max(getattr(self, name), getattr(other, name)) for name in ("rise", "gain", "deep", "rest"))
        return Found(self.steps + other.steps, *worst, self.still + other.still, self.why + other.why)


def drop(label: str, mech: aj.Mechanism, q: Array, v: Array, dt: float, steps: int, threads: int = 1) -> Found:
    """Drop a batch, and look at every fourth step."""
    run = {"duration": steps * dt, "dt": dt, "method": METHOD, "save_every": EVERY, "threads": threads}
    traj = mech.compile().simulate(q, v, **run)
    count = int(traj.steps) * len(q)
    if not traj.status.ok or not (np.isfinite(traj.q).all() and np.isfinite(traj.v).all()):
        return Found(count, why=(f"{label}: {traj.status}",))
    deep = depths(mech, traj)
    kinetic, potential = (np.asarray(x) for x in traj.energy())
    held = held_by_springs(traj, dt, limits=True)
    total = (kinetic + potential + held)[1:]  # before the first step no forces are known
    more = np.maximum.accumulate(total[::-1], axis=0)[::-1] - total  # to the most that is still to come
    rise, moved = more.max(axis=0) / kinetic.max(axis=0), dt * np.abs(traj.v).max(axis=(0, 2))
    gain = float((rise / moved**2).max())
    share = float((np.max([d.max(axis=(0, 2)) for d in deep], axis=0) / (dt * speeds(mech, traj))).max())
    still = np.abs(traj.v[-1]).max(axis=1) < STILL
    rest = max((float(d[-1, still].max()) for d in deep if still.any()), default=0.0)
    bounds = (("gain", gain, GAIN), ("deep", share, DEEP), ("rest", rest, REST))
    why = tuple(f"{label}: {name} {x:.3g} is above {most:g}" for name, x, most in bounds if not x <= most)
    return Found(count, float(rise.max()), gain, share, rest, int(still.sum()), why)


def depths(mech: aj.Mechanism, traj: Any) -> list[Array]:
    """How deep each point of each contact is inside, (samples, batch, points); of a capsule's axis, some points."""
    samples, batch, nq = traj.q.shape
    poses = np.asarray(traj.model.body_poses(traj.q.reshape(-1, nq)))
    made = []
    for pair in mech.contacts:
        frame = np.asarray(pair.at.matrix, dtype=float)
        back = np.linalg.inv(poses[:, pair.other] @ frame if pair.other >= 0 else frame)
        columns = []
        for ball in pair.balls:
            shares = np.linspace(0, 1, 9) if ball.long else (0.5,)
            centers = [(1 - s) * np.array(ball.first) + s * np.array(ball.second) for s in shares]
            placed = [(back @ (poses[:, pair.body] @ [*c, 1.0])[..., None])[:, :3, 0] for c in centers]
            gaps = [gap(pair.distance, points) for points in placed]
            columns.append(ball.radius - np.min(gaps, axis=0))
        made.append(np.maximum(np.stack(columns, axis=1), 0.0).reshape(samples, batch, -1))
    return made


def speeds(mech: aj.Mechanism, traj: Any) -> Array:
    """Of each trajectory, the largest speed of a point of contact, against a point of the other body beside it."""
    samples, batch, _ = traj.q.shape
    twists = np.asarray(traj.model.body_twists(*(x.reshape(samples * batch, -1) for x in (traj.q, traj.v))))
    sizes = np.linalg.norm(twists.reshape(samples * batch, -1, 2, 3), axis=-1)  # of w and u
    found = np.zeros(samples * batch)
    for pair in mech.contacts:
        for ball in pair.balls:
            for end in (ball.first, ball.second):
                w, u = twists[:, pair.body, :3], twists[:, pair.body, 3:]
                other = sizes[:, pair.other, 1] + sizes[:, pair.other, 0] * REACH if pair.other >= 0 else 0.0
                found = np.maximum(found, np.linalg.norm(u + np.cross(w, end), axis=1) + other)
    return np.asarray(found.reshape(samples, batch).max(axis=0))


def gap(distance: Any, points: Array) -> Array:
    """To first order the distance of points (n, 3) from where a function is 0, on plain numbers."""
    function = getattr(distance, "function", distance)

    def value(p: Array) -> Array:
        return np.asarray(function(list(p.T)), dtype=float)

    steps = PROBE * np.eye(3)
    slope = [(value(points + h) - value(points - h)) / (2 * PROBE) for h in steps]
    return value(points) / np.linalg.norm(slope, axis=0)


def rounds(
    first: int, batch: int, threads: int, steps: int = STEPS, longer: float | None = None
) -> Iterator[tuple[str, Found]]:
    """Round after round, the kinds of things in turn; `longer` is a length for all steps."""
    kinds: list[tuple[str, Callable[..., Any]]] = list(things.KINDS.items())
    number = first
    while True:
        name, make = kinds[number % len(kinds)]
        rng = np.random.default_rng(number)
        mech = make(rng)
        dt = longer or float(rng.choice(LENGTHS))
        yield name, drop(f"round {number}, {name}", mech, *things.starts(mech, batch, rng), dt, steps, threads)
        number += 1


def main() -> int:
    """Drop until there were so many steps; fails if a bound was broken."""
    parser = argparse.ArgumentParser(prog="python -m bench.drops", description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=10_000_000, help="how many in all")
    parser.add_argument("--batch", type=int, default=BATCH, help="how many at once")
    parser.add_argument("--first", type=int, default=0, help="the number of the first round")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dt", type=float, help="the length of all steps, instead of some of each")
    parser.add_argument("--json", type=Path, help="also write the numbers here")
    options = parser.parse_args()
    total, by_kind, number = Found(), dict[str, Found](), options.first
    begin = time.perf_counter()
    for name, found in rounds(options.first, options.batch, options.threads, longer=options.dt):
        total, by_kind[name] = total + found, by_kind.get(name, Found()) + found
        passed = time.perf_counter() - begin
        print(f"{number:4} {name:9}{total.steps:13,} steps{passed:8.0f} s  {told(found)}", flush=True)
        number += 1
        if total.steps >= options.steps:
            break
    for name, found in {**by_kind, "all": total}.items():
        print(f"{name:9}{found.steps:13,} steps, {found.still:,} came to rest; {told(found)}")
    if options.json:
        result = {name: asdict(found) for name, found in {**by_kind, "all": total}.items()}
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return int(bool(total.why))


def told(found: Found) -> str:
    """In words."""
    rise, deep = f"energy rose by {found.rise:.1e} ({found.gain:.2f})", f"{found.deep:.2f} deep"
    words = f"{rise}, {deep}, at rest {1e6 * found.rest:.1f} um"
    return "; ".join([words, *found.why])


if __name__ == "__main__":
    sys.exit(main())
