"""Contacts of a run: whether it may begin, and what it tells of points, normals and forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.constraints.touch import Touch
from anyjoint.errors import InputError
from anyjoint.forces.resist import touches
from anyjoint.mechanism.ease import ease_of
from anyjoint.spatial import Pose
from anyjoint.stepper import Stepper
from anyjoint.trace.resistance_kernels import SHOWN

if TYPE_CHECKING:
    from anyjoint.model import Model

    from .request import Request

Floats = np.ndarray[Any, np.dtype[Any]]
POP = 1.0  # m/s: a contact that begins so deep inside that it would throw bodies out faster is refused


def check_contacts(model: Model, q: Floats, dt: float, stepper: Stepper) -> None:
    """Refuse methods that do not feel contacts, and states (batch, nq) that begin deep inside."""
    pairs = model.mechanism.contacts
    if not pairs:
        return
    if not stepper.resists:
        names = ", ".join(repr(pair.name) for pair in pairs[:3]) + (", ..." if len(pairs) > 3 else "")
        raise InputError(f'method={stepper.name!r} does not feel the contacts {names}; use method="time-stepping"')
    for row in q[: min(len(q), 64)]:
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
    poses, ease = [*mechanism.poses([float(x) for x in q]), Pose()], ease_of(mechanism)
    for pair in mechanism.contacts:
        for touch in touches(pair, ease):
            a, b = (poses[body] for body in touch.bodies)
            found.append((touch, float(touch.meeting(a, b, touch.numbers)[0])))
    return found


@dataclass(frozen=True)
class Touched:
    """Times of samples, and what contacts show there: (samples, batch, 9 points)."""

    t: Floats
    shown: Floats

    @staticmethod
    def at_start(request: Request) -> Touched:
        """Before the first step there are no forces yet."""
        count = SHOWN * request.model.mechanism.np if request.shows else 0
        return Touched(np.zeros(1), np.zeros((1, request.batch, count)))


@dataclass(frozen=True)
class ContactForces:
    """A contact over time, in the world: points, normals and forces (samples, points, 3), or (samples, batch, points,
    3). They are those of the step that ends at a sample; forces are on the body that was named first, 0 while there is
    no contact. At the first sample nothing is known yet: forces are 0 and points not numbers."""

    points: Floats
    normals: Floats
    forces: Floats

    @property
    def force(self) -> Floats:
        """The force of all points together."""
        return np.asarray(self.forces.sum(axis=-2))

    @property
    def touching(self) -> Floats:
        """Whether each point touches."""
        return np.asarray((self.forces != 0).any(axis=-1))

    def member(self, index: int) -> ContactForces:
        """Those of one trajectory of a batch."""
        return ContactForces(*(x[:, index] for x in (self.points, self.normals, self.forces)))


def contact_tracks(request: Request, parts: list[Touched], t: Floats) -> dict[str, ContactForces]:
    """The contacts of a run at the times of its samples, by name."""
    if not request.shows:
        return {}
    times, shown = np.concatenate([x.t for x in parts]), np.concatenate([x.shown for x in parts])
    shown[0] = np.nan
    chosen = shown[np.minimum(np.searchsorted(times, t), len(times) - 1)].astype(float)
    made = chosen.reshape(*chosen.shape[:2], -1, 3, 3)
    made = made[:, 0] if request.single else made
    tracks, at = {}, 0
    for pair in request.model.mechanism.contacts:
        points, normals, forces = np.moveaxis(made[..., at : at + len(pair.balls), :, :], -2, 0)
        tracks[pair.name] = ContactForces(points, normals, np.nan_to_num(forces))
        at += len(pair.balls)
    return tracks
