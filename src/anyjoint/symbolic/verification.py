"""An alarm for mistakes of merging: outputs before and after, in floats, at random points.

Merging is exact, so this is no part of its argument. It knows rounding only roughly: differences count against the
largest intermediate value, and points at which rounding decides a comparison do not count.
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
_CLOSE = 1e-9  # relative distance of operands at which rounding may decide a comparison
_COMPARING = frozenset({*CONDITIONS, Op.MIN, Op.MAX})
_STEPPING = frozenset({Op.FLOOR, Op.GATHER})


def verified(g: Graph, before: list[int], after: list[int]) -> list[int]:
    """Each new output where it agrees with the old one, else the old one and a warning."""
    together = [i for pair in zip(before, after, strict=True) if pair[0] != pair[1] for i in pair]
    if not together:
        return after
    random = np.random.default_rng(21)
    ids = reachable(g, together)
    values = {i: random.uniform(*g.variables[g.a[i]].domain, _POINTS) for i in ids if g.op[i] == Op.VAR}
    computed = {i: np.asarray(x, dtype=float) for i, x in evaluate_ids(g, together, values).items()}
    everything = np.concatenate([np.atleast_1d(x) for x in computed.values()])
    scale = float(np.abs(everything[np.isfinite(everything)]).max(initial=0.0))
    counts = ~_undecided(g, computed)
    agree = [i == j or _same(computed[i], computed[j], scale, counts) for i, j in zip(before, after, strict=True)]
    if not all(agree):
        warnings.warn("merging of equal expressions changed a value; the unmerged ones are used", stacklevel=3)
    return [j if same else i for i, j, same in zip(before, after, agree, strict=True)]


def _same(old: Array, new: Array, scale: float, counts: Array) -> bool:
    """Do values agree at the points that count, wherever both are finite?"""
    old, new, counts = np.broadcast_arrays(old, new, counts)
    where = np.isfinite(old) & np.isfinite(new) & counts
    return bool((np.abs(old[where] - new[where]) <= _TOLERANCE * scale).all())


def _undecided(g: Graph, computed: Mapping[int, Array]) -> Array:
    """At which points rounding may decide a comparison, a step or an entry."""
    found = np.zeros(_POINTS, dtype=bool)
    with np.errstate(invalid="ignore"):
        for i in computed:
            if g.op[i] in _COMPARING:
                x, y = computed[g.a[i]], computed[g.b[i]]
                found |= np.abs(x - y) <= _CLOSE * (np.abs(x) + np.abs(y))
            elif g.op[i] in _STEPPING:
                x = computed[g.a[i]]
                found |= np.abs(x - np.round(x)) <= _CLOSE * (1.0 + np.abs(x))
    return found
