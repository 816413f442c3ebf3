"""How well every stepper keeps the energy of a body on every joint kind: `python -m bench.energy_drift [--write]`.

One body with generic inertia on each joint kind, without gravity, 10 J of kinetic energy, 20 s in steps of 1 ms
(`dopri5`: tolerances of 1e-9, `adaptive-bdf2` of 1e-6). Joints that end somewhere, such as open splines, and those that
would only coast, such as hinges and sliders, have soft springs to their start. Shown is the largest change of energy.
`--write` puts the table into docs/energy.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from anyjoint.joints import Joint
from anyjoint.mechanism import Mechanism, gallery
from anyjoint.mechanism.gallery.kinds import random_inertia, regular_coordinates
from anyjoint.model import Model

STEPPERS = (
    "semi-implicit-euler", "rk4", "dopri5", "implicit-euler", "bdf1", "bdf2", "adaptive-bdf2", "implicit-midpoint",
    "time-stepping",
)  # fmt: skip
TIGHT = {"dopri5": 1e-9, "adaptive-bdf2": 1e-6}
ENERGY, DURATION, DT, SPRING = 10.0, 20.0, 1e-3, 200.0
PAGE = Path(__file__).parent.parent / "docs" / "energy.md"
BEGIN, END = "<!-- energies: made by bench/energy_drift.py -->", "<!-- end of energies -->"


def moving() -> dict[str, Joint]:
    """The joint kinds that move."""
    return {name: joint for name, joint in gallery.every_kind().items() if joint.nv}


def start(name: str, joint: Joint) -> tuple[Model, np.ndarray, np.ndarray]:
    """One body on a joint, with the same numbers in every run."""
    rng = np.random.default_rng(7)
    q, solid = regular_coordinates(joint, rng), random_inertia(rng)
    ends = any(np.isfinite(c.defined).any() for c in joint.coordinates)
    coasts = joint.nv == 1 or all(c.unit == "m" for c in joint.coordinates)
    springs = {"stiffness": SPRING, "rest": q.tolist()}
    mech = Mechanism(name, gravity=(0.0, 0.0, 0.0))
    mech.add_body(name, joint=joint, inertia=solid, **(springs if ends or coasts else {}))
    model = mech.compile()
    v = rng.normal(size=joint.nv)
    v *= np.sqrt(ENERGY / model.energy(q, v)[0])
    return model, q, v


def drift(model: Model, q: np.ndarray, v: np.ndarray, method: str, duration: float = DURATION) -> str:
    """The largest change of energy in J, and how far the run came if not to its end."""
    tight = {"rtol": TIGHT[method], "atol": TIGHT[method]} if method in TIGHT else {}
    run = model.simulate(q, v, duration=duration, dt=DT, method=method, **tight)
    reached = "" if run.status.ok else f" (to {run.t[-1]:.1f} s)"
    if "blew up" in str(run.status):
        return f"blows up at {run.t[-1]:.1f} s"
    total = np.sum(run.energy(), axis=0)
    change = float(np.abs(total - total[0]).max())
    return f"blows up at {run.t[-1]:.1f} s" if change > 100 * ENERGY else f"{change:.1g}{reached}"


def rows() -> Iterator[list[str]]:
    """A row of cells for every joint kind."""
    for name, joint in moving().items():
        model, q, v = start(name, joint)
        yield [f"`{name}`", *(drift(model, q, v, method) for method in STEPPERS)]


def table() -> Iterator[str]:
    """The table in Markdown, row by row."""
    yield "| joint | " + " | ".join(f"`{method}`" for method in STEPPERS) + " |"
    yield "|---|" + "---:|" * len(STEPPERS)
    for row in rows():
        yield "| " + " | ".join(row) + " |"


def main() -> None:
    """Print the table; with --write, into the page as well."""
    begin, lines = time.perf_counter(), []
    for line in table():
        print(line, flush=True)
        lines.append(line)
    print(f"{time.perf_counter() - begin:.0f} s")
    if "--write" in sys.argv[1:]:
        head, rest = PAGE.read_text().split(BEGIN)
        PAGE.write_text(head + "\n".join([BEGIN, "", *lines, "", END]) + rest.split(END)[1])


if __name__ == "__main__":
    main()
