"""Numbers and names that a user gives to simulate, each checked by itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import InputError
from anyjoint.options import meant
from anyjoint.scalar import is_real, reals
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.stepper import STEPPERS, Stepper
from anyjoint.stepper.newton import CLOSE

from .drive import Drive

if TYPE_CHECKING:
    from anyjoint.model import Model

MOST_BYTES = 1 << 30  # a longer trajectory is thinned unless save_every is given
FINEST = 45  # roundings that a tolerance may not fall below
SOLVED = 100  # times as close as that equations are solved


def checked_stepper(method: object) -> Stepper:
    """The stepper of a name."""
    if not isinstance(method, str) or method not in STEPPERS:
        hint = f"{meant(method, STEPPERS, 0.3)}; choose one of {', '.join(STEPPERS)}, or auto"
        raise InputError(f"method={method!r} is unknown{hint}")
    return STEPPERS[method]


def seconds(name: str, value: float, least: float) -> float:
    """A time, or a step."""
    if not is_real(value) or not least <= float(value) < math.inf:
        wanted = "a positive" if least else "a"
        raise InputError(f"{name}={value!r}; expected {wanted} finite number of seconds, not negative")
    return float(value)


def finest(model: Model, stepper: Stepper) -> float:
    """The finest tolerance that a stepper can meet: that of its numbers, or of the equations that it solves."""
    if not stepper.adaptive:
        return 0.0
    least = float(FINEST * np.finfo(model.dtype).eps)
    return max(least, SOLVED * CLOSE) if stepper.solves else least


def tolerances(rtol: float, atol: float, least: float) -> tuple[float, float]:
    """Tolerances that can be met."""
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not is_real(value) or not 0 <= float(value) < math.inf:
            raise InputError(f"{name}={value!r}; expected a finite number that is not negative")
    if max(rtol, atol) < least:
        raise InputError(
            f"rtol={rtol:g} and atol={atol:g} cannot be met in the model's precision; make one at least {least:.1g}"
        )
    if atol == 0:
        raise InputError(
            "atol=0 cannot be met where a coordinate passes zero; give a small positive number such as 1e-12"
        )
    return float(rtol), float(atol)


def start_states(model: Model, q0: ArrayLike | None, v0: ArrayLike | None) -> tuple[Floats, Floats, bool]:
    """Batches of coordinates and velocities to begin with, and whether a single state was asked for."""
    start = model.mechanism.start or (model.mechanism.neutral, np.zeros(model.nv))
    q = _numbers("q0", start[0] if q0 is None else q0, model.nq)
    still = start[1] if q0 is None else np.zeros(model.nv)  # from a place of the user's own, at rest
    v = _numbers("v0", still if v0 is None else v0, model.nv)
    single = q.ndim == 1 and v.ndim == 1
    batch = max(len(x) for x in (np.atleast_2d(q), np.atleast_2d(v)))
    if not single and {len(x) for x in (q, v) if x.ndim == 2} != {batch}:
        raise InputError(f"q0 has {len(q)} states and v0 has {len(v)}; a batch needs as many of both")
    q, v = (np.array(np.broadcast_to(np.atleast_2d(x), (batch, x.shape[-1]))) for x in (q, v))
    if not batch:
        raise InputError("q0 is an empty batch; give at least one state")
    return q, v, single


def _numbers(name: str, x: ArrayLike, n: int) -> Floats:
    try:
        found = reals(x)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}={x!r} is not an array of numbers; expected {n}") from error
    if found.ndim not in (1, 2) or found.shape[-1] != n:
        raise InputError(f"{name} has shape {found.shape}; expected ({n},), or (batch, {n}) for several trajectories")
    if not np.isfinite(found).all():
        raise InputError(f"{name} holds NaN or infinity; give finite numbers")
    return found


def every(save_every: int | None, steps: float, bytes_each: int) -> int:
    """Which steps are saved; so many that a trajectory does not outgrow memory, unless it is said."""
    if save_every is None:
        return max(1, math.ceil(steps * bytes_each / MOST_BYTES))
    if isinstance(save_every, bool) or not isinstance(save_every, (int, np.integer)) or save_every < 1:
        raise InputError(f"save_every={save_every!r}; expected a whole number of at least 1")
    return int(save_every)


def held_steps(hold: int | None, drive: Drive, stepper: Stepper, numeric: str | None) -> int | None:
    """For how many steps a function's torque is held."""
    if hold is None:
        return None
    if isinstance(hold, bool) or not isinstance(hold, (int, np.integer)) or hold < 1:
        raise InputError(f"hold={hold!r}; expected a whole number of steps, at least 1")
    if drive.callback is None:
        raise InputError("hold: only a function tau(t, q, v) is held; give one, or leave hold out")
    if stepper.adaptive:
        raise InputError(f"hold: {stepper.name} chooses its steps by itself; use a method of fixed steps such as 'rk4'")
    if numeric:
        raise InputError(f"hold: {numeric} solves numerically, step by step; compile with another algorithm")
    return int(hold)
