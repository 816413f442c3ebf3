"""Bezier patches side by side: every patch is a chart, and goes on in its neighbours.

Patch k has the values of v from 2k to 2k + 1. A little beyond its edges its parameters still mean something: there they
are those of the neighbour, by the edge that both share, so that a step may end there and the chart change afterwards.
All patches have tables of their numbers, so that the code is that of one, however many there are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, derivative, floor, less, maximum, minimum, select
from anyjoint.spatial import Vector, vector

from ..bernstein import horner
from ..check import nested
from ..piecewise import pick, polynomial
from .bezier import Bezier
from .surface import Array, Change, Surface, joined

SIDES = ("u = 0", "u = 1", "v = 0", "v = 1")
INSIDE = 4  # instead of a side
SAME = 1e-9  # how far two edges may be apart, as a share of the patches' size
ALONG = (0.0, 0.2, 0.5, 0.8, 1.0)  # the same from both ends
BEYOND = 1e-3
NEAR = 1e-3  # of an open end: only there the distance to it counts, because it jumps where patches change
HOPS = 2  # over edges, from beyond a corner
ENDS = "the patches end there; go on with another one, or stop before"


@frozen
class Hop:
    """Over an edge into a patch, whose parameters are u' = a . (1, u, v) and v' = b . (1, u, v)."""

    patch: int
    a: tuple[float, float, float]
    b: tuple[float, float, float]


@frozen
class Quilt(Surface):
    """Bezier patches that meet along edges with equal points and equal slopes; `surfaces.atlas` makes it."""

    patches: tuple[Any, ...]
    domain = ((0.0, 1.0), (0.0, 1.0))

    def __post_init__(self) -> None:
        object.__setattr__(self, "patches", tuple(self.patches))
        if not self.patches or not all(isinstance(patch, Bezier) for patch in self.patches):
            raise InputError(f"Quilt({self.patches!r}): expected Bezier patches")
        _ = self.hops  # which finds what does not fit

    @cached_property
    def hops(self) -> tuple[tuple[Hop | None, ...], ...]:
        """For each patch and side the way into the neighbour; None at open ends."""
        return tuple(tuple(self._neighbour(k, side) for side in range(4)) for k in range(len(self.patches)))

    def _neighbour(self, k: int, side: int) -> Hop | None:
        own = self._edge(k, side)
        for other, patch in enumerate(self.patches):
            for opposite in range(4):
                for back in (False, True):
                    theirs = self._edge(other, opposite)[:: -1 if back else 1]
                    if (other, opposite) == (k, side) or np.abs(own - theirs).max() > SAME * self._size:
                        continue
                    hop = Hop(other, *_map(side, opposite, back))
                    self._check(k, side, hop, patch)
                    return hop
        return None

    @cached_property
    def _size(self) -> float:
        points = np.concatenate([np.reshape(patch.points, (-1, 3)) for patch in self.patches])
        return float(np.ptp(points, axis=0).max())

    def _edge(self, k: int, side: int) -> Array:
        return np.array([_floats(self.patches[k].point(*on_edge(side, t))) for t in ALONG])

    def _check(self, k: int, side: int, hop: Hop, other: Bezier) -> None:
        """Refuse a neighbour that goes on in another direction or at another rate, or whose normal is turned round."""
        (_, au, av), (_, bu, bv) = hop.a, hop.b
        where = f"atlas: patch {k} at {SIDES[side]} and patch {hop.patch}"
        if au * bv - av * bu < 0:
            raise InputError(f"{where} have their normals on different sides; turn one round, points[:, ::-1]")
        for t in ALONG:
            u, v = on_edge(side, t)
            there = _affine(hop.a, u, v), _affine(hop.b, u, v)
            across = 0 if side < 2 else 1
            own = _slopes(self.patches[k], u, v)[across]
            du, dv = ((au, bu), (av, bv))[across]
            f_u, f_v = _slopes(other, *there)
            if np.abs(own - (du * f_u + dv * f_v)).max() > SAME * self._size:
                raise InputError(
                    f"{where} share an edge, but not the slopes across it; control points beside a common edge must "
                    "lie on lines through its own, at equal distances"
                )

    # -- over any scalar -----------------------------------------------------------------------------------------

    @cached_property
    def _tables(self) -> tuple[Any, ...]:
        """Patch, a and b of the hop from each patch by each side; the last of five stays where it is."""
        stay = [Hop(k, (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)) for k in range(len(self.patches))]
        all_hops = [hop or stay[k] for k, own in enumerate(self.hops) for hop in (*own, None)]
        return tuple(zip(*((float(hop.patch), *hop.a, *hop.b) for hop in all_hops), strict=True))

    @cached_property
    def _powers(self) -> Any:
        """Coefficients [component][power of u][power of v] of all patches, of the highest degree that one has."""
        each = [np.array(patch.powers) for patch in self.patches]
        size = np.max([x.shape for x in each], axis=0)
        padded = [np.pad(x, [(0, int(n - m)) for n, m in zip(size, x.shape, strict=True)]) for x in each]
        return nested(np.stack(padded, axis=-1))

    def _own(self, v: Scalar) -> tuple[Scalar, Scalar]:
        """The number of a patch, and v in it."""
        k = minimum(maximum(floor((v + 0.5) * 0.5), 0.0), len(self.patches) - 1.0)
        return k, v - 2 * k

    def _hop(self, k: Scalar, u: Scalar, v: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Into the neighbour, if the parameters are beyond an edge."""
        side: Scalar = float(INSIDE)
        for number, beyond in enumerate((less(u, 0), less(1, u), less(v, 0), less(1, v))):
            side = select(beyond, float(number), side)
        patch, *affine = (pick(table, 5 * k + side) for table in self._tables)
        return patch, _affine(affine[:3], u, v), _affine(affine[3:], u, v)

    def _inside(self, u: Scalar, v: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """The patch that a point lies in, and its parameters there."""
        k, own = self._own(v)
        at = k, u, own
        for _ in range(HOPS):
            at = self._hop(*at)
        return at

    def point(self, u: Scalar, v: Scalar) -> Vector:
        k, own_u, own_v = self._inside(u, v)
        return vector(*(horner([polynomial(row, k, own_v) for row in rows], own_u) for rows in self._powers))

    def other_chart(self, u: Scalar, v: Scalar) -> Change:
        _, own = self._own(v)
        inside = minimum(minimum(u, 1 - u), minimum(own, 1 - own))
        k, new_u, new_v = self._inside(u, v)
        return less(inside, 0), new_u, new_v + 2 * k

    def aliases(self, u: float, v: float) -> list[tuple[float, float]]:
        """In the patches beside, beyond their edges."""
        k, own = self._own(v)
        hops = [hop for hop in self.hops[int(k)] if hop is not None]
        return [(_affine(hop.a, u, own), _affine(hop.b, u, own) + 2 * hop.patch) for hop in hops]

    def ends(self, u: Scalar, v: Scalar) -> list[tuple[str, list[Scalar]]]:
        """How far the nearest open edge of the patch is, as a share of what is near."""
        k, own = self._own(v)
        least: Scalar = 1.0
        for side, inside in enumerate((u, 1 - u, own, 1 - own)):
            far = [0.0 if hops[side] is None else 2.0 for hops in self.hops]
            least = minimum(least, (inside + pick(far, k)) * (1 / NEAR))
        return [(ENDS, [least])] if any(hop is None for hops in self.hops for hop in hops) else []

    def change_probes(self) -> list[tuple[float, float]]:
        found = []
        for k, hops in enumerate(self.hops):
            for side in (side for side, hop in enumerate(hops) if hop is not None):
                u, v = on_edge(side, 0.4)
                beyond = (-BEYOND, BEYOND)[side % 2]
                u, v = (u + beyond, v) if side < 2 else (u, v + beyond)
                found.append((u, v + 2 * k))
        return found

    def mesh(self, nu: int = 48, nv: int = 24) -> tuple[Array, Array]:
        """Those of all patches."""
        return joined([patch.mesh(nu, nv) for patch in self.patches])


def on_edge(side: int, t: float) -> tuple[float, float]:
    """Parameters on an edge of a patch."""
    end = float(side % 2)
    return (end, t) if side < 2 else (t, end)


def _map(side: int, opposite: int, back: bool) -> tuple[Any, Any]:
    """u' and v' over an edge: as far inside as before outside, and as far along the edge, perhaps from its end."""
    beyond = [np.array(x) for x in ((0, -1, 0), (-1, 1, 0), (0, 0, -1), (-1, 0, 1))][side]
    along = np.array((0, 0, 1) if side < 2 else (0, 1, 0))
    t = np.array((1, 0, 0)) - along if back else along
    inwards = np.array((1, 0, 0)) - beyond if opposite % 2 else beyond
    a, b = (inwards, t) if opposite < 2 else (t, inwards)
    return tuple(map(float, a)), tuple(map(float, b))


def _affine(a: Any, u: Scalar, v: Scalar) -> Scalar:
    return a[0] + a[1] * u + a[2] * v


def _slopes(patch: Bezier, u: float, v: float) -> tuple[Array, Array]:
    along: Callable[[Scalar], list[Scalar]] = lambda x: list(patch.point(x, v))  # noqa: E731
    across: Callable[[Scalar], list[Scalar]] = lambda x: list(patch.point(u, x))  # noqa: E731
    return np.array(_floats(derivative(along, u))), np.array(_floats(derivative(across, v)))


def _floats(values: Any) -> list[float]:
    return [float(x) for x in values]
