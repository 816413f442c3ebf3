"""A surface by several charts that overlap: joints change charts before one of them ends [SG section 6].

All charts share one function of (u, v). Chart k has its v shifted, so that no two charts use the same values; which one
a state is in is read off v. Whatever a chart is asked for is computed for all and chosen, so that code never branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, absolute, is_number, less, minimum, plain, select
from anyjoint.spatial import Pose, Turn, Vector, as_matrix, vector

from ..frame import FrameTurn
from .bezier import Bezier
from .function import as_surface
from .quilt import Quilt
from .surface import Array, Change, Interval, Surface, joined

GAP = 1.0  # between the values of v of two charts, as a share of the wider one
TURNS = 0.75  # how far a periodic v may go from the middle before whole periods are taken off
SAME = 1e-9  # how far points of two charts may be apart, as a share of the surface's size
ALONG = 24  # probes along each edge of a chart


@frozen
class Atlas(Surface):
    """Charts of one surface; `surfaces.atlas` makes it. A chart serves in its `region`; where that ends, others go on.

    (u, v) are those of the first chart; chart k has the values of v that `shifts[k]` adds to its own.
    """

    charts: tuple[Any, ...]

    def __post_init__(self) -> None:
        charts = tuple(as_surface(chart) for chart in self.charts)
        object.__setattr__(self, "charts", charts)
        if len(charts) < 2:
            raise InputError(f"atlas: {len(charts)} chart given, at least two are needed, or one surface that has them")
        for k, chart in enumerate(charts):
            if not np.isfinite(chart.domain[1]).all():
                raise InputError(f"atlas: chart {k}, {chart.name}, has no end in v; give it a finite domain")
        if all(is_number(x) for chart in charts for x in chart.point(*chart.neutral)):
            check(self)

    # -- which chart ---------------------------------------------------------------------------------------------

    @cached_property
    def shifts(self) -> tuple[float, ...]:
        """What is added to v in each chart."""
        made, end = [0.0], self.charts[0].domain[1][1]
        for before, chart in zip(self.charts, self.charts[1:], strict=False):
            low, high = chart.domain[1]
            gap = GAP * max(high - low, before.domain[1][1] - before.domain[1][0])
            made.append(end + gap - low)
            end = made[-1] + high
        return tuple(made)

    @cached_property
    def borders(self) -> tuple[float, ...]:
        """Values of v between those of one chart and the next."""
        ends = [chart.domain[1][1] + shift for chart, shift in zip(self.charts, self.shifts, strict=True)]
        begins = [chart.domain[1][0] + shift for chart, shift in zip(self.charts, self.shifts, strict=True)]
        return tuple((end + begin) / 2 for end, begin in zip(ends, begins[1:], strict=False))

    def chart_of(self, v: float) -> int:
        """The number of the chart that a value of v belongs to."""
        return int(np.searchsorted(self.borders, float(v), side="right"))

    def chosen(self, v: Scalar, values: Sequence[Any]) -> Any:
        """The entry for the chart of v, out of one for each chart."""
        found = values[-1]
        for border, value in zip(reversed(self.borders), reversed(values[:-1]), strict=True):
            found = select(less(v, border), value, found)
        return found

    def _own(self, k: int, u: Scalar, v: Scalar) -> tuple[Scalar, Scalar]:
        """Parameters in chart k; harmless ones where the state is in another."""
        own = u, v - self.shifts[k]
        others = range(len(self.charts))
        pick = zip(own, self.charts[k].neutral, strict=True)
        at_u, at_v = (self.chosen(v, [x if i == k else rest for i in others]) for x, rest in pick)
        return at_u, at_v

    def _each(self, u: Scalar, v: Scalar) -> list[tuple[Any, Scalar, Scalar]]:
        """Every chart with its parameters; where v is a plain number, the one that it belongs to, for all."""
        at = plain(v)
        if at is not None:
            k = self.chart_of(at)
            return [(self.charts[k], u, v - self.shifts[k])] * len(self.charts)
        return [(chart, *self._own(k, u, v)) for k, chart in enumerate(self.charts)]

    # -- a surface -----------------------------------------------------------------------------------------------

    @property
    def domain(self) -> tuple[Interval, Interval]:  # type: ignore[override]
        return self.charts[0].domain  # type: ignore[no-any-return]

    @property
    def region(self) -> tuple[Interval, Interval]:
        return self.charts[0].region  # type: ignore[no-any-return]

    @property
    def neutral(self) -> tuple[float, float]:
        return self.charts[0].neutral  # type: ignore[no-any-return]

    @property
    def periods(self) -> tuple[float | None, float | None]:  # type: ignore[override]
        first = self.charts[0].periods[0]
        return (first if all(chart.periods[0] == first for chart in self.charts) else None), None

    @property
    def orientation(self) -> int:  # type: ignore[override]
        return self.charts[0].orientation  # type: ignore[no-any-return]

    @property
    def name(self) -> str:
        return f"Atlas({', '.join(chart.name for chart in self.charts)})"

    def point(self, u: Scalar, v: Scalar) -> Vector:
        points = [chart.point(*at) for chart, *at in self._each(u, v)]
        return vector(*(self.chosen(v, entries) for entries in zip(*points, strict=True)))

    def frame(self, u: Scalar, v: Scalar) -> Pose:
        if plain(v) is not None:
            chart, *at = self._each(u, v)[0]
            return chart.frame(*at)  # type: ignore[no-any-return]
        frames = [chart.frame(*at) for chart, *at in self._each(u, v)]
        rows = [[self.chosen(v, [f.R[i, j] for f in frames]) for j in range(3)] for i in range(3)]
        p = [self.chosen(v, [f.p[i] for f in frames]) for i in range(3)]
        edges = [self._edge(v, frames, which) for which in (0, -1)] if any(_edges(f) for f in frames) else []
        turn = FrameTurn(as_matrix(rows), tuple(edges)) if edges else Turn(as_matrix(rows))
        return Pose.translation(*p) @ Pose((turn,))

    def _edge(self, v: Scalar, frames: Sequence[Pose], which: int) -> Vector:
        """One of the vectors that must not vanish, in the chart of v; closed forms have none."""
        own = [(_edges(f) or [vector(1, 0, 0)])[which] for f in frames]
        return vector(*(self.chosen(v, entries) for entries in zip(*own, strict=True)))

    def poles(self, u: Scalar, v: Scalar) -> list[Scalar]:
        own = [(chart.poles(*at) or [1])[0] for chart, *at in self._each(u, v)]
        return [self.chosen(v, own)] if any(chart.poles(*chart.neutral) for chart in self.charts) else []

    def singularity(self, u: float, v: float) -> str | None:
        k = self.chart_of(v)
        found: str | None = self.charts[k].singularity(u, v - self.shifts[k])
        return f"chart {k}: {found}" if found else None

    def locate(self, point: Vector) -> tuple[Scalar, Scalar]:
        """In the chart that the point is deepest in."""
        _, u, v = self._deepest(point)
        return u, v

    def all_charts(self) -> Atlas:
        return self

    def other_chart(self, u: Scalar, v: Scalar) -> Change:
        """The chart that the point is deepest in; it is time to change once the present one is left."""
        depths = [depth(chart, at_u, at_v, wrapped=False) for chart, at_u, at_v in self._each(u, v)]
        own = self.chosen(v, depths)
        best, new_u, new_v = self._deepest(self.point(u, v))
        return less(own, minimum(best, 0)), new_u, new_v

    def aliases(self, u: float, v: float) -> list[tuple[float, float]]:
        at, point = self.chart_of(v), self.point(u, v)
        found = [(chart.locate(point), shift) for chart, shift in zip(self.charts, self.shifts, strict=True)]
        return [(x, y + shift) for k, ((x, y), shift) in enumerate(found) if k != at]

    def _deepest(self, point: Vector) -> tuple[Scalar, Scalar, Scalar]:
        """How deep a point is in the chart that serves it best, and its parameters there."""
        best, u, v = None, 0.0, 0.0
        for chart, shift in zip(self.charts, self.shifts, strict=True):
            at_u, at_v = chart.locate(point)
            own = depth(chart, at_u, at_v, wrapped=True)
            if best is None:
                best, u, v = own, at_u, at_v + shift
                continue
            deeper = less(best, own)
            u, v = select(deeper, at_u, u), select(deeper, at_v + shift, v)
            best = select(deeper, own, best)
        return best, u, v

    def mesh(self, nu: int = 48, nv: int = 24) -> tuple[Array, Array]:
        """That of a chart which shows more than it serves, as those with poles do; else those of all charts."""
        whole = [chart for chart in self.charts if chart.domain != chart.region]
        return joined([chart.mesh(nu, nv) for chart in whole[:1] or self.charts])


def depth(chart: Surface, u: Scalar, v: Scalar, wrapped: bool) -> Scalar:
    """How far inside its region a chart is, as a share of it; negative outside. Periodic directions have no end.

    Only that v must not stray to the values of other charts, so that it counts until whole periods have been `wrapped`.
    """
    found: list[Scalar] = []
    for x, (low, high), period in zip((u, v), chart.region, chart.periods, strict=True):
        if period is None:
            found.append(minimum(x - low, high - x) * (1 / (high - low)))
    if chart.periods[1] is not None and not wrapped:
        low, high = chart.region[1]
        found.append(TURNS - absolute(v - (low + high) / 2) * (1 / chart.periods[1]))
    least: Scalar = 0.5
    for x in found:
        least = minimum(least, x)
    return least


def _edges(frame: Pose) -> list[Vector]:
    return [edge for factor in frame.factors if isinstance(factor, FrameTurn) for edge in factor.edges]


def edge_points(chart: Surface) -> list[tuple[float, float]]:
    """Parameters along the ends of a chart's region, where another one has to go on."""
    (u0, u1), (v0, v1) = chart.region
    us, vs = ((low + (np.arange(ALONG) + 0.5) / ALONG * (high - low)).tolist() for low, high in chart.region)
    found = [(u, v) for u in us for v in (v0, v1)] if chart.periods[1] is None else []
    return found + ([(u, v) for v in vs for u in (u0, u1)] if chart.periods[0] is None else [])


