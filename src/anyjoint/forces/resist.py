"""What resists in a mechanism: its contacts, the limits that joints declare, and their dry friction."""

from __future__ import annotations

import math

from anyjoint.constraints import Resistance, Rub, Stop, Touch
from anyjoint.constraints.resistance import firmness
from anyjoint.errors import InputError
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.ease import Ease, ease_of
from anyjoint.mechanism.touching import ContactPair, pose_numbers, welded_pose

from .limits import limited

HARD = 1e30  # N/m: stiffer than any step can follow
SLIP = 1e-4  # of the rate of a joint: from there on its dry friction is nearly all that it can be


def resistances(mechanism: Mechanism, limits: bool = True, dt: float = 0.0) -> tuple[Resistance, ...]:
    """Contacts first, as results list them, then stops, then dry friction.

    With `dt` nothing is stiffer than steps of this length can follow, also in a shorter one: what rests a little deep
    on a contact would be thrown out by one that hardens.
    """
    ease = ease_of(mechanism)
    made: list[Resistance] = [touch for pair in mechanism.contacts for touch in touches(mechanism, pair, ease, dt)]
    if limits:
        made += stops(mechanism, ease, dt)
    return (*made, *frictions(mechanism))


def touches(mechanism: Mechanism, pair: ContactPair, ease: Ease | None = None, dt: float = 0.0) -> list[Touch]:
    """The points of a contact; without `ease`, where they are and nothing else matters.

    What is welded to the ground is the ground.
    """
    made = []
    welded = welded_pose(mechanism, pair.other)
    other, at = (pair.other, pair.at) if welded is None else (-1, welded @ pair.at)
    for ball in pair.balls:
        middle = [(a + b) / 2 for a, b in zip(ball.first, ball.second, strict=True)]
        mass = ease.point(pair.body, middle, other) if ease else 1.0
        numbers = (
            *ball.first, *ball.second, ball.radius, *pose_numbers(at), pair.friction,
            hardest(min(pair.stiffness, HARD), mass, dt), pair.dissipation, pair.slip, mass,
        )  # fmt: skip
        bodies = pair.body, other
        made.append(Touch(what=pair.name, bodies=bodies, numbers=numbers, distance=pair.distance, long=ball.long))
    return made


def hardest(stiffness: float, mass: float, dt: float) -> float:
    """A stiffness that steps of the length dt can follow, if there is one."""
    return float(firmness(stiffness, mass, dt)) if dt else stiffness


def stops(mechanism: Mechanism, ease: Ease, dt: float = 0.0) -> list[Stop]:
    """Limits of joints, from below and from above."""
    made = []
    for (index, k), ends in limited(mechanism):
        body = mechanism.bodies[index]
        mass = ease.joint(body.v.start + (body.joint.velocity_of(k) or 0))
        for end, side in zip(ends, (1.0, -1.0), strict=True):
            if math.isfinite(end):
                what = f"limit of {body.coordinate_names[k]}"
                numbers = end, side, hardest(HARD, mass, dt), mass
                made.append(Stop(what=what, coordinates=((index, k),), numbers=numbers))
    return made


def frictions(mechanism: Mechanism) -> list[Rub]:
    """Dry friction of joints whose velocities are the rates of their coordinates; others cannot have any."""
    made = []
    for body in mechanism.bodies:
        rates = {body.joint.velocity_of(k) for k in range(body.joint.nq)}
        if any(x and k not in rates for k, x in enumerate(body.friction)):
            raise InputError(
                f"time-stepping: body {body.name!r} has dry friction along velocities that are no rates of coordinates"
                " (quaternions, rolling), which cannot be felt; leave it out, or use joints.Spherical or Free"
            )
        for k in range(body.joint.nq):
            velocity = body.joint.velocity_of(k)
            if velocity is not None and body.friction and body.friction[velocity]:
                what = f"friction of {body.coordinate_names[k]}"
                made.append(Rub(what=what, coordinates=((body.index, k),), numbers=(body.friction[velocity], SLIP)))
    return made
