"""What joints of two surfaces share: where charts end, what springs feel, what must not be met, singular places."""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.geometry.surfaces import Surface
from anyjoint.scalar import Scalar

from .chart_change import has_charts
from .joint import Joint


class TwoSurfaces(Joint):
    """A joint whose coordinates begin with u and v of one surface, then of another."""

    surface1: Surface
    surface2: Surface

    def sides(self, q: Sequence[Scalar]) -> list[tuple[str, Sequence[Scalar]]]:
        return [*self.surface1.ends(q[0], q[1]), *self.surface2.ends(q[2], q[3])]

    def barriers(self, q: Sequence[Scalar]) -> list[Scalar]:
        """None among charts, which change before any is met."""
        return [] if has_charts(self.surface1, self.surface2) else super().barriers(q)

    @property
    def deflects_by_coordinates(self) -> bool:
        return not has_charts(self.surface1, self.surface2)

    @property
    def speeds_are_velocities(self) -> bool:
        return not has_charts(self.surface1, self.surface2)

    def singularity(self, q: Sequence[float]) -> str | None:
        first = self.surface1.singularity(float(q[0]), float(q[1]))
        return first or self.surface2.singularity(float(q[2]), float(q[3])) or self.stuck(q)
