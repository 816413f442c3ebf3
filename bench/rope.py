"""Implicit steps beside explicit ones, for ropes of 10 to 1,000 links: `python -m bench.rope [SIZES ...]`.

Every joint has a spring and a damper. A step of "implicit-euler" is measured beside one of "semi-implicit-euler" in the
same round, many steps in one call from a rope at rest, and the best round counts. Held against two goals: an implicit
step costs at most 1.5 times an explicit one, and a link costs no more in a long rope than in one of a hundred links.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint import joints

SIZES = (10, 30, 100, 300, 1000)
METHODS = {"explicit": "semi-implicit-euler", "implicit": "implicit-euler"}
ROUNDS, LINKS, DT = 7, 2_000_000, 1e-5  # links that are stepped in a call
RATIO, GROWTH = 1.5, 1.25  # goals: implicit beside explicit; a link of the longest rope beside one of a hundred


def rope(n: int) -> aj.Mechanism:
    """Links on hinges about x and y in turn, with springs and dampers."""
    mech, body = aj.Mechanism(f"rope of {n}"), None
    link = aj.Inertia(0.1, (0, 0, -0.05), np.diag([1e-4, 1e-4, 1e-6]))
    hinges = joints.Revolute("x"), joints.Revolute("y")
    for k in range(n):
        below = aj.Pose.translation(0, 0, -0.1 if k else 0.0)
        body = mech.add_body(f"link {k}", body, hinges[k % 2], below, link, stiffness=20.0, damping=0.1)
    return mech


def measure(n: int, links: int = LINKS, rounds: int = ROUNDS) -> dict[str, float]:
    """Microseconds per step of both."""
    model, steps = rope(n).compile(), max(20, links // n)
    rest = np.zeros(n)

    def run(method: str, count: int) -> float:
        begin = time.perf_counter()
        traj = model.simulate(rest, rest, duration=count * DT, dt=DT, method=method, save_every=count)
        assert traj.status.ok, traj.status
        return (time.perf_counter() - begin) / count * 1e6

    for method in METHODS.values():
        run(method, 10)  # compiles
    times = [{name: run(method, steps) for name, method in METHODS.items()} for _ in range(rounds)]
    return {name: min(x[name] for x in times) for name in METHODS}


def show(result: dict[int, dict[str, float]]) -> bool:
    """Print the table, and whether the goals are met."""
    print(f"{'links':>6}{'explicit':>12}{'implicit':>12}{'ratio':>8}{'ns per link':>14}")
    for n, found in result.items():
        explicit, implicit = found["explicit"], found["implicit"]
        print(f"{n:6}{explicit:9.2f} us{implicit:9.2f} us{implicit / explicit:8.2f}{1e3 * implicit / n:14.1f}")
    ratio = max(found["implicit"] / found["explicit"] for found in result.values())
    last, first = max(result), 100 if 100 in result else max(result)
    growth = result[last]["implicit"] / last / (result[first]["implicit"] / first)
    good = ratio <= RATIO, growth <= GROWTH
    print(f"an implicit step costs at most {ratio:.2f} explicit ones (goal {RATIO:g}: {verdict(good[0])})")
    print(f"a link of {last} costs {growth:.2f} times one of {first} (goal {GROWTH:g}: {verdict(good[1])})")
    return all(good)


def verdict(good: bool) -> str:
    """In a word."""
    return "met" if good else "missed"


def main() -> int:
    """Measure and print; fails if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.rope", description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[*SIZES])
    parser.add_argument("--json", type=Path, help="also write the numbers here")
    options = parser.parse_args()
    result: dict[int, dict[str, Any]] = {n: measure(n) for n in options.sizes}
    good = show(result)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
