"""Whole matrices from the columns of links in a common frame: entries between each joint and those above it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from anyjoint.frozen import frozen
from anyjoint.spatial import Matrix, Vector, zeros
from anyjoint.tree.record import Record

from .common_frame import products
from .small_matrix import LDL, ldl


@frozen
class Slices:
    """A link's velocities, and the columns of its coordinates."""

    v: slice
    q: slice


def related(parents: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Every link with every other one between it and the root."""
    for i in range(len(parents)):
        j = parents[i]
        while j >= 0:
            yield i, j
            j = parents[j]


def mass_entries(records: Sequence[Record], parents: Sequence[int], places: Sequence[Slices]) -> Matrix:
    """M."""
    nv = places[-1].v.stop
    M = zeros(nv, nv)
    for body, at in zip(records, places, strict=True):
        M[at.v, at.v] = body.D_a
    for i, j in related(parents):
        entries = products(records[j].J_world, records[i].a_world)
        M[places[j].v, places[i].v], M[places[i].v, places[j].v] = entries, entries.T
    return M


def velocity_entries(records: Sequence[Record], parents: Sequence[int], places: Sequence[Slices]) -> Matrix:
    """dtau/dv."""
    return _entries(records, parents, places, "v", lambda x: (x.D_v, x.Fv, x.Phi, x.J_world[:3]))


def coriolis_entries(records: Sequence[Record], parents: Sequence[int], places: Sequence[Slices]) -> Matrix:
    """C."""
    return _entries(records, parents, places, "v", lambda x: (x.D_c, x.F, x.Jdot, x.J_world[:3]))


def coordinate_entries(records: Sequence[Record], parents: Sequence[int], places: Sequence[Slices]) -> Matrix:
    """dtau/dq."""
    return _entries(records, parents, places, "q", lambda x: (x.D_q, x.Fq, x.Psi2, x.Psi1))


def _entries(
    records: Sequence[Record],
    parents: Sequence[int],
    places: Sequence[Slices],
    by: Literal["v", "q"],
    parts: Callable[[Record], tuple[Matrix, Matrix, Matrix, Matrix]],
) -> Matrix:
    """A link's own block D, J_j . F_i above the diagonal and a_i . X_j + b_i . Y_j below; parts are (D, F, X, Y)."""
    columns = [at.v if by == "v" else at.q for at in places]
    made = [parts(body) for body in records]
    out = zeros(places[-1].v.stop, columns[-1].stop)
    for (D, *_), at, own in zip(made, places, columns, strict=True):
        out[at.v, own] = D
    for i, j in related(parents):
        (_, F, *_), (*_, X, Y) = made[i], made[j]
        out[places[j].v, columns[i]] = products(records[j].J_world, F)
        out[places[i].v, columns[j]] = products(records[i].a_world, X) + products(records[i].b_world, Y)
    return out


class Inverse:
    """M^-1 by factors from the last coordinate to the first, which creates no fill between branches."""

    def __init__(self, M: Matrix) -> None:
        self._factors: LDL = ldl(M[::-1, ::-1])

    def times(self, X: Matrix) -> Matrix:
        """M^-1 X of a vector or of a matrix."""
        if X.ndim == 1:
            return self._factors.solve(X[::-1])[::-1]
        out = zeros(*X.shape)
        for k in range(X.shape[1]):
            out[:, k] = self.times(X[:, k])
        return out

    def matrix(self) -> Matrix:
        """M^-1 itself, symmetric to the bit."""
        n = len(self._factors.inverse)
        out = zeros(n, n)
        for k in range(n):
            column = self._column(k)
            out[k:, k] = out[k, k:] = column
        return out[::-1, ::-1]

    def _column(self, k: int) -> Vector:
        """Entries k and following of column k; those before follow by symmetry."""
        factors, n = self._factors, len(self._factors.inverse)
        unit = zeros(n)
        unit[k] = 1
        right = LDL(factors.L[k:, k:], factors.inverse[k:])
        return right.back(right.half(unit[k:]) * right.inverse)
