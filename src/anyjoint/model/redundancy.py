"""Parameters that accelerations have no derivative by: those that make redundant rows of constraints independent."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.scalar.array import ArrayLike, Floats

from .change import find

if TYPE_CHECKING:
    from anyjoint.model import Model

MOVING = ("placement", "joint")  # parameters that say where bodies are
ROWS = ("constraint_errors", "constraint_bias")  # smooth, however many rows follow from others
RANK = 1e-9  # beside the strongest combination of rows: what is none
CHANGES = 1e-8  # beside the largest: rates of combinations of rows that are rounding


def warn_of_redundancy(
    model: Model, what: str, q: ArrayLike, t: ArrayLike | None, names: Sequence[str], above: int
) -> None:
    """Say which of the named parameters make rows independent that follow from others at q.

    A combination u of rows with u^T G = 0 asks nothing. Where u^T dG z is not zero for a motion z that the rows allow,
    the slightest change takes that motion away: accelerations jump, and rates of them belong to the rows as they were.
    `above` is how many callers are ours.
    """
    moving = [name for name in names if find(model.mechanism, name).what in MOVING]
    if not moving or not model.hard_rows.any():
        return
    if found := breaking(model, np.asarray(q, dtype=float), t, moving):
        warnings.warn(
            f"{what}: rows of the constraints are redundant here (model.mobility(q).redundant), and some changes of"
            f" {', '.join(map(repr, found))} make them independent; along these the motion jumps and has no derivative."
            " What is given holds along changes that keep rows redundant, such as those within the plane of a planar"
            " loop; close the loop by joints that leave no row over if you need all of them",
            stacklevel=above + 1,
        )


def breaking(model: Model, q: Floats, t: ArrayLike | None, names: Sequence[str]) -> list[str]:
    """The parameters of which some change lets redundant rows hold what they allow."""
    hard = np.flatnonzero(model.hard_rows)
    G = np.asarray(model.constraint_jacobian(q, t=t), dtype=float)[hard]
    left, sizes, right = np.linalg.svd(G)
    rank = int(np.sum(sizes > RANK * sizes.max(initial=0.0)))
    if rank in (len(G), G.shape[1]):
        return []
    motions = np.vstack([right[rank:], np.zeros(G.shape[1])])  # the last shows what the rows ask for at rest
    weights = np.zeros((len(G) - rank, 1, 2 * model.mechanism.nc))
    weights[:, 0, model.mechanism.nc + hard] = left[:, rank:].T
    pairs = [np.broadcast_to(x, (len(weights), len(motions), x.shape[-1])) for x in (motions, weights)]
    v, w = (x.reshape(-1, x.shape[-1]) for x in pairs)
    point = [np.broadcast_to(x, (len(v), len(x))) for x in (q, *model.clock(t))]
    _, found = model.vjp("constraint_errors", (point[0], v, *point[1:]), w, wrt=names)
    rates = {name: x.reshape(len(weights), len(motions), -1) for name, x in found.items()}
    rates = {name: np.abs(x[:, :-1] - x[:, -1:]).max(initial=0.0) for name, x in rates.items()}
    return [name for name, x in rates.items() if x > CHANGES * max(1.0, np.abs(G).max())]
