"""Efforts of forces that have a potential: minus its slopes, by D*."""

from __future__ import annotations

from functools import cache

from anyjoint.constraints.push import EffortOf, EnergyOf
from anyjoint.scalar import jet
from anyjoint.spatial import vector

from .force import Values


@cache
def conservative(energy: EnergyOf) -> EffortOf:
    """The effort of a force whose stored energy is a function of what it measures and of its numbers."""

    def effort(s: Values, rate: Values, n: Values, signals: Values) -> Values:
        _, slopes, _ = jet(lambda at: [energy(vector(*at), n)], list(s), [0.0] * len(s))
        return vector(*(-slope[0] for slope in slopes))

    return effort
