"""A cheap look at accelerations: are they so large that a singular place may be near? Then look closely.

Where a joint's velocities almost lose rank, by a share s, accelerations grow as 1/s and their rounding as 1/s^2. So
numbers of ordinary size are right, and only large ones are worth the time of a diagnosis on floats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from anyjoint.errors import SingularityError
from anyjoint.mechanism.probing import random_coordinates
from anyjoint.mechanism.singular import may_be_singular, singular_place

Floats = np.ndarray[Any, np.dtype[Any]]
STATES = 5


@dataclass(frozen=True)
class Screen:
    """Accelerations that are natural for a model: at rest, for speeds of one unit, for forces of one unit.

    `factor` says how many times larger makes one suspicious.
    """

    rest: float
    speed: float
    force: float
    factor: float

    @property
    def limit(self) -> float:
        """What nobody needs to look at."""
        return self.factor * (self.rest + self.speed + self.force)

    def passes(self, a: Floats) -> bool:
        """Whether all accelerations are of ordinary size."""
        if a.ndim == 1:  # without delay
            return bool(a.dot(a) <= self.limit * self.limit)
        return not a.size or bool(a.max() <= self.limit and a.min() >= -self.limit)

    def suspects(self, v: Floats, tau: Floats, a: Floats) -> list[int]:
        """States of a batch whose accelerations are too large for their speeds and forces."""
        speed, force = (np.abs(x).max(axis=-1, initial=0.0) for x in (v, tau))
        natural = self.rest + self.speed * np.maximum(speed, 1.0) ** 2 + self.force * np.maximum(force, 1.0)
        return [int(k) for k in np.flatnonzero(np.abs(a).max(axis=-1) > self.factor * natural)]


def make_screen(model: Any, forward: Callable[..., Floats]) -> Screen | None:
    """The screen of a model, from a few random states; None where no place can be singular."""
    if not may_be_singular(model.mechanism):
        return None
    rng = np.random.default_rng(8)
    rows = []
    for _ in range(STATES):
        q = np.concatenate([random_coordinates(b.joint, rng) for b in model.mechanism.bodies])
        zero, one = np.zeros(model.nv), rng.choice([-1.0, 1.0], model.nv)
        try:
            rest, moved, forced = (forward(q, *x).astype(float) for x in ((zero, zero), (one, zero), (zero, one)))
        except SingularityError:
            continue
        rows.append([float(np.abs(x).max()) for x in (rest, moved - rest, forced - rest)])
    at_rest, speed, force = np.median(rows or [[0.0, 1.0, 1.0]], axis=0).tolist()
    return Screen(at_rest, speed, force, float(np.finfo(model.dtype).eps) ** -0.25)


def look_closer(model: Any, screen: Screen, q: Any, v: Any, tau: Any, a: Floats) -> None:
    """Raise if one of the states stands at a singular place; return if the large numbers are right."""
    rows, q, v, tau = (np.atleast_2d(np.asarray(x, dtype=float)) for x in (a, q, v, tau))
    q, v, tau = (np.broadcast_to(x, (len(rows), x.shape[-1])) for x in (q, v, tau))
    for k in screen.suspects(v, tau, rows):
        reason = singular_place(model.mechanism, q[k])
        if reason:
            which = f" state {k}," if a.ndim == 2 else ""
            raise SingularityError(f"forward_dynamics:{which} {reason}")
