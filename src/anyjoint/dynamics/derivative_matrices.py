"""Whole matrices from the columns of links in a common frame: entries between each joint and those above it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from anyjoint.spatial import Matrix, Vector, zeros
from anyjoint.tree.record import Record

from .common_frame import products
from .small_matrix import LDL, ldl


@dataclass(frozen=True)
class Place:
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


def mass_entries(records: Sequence[Record], parents: Sequence[int], places: Sequence[Place]) -> Matrix:
    """M."""
    nv = places[-1].v.stop
    M = zeros(nv, nv)
    for body, at in zip(records, places, strict=True):
        M[at.v, at.v] = body.D_a
    for i, j in related(parents):
        entries = products(records[j].J_world, records[i].a_world)
        M[places[j].v, places[i].v], M[places[i].v, places[j].v] = entries, entries.T
    return M


def velocity_entries(records: Sequence[Record], parents: Sequence[int], places: Sequence[Place]) -> Matrix:
    """dtau/dv."""
    nv = places[-1].v.stop
    out = zeros(nv, nv)
    for body, at in zip(records, places, strict=True):
        out[at.v, at.v] = body.D_v
    for i, j in related(parents):
        body, above = records[i], records[j]
        out[places[j].v, places[i].v] = products(above.J_world, body.Fv)
        lower = products(body.a_world, above.Phi) + products(body.b_world, above.J_world[:3])
        out[places[i].v, places[j].v] = lower
    return out


def coriolis_entries(records: Sequence[Record], parents: Sequence[int], places: Sequence[Place]) -> Matrix:
    """C."""
    nv = places[-1].v.stop
    out = zeros(nv, nv)
    for body, at in zip(records, places, strict=True):
        out[at.v, at.v] = body.D_c
    for i, j in related(parents):
        body, above = records[i], records[j]
        out[places[j].v, places[i].v] = products(above.J_world, body.F)
        lower = products(body.a_world, above.Jdot) + products(body.b_world, above.J_world[:3])
        out[places[i].v, places[j].v] = lower
    return out


def coordinate_entries(records: Sequence[Record], parents: Sequence[int], places: Sequence[Place]) -> Matrix:
    """dtau/dq."""
    out = zeros(places[-1].v.stop, places[-1].q.stop)
    for body, at in zip(records, places, strict=True):
        out[at.v, at.q] = body.D_q
    for i, j in related(parents):
        body, above = records[i], records[j]
        out[places[j].v, places[i].q] = products(above.J_world, body.Fq)
        out[places[i].v, places[j].q] = products(body.a_world, above.Psi2) + products(body.b_world, above.Psi1)
    return out


class Inverse:
    """M^-1 by factors from the last coordinate to the first, which creates no fill between branches."""

    def __init__(self, M: Matrix) -> None:
        self._factors: LDL = ldl(M[::-1, ::-1])

    def times(self, X: Any) -> Any:
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
