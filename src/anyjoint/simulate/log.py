"""What a run leaves behind for those who ask later: the mechanism as it was, and the steps that it took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from anyjoint.joints.parameters import parameters
from anyjoint.mechanism import Body, Mechanism
from anyjoint.model.change import SPRING
from anyjoint.scalar.array import ArrayLike, Floats


@dataclass
class Log:
    """What a run leaves behind: what the mechanism was, and of a run with error control its accepted steps.

    Those by their beginnings, lengths and first states, and if they look back, what the next one looks at and the rates
    that they begin with. Of others their lengths, and of those that look back what they look at, by how many steps
    there were before, and of those that do not the accelerations of their stages.
    """

    bodies: tuple[Body, ...]
    gravity: tuple[float, ...]
    every: int = 1
    parts: dict[int, list[tuple[Floats, Floats, Floats]]] = field(default_factory=dict)
    left: list[tuple[Floats, Floats]] = field(default_factory=list)
    fixed: list[Floats] = field(default_factory=list)  # lengths of steps, some after the others

    @staticmethod
    def of(mechanism: Mechanism, every: int = 1) -> Log:
        """The log of a run that begins now, and of which every so many steps are kept."""
        return Log(tuple(mechanism.bodies), tuple(map(float, mechanism.gravity)), every)

    def still_holds(self, mechanism: Mechanism) -> bool:
        """Whether all parameters of the mechanism are what they were in the run."""
        pairs = zip(self.bodies, mechanism.bodies, strict=True)
        same = self.gravity == tuple(map(float, mechanism.gravity))
        return same and all(a is b or _numbers(a) == _numbers(b) for a, b in pairs)

    def add(self, member: int, before: Floats, used: Floats, y: Floats) -> None:
        """More steps of a trajectory."""
        self.parts.setdefault(member, []).append((before.copy(), used.copy(), y.copy()))

    def take(self, steps: int, length: float) -> None:
        """More steps of one length, of all trajectories."""
        self.fixed.append(np.full(steps, length))

    def leave(self, counts: Floats, rows: Floats) -> None:
        """What so many steps leave behind, (samples, batch, n); of every so many steps it is kept."""
        saved = counts % self.every == 0
        self.left.append((counts[saved], rows[saved]))

    def after(self, member: int) -> Callable[[ArrayLike], Floats]:
        """What is left behind after so many steps; nothing before the first."""
        counts = np.concatenate([np.zeros(1, int), *(x for x, _ in self.left)])
        width = self.left[0][1].shape[-1] if self.left else 0
        rows = np.concatenate([np.zeros((1, width)), *(x[:, member] for _, x in self.left)])
        return lambda k: rows[np.searchsorted(counts, k)]


def _numbers(body: Body) -> tuple[object, ...]:
    """Everything of a body that is a parameter."""
    joint = tuple(parameter.value for parameter in parameters(body.joint))
    return (np.asarray(body.placement.matrix).tolist(), body.inertia, joint, *(getattr(body, what) for what in SPRING))
