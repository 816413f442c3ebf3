"""Stops: what keeps coordinates within the limits that joints declare."""

from __future__ import annotations

from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.forces.limits import Limits, limited
from anyjoint.mechanism import Mechanism

Floats = np.ndarray[Any, np.dtype[Any]]
QUICK = 0.5  # radians of a stop's own oscillation per step: as hard as explicit steps follow with ease
FINEST = 1e-3  # seconds; steps that adapt themselves can follow stops of this pace
DAMPING = 0.5  # of the critical one: what bounces off a stop comes back with three tenths of its speed


def stops(model: Any, dt: float, adaptive: bool) -> Limits | None:
    """Stops as hard as steps of this length can follow, for all coordinates with limits; None if there are none."""
    places = [at_v for _, _, at_v, _ in limited(model.mechanism)]
    if not places:
        return None
    q, v = model.mechanism.neutral, np.zeros(model.nv)
    pushed = np.zeros((len(places) + 1, model.nv))
    pushed[np.arange(len(places)), places] = 1.0
    answers = model.forward_dynamics(np.tile(q, (len(pushed), 1)), np.tile(v, (len(pushed), 1)), pushed)
    ease = (answers[:-1] - answers[-1])[np.arange(len(places)), places]  # entries of M^-1
    pace = QUICK / (min(dt, FINEST) if adaptive else dt)
    return Limits(tuple((pace**2 / ease).tolist()), tuple((2 * DAMPING * pace / ease).tolist()))


def check_start(mechanism: Mechanism, q: Floats) -> None:
    """Refuse states (batch, nq) that begin outside the limits."""
    found = []
    for name, at, _, (low, high) in limited(mechanism):
        bad = (q[:, at] < low) | (q[:, at] > high)
        if bad.any():
            found.append(f"{name} = {q[int(np.argmax(bad)), at]:.6g} is outside ({low:g}, {high:g})")
    if found:
        raise InputError(f"q0 begins beyond limits: {'; '.join(found)}. Begin inside, or give limits=False")
