"""Drift of energy and loops over 100 s of a four-bar, a slider crank, a bracelet: python -m bench.constraint_drift.

Closed loops drift apart where nobody takes them back; here every step ends with a projection. Printed are the largest
error of positions, the largest change of energy beside how much potential and kinetic energy are exchanged, and the
steps.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from anyjoint import gallery
from anyjoint.mechanism import Mechanism


@dataclass(frozen=True)
class Drift:
    """What is left of constraints and energy after a run."""

    name: str
    duration: float
    steps: int
    apart: float
    energy: float
    exchanged: float

    def __str__(self) -> str:
        share = self.energy / self.exchanged
        return (
            f"{self.name:<14} {self.duration:5.0f} s {self.steps:8d} steps   apart {self.apart:8.1e}   "
            f"energy {self.energy:8.1e} J of {self.exchanged:7.3g} J exchanged ({share:.1e})"
        )


# Name -> mechanism and step; the bracelet without its friction, so that energy should stay.
CASES = {
    "four-bar": (lambda: gallery.four_bar(), 1e-3),
    "slider crank": (lambda: gallery.slider_crank(1), 1e-3),
    "bracelet": (lambda: gallery.bracelet(damping=0.0), 1e-3),
}


def run(name: str, mech: Mechanism, dt: float, duration: float) -> Drift:
    """Simulate by rk4 with projection, and measure."""
    traj = mech.compile().simulate(*mech.start, duration=duration, dt=dt, method="rk4", save_every=10)
    if not traj.status.ok:
        raise SystemExit(f"{name}: {traj.status}")
    kinetic, potential = traj.energy()
    total = kinetic + potential
    lost, exchanged = float(np.abs(total - total[0]).max()), float(np.ptp(kinetic))
    return Drift(name, duration, traj.steps, float(traj.status.drift or 0.0), lost, exchanged)


def measure(names: Iterable[str] = CASES, duration: float = 100.0) -> list[Drift]:
    """All cases, or some."""
    return [run(name, CASES[name][0](), CASES[name][1], duration) for name in names]


if __name__ == "__main__":
    for line in measure(sys.argv[1:] or CASES):
        print(line)
