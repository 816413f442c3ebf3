"""A factor that tells two charts apart: a quarter turn or none. What passes it is chosen, not multiplied."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, select

from .algebra import Vector, vector
from .factor import Rotation
from .inertia import BlockInertia


@frozen
class QuarterTurn(Rotation):
    """No turn where the condition `still` holds, else a quarter turn about a coordinate axis; sign -1 turns back."""

    still: Scalar
    sign: int

    @staticmethod
    def about(axis: int, still: Scalar, sign: int = 1) -> QuarterTurn:
        """The factor; its angle changes by steps only, so that its derivative is 0."""
        return QuarterTurn(axis, select(still, 0.0, sign * math.pi / 2), still, sign)

    @cached_property
    def sincos(self) -> tuple[Scalar, Scalar]:
        return select(self.still, 0, self.sign), select(self.still, 1, 0)

    @cached_property
    def quarter(self) -> Rotation:
        """The turn itself."""
        return Rotation.from_sincos(self.axis, self.sign, 0)

    def inverse(self) -> QuarterTurn:
        return QuarterTurn.about(self.axis, self.still, -self.sign)

    def turn(self, x: Vector) -> Vector:
        return vector(*self._choice(x, self.quarter.turn(x)))

    def force(self, f: Vector) -> Vector:
        return vector(*self._choice(f, self.quarter.force(f)))

    def inertia(self, J: BlockInertia) -> BlockInertia:
        return BlockInertia.from_entries(self._choice(J.entries(), self.quarter.inertia(J).entries()))

    def _choice(self, same: Iterable[Scalar], turned: Iterable[Scalar]) -> list[Scalar]:
        return [select(self.still, x, y) for x, y in zip(same, turned, strict=True)]
