"""How a joint's coordinates on a surface change with the surface's chart: the same point, seen from a turned frame.

The frame of the other chart is the present one, turned about the normal by theta. A joint that has an angle about the
normal takes theta up; one that has none can go on only where both frames are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anyjoint.errors import AnyjointError, InputError
from anyjoint.frozen import frozen
from anyjoint.geometry.surfaces import Surface
from anyjoint.scalar import Scalar, atan2, is_number, select
from anyjoint.spatial import vector

from .joint import Joint, nearest_of
from .product_rule import leg_motion
from .wandering import Wandering

ALIGNED = 1e-9  # angle between the frames of two charts that is none


@frozen
class ChartChange:
    """Parameters and their rates in the other chart, the angle to its frame, and whether it is time to change."""

    better: Scalar
    at: Sequence[Scalar]
    rates: Sequence[Scalar]
    theta: Scalar
    theta_rate: Scalar

    @staticmethod
    def of(surface: Surface, at: Sequence[Scalar], rates: Sequence[Scalar]) -> ChartChange | None:
        """At parameters (u, v) and their rates; None where there is one chart."""
        change = surface.other_chart(at[0], at[1])
        if change is None:
            return None
        better, *new = change
        c, s = turn_between(surface, at, new)
        S = leg_motion(lambda x: surface.frame(x[0], x[1]), at, [0, 0]).S @ vector(*rates)
        w = vector(c * S[3] + s * S[4], c * S[4] - s * S[3])  # the velocity of the point, in the new frame
        there = Wandering.over(surface, new[0], new[1])
        return ChartChange(better, new, list(there.rates @ w), atan2(s, c), there.spin @ w - S[2])

    def taken(self, q: Sequence[Scalar], k: int, new: Sequence[Scalar]) -> list[Scalar]:
        """A list in which two entries from k on are new ones where it is time to change."""
        made = list(q)
        made[k : k + 2] = [select(self.better, x, y) for x, y in zip(new, q[k : k + 2], strict=True)]
        return made

    def turned(self, x: Scalar, by: Scalar) -> Scalar:
        """A number to which something is added where it is time to change."""
        return select(self.better, x + by, x)


def turn_between(surface: Surface, old: Sequence[Scalar], new: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
    """Cosine and sine of the angle about the normal from a frame to that of another chart at the same point."""
    before, after = surface.frame(old[0], old[1]).R, surface.frame(new[0], new[1]).R
    return before[:, 0] @ after[:, 0], before[:, 1] @ after[:, 0]


Rewritten = tuple[list[Scalar], list[Scalar]]


def changed(
    surfaces: Sequence[tuple[int, Surface]], q: Sequence[Scalar], v: Sequence[Scalar], psi: int | None, sign: int
) -> Rewritten | None:
    """(q, v) after changes of chart of surfaces, whose parameters begin at some k; `psi` takes up sign * theta."""
    at, rates, rewritten = list(q), list(v), False
    for k, surface in surfaces:
        change = ChartChange.of(surface, at[k : k + 2], rates[k : k + 2])
        if change is None:
            continue
        at, rates = change.taken(at, k, change.at), change.taken(rates, k, change.rates)
        if psi is not None:
            at[psi] = change.turned(at[psi], sign * change.theta)
            rates[psi] = change.turned(rates[psi], sign * change.theta_rate)
        rewritten = True
    return (at, rates) if rewritten else None


def nearest_chart(
    joint: Joint, surfaces: Sequence[tuple[int, Surface]], q: Sequence[float], to: Sequence[float], psi: int | None,
    sign: int,
) -> Sequence[float]:  # fmt: skip
    """Coordinates of the same pose in the charts that are nearest to others, without whole periods."""
    options, charts = [list(q)], False
    for k, surface in surfaces:
        for at in tuple(options):
            for new in surface.aliases(at[k], at[k + 1]):
                made, charts = [*at[:k], *new, *at[k + 2 :]], True
                if psi is not None:
                    c, s = turn_between(surface, at[k : k + 2], new)
                    made[psi] = at[psi] + sign * atan2(s, c)
                options.append(made)
    return nearest_of(joint.coordinates, options, to) if charts else q


def has_charts(*surfaces: Any) -> bool:
    """Whether some surface has several charts."""
    return any(surface.other_chart(*surface.neutral) is not None for surface in surfaces)


def check_aligned(owner: str, surface: Surface, remedy: str) -> None:
    """Refuse a surface whose charts have frames that are turned against each other, for a joint that cannot turn."""
    try:
        if not has_charts(surface) or not all(is_number(x) for x in surface.point(*surface.neutral)):
            return
        for at in surface.change_probes():
            change = ChartChange.of(surface, at, (0.0, 0.0))
            if change is not None and abs(change.theta) > ALIGNED:
                break
        else:
            return
    except AnyjointError:
        return  # a surface of the user's own, which is checked elsewhere
    raise InputError(
        f"{owner}: the frames of the charts of {surface.name} are turned against each other, so that a body which "
        f"keeps to the axes of one would jump where charts change; {remedy}"
    )
