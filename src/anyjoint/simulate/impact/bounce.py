"""Impulses at limits that are met: Newton's restitution, through the whole mechanism and its loops.

Speeds u of separation obey u' = u + W p with W = J M^-1 J^T, where M^-1 keeps to the constraints. Limits that are met
at once share one complementarity problem: p >= 0, u' >= -e u, and p = 0 where a limit is left faster. Every impulse
then works against half the sum of speeds before and after, (1 - e) u / 2 <= 0, so that no impact brings energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.scalar.array import Floats

from ..hard_stop import Stop
from .complementarity import complementary

if TYPE_CHECKING:
    from anyjoint.model import Model
    from anyjoint.model.parameter_rows import ParameterRows

ROUNDS = 1000  # of limits that throw each other back and forth at one instant
TOUCHING = 1e-13  # of the largest speed: slower than that a coordinate neither nears its limit nor leaves it


def effects(model: Model, rows: ParameterRows | None, t: float, q: Floats, stops: Sequence[Stop]) -> Floats:
    """Velocities (stops, nv) that unit impulses at the stops add, constraints included.

    Forward dynamics at rest knows all: what a unit force adds to accelerations, a unit impulse adds to velocities. It
    is asked twice, the second time with forces that are as large as the others, so that no digits are lost beside them.
    """
    unit = np.zeros((len(stops) + 1, model.nv))
    unit[np.arange(len(stops)), [stop.rate for stop in stops]] = [stop.side for stop in stops]
    states = np.tile(q, (len(unit), 1)), np.zeros_like(unit)
    own = rows.take([0] * len(unit)) if rows else None

    def added(forces: Floats) -> tuple[Floats, float]:
        found = np.asarray(model.forward_dynamics(*states, unit * forces[:, None], t=t, parameters=own), dtype=float)
        return found[:-1] - found[-1], float(np.abs(found[-1]).max())

    way, fall = added(np.ones(len(unit)))
    ease = np.maximum(np.abs(way).max(axis=1), 1e-300)
    size = np.append((1.0 + fall) / ease, 1.0)
    return np.asarray(added(size)[0] / size[:-1, None])


def bounce(W: Floats, u: Floats, restitution: Floats) -> Floats:
    """The impulses of limits with speeds of separation u; what throws others against their limits does so in turn."""
    p, slow = np.zeros(len(u)), TOUCHING * float(np.abs(u).max(initial=0.0))
    for _ in range(ROUNDS):
        if not (u < -slow).any():
            break
        met = np.flatnonzero(u <= slow)
        wanted = restitution[met] * np.maximum(0.0, -u[met])
        push = complementary(W[np.ix_(met, met)], u[met] - wanted)
        p[met] += push
        u = u + W[:, met] @ push
    return p
