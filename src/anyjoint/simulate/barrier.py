"""Places that no motion passes, met between two states: where velocities of a joint move nothing, or frames turn over.

Numbers of the joints vanish there. A step may jump over such a place, with accelerations that mean nothing; but the
straight way between the two states meets it, or passes it much nearer than the step is long.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.singular import joint_reason
from anyjoint.model.places import Shares, shares
from anyjoint.scalar.array import Floats

from .way import periods_of, way

ROUNDS, PARTS = 9, 16  # down to 2e-11 of a step
VANISHES = 1e-7  # of a number's usual size
NEAR, SMALL = 0.25, 0.02  # a step that passes nearer than a quarter of its length is too long to know the way


@frozen(eq=False)
class BarrierWatch:
    """All numbers of a mechanism that must not vanish on the way; `periods` of the coordinates that wrap, else 0."""

    mechanism: Mechanism
    numbers: Shares
    periods: Floats

    def first(self, t: Floats, q: Floats) -> tuple[int, float, Floats] | None:
        """The first step (k, k + 1) of a path that passes such a place, the share of it, and the place."""
        for k, column, change in self._suspects(_sizes(self.numbers.values(q))):
            there = way(q[k], q[k + 1], self.periods)
            share = self._share(q[k], there, column, min(NEAR * change, SMALL))
            if share is not None:
                return k, share, q[k] + share * there
        return None

    def stands_on(self, q: Floats) -> bool:
        """Whether one state is at such a place."""
        return bool(self.numbers.broken(q[None]))

    def _suspects(self, size: Floats) -> Iterator[tuple[int, int, float]]:
        """Steps in which a number may vanish, which number, and its change nearby: it is smaller at one end."""
        if len(size) < 2:
            return
        change = np.pad(np.abs(np.diff(size, axis=0)), [(1, 1), (0, 0)])
        largest = np.maximum(np.maximum(change[:-2], change[1:-1]), change[2:])
        for k, column in np.argwhere(np.minimum(size[:-1], size[1:]) <= 2 * largest):
            yield int(k), int(column), float(largest[k, column])

    def _share(self, begin: Floats, there: Floats, column: int, least: float) -> float | None:
        """Where within a step a number falls below the least, or None: look closer and closer about the smallest."""
        at = np.linspace(0.0, 1.0, PARTS + 1)
        for _ in range(ROUNDS):
            found = self._along(begin, there, at)[:, column]
            k = int(np.argmin(found))
            if found[k] <= max(least, VANISHES):
                return float(at[k])
            if found[k] > 2 * np.abs(np.diff(found)).max():  # far from vanishing
                return None
            at = np.linspace(at[max(k - 1, 0)], at[min(k + 1, PARTS)], PARTS + 1)
        return None

    def _along(self, begin: Floats, there: Floats, at: Floats) -> Floats:
        return _sizes(self.numbers.values(begin + at[:, None] * there))

    def sentence(self, at: Floats) -> str:
        """What happened at these coordinates."""
        body = self.numbers.smallest(at)
        own = at[body.q].tolist()
        reason = joint_reason(body, at) or body.joint.lock or (
            "some mix of its velocities moves nothing nearby, or a frame turns over; choose coordinates or shapes that "
            "are regular there, or steps that are short enough to go round it"
        )
        return f"body {body.name!r} passed a singular place at q = {own}: {reason}"


def _sizes(numbers: Floats) -> Floats:
    """Roots of the numbers; 0 where they are 0 / 0, because a column of S is nothing at all."""
    return np.nan_to_num(np.sqrt(np.abs(numbers)), nan=0.0, posinf=np.finfo(float).max)


def barrier_watches(mechanism: Mechanism, compiled: bool = True) -> tuple[BarrierWatch, ...]:
    """The watch of a mechanism, or none where nothing can vanish."""
    numbers = shares(mechanism, lambda joint, q: joint.barriers(q), "float64", VANISHES**2, compiled)
    if numbers is None:
        return ()
    coordinates = (c for body in mechanism.bodies for c in body.joint.coordinates)
    return (BarrierWatch(mechanism, numbers, periods_of(coordinates)),)
