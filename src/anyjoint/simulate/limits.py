"""Stops: what keeps coordinates within the limits that joints declare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import InputError, SingularityError
from anyjoint.forces.limits import Limits, limited_coordinates
from anyjoint.model.parameter_rows import ParameterRows
from anyjoint.scalar.array import Floats

from .kept import Joints, kept

if TYPE_CHECKING:
    from anyjoint.forces import Force
    from anyjoint.model import Model
    from anyjoint.stepper import Stepper

QUICK = 0.7  # radians per step of the quickest oscillation on all stops at once: explicit steps follow with ease
QUICKEST = 1.4  # beyond, explicit steps add to the speed of what hits a stop
HARD = 3.0  # the same where steps damp it: the stop takes all of the speed within a few steps
FINEST = 1e-3  # seconds; steps that adapt themselves can follow stops of this pace
DAMPING = 0.5  # of the critical one: what bounces off a stop comes back with three tenths of its speed
GIVES_WAY = 0.25  # of the room between two limits (or of a unit, beyond one): more, and a stop does not hold
SAG = 0.02  # of that room: how far steps that adapt themselves let a stop sag under the weight at rest
RESTING = 0.03  # of what makes a stop give way: a weight at rest that needs no more may also fall on it
ONSET = 1e-3  # of that room: where a damping that grows with the depth has half of its strength
HELD = 1e-9  # of how a coordinate yields without constraints: with them it does not
HARDEST = 1e4  # times as stiff they make it for that at most


def with_stops(model: Model, forces: Sequence[Force], dt: float, stepper: Stepper) -> Sequence[Force]:
    """Forces, and the stops that go with them, unless steps feel limits by themselves or the user brings stops."""
    if stepper.resists or any(isinstance(force, Limits) for force in forces):
        return forces
    damps = stepper.damps and not stepper.adaptive
    key = ("stops", dt, stepper.adaptive, damps, stepper.solves, tuple(model.mechanism.bodies))
    made = kept(model, key, lambda: stops(model, dt, stepper.adaptive, damps, stepper.solves))
    return [*forces, made] if made else forces


def stops(model: Model, dt: float, adaptive: bool, damps: bool = False, solves: bool = False) -> Limits | None:
    """Stops as hard as steps of this length can follow, for all coordinates with limits; None if there are none.

    Steps of methods that damp what is too quick bear harder ones; those that solve equations want no jumps.
    """
    places = [x.rate for x in limited_coordinates(model.mechanism)]
    if not places:
        return None
    inverse = _yielding(model, places, _ease(model, places)[0])
    ease = np.diag(inverse)  # of each coordinate while the others are free, which is when it moves most easily
    # On all stops at once some mix of coordinates moves more easily still: that one sets the pace.
    quickest = np.linalg.eigvalsh(inverse / np.sqrt(np.outer(ease, ease)))[-1]
    pace = (HARD if damps else QUICK) / (min(dt, FINEST) if adaptive else dt) / np.sqrt(quickest)
    if adaptive:
        pace *= np.sqrt(np.clip(_sag(model, places, pace**2 / ease) / SAG, 1.0, HARDEST))
    rooms = [_room(*x.ends) for x in limited_coordinates(model.mechanism)]
    onset = tuple(ONSET * room for room in rooms) if solves else 0.0
    return Limits(tuple((pace**2 / ease).tolist()), tuple((2 * DAMPING * pace / ease).tolist()), onset)


def check_stops(model: Model, made: Limits, rows: ParameterRows, dt: float) -> None:
    """Refuse parameters with which the stops, which are those of the model itself, are too hard for explicit steps."""
    places = [x.rate for x in limited_coordinates(model.mechanism)]
    hard = np.sqrt(np.asarray(made.stiffness))
    inverse = np.nan_to_num(_ease(model, places, rows)) * np.outer(hard, hard)
    turns = dt * np.sqrt(np.maximum(np.linalg.eigvalsh(inverse)[:, -1], 0.0))
    bad = np.flatnonzero(turns > QUICKEST)
    if len(bad):
        raise InputError(
            f"row {bad[0]}: the stops at the limits of joints are made for the model as it is; with these parameters "
            f"what hits them is {(turns[bad[0]] / QUICK) ** 2:.2g} times as easy to move, too light for steps of "
            f'{dt:g} s; compile with light bodies, use method="dopri5", or give forces=[aj.forces.Limits(...)]'
        )


def _ease(model: Model, places: list[int], rows: ParameterRows | None = None) -> Floats:
    """How the limited coordinates yield to forces along them: their rows and columns of M^-1 at the neutral place."""
    n, count = len(places) + 1, rows.count if rows else 1
    pushed = np.zeros((n, model.nv))
    pushed[np.arange(n - 1), places] = 1.0
    q, rest = np.tile(model.mechanism.neutral, (n * count, 1)), np.zeros((n * count, model.nv))
    own = rows.take(np.repeat(np.arange(count), n)) if rows else None
    answers = model.forward_dynamics(q, rest, np.tile(pushed, (count, 1)), parameters=own).astype(float)
    answers = answers.reshape(count, n, -1)[:, :, places]
    found = answers[:, :-1] - answers[:, -1:]
    return np.asarray((found + found.swapaxes(1, 2)) / 2)


def _yielding(model: Model, places: list[int], inverse: Floats) -> Floats:
    """The same, with coordinates that constraints hold there (a motor's, say) as if nothing but the tree held them."""
    if not model.mechanism.constraints:
        return inverse
    free = np.diag(np.linalg.inv(np.asarray(model.mass_matrix(model.mechanism.neutral), dtype=float)))[places]
    held = np.diag(inverse) <= HELD * free
    return np.where(held[:, None] | held, np.diag(free), inverse)


def _sag(model: Model, places: list[int], stiffness: Floats) -> float:
    """How far the weight at rest pushes stops, at the worst of them, as a share of the room between limits."""
    rows = np.array([_all_at(model, side) for side in (-1, 0, 1)])
    rest = np.zeros((len(rows), model.nv))
    try:
        weight = np.abs(np.asarray(model.inverse_dynamics(rows, rest, rest), dtype=float)[:, places]).max(axis=0)
    except SingularityError:
        return 0.0
    room = np.array([_room(*x.ends) for x in limited_coordinates(model.mechanism)])
    return float((weight / stiffness / room).max())


def _all_at(model: Model, side: int) -> Floats:
    """Neutral coordinates, with all that have limits at the lower or the upper one."""
    q = np.array(model.mechanism.neutral, dtype=float)
    for limited in limited_coordinates(model.mechanism):
        if side and np.isfinite(limited.ends[side > 0]):
            q[limited.at] = limited.ends[side > 0]
    return q


def _room(low: float, high: float) -> float:
    return high - low if np.isfinite(high - low) else 1.0


def overrun(model: Model, q: Floats, dt: float) -> tuple[int, str] | None:
    """The first of the samples (s, batch, nq) at which a stop has given way, and a sentence."""
    found = []
    for name, at, low, high in limits_of(model):
        beyond = np.maximum(q[..., at] - high, low - q[..., at]) > GIVES_WAY * _room(low, high)
        if beyond.any():
            k = int(np.argmax(beyond.any(axis=1)))
            value = q[k, int(np.argmax(beyond[k])), at]
            place = f"the stop of {name} gave way: {value:.4g} is far outside ({low:g}, {high:g})"
            found.append((k, f"{place}; use {_shorter(model, dt)}, or stiffer stops, forces=[aj.forces.Limits(...)]"))
    return min(found, default=None)


def _shorter(model: Model, dt: float) -> str:
    """A step with which stops would hold the weight of the mechanism with ease, where this one does not."""
    made = stops(model, dt, adaptive=False)
    places = [x.rate for x in limited_coordinates(model.mechanism)]
    sag = _sag(model, places, np.array(made.stiffness)) if made else 0.0
    if sag <= RESTING * GIVES_WAY:
        return "a shorter dt"
    return f'dt = {dt * np.sqrt(RESTING * GIVES_WAY / sag):.1g} s or less, which holds its weight, or method="dopri5"'


def limits_of(model: Model) -> list[tuple[str, int, float, float]]:
    """Name, place and limits of every coordinate that has some."""
    joints = Joints(tuple(body.joint for body in model.mechanism.bodies))
    found = limited_coordinates(model.mechanism)
    return kept(model, ("limits", joints), lambda: [(x.name, x.at, *x.ends) for x in found])


def check_start(model: Model, q: Floats) -> None:
    """Refuse states (batch, nq) that begin outside the limits."""
    found = []
    for name, at, low, high in limits_of(model):
        bad = (q[:, at] < low) | (q[:, at] > high)
        if bad.any():
            found.append(f"{name} = {q[int(np.argmax(bad)), at]:.6g} is outside ({low:g}, {high:g})")
    if found:
        raise InputError(f"q0 begins beyond limits: {'; '.join(found)}. Begin inside, or give limits=False")
