"""What ends a run though its numbers are finite: a coordinate beyond where its joint is defined, a frame that flips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.mechanism.fence import Fence

from .inflection import FrenetWatch, frenet_watches
from .kept import kept

if TYPE_CHECKING:
    from anyjoint.model import Model

Floats = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Trouble:
    """What is wrong with a path: the time of the last good state, when it happened, and a sentence."""

    good: float
    time: float
    sentence: str


@dataclass(frozen=True)
class Guard:
    """Looks at paths: times (n,) and coordinates (n, nq) after consecutive steps, the first of them good."""

    places: Any  # where the model answers, or None for everywhere
    frames: tuple[FrenetWatch, ...]

    @property
    def fences(self) -> tuple[Fence, ...]:
        """Coordinates that have an end."""
        return self.places.fences if self.places else ()

    def __bool__(self) -> bool:
        return bool(self.places or self.frames)

    def first(self, t: Floats, q: Floats) -> Trouble | None:
        """What goes wrong first along a path."""
        found = [self._beyond(fence, t, q) for fence in self.fences]
        found += [self._flip(frame, t, q) for frame in self.frames]
        found += [self._broken(t, q)]
        return min((trouble for trouble in found if trouble), key=lambda trouble: trouble.good, default=None)

    def _beyond(self, fence: Fence, t: Floats, q: Floats) -> Trouble | None:
        bad = np.flatnonzero(fence.outside(q))
        if not len(bad):
            return None
        k = max(int(bad[0]), 1)
        value = float(fence.values(q[k : k + 1])[0])
        return Trouble(float(t[k - 1]), float(t[k]), fence.sentence(value))

    def _broken(self, t: Floats, q: Floats) -> Trouble | None:
        bad = self.places.broken(q) if self.places else []
        if not bad:
            return None
        k = max(bad[0], 1)
        return Trouble(float(t[k - 1]), float(t[k]), self.places.reason(q[k]))

    def _flip(self, frame: FrenetWatch, t: Floats, q: Floats) -> Trouble | None:
        found = frame.first_flip(q)
        if found is None:
            return None
        k, share, at = found
        return Trouble(float(t[k]), float(t[k] + share * (t[k + 1] - t[k])), frame.sentence(at))


def guard_of(model: Model) -> Guard:
    """The guard of a model; made once for its bodies."""
    mechanism = model.mechanism
    return kept(
        model,
        ("guard", tuple(mechanism.bodies)),
        lambda: Guard(model.places, frenet_watches(mechanism)),
    )
