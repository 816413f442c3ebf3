"""method="auto": a stepper by how stiff a mechanism and its forces are beside the length of the steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.stepper import STEPPERS

from .drive import Drive
from .python_step import PythonStepper, coordinate_rates
from .request import Request
from .touching import rubbing, unfelt

if TYPE_CHECKING:
    from anyjoint.model import Model

AUTO = "auto"
EXPLICIT, IMPLICIT, TOUCHING = "rk4", "bdf2", "time-stepping"
QUICK = "dopri5"  # for what is too quick for given steps, where these must be explicit: velocities jump between them
FOLLOWS = 1.0  # radians of the quickest motion per step that explicit steps follow; they are stable up to 2.7
ROUNDS, SMALL = 24, 1e-6


def requested(model: Model, method: str, make: Callable[[str], Request], jumps: bool = False) -> Request:
    """What `make` makes of the name of a method, which may be "auto", with a note on why it was chosen."""
    name, note = EXPLICIT if method == AUTO else method, ""
    if method == AUTO and (model.mechanism.contacts or (rubbing(model.mechanism) and not jumps)):
        method = name = TOUCHING
        what = "contacts" if model.mechanism.contacts else "dry friction"
        note = f"method {TOUCHING!r} was chosen: no other feels {what}"
    request = make(name)
    if method == AUTO:
        name, note = chosen(request, jumps)
        request = make(name)
    return replace(request, note="; ".join(filter(None, [note, unfelt(model.mechanism, request.method)])))


def chosen(request: Request, jumps: bool = False) -> tuple[str, str]:
    """The name of a stepper, and a sentence that says why it was chosen; `jumps` where velocities jump."""
    rate = max((quickest(request, k) for k in range(min(request.batch, 4))), default=0.0)
    stiff = not rate * request.dt < FOLLOWS
    name = (QUICK if jumps else IMPLICIT) if stiff else EXPLICIT
    beside = "too quick for" if stiff else "slow beside"
    why = f"the quickest motion at the start, {rate:.2g} per second, is {beside} steps of {request.dt:g} s"
    return name, f"method {name!r} was chosen: {why}"


def quickest(request: Request, member: int) -> float:
    """The largest rate at which small motions about the start swing or decay: a power iteration by differences."""
    model, nv = request.model, request.model.nv
    drive = Drive(np.zeros((1, nv)), forces=request.forces)
    stepper = PythonStepper(model, drive, STEPPERS[EXPLICIT], quantities=request.quantities[:1])
    q, v = request.q[member], request.v[member]
    here = stepper.accelerate(0.0, q, v)[0]
    rng = np.random.default_rng(0)
    moved, speed = rng.normal(size=(2, nv))
    growth = []
    for _ in range(ROUNDS):
        size = float(np.sqrt(moved @ moved + speed @ speed))
        if not 0 < size < np.inf:
            break
        moved, speed = moved / size, speed / size
        growth.append(size)
        at_q = q + SMALL * coordinate_rates(model, q, moved)
        change = (stepper.accelerate(0.0, at_q, v + SMALL * speed)[0] - here) / SMALL
        moved, speed = speed, change
    late = growth[len(growth) // 2 :]  # swings grow and shrink in turn: the mean of many is what counts
    return float(np.exp(np.mean(np.log(late)))) if late else 0.0