def check(atlas: Atlas) -> None:
    """Refuse charts of different surfaces or of opposite normals, and ends of a chart that no other one covers."""
    for k, chart in enumerate(atlas.charts):
        size = max(float(np.ptp([chart.point(u, v) for u, v in _middle(chart)], axis=0).max()), 1e-300)
        for u, v in edge_points(chart):
            point = chart.point(u, v)
            own = [-1.0 if other is chart else _reached(other, point) for other in atlas.charts]
            j = int(np.argmax(own))
            where = f"atlas: chart {k}, {chart.name}, ends at u = {u:.6g}, v = {v:.6g}"
            if own[j] <= 0:
                raise InputError(
                    f"{where}, where no other chart is inside its own region; add a chart, or let regions overlap more"
                )
            other = atlas.charts[j]
            at = other.locate(point)
            if float(np.abs(np.array(other.point(*at) - point, dtype=float)).max()) > SAME * size:
                raise InputError(f"{where}; chart {j}, {other.name}, goes on elsewhere: charts must be of one surface")
            if float(other.normal(*at) @ chart.normal(u, v)) < 0:
                raise InputError(f"{where}; chart {j}, {other.name}, has its normal on the other side: flip one")


def _reached(chart: Surface, point: Vector) -> float:
    """How deep a point is in a chart."""
    u, v = chart.locate(point)
    return float(depth(chart, u, v, wrapped=True))


def _middle(chart: Surface) -> list[tuple[float, float]]:
    (u0, u1), (v0, v1) = chart.region
    return [(u0 + s * (u1 - u0), v0 + t * (v1 - v0)) for s in (0.1, 0.5, 0.9) for t in (0.1, 0.5, 0.9)]


def atlas(charts: Any) -> Surface:
    """A surface with as many charts as it needs, among which joints change by themselves.

    Give a sphere or an ellipsoid, which gets a second chart with its poles elsewhere (a torus needs none); or a list of
    charts of one surface, each a surface that serves in its `region`, overlapping so that no end is left. Bezier
    patches lie side by side instead: wherever two of them share an edge, joints go on from one into the other.

    >>> from anyjoint import surfaces
    >>> surfaces.atlas(surfaces.Sphere(1.0)).axis
    'zx'
    >>> len(surfaces.atlas([surfaces.Sphere(1.0, axis) for axis in "xyz"]).charts)
    3
    """
    if isinstance(charts, (list, tuple)):
        patches = bool(charts) and all(isinstance(chart, Bezier) for chart in charts)
        return Quilt(tuple(charts)) if patches else Atlas(tuple(charts))
    return as_surface(charts).all_charts()
