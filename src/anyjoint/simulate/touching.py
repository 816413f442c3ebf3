"""Whether a run with contacts may begin."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.codegen import CompiledFunction, compile_function
from anyjoint.constraints.touch import Touch
from anyjoint.errors import InputError
from anyjoint.forces.resist import touches
from anyjoint.mechanism.contact import contact_bodies
from anyjoint.scalar.array import Floats
from anyjoint.spatial import Pose, pose_of_rows
from anyjoint.stepper import STEPPERS, Stepper
from anyjoint.symbolic import Graph

from .kept import kept

if TYPE_CHECKING:
    from anyjoint.mechanism import Mechanism
    from anyjoint.model import Model

FEW = 16  # states that are looked at without compiling for them
POP = 1.0  # m/s: a contact that begins so deep inside that it would throw bodies out faster is refused


def check_contacts(model: Model, stepper: Stepper) -> None:
    """Refuse methods that do not feel contacts."""
    pairs = model.mechanism.contacts
    if pairs and model.modes:
        raise InputError(
            f"simulate: no method feels contacts ({pairs[0].name!r}, by add_contact) and changes modes "
            f"({', '.join(map(repr, model.modes))}, by add_contact_body); add all bodies by add_body, and all contacts"
            " by add_contact"
        )
    if stepper.resists and model.modes:
        raise InputError(
            f"method={stepper.name!r} does not change the modes of {', '.join(map(repr, model.modes))}; add them as"
            " free bodies, and their contacts by add_contact"
        )
    if pairs and not stepper.resists:
        names = ", ".join(repr(pair.name) for pair in pairs[:3]) + (", ..." if len(pairs) > 3 else "")
        raise InputError(f'method={stepper.name!r} does not feel the contacts {names}; use method="time-stepping"')


def check_apart(model: Model, q: Floats, dt: float) -> None:
    """Refuse states (batch, nq) at which contacts begin deep inside."""
    if not model.mechanism.contacts:
        return
    for touch, found in gaps_of_all(model, q) if len(q) > FEW else ((x, y) for row in q for x, y in gaps(model, row)):
        gap, which = np.min(found), f" in state {int(np.argmin(found))}" if np.ndim(found) else ""
        if not np.isfinite(gap):
            raise InputError(f"contact {touch.what!r}: its distance has no value or no gradient where q0 begins{which}")
        if gap < -POP * dt:
            raise InputError(
                f"contact {touch.what!r} begins {-gap:.3g} m deep{which}, and would burst apart; begin outside, or at"
                f" most {POP * dt:.1g} m inside for steps of {dt:g} s"
            )


def rubbing(mechanism: Mechanism) -> list[str]:
    """Bodies whose joints have dry friction."""
    return [body.name for body in mechanism.bodies if any(body.friction)]


def unfelt(mechanism: Mechanism, method: str) -> str:
    """What to say where a method leaves dry friction out."""
    names = rubbing(mechanism)
    if not names or STEPPERS[method].resists:
        return ""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    also = ", with contacts by add_contact" if contact_bodies(mechanism) else ""
    return f'{method} does not feel the dry friction of {names[0]!r}{more}; method="time-stepping" does{also}'


def gaps(model: Model, q: Floats) -> list[tuple[Touch, float]]:
    """All points of contact and their gaps at coordinates q, on plain numbers."""
    mechanism, found = model.mechanism, []
    poses = [*mechanism.poses([float(x) for x in q]), Pose()]  # the ground, -1, comes last
    for pair in mechanism.contacts:
        for touch in touches(mechanism, pair):
            a, b = (poses[body] for body in touch.bodies)
            found.append((touch, _gap(touch, a, b)))
    return found


def gaps_of_all(model: Model, q: Floats) -> list[tuple[Touch, Floats]]:
    """All points of contact and their gaps in a batch of states, by machine code."""
    mechanism, found = model.mechanism, []
    poses = np.asarray(model.body_poses(q), dtype=float)[:, :, :3].reshape(len(q), mechanism.nb, 12)
    for touch in (touch for pair in mechanism.contacts for touch in touches(mechanism, pair)):
        code = kept(model, ("gap", touch.kind), partial(_compiled, touch))
        numbers = np.broadcast_to(touch.numbers, (len(q), len(touch.numbers)))
        rows = [poses[:, body] for body in touch.bodies if body >= 0]
        found.append((touch, np.asarray(code(np.concatenate([*rows, numbers], axis=1)))[:, 0]))
    return found


def _compiled(touch: Touch) -> CompiledFunction:
    """(poses of the bodies that move, numbers) -> the gap."""
    graph = Graph()
    frames = [[graph.variable("x") for _ in range(12)] if body >= 0 else None for body in touch.bodies]
    numbers = [graph.variable("n") for _ in touch.numbers]
    a, b = (Pose() if frame is None else pose_of_rows(frame) for frame in frames)
    gap = touch.meeting(a, b, numbers)[0]
    return compile_function([[*(x for frame in frames if frame for x in frame), *numbers]], [gap])


def _gap(touch: Touch, a: Pose, b: Pose) -> float:
    try:
        return float(touch.meeting(a, b, touch.numbers)[0])
    except ZeroDivisionError:  # of a gradient that vanishes
        return float("nan")
