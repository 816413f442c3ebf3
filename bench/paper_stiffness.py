"""Pai, Ascher & Kry, section 7: digits, costs and integrators where a light arm carries a heavy tip.

    python -m bench.paper_stiffness [--plots docs/_static]

Digits kept by each formulation, with the pivot D = H^T M H + H^T M~ H as printed ("split-pivot") beside
our square-root form ("modified-articulated-body"). What each costs per evaluation. What the printed pivot wins in plain
body frames, by the textbook method. And the experiment that the section
speaks of: an integrator with error control, `dopri5` at 1e-9, on the arm with a tip 1e10 times heavier than its links.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anyjoint.dynamics.textbook import forward_dynamics
from anyjoint.mechanism import Mechanism
from bench.figure import pyplot, save
from bench.formulation_stiffness import METHODS, RATIOS, digits, digits_kept, exact_accelerations, heavy_tip

ALGORITHMS = {
    "composite": "composite-rigid-body",
    "recursive": "recursive",
    "articulated": "articulated-body",
    "split pivot": "split-pivot",
    "modified": "modified-articulated-body",
}
RATIO, DURATION, PIECE, TOLERANCE = 1e10, 2.0, 0.1, 1e-9


@dataclass(frozen=True)
class Run:
    """An integrator's way: times reached, steps in each piece, and why it ended."""

    times: list[float]
    steps: list[int]
    status: str


def costs() -> dict[str, int]:
    """Operations of one evaluation of the arm's forward dynamics, by method."""
    mech = heavy_tip(1.0)
    return {
        name: mech.compile(algorithm=algorithm, form="straight").op_count("forward_dynamics").total
        for name, algorithm in ALGORITHMS.items()
    }


def split_gain(links: int, arms: int = 12, ratio: float = 1e8) -> tuple[float, float, float]:
    """Digits that the split pivot wins over the plain one in frames that no axis is aligned with: mean, least, most."""
    won = []
    for seed in range(arms):
        mech = heavy_tip(ratio, links, seed)
        q, v, tau = np.random.default_rng(seed).uniform(-1, 1, (3, links))
        exact = exact_accelerations(mech, q.tolist(), v.tolist(), tau.tolist())
        plain, split = (digits(forward_dynamics(mech, q, v, tau, split=s).tolist(), exact) for s in (False, True))
        won.append(split - plain)
    return float(np.mean(won)), min(won), max(won)


def integrate(mech: Mechanism, algorithm: str, duration: float = DURATION) -> Run:
    """Piece by piece, so that the lengths of steps show, until the tolerance cannot be met."""
    model = mech.compile(algorithm=algorithm)
    q, v = np.linspace(-0.5, 0.5, model.nv), np.zeros(model.nv)
    times, steps = [], []
    for k in range(round(duration / PIECE)):
        run = model.simulate(q, v, duration=PIECE, dt=PIECE / 20, method="dopri5", rtol=TOLERANCE, atol=TOLERANCE)
        if not run.status.ok:
            return Run(times, steps, str(run.status))
        times.append((k + 1) * PIECE)
        steps.append(int(run.steps))
        q, v = run.q[-1], run.v[-1]
    return Run(times, steps, "ok")


def draw(kept: dict[float, dict[str, float]], runs: dict[str, Run], folder: Path) -> None:
    """Digits against the ratio of masses, and the lengths of steps along the way."""
    plot = pyplot()
    figure, (left, right) = plot.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for name in METHODS:
        left.plot(RATIOS, [kept[ratio][name] for ratio in RATIOS], marker="o", ms=3, label=name)
    left.set(xscale="log", xlabel="mass of the tip / mass of a link", ylabel="digits of accelerations", ylim=(0, 16))
    left.legend(frameon=False)
    for name, run in runs.items():
        right.plot(run.times, [PIECE / n for n in run.steps], marker="o", ms=3, label=name)
        if run.status != "ok":
            right.plot(run.times[-1], PIECE / run.steps[-1], "kx", ms=9)
    right.set(yscale="log", xlabel="time, s", ylabel="mean length of a dopri5 step, s")
    right.set_title(f"tip {RATIO:.0e} times heavier, tolerance {TOLERANCE:g}; x: gives up", fontsize=9)
    save(figure, folder / "formulation_stiffness.svg")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--plots", type=Path, help="folder for formulation_stiffness.svg")
    options = parser.parse_args()
    kept = {ratio: digits_kept(ratio) for ratio in RATIOS}
    print("digits of accelerations, eight generic hinges, heavy tip (worst of five states)")
    print("mass ratio  " + "".join(f"{name:>13}" for name in METHODS))
    for ratio, row in kept.items():
        print(f"{ratio:10.0e}  " + "".join(f"{row[name]:13.1f}" for name in METHODS))
    print("operations  " + "".join(f"{count:13d}" for count in costs().values()))
    print("\ndigits that D = H^T M H + H^T M~ H wins over H^T (M + M~) H in frames of no special direction, ratio 1e8")
    for links in (2, 4, 8):
        mean, least, most = split_gain(links)
        print(f"{links} links: {mean:+.2f} in the mean of 12 arms, {least:+.2f} to {most:+.2f}")
    print(f"\ndopri5 at {TOLERANCE:g}, tip {RATIO:.0e} times heavier, {DURATION:g} s")
    runs = {name: integrate(heavy_tip(RATIO), algorithm) for name, algorithm in ALGORITHMS.items()}
    for name, run in runs.items():
        print(f"{name:>12}  reaches {run.times[-1]:.1f} s in {sum(run.steps):6d} steps: {run.status.split(',')[0]}")
    if options.plots:
        draw(kept, runs, options.plots)


if __name__ == "__main__":
    main()
