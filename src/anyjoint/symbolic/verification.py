"""An alarm for mistakes of merging: outputs before and after, in floats, at random points.

Merging is exact, so this is no part of its argument. It knows rounding only roughly: differences count against the
largest intermediate value and against what happens when the variables change in their last digits, and points at which
rounding decides a comparison do not count.
"""

import warnings
from collections.abc import Mapping

import numpy as np

from anyjoint.symbolic.field import Array
from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.interpret import evaluate_ids
from anyjoint.symbolic.ops import CONDITIONS, Op
from anyjoint.symbolic.rewrite import reachable

_POINTS = 24
_TOLERANCE = 1e-7
_STEPS = np.array([[0.0], [1e-13], [-3e-13]])  # relative changes of variables
_AMPLIFIED = 1e4  # how much larger than such a change's a difference may be
_CLOSE = 1e-9  # relative distance of operands at which rounding may decide a comparison
_COMPARING = frozenset({*CONDITIONS, Op.MIN, Op.MAX})
_STEPPING = frozenset({Op.FLOOR, Op.GATHER, Op.REM})


def verified(g: Graph, before: list[int], after: list[int]) -> list[int]:
    """Each new output where it agrees with the old one, else the old one and a warning."""
    together = [i for pair in zip(before, after, strict=True) if pair[0] != pair[1] for i in pair]
    if not together:
        return after
    values = {i: _samples(g.variables[g.a[i]].domain, i) for i in reachable(g, together) if g.op[i] == Op.VAR}
    computed = {i: np.broadcast_to(x, (len(_STEPS), _POINTS)) for i, x in evaluate_ids(g, together, values).items()}
    counts = ~_undecided(g, computed)
    everything = np.stack([*computed.values()])
    scale = float(np.abs(everything[np.isfinite(everything)]).max(initial=0.0))
    agree = [i == j or _same(computed[i], computed[j], scale, counts) for i, j in zip(before, after, strict=True)]
    if not all(agree):
        warnings.warn("merging of equal expressions changed a value; the unmerged ones are used", stacklevel=3)
    return [j if same else i for i, j, same in zip(before, after, agree, strict=True)]


def _samples(domain: tuple[float, float], seed: int) -> Array:
    """Random points in the first row, the same ones a little aside in the others."""
    return np.asarray(np.random.default_rng(seed).uniform(*domain, _POINTS) * (1.0 + _STEPS))


def _same(old: Array, new: Array, scale: float, counts: Array) -> bool:
    """Do values agree at the points that count, wherever they are finite?"""
    with np.errstate(invalid="ignore"):
        error, change = np.abs(old[0] - new[0]), np.abs(old - old[0]).max(axis=0)
        wrong = error > _TOLERANCE * scale + _AMPLIFIED * change
    return not (wrong & np.isfinite(error) & np.isfinite(change) & counts).any()


def _undecided(g: Graph, computed: Mapping[int, Array]) -> Array:
    """At which points rounding may decide a comparison, a step or an entry."""
    found = np.zeros((len(_STEPS), _POINTS), dtype=bool)
    with np.errstate(invalid="ignore"):
        for i in computed:
            if g.op[i] in _COMPARING:
                x, y = computed[g.a[i]], computed[g.b[i]]
                found |= np.abs(x - y) <= _CLOSE * (np.abs(x) + np.abs(y))
            elif g.op[i] in _STEPPING:
                x = computed[g.a[i]]
                found |= np.abs(x - np.round(x)) <= _CLOSE * (1.0 + np.abs(x))
    return np.asarray(found.any(axis=0))
