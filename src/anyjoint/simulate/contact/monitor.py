"""What is watched in each mode, as numbers that are positive while the mode lasts.

| mode | watched | reaches 0 when |
|---|---|---|
| flight | gap | the body touches its parent |
| sliding | normal force | it would pull: the body leaves |
| sliding | slip along the direction that it had | slip ends |
| rolling | normal force | it would pull |
| rolling | friction left before the limit | the body begins to slip |
"""

from __future__ import annotations

import math
from typing import NamedTuple

from anyjoint.mechanism.contact import FLIGHT, SLIDING
from anyjoint.scalar.array import Floats

from .nearest import Near
from .stepper import Solved
from .switch import Situation, Switchboard

GAP, NORMAL, SLIP, GRIP = "gap", "normal force", "slip", "grip"


class Watched(NamedTuple):
    """A number that is watched: which of the four, and of which body."""

    what: str
    body: str


class Look:
    """A state of a situation's modes, looked at: what is watched, on demand."""

    def __init__(
        self, board: Switchboard, now: Situation, t: float, q: Floats, v: Floats,
        solved: tuple[Solved, dict[str, Floats]] | None = None,
    ) -> None:  # fmt: skip
        """`solved` are accelerations and what contacts pass, where they are known already."""
        self.board, self.now, self.t, self.q, self.v = board, now, t, q, v
        self.near: dict[str, Near] = {}
        self._solved = solved

    @property
    def solved(self) -> Solved:
        """Accelerations."""
        return self._forces()[0]

    @property
    def wrenches(self) -> dict[str, Floats]:
        """What contacts pass, in body frames."""
        return self._forces()[1]

    def _forces(self) -> tuple[Solved, dict[str, Floats]]:
        if self._solved is None:
            stepper = self.now.stepper
            solved = stepper.solve(self.t, self.q, self.v)
            self._solved = solved, stepper.wrenches(self.t, self.q, self.v, solved)
        return self._solved

    def watched(self) -> list[Watched]:
        """All that there is to watch in these modes."""
        found: list[Watched] = []
        for name, mode in self.now.modes.items():
            if mode == FLIGHT:
                found.append(Watched(GAP, name))
                continue
            found.append(Watched(NORMAL, name))
            rough = any(body.name == name for body in self.now.stepper.rough)
            if mode != SLIDING or rough:
                found.append(Watched(SLIP if mode == SLIDING else GRIP, name))
        return found

    def value(self, watched: Watched) -> float:
        """One of the watched numbers."""
        what, name = watched
        stepper = self.now.stepper
        if what == GAP:
            return self.gap(name)
        body = stepper.model.mechanism[name]
        if what == SLIP:
            return float(stepper.slip(body, self.q, self.v) @ stepper.slips[name])
        f = self.solved.lifted.frame(name).force(self.wrenches[name])
        if what == NORMAL:
            return float(f[2])
        assert body.contact is not None
        return float(body.contact.friction * f[2] - math.hypot(f[0], f[1]))

    def gap(self, name: str) -> float:
        """The distance of a flying body from its parent; infinite where there are no nearest points."""
        if name not in self.near:
            lifted = self.now.stepper.free.lift(self.q, self.v)
            found = self.board.points(name, lifted.q, self.now.near.get(name))
            if found is None:
                return math.inf
            self.near[name] = found
        return self.near[name].gap
