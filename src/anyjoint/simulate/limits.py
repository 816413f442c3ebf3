"""Stops: what keeps coordinates within the limits that joints declare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.forces.limits import Limits, limited

from .kept import Joints, kept

if TYPE_CHECKING:
    from anyjoint.model import Model

Floats = np.ndarray[Any, np.dtype[Any]]
QUICK = 0.5  # radians of a stop's own oscillation per step: as hard as explicit steps follow with ease
FINEST = 1e-3  # seconds; steps that adapt themselves can follow stops of this pace
DAMPING = 0.5  # of the critical one: what bounces off a stop comes back with three tenths of its speed


def stops(model: Model, dt: float, adaptive: bool) -> Limits | None:
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


GIVES_WAY = 0.25  # of the room between two limits (or of a unit, beyond one): more, and a stop does not hold


def overrun(model: Model, q: Floats) -> tuple[int, str] | None:
    """The first of the samples (s, batch, nq) at which a stop has given way, and a sentence."""
    found = []
    for name, at, low, high in limits_of(model):
        room = high - low if np.isfinite(high - low) else 1.0
        beyond = np.maximum(q[..., at] - high, low - q[..., at]) > GIVES_WAY * room
        if beyond.any():
            k = int(np.argmax(beyond.any(axis=1)))
            value = q[k, int(np.argmax(beyond[k])), at]
            place = f"the stop of {name} gave way: {value:.4g} is far outside ({low:g}, {high:g})"
            found.append((k, f"{place}; use a shorter dt, or stiffer stops, forces=[aj.forces.Limits(...)]"))
    return min(found, default=None)


def limits_of(model: Model) -> list[tuple[str, int, float, float]]:
    """Name, place and limits of every coordinate that has some."""
    joints = Joints(tuple(body.joint for body in model.mechanism.bodies))
    return kept(
        model, ("limits", joints), lambda: [(name, at, *pair) for name, at, _, pair in limited(model.mechanism)]
    )


def check_start(model: Model, q: Floats) -> None:
    """Refuse states (batch, nq) that begin outside the limits."""
    found = []
    for name, at, low, high in limits_of(model):
        bad = (q[:, at] < low) | (q[:, at] > high)
        if bad.any():
            found.append(f"{name} = {q[int(np.argmax(bad)), at]:.6g} is outside ({low:g}, {high:g})")
    if found:
        raise InputError(f"q0 begins beyond limits: {'; '.join(found)}. Begin inside, or give limits=False")
