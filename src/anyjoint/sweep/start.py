"""Starts on the constraints: lengths that vary from run to run ask for another pose of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.model.parameter_rows import ParameterRows

if TYPE_CHECKING:
    from anyjoint.model import Model

Floats = np.ndarray[Any, np.dtype[Any]]
TIMES = 25  # corrections of positions, which converge quadratically
CLOSED = 1e-12


def on_constraints(model: Model, q: Floats, v: Floats, rows: ParameterRows | None) -> tuple[Floats, Floats]:
    """States moved onto the constraints by the least corrections; what does not get there is refused by the run."""
    clock = model.clock(0.0)
    for _ in range(TIMES):
        d = np.asarray(model.evaluate("position_correction", (q, *clock), parameters=rows), dtype=float)
        moved = model.nq == model.nv
        q = q + (d if moved else np.asarray(model.evaluate("coordinate_rates", (q, d), parameters=rows), dtype=float))
        if np.abs(d).max(initial=0.0) <= CLOSED:
            break
    return q, v + np.asarray(model.evaluate("velocity_correction", (q, v, *clock), parameters=rows), dtype=float)
