"""Where accelerations are none, or have no derivative: redundant rows of constraints that hold nearby."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.dynamics.multipliers import NOISE  # all rows may be rounding, of what would be 1
from anyjoint.errors import SingularityError
from anyjoint.scalar.array import ArrayLike, Floats, Ints

from .change import find

if TYPE_CHECKING:
    from anyjoint.model import Model

    from .parameter_rows import ParameterRows

MOVING = ("placement", "joint")  # parameters that say where bodies are
ROWS = ("constraint_errors", "constraint_bias")  # smooth, however many rows follow from others
RANK = 1e-9  # beside the strongest combination of rows: what is none
NEAR = 0.4  # power of a rounding: so far from a change point, in units of coordinates, derivatives keep three digits
BRANCHES = 0.6  # power of a rounding, beside the largest entry of G: rates of redundant rows that are none
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


def check_ranks(
    model: Model, what: str, q: ArrayLike, t: ArrayLike | None, parameters: ParameterRows | None = None,
    which: Ints | None = None,
) -> None:  # fmt: skip
    """Raise where rows become independent along a motion that they allow: at change points, as of a flat parallelogram.

    There links may go on in more than one way, accelerations are others on each, and derivatives are infinite beside.
    Rows that are redundant wherever the mechanism can go, as those of planar loops, are no such case. `which` are the
    states of a batch to look at, if not all.
    """
    hard = np.flatnonzero(model.hard_rows)
    if not len(hard):
        return
    states, times = np.asarray(q, dtype=float), None if t is None else np.ravel(np.asarray(t, dtype=float))
    if which is not None:
        states = states[which] if states.ndim > 1 else np.tile(states, (len(which), 1))
        times = times[which] if times is not None and len(times) > 1 else times
        parameters = parameters and parameters.take(which)
    at = None if times is None else times[:, None] if len(times) > 1 else times
    G = model.constraint_jacobian(states, t=at, parameters=parameters).astype(float)[..., hard, :]
    G = G.reshape(-1, len(hard), model.nv)
    sizes = np.linalg.svd(G, compute_uv=False)
    bit = float(np.finfo(model.dtype).eps)
    near = bit**NEAR
    ranks = (sizes > np.maximum(near * sizes.max(axis=1, initial=0.0), NOISE * bit)[:, None]).sum(axis=1)
    for k in np.flatnonzero(ranks < fine_rank(model)):
        if ranks[k] >= fine_rank(model):  # what was found on the way
            continue
        state = np.broadcast_to(states, (len(G), model.nq))[k]
        when = None if times is None else float(np.broadcast_to(times, len(G))[k])
        own = parameters.mechanism_of(int(k)).compile(dtype=model.dtype.name) if parameters else model
        rank = _rank_if_fine(own, state, when, G[k], int(ranks[k]), near)
        if rank is None:
            said = "" if np.ndim(q) == 1 and parameters is None else f" state {k if which is None else which[k]},"
            raise SingularityError(
                f"{what}:{said} rows of the constraints that hold elsewhere follow from others at q = {state.tolist()}"
                " (a change point, such as links in line): the motion may go on in several ways, each with"
                " accelerations of its own, and has no derivative; move away from this configuration"
            )
        model.shelf[_shelf_key(model)] = min(rank, fine_rank(model))


def fine_rank(model: Model) -> int:
    """The lowest rank of rows with which a state was found to be at no change point."""
    found: int = model.shelf.get(_shelf_key(model), int(np.count_nonzero(model.hard_rows)))  # type: ignore[assignment]
    return found  # a shelf holds anything


def _shelf_key(model: Model) -> Hashable:
    return "fine rank", tuple(model.mechanism.bodies)


def _rank_if_fine(model: Model, q: Floats, t: ArrayLike | None, G: Floats, rank: int, near: float) -> int | None:
    """How many combinations of rows hold something, of which `rank` are strong; None at a change point.

    There u^T dG(d) z is not zero for motions d and z that rows G allow, and a combination u of them that is none. Along
    a smooth set of states it is, because u^T G q'' = 0 there. What is weak only in its units, as a row in metres of a
    small mechanism, stays so on the way `near`.
    """
    left, sizes, right = np.linalg.svd(G)
    weak = np.append(sizes, np.zeros(max(len(G) - len(sizes), 0)))[rank:]
    motions = right[rank:]
    if not len(motions) or rank == len(G):
        return rank
    v, w = _pairs(model, left[:, rank:].T, motions)
    point = [np.broadcast_to(x, (len(v), len(x))) for x in (q, *model.clock(t))]
    _, found = model.vjp("constraint_errors", (point[0], v, *point[1:]), w, wrt=("q",))
    _, still = model.vjp("constraint_errors", (point[0], 0 * v, *point[1:]), w, wrt=("q",))
    rates = np.abs((found["q"] - still["q"]).astype(float) @ motions.T).reshape(len(weak), -1).max(axis=1)
    bit = float(np.finfo(model.dtype).eps)
    noise = max(bit**BRANCHES * np.abs(G).max(), NOISE * bit)
    held = rates > noise
    return None if (held & (near * rates >= weak)).any() else rank + int(held.sum())


def _pairs(model: Model, combinations: Floats, motions: Floats) -> tuple[Floats, Floats]:
    """Each combination of hard rows with each motion: velocities, and weights of errors and their rates."""
    weights = np.zeros((len(combinations), 1, 2 * model.mechanism.nc))
    weights[:, 0, model.mechanism.nc + np.flatnonzero(model.hard_rows)] = combinations
    pairs = [np.broadcast_to(x, (len(weights), len(motions), x.shape[-1])) for x in (motions, weights)]
    v, w = (x.reshape(-1, x.shape[-1]) for x in pairs)
    return v, w


def breaking(model: Model, q: Floats, t: ArrayLike | None, names: Sequence[str]) -> list[str]:
    """The parameters of which some change lets redundant rows hold what they allow."""
    hard = np.flatnonzero(model.hard_rows)
    G = np.asarray(model.constraint_jacobian(q, t=t), dtype=float)[hard]
    left, sizes, right = np.linalg.svd(G)
    rank = int(np.sum(sizes > RANK * sizes.max(initial=0.0)))
    if rank in (len(G), G.shape[1]):
        return []
    motions = np.vstack([right[rank:], np.zeros(G.shape[1])])  # the last shows what the rows ask for at rest
    v, w = _pairs(model, left[:, rank:].T, motions)
    point = [np.broadcast_to(x, (len(v), len(x))) for x in (q, *model.clock(t))]
    _, found = model.vjp("constraint_errors", (point[0], v, *point[1:]), w, wrt=names)
    rates = {name: x.reshape(len(G) - rank, len(motions), -1) for name, x in found.items()}
    rates = {name: np.abs(x[:, :-1] - x[:, -1:]).max(initial=0.0) for name, x in rates.items()}
    return [name for name, x in rates.items() if x > CHANGES * max(1.0, np.abs(G).max())]
