"""Round solids: what a sphere and an ellipsoid share, that is their poles and the charts that avoid them."""

import math
from dataclasses import replace
from typing import Any, Self

from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .pole import (
    POLAR_DOMAIN,
    both_charts,
    other_chart,
    polar_axes,
    polar_region,
    pole_distance,
    pole_message,
)
from .surface import Change, Interval, Surface


class Round(Surface):
    """A surface by longitude u and angle v from a pole on `axis`; two axes, such as "zx", are two charts."""

    axis: str
    domain = POLAR_DOMAIN
    periods = (2 * math.pi, None)
    orientation = -1

    def axes(self, v: Scalar) -> Pose:
        """The rotation from axes in which the poles of the chart of v lie on z."""
        return polar_axes(self.axis, type(self).__name__, v)

    @property
    def region(self) -> tuple[Interval, Interval]:
        return polar_region(self.axis)

    def all_charts(self) -> Self:
        one: Any = self  # a dataclass, as all surfaces are
        made: Self = replace(one, axis=both_charts(self.axis))
        return made

    def other_chart(self, u: Scalar, v: Scalar) -> Change | None:
        return other_chart(u, v) if len(self.axis) == 2 else None

    def poles(self, u: Scalar, v: Scalar) -> list[Scalar]:
        return pole_distance(v)

    def singularity(self, u: float, v: float) -> str | None:
        return pole_message(type(self).__name__, self.axis, v)
