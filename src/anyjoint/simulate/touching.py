"""Whether a run with contacts may begin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.constraints.touch import Touch
from anyjoint.errors import InputError
from anyjoint.forces.resist import touches
from anyjoint.spatial import Pose
from anyjoint.stepper import Stepper

if TYPE_CHECKING:
    from anyjoint.model import Model

Floats = np.ndarray[Any, np.dtype[Any]]
LOOKED_AT = 16  # states of a batch
POP = 1.0  # m/s: a contact that begins so deep inside that it would throw bodies out faster is refused


def check_contacts(model: Model, q: Floats, dt: float, stepper: Stepper) -> None:
    """Refuse methods that do not feel contacts, and states (batch, nq) that begin deep inside."""
    pairs = model.mechanism.contacts
    if stepper.resists and model.modes:
        raise InputError(
            f"method={stepper.name!r} does not change the modes of {', '.join(map(repr, model.modes))}; add them as"
            " free bodies, and their contacts by add_contact"
        )
    if not pairs:
        return
    if not stepper.resists:
        names = ", ".join(repr(pair.name) for pair in pairs[:3]) + (", ..." if len(pairs) > 3 else "")
        raise InputError(f'method={stepper.name!r} does not feel the contacts {names}; use method="time-stepping"')
    for row in q[:LOOKED_AT]:
        for touch, gap in gaps(model, row):
            if not np.isfinite(gap):
                raise InputError(f"contact {touch.what!r}: its distance has no value or no gradient where q0 begins")
            if gap < -POP * dt:
                raise InputError(
                    f"contact {touch.what!r} begins {-gap:.3g} m deep, and would burst apart; begin outside, or at most"
                    f" {POP * dt:.1g} m inside for steps of {dt:g} s"
                )


def gaps(model: Model, q: Floats) -> list[tuple[Touch, float]]:
    """All points of contact and their gaps at coordinates q, on plain numbers."""
    mechanism, found = model.mechanism, []
    poses = [*mechanism.poses([float(x) for x in q]), Pose()]  # the ground, -1, comes last
    for pair in mechanism.contacts:
        for touch in touches(mechanism, pair):
            a, b = (poses[body] for body in touch.bodies)
            found.append((touch, _gap(touch, a, b)))
    return found


def _gap(touch: Touch, a: Pose, b: Pose) -> float:
    try:
        return float(touch.meeting(a, b, touch.numbers)[0])
    except ZeroDivisionError:  # of a gradient that vanishes
        return float("nan")
