"""The energy that contacts and stops hold in steps that feel them: they are springs as hard as steps can follow."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.constraints.resistance import firmness
from anyjoint.forces.resist import stops, touches
from anyjoint.mechanism.ease import ease_of
from anyjoint.scalar.array import Floats

from .samples import flat_rows
from .touching import gaps_of_all

if TYPE_CHECKING:
    from .trajectory import Trajectory


def held_by_springs(traj: Trajectory, dt: float, limits: bool) -> Floats:
    """At every sample but the first, of which no forces are known; stops hold some if limits are a part of the step.

    A hard contact that pushes with f holds f^2 / 2k, which is known more precisely than its depth; a soft one, whose
    force may also resist motion, k / 2 times the square of that.
    """
    mechanism = traj.own_model().mechanism
    ease, total = ease_of(mechanism), np.zeros(traj.q.shape[:-1])
    gaps = iter(_gaps(traj))
    for pair in mechanism.contacts:
        track = traj.contacts[pair.name]
        push = np.nan_to_num((track.forces * track.normals).sum(axis=-1))
        for point, touch in enumerate(touches(mechanism, pair, ease)):
            k, gap = float(firmness(pair.stiffness, touch.numbers[-1], dt)), next(gaps)
            if gap is not None and k == pair.stiffness:
                total += 0.5 * k * np.minimum(gap, 0.0) ** 2
            else:
                total += push[..., point] ** 2 / (2 * k)
    for stop in stops(mechanism, ease) if limits else ():
        (body, k), (end, side, stiffness, mass) = stop.coordinates[0], stop.numbers
        beyond = np.maximum(side * (end - traj.q[..., mechanism.bodies[body].q.start + k]), 0.0)
        total += 0.5 * float(firmness(stiffness, mass, dt)) * beyond**2
    return total


def _gaps(traj: Trajectory) -> Iterable[Floats | None]:
    """Of all points at every sample; nothing, again and again, if all contacts are as hard as steps can follow."""
    model = traj.own_model()
    if all(math.isinf(pair.stiffness) for pair in model.mechanism.contacts):
        return repeat(None)
    return [gap.reshape(traj.q.shape[:-1]) for _, gap in gaps_of_all(model, flat_rows(traj.q))]
