"""Starts on the constraints: lengths that vary from run to run ask for another pose of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anyjoint.model.parameter_rows import ParameterRows
from anyjoint.scalar.array import Floats

if TYPE_CHECKING:
    from anyjoint.model import Model

TIMES = 25  # corrections of positions, which converge quadratically
CLOSED = 1e-12


def on_constraints(model: Model, q: Floats, v: Floats, rows: ParameterRows | None) -> tuple[Floats, Floats]:
    """States moved onto the constraints by the least corrections; what does not get there is refused by the run."""
    clock = model.clock(0.0)
    going = np.ones(len(q), dtype=bool)
    for _ in range(TIMES):
        d = np.asarray(model.evaluate("position_correction", (q, *clock), parameters=rows), dtype=float)
        rates = d if model.rates_are_velocities else model.evaluate("coordinate_rates", (q, d), parameters=rows)
        q = np.where(going[:, None], q + np.asarray(rates, dtype=float), q)  # each as if it were alone
        going &= ~(np.abs(d).max(axis=1, initial=0.0) <= CLOSED)
        if not going.any():
            break
    return q, v + np.asarray(model.evaluate("velocity_correction", (q, v, *clock), parameters=rows), dtype=float)
