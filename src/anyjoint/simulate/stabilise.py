"""Constraints in a run: how the motion is kept on them, a start that is off them, and how far it has drifted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import InputError, ModelError
from anyjoint.model.parameter_rows import ParameterRows
from anyjoint.scalar import is_real
from anyjoint.scalar.array import Floats
from anyjoint.stepper.physics import has_chart

from .kept import Joints, kept
from .status import Status

if TYPE_CHECKING:
    from anyjoint.mechanism import Mechanism
    from anyjoint.model import Model

Stabilise = str | tuple[str, float, float] | None
PROJECT, BAUMGARTE = "project", "baumgarte"
CLOSED = 1e-6  # errors at the start, in metres and radians, that the first projection may take away
APART = 1e-3  # errors at which a mechanism has come apart
MANY = 200  # velocities up to which the degrees of freedom are counted before a run


def checked_stabilise(given: object, model: Model) -> Stabilise:
    """How the motion is kept on constraints: by projection, Baumgarte's feedback, or not at all."""
    if isinstance(given, (tuple, list)) and len(given) == 3 and given[0] == BAUMGARTE:
        if all(is_real(x) and 0 <= float(x) < np.inf for x in given[1:]):
            return (BAUMGARTE, float(given[1]), float(given[2])) if model.mechanism.constraints else None
    elif given in (PROJECT, None):
        return given if model.mechanism.constraints else None
    raise InputError(f'stabilise={given!r}; expected "project", ("baumgarte", a, b) with a, b >= 0, or None')


def check_on_constraints(
    model: Model, q: Floats, v: Floats, rows: ParameterRows | None = None, where: str = "simulate"
) -> None:
    """Refuse a start that is off the constraints, row by row."""
    if worst := off_constraints(model, q, v, rows, where):
        raise InputError(f"{where}: the start is off the constraints: {worst}; take q0, v0 = model.assemble(q0, v0)")


def off_constraints(
    model: Model, q: Floats, v: Floats, rows: ParameterRows | None = None, where: str = "simulate"
) -> str:
    """Which rows states (n, ...) miss by most, and by how much; nothing where they are on the constraints."""
    if not model.mechanism.constraints:
        return ""
    position, velocity = model.constraint_errors(q, v, t=0.0, parameters=rows)
    scale = 1.0 + np.abs(v).max(initial=0.0)
    worst = []
    for what, errors, limit in (("positions", position, CLOSED), ("velocities", velocity, CLOSED * scale)):
        if not np.isfinite(errors).all():
            raise ModelError(f"{where}: the constraints of {model.mechanism.name!r} are not defined at the start")
        size = np.where(model.hard_rows, np.abs(errors).max(axis=0), 0.0)
        if size.max(initial=0.0) > limit:
            worst.append(f"{what} miss {row_name(model.mechanism, int(size.argmax()))} by {size.max():.3g}")
    return " and ".join(worst)


def check_mobility(model: Model, q: Floats) -> None:
    """Refuse a mechanism that cannot move, unless something in it follows a function of time."""
    mechanism = model.mechanism
    rows = sum(constraint.count for constraint in mechanism.constraints if not constraint.compliance)
    if mechanism.timed or rows < model.nv or not 0 < model.nv <= MANY:
        return
    if model.mobility(q).degrees_of_freedom == 0:
        names = ", ".join(repr(constraint.name) for constraint in mechanism.constraints[:6])
        raise InputError(
            f"simulate: the constraints of {mechanism.name!r} leave nothing to move at the start: {rows} rows hold "
            f"{model.nv} velocities (mobility 0); take out or loosen one of {names}"
        )


def projected(
    model: Model, corrections: Sequence[Callable[..., Floats]], q: Floats, v: Floats, *clock: Floats
) -> tuple[Floats, Floats]:
    """The state, or states, taken back onto the constraints by programs that correct positions and velocities."""
    position, velocity = corrections
    d = np.asarray(position(q, *clock), dtype=float)
    plain = model.rates_are_velocities
    q = q + (d if plain else np.asarray(model.program("coordinate_rates")(q, d), dtype=float))
    if charted(model):
        row = np.asarray(model.program("rechart")(q, v), dtype=float)
        q, v = row[..., : model.nq], row[..., model.nq :]
    return q, v + np.asarray(velocity(q, v, *clock), dtype=float)


def charted(model: Model) -> bool:
    """Whether a joint of the model ever rewrites its coordinates."""
    joints = Joints(tuple(body.joint for body in model.mechanism.bodies))
    return kept(model, ("charts", joints), lambda: any(map(has_chart, {id(x): x for x in joints.joints}.values())))


def drift(model: Model, t: Floats, q: Floats, v: Floats, rows: ParameterRows | None = None) -> tuple[float, str, float]:
    """The largest error of positions along a run, in which row, and when; `rows` has the parameters of all samples."""
    times = {"t": np.asarray(t, model.dtype)[:, None]} if model.mechanism.timed else {}
    position, _ = model.constraint_errors(q.astype(model.dtype), v.astype(model.dtype), parameters=rows, **times)
    size = np.where(model.hard_rows, np.abs(position), 0.0)
    if not size.size:
        return 0.0, "", 0.0
    k, row = np.unravel_index(int(size.argmax()), size.shape)
    return float(size[k, row]), row_name(model.mechanism, int(row)), float(t[k])


def drifted(status: Status, size: float, row: str, time: float) -> Status:
    """The status of a run whose constraints have held to this size; it is not ok if the mechanism came apart."""
    if size > APART and status.ok:
        reason = f"the mechanism came apart: {row} was off by {size:.3g} at t = {time:.6g} s; take shorter steps"
        return replace(status, ok=False, reason=reason, drift=size)
    return replace(status, drift=size)


def row_name(mechanism: Mechanism, index: int) -> str:
    """A row by its constraint and its own name."""
    for constraint in mechanism.constraints:
        if index < constraint.count:
            own = f" ({constraint.row_names[index]})" if constraint.count > 1 else ""
            return f"{constraint.name!r}{own}"
        index -= constraint.count
    raise IndexError(index)
