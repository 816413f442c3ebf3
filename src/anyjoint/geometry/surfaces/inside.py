"""The inside of a surface: the same points, the normal turned round."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, Vector

from ..frame import FLIP
from .function import as_surface
from .surface import Change, Interval, Surface


@frozen
class Inside(Surface):
    """A surface touched from its other side: a bowl is the inside of a sphere, a gutter that of a torus."""

    surface: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "surface", as_surface(self.surface))

    @property
    def domain(self) -> tuple[Interval, Interval]:  # type: ignore[override]
        return self.surface.domain  # type: ignore[no-any-return]

    @property
    def periods(self) -> tuple[float | None, float | None]:  # type: ignore[override]
        return self.surface.periods  # type: ignore[no-any-return]

    @property
    def defined(self) -> tuple[Interval, Interval]:  # type: ignore[override]
        return self.surface.defined  # type: ignore[no-any-return]

    @property
    def orientation(self) -> int:  # type: ignore[override]
        return -int(self.surface.orientation)

    @property
    def neutral(self) -> tuple[float, float]:
        return self.surface.neutral  # type: ignore[no-any-return]

    @property
    def name(self) -> str:
        return f"Inside({self.surface.name})"

    def point(self, u: Scalar, v: Scalar) -> Vector:
        return self.surface.point(u, v)  # type: ignore[no-any-return]

    def frame(self, u: Scalar, v: Scalar) -> Pose:
        return self.surface.frame(u, v) @ FLIP  # type: ignore[no-any-return]

    def poles(self, u: Scalar, v: Scalar) -> list[Scalar]:
        return self.surface.poles(u, v)  # type: ignore[no-any-return]

    @property
    def region(self) -> tuple[Interval, Interval]:
        return self.surface.region  # type: ignore[no-any-return]

    def locate(self, point: Vector) -> tuple[Scalar, Scalar]:
        return self.surface.locate(point)  # type: ignore[no-any-return]

    def all_charts(self) -> Inside:
        return replace(self, surface=self.surface.all_charts())

    def other_chart(self, u: Scalar, v: Scalar) -> Change | None:
        return self.surface.other_chart(u, v)  # type: ignore[no-any-return]

    def aliases(self, u: float, v: float) -> list[tuple[float, float]]:
        return self.surface.aliases(u, v)  # type: ignore[no-any-return]

    def change_probes(self) -> list[tuple[float, float]]:
        return self.surface.change_probes()  # type: ignore[no-any-return]

    def ends(self, u: Scalar, v: Scalar) -> list[tuple[str, list[Scalar]]]:
        return self.surface.ends(u, v)  # type: ignore[no-any-return]

    def singularity(self, u: float, v: float) -> str | None:
        return self.surface.singularity(u, v)  # type: ignore[no-any-return]
