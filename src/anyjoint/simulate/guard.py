"""What ends a run though its numbers are finite: a coordinate beyond its joint, a flip of a frame or sign, a jump."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.fence import Fence
from anyjoint.model.parameter_rows import ParameterRows
from anyjoint.model.places import Places, places_of
from anyjoint.scalar.array import Floats

from .barrier import BarrierWatch, barrier_watches
from .inflection import FrenetWatch, frenet_watches
from .jump import JumpWatch, RowWatch, jump_watches, row_watches
from .kept import kept
from .side import SideWatch, side_watches

if TYPE_CHECKING:
    from anyjoint.model import Model

Watch = FrenetWatch | JumpWatch | RowWatch | BarrierWatch | SideWatch
WATCHES: tuple[Callable[[Mechanism], tuple[Watch, ...]], ...] = (
    frenet_watches, jump_watches, row_watches, side_watches,
)  # fmt: skip


@frozen
class Trouble:
    """What is wrong with a path: the time of the last good state, when it happened, and a sentence."""

    good: float
    time: float
    sentence: str


@frozen
class Guard:
    """Looks at paths: times (n,) and coordinates (n, nq) after consecutive steps, the first of them good."""

    places: Places | None  # where the model answers, or None for everywhere
    watches: tuple[Watch, ...]

    @property
    def fences(self) -> tuple[Fence, ...]:
        """Coordinates that have an end."""
        return self.places.fences if self.places else ()

    def __bool__(self) -> bool:
        return self.places is not None or bool(self.watches)

    def first(self, t: Floats, q: Floats) -> Trouble | None:
        """What goes wrong first along a path."""
        found = [self._beyond(fence, t, q) for fence in self.fences]
        found += [self._within(watch, t, q) for watch in self.watches]
        found += [self._broken(t, q)]
        return min((trouble for trouble in found if trouble), key=lambda trouble: trouble.good, default=None)

    def at_start(self, q: Floats) -> str:
        """Why a run cannot begin at one state, or nothing."""
        for fence in self.fences:
            if fence.outside(q):
                return fence.sentence(float(fence.values(q)))
        if self.places and self.places.broken(q[None]):
            return str(self.places.reason(q))
        barriers = (watch for watch in self.watches if isinstance(watch, BarrierWatch) and watch.stands_on(q))
        return next((watch.sentence(q) for watch in barriers), "")

    def _beyond(self, fence: Fence, t: Floats, q: Floats) -> Trouble | None:
        bad = np.flatnonzero(fence.outside(q))
        if not len(bad):
            return None
        k = max(int(bad[0]), 1)
        value = float(fence.values(q[k : k + 1])[0])
        return Trouble(float(t[k - 1]), float(t[k]), fence.sentence(value))

    def _broken(self, t: Floats, q: Floats) -> Trouble | None:
        bad = self.places.broken(q) if self.places else []
        if not bad or not self.places:
            return None
        k = max(bad[0], 1)
        return Trouble(float(t[k - 1]), float(t[k]), self.places.reason(q[k]))

    def _within(self, watch: Watch, t: Floats, q: Floats) -> Trouble | None:
        found = watch.first(t, q)
        if found is None:
            return None
        k, share, at = found
        return Trouble(float(t[k]), float(t[k] + share * (t[k + 1] - t[k])), watch.sentence(at))


def guard_of(model: Model) -> Guard:
    """The guard of a model; made once for its joints."""
    return model.by_joints("guard", lambda: _guard(model.mechanism, model.places))


def guards_of(model: Model, rows: ParameterRows | None, batch: int) -> Sequence[Guard]:
    """The guards of the states of a batch: numbers of joints say where they are defined, and may vary."""
    if rows is None or not rows.vary_joints:
        return [guard_of(model)] * batch

    def own(k: int) -> Guard:
        mechanism = rows.mechanism_of(k)
        return _guard(mechanism, places_of(mechanism, model.dtype.name, compiled=False), compiled=False)

    return kept(rows, "guards", lambda: [own(k) for k in range(batch)])


def _guard(mechanism: Mechanism, places: Places | None, compiled: bool = True) -> Guard:
    watches = [watch for make in WATCHES for watch in make(mechanism)]
    return Guard(places, (*watches, *barrier_watches(mechanism, compiled)))
