"""Coordinates that must stay inside an interval, because their joint means nothing outside: open splines, tables."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import SingularityError
from anyjoint.frozen import frozen
from anyjoint.joints import Joint
from anyjoint.scalar.array import Floats

if TYPE_CHECKING:
    from .body_tree import BodyTree



@frozen
class Fence:
    """One such coordinate: whose it is, its place in q, and the interval.

    A coupled joint's own coordinate is not in q: `leader` is then where its source's coordinates are.
    """

    body: str
    coordinate: str
    index: int
    low: float
    high: float
    follower: Joint | None = None
    leader: slice = field(default_factory=lambda: slice(0))

    def values(self, q: Floats) -> Floats:
        """The coordinate in each of the states (..., nq)."""
        if self.follower is None:
            return q[..., self.index]
        rows = q[..., self.leader].reshape(-1, self.leader.stop - self.leader.start).tolist()
        made = [self.follower.inner_coordinates(row)[self.index] for row in rows]
        return np.array(made, dtype=float).reshape(q.shape[:-1])

    def holds(self, q: Floats) -> bool:
        """Whether one state is surely inside."""
        return self.follower is None and len(q) > self.index and bool(self.low <= q[self.index] <= self.high)

    def outside(self, q: Floats) -> Floats:
        """Which of the states (..., nq) lie beyond the ends; what is not a number is not judged."""
        x = self.values(q)
        return np.asarray((x < self.low) | (x > self.high))

    def sentence(self, value: float) -> str:
        """What is wrong with a value outside."""
        return (
            f"body {self.body!r}: coordinate {self.coordinate!r} = {value:.9g} is outside [{self.low:.9g}, "
            f"{self.high:.9g}], where alone its joint is defined; keep it inside, or give the joint a curve, surface "
            "or table that is closed or reaches farther"
        )


def fences_of(mechanism: BodyTree) -> tuple[Fence, ...]:
    """All coordinates of a mechanism that have an end."""
    found = []
    for body in mechanism.bodies:
        follower = body.joint if body.joint.follows else None
        leader = mechanism.leader(body).q if follower else slice(0)
        for k, c in enumerate(body.joint.inner.coordinates):
            if c.defined != (-math.inf, math.inf):
                index = k if follower else body.q.start + k
                found.append(Fence(body.name, c.name, index, *c.defined, follower, leader))
    return tuple(found)


def check_inside(where: str, fences: tuple[Fence, ...], q: Any) -> None:
    """Raise if a state, or one of a batch, lies outside; what is no array of numbers is left to other checks."""
    if getattr(q, "ndim", 0) == 1 and all(fence.holds(q) for fence in fences):  # the usual case, without delay
        return
    try:
        states = np.asarray(q, dtype=float)
        found = [(fence, fence.outside(states)) for fence in fences]
    except (IndexError, TypeError, ValueError):
        return
    for fence, outside in found:
        if outside.any():
            state = tuple(int(k) for k in np.argwhere(outside)[0])
            which = f" state {state[0]}," if state else ""
            raise SingularityError(f"{where}:{which} {fence.sentence(float(fence.values(states)[state]))}")
