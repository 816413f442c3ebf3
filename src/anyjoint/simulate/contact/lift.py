"""States, accelerations and forces of one combination of modes in terms of the released model, where all are free."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.mechanism import Body
from anyjoint.scalar.array import Floats

from .joining import Frame, Joined, joining

if TYPE_CHECKING:
    from anyjoint.model import Model


@frozen
class Lifted:
    """A state in the coordinates of the released model; `touches` by contact body."""

    q: Floats
    v: Floats
    touches: dict[str, Joined]

    def frame(self, name: str) -> Frame:
        """The contact frame on a body."""
        return Frame(self.touches[name].R, self.touches[name].p)


class Lift:
    """From a model in some modes to the released one and back; `touching` are bodies that differ, in both."""

    def __init__(self, model: Model, released: Model) -> None:
        self.model, self.released = model, released
        pairs = list(zip(model.mechanism.bodies, released.mechanism.bodies, strict=True))
        self.touching = [(own, free) for own, free in pairs if own.joint.nv != free.joint.nv]
        self.joinings = {own.name: joining(model, own) for own, _ in self.touching}
        same = [(own, free) for own, free in pairs if own.joint.nv == free.joint.nv]
        self.same_q, self.same_v = (_places(same, kind) for kind in "qv")

    def lift(self, q: Floats, v: Floats) -> Lifted:
        """The state in coordinates and velocities of the released model."""
        touches = {}
        for own, _ in self.touching:
            touches[own.name] = self.joinings[own.name](np.ascontiguousarray(q[own.q]), v[own.v].copy())
        return self._lifted(q, v, touches)

    def lift_all(self, q: Floats, v: Floats) -> list[Lifted]:
        """Many states, (n, nq) and (n, nv), at once."""
        found = {own.name: self.joinings[own.name].all(q[:, own.q].copy(), v[:, own.v].copy())
                 for own, _ in self.touching}  # fmt: skip
        return [self._lifted(x, y, {name: rows[k] for name, rows in found.items()})
                for k, (x, y) in enumerate(zip(q, v, strict=True))]  # fmt: skip

    def _lifted(self, q: Floats, v: Floats, touches: dict[str, Joined]) -> Lifted:
        at, rates = np.empty(self.released.nq), np.empty(self.released.nv)
        at[self.same_q[1]], rates[self.same_v[1]] = q[self.same_q[0]], v[self.same_v[0]]
        for own, free in self.touching:
            touch = touches[own.name]
            at[free.q], rates[free.v] = touch.coordinates, touch.S @ v[own.v]
        return Lifted(at, rates, touches)

    def raised(self, lifted: Lifted, a: Floats) -> Floats:
        """Accelerations of the released model."""
        out = np.empty(self.released.nv)
        out[self.same_v[1]] = a[self.same_v[0]]
        for own, free in self.touching:
            touch = lifted.touches[own.name]
            out[free.v] = touch.S @ a[own.v] + touch.c
        return out

    def lowered(self, lifted: Lifted, tau: Floats) -> Floats:
        """Generalized forces on the velocities of this mode, N^T tau."""
        out = np.empty(self.model.nv)
        out[self.same_v[0]] = tau[self.same_v[1]]
        for own, free in self.touching:
            out[own.v] = lifted.touches[own.name].S.T @ tau[free.v]
        return out


def _places(pairs: Sequence[tuple[Body, Body]], kind: str) -> tuple[Floats, Floats]:
    """Where coordinates or velocities of bodies stand in two models."""
    sides = zip(*((getattr(own, kind), getattr(free, kind)) for own, free in pairs), strict=True) if pairs else ((), ())
    first, second = (np.array([k for part in side for k in range(part.start, part.stop)], dtype=int) for side in sides)
    return first, second
