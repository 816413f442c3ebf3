"""Formulations whose matrices are assembled from compiled blocks and solved numerically."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.dynamics.augmented import augmented_accelerations
from anyjoint.dynamics.blocks import LinkRows, Maximal
from anyjoint.dynamics.bordered import bordered_accelerations
from anyjoint.dynamics.multipliers import constrained_accelerations
from anyjoint.dynamics.redmax import redmax_accelerations, reduced_rows, reduced_system
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.checks import check_regular
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.tree.plan import Link

from .arguments import checked_out, checked_rows
from .diagnosis import explain

if TYPE_CHECKING:
    from .model import Model

Forward = Callable[..., Floats]


def solved_forward(model: Model, name: str, arrays: tuple[ArrayLike, ...], out: Floats | None) -> Floats:
    """Forward dynamics by a formulation that solves numerically, of one state or a batch, finite or explained."""
    check_regular(model.mechanism)
    where, inputs = "forward_dynamics", [("q", model.nq), ("v", model.nv), ("tau", model.nv)]
    inputs += [("t", 1)] if model.mechanism.timed else []
    rows, batch = checked_rows(where, arrays, inputs, np.dtype(float))
    if model.places is not None:
        model.places.check(where, rows[0])
    result = checked_out(where, out, (*batch, model.nv), model.dtype, rows)
    try:
        result[...] = dense_forward(model, name, *rows)
    except np.linalg.LinAlgError:
        result[...] = np.nan
        if batch:  # state by state, to tell which one it is
            for k in range(len(result)):
                result[k] = solved_forward(model, name, tuple(x[k] if x.ndim == 2 else x for x in rows), None)
    explain(model, where, inputs, rows, result)
    return result


def dense_forward(model: Model, name: str, q: Floats, v: Floats, tau: Floats, *t: Floats) -> Floats:
    """Accelerations by the named formulation."""
    if not model.plan.links:
        return np.zeros(np.shape(v))
    lead = np.broadcast_shapes(*(x.shape[:-1] for x in (q, v, tau, *t)))
    q, v, tau, *clock = (np.broadcast_to(x, (*lead, x.shape[-1])) for x in (q, v, tau, *t))
    if model.mechanism.constraints:
        pushed = tau + model.soft_forces(q, v, clock[0] if clock else None)
        return WITH_MULTIPLIERS[name](model, q, v, pushed, *clock)
    return ALONE[name](model, q, v, tau)


# -- links alone ------------------------------------------------------------------------------------------------------


def _redmax(model: Model, q: Floats, v: Floats, tau: Floats) -> Floats:
    return redmax_accelerations(_links(model, q, v, tau))


def _augmented(model: Model, q: Floats, v: Floats, tau: Floats) -> Floats:
    return augmented_accelerations(_links(model, q, v, tau))


# -- with multipliers -------------------------------------------------------------------------------------------------


def _composite_held(model: Model, q: Floats, v: Floats, tau: Floats, *clock: Floats) -> Floats:
    return constrained_accelerations(*_composite_system(model, q, v, tau), *_rows(model, q, v, *clock), _bit(model))


def _lagrangian_held(model: Model, q: Floats, v: Floats, tau: Floats, *clock: Floats) -> Floats:
    """P = G and Pdot qdot = gamma by D* [GL eq. 16]."""
    return constrained_accelerations(*_lagrangian_system(model, q, v, tau), *_rows(model, q, v, *clock), _bit(model))


def _redmax_held(model: Model, q: Floats, v: Floats, tau: Floats, *clock: Floats) -> Floats:
    """Maximal rows reduced by J_mr, as everything else is [RM section 3]."""
    links = _links(model, q, v, tau)
    G, gamma = reduced_rows(links.blocks, links.parents, link_rows(model, q, v, *clock))
    return constrained_accelerations(*reduced_system(links), G, gamma, _bit(model))


def _augmented_held(model: Model, q: Floats, v: Floats, tau: Floats, *clock: Floats) -> Floats:
    return bordered_accelerations(_links(model, q, v, tau), link_rows(model, q, v, *clock), _bit(model))


ALONE: dict[str, Forward] = {
    "augmented": _augmented,
    "redmax": _redmax,
}
WITH_MULTIPLIERS: dict[str, Forward] = {
    "composite-rigid-body": _composite_held,
    "lagrangian": _lagrangian_held,
    "augmented": _augmented_held,
    "redmax": _redmax_held,
}

# -- matrices and rows ------------------------------------------------------------------------------------------------


def _links(model: Model, q: Floats, v: Floats, tau: Floats) -> Maximal:
    """The links at a state; springs are forces like others here."""
    links = model.plan.links
    up = np.concatenate([np.zeros(3), -np.asarray(model.mechanism.gravity)])
    tau = np.asarray(tau, dtype=float) + model.passive_forces(q, v)
    inertias = [link.inertia for link in links]
    return Maximal(model.blocks(q, v), model.plan.parents, inertias, tau, up, _armature(links))


def _bit(model: Model) -> float:
    """The last bit of what the model's programs compute."""
    return float(np.finfo(model.dtype).eps)


def _armature(links: Sequence[Link]) -> Floats:
    """What the joints alone feel, links in order."""
    return np.concatenate([link.spring.armature if link.spring else np.zeros(link.joint.nv) for link in links])


def _composite_system(model: Model, q: Floats, v: Floats, tau: Floats) -> tuple[Floats, Floats]:
    """M from compiled sweeps and tau - c [PAK eq. 7]."""
    return np.asarray(model.mass_matrix(q), dtype=float), tau - model.bias_forces(q, v)


def _lagrangian_system(model: Model, q: Floats, v: Floats, tau: Floats) -> tuple[Floats, Floats]:
    """M as the coefficients of accelerations in the linear-time equations, and Q - c [GL section 4]."""
    inverse = model.program("inverse_dynamics_lagrangian")
    c = np.asarray(inverse(q, v, np.zeros(model.nv)), dtype=float)
    M = np.stack([inverse(q, v, e) - c for e in np.eye(model.nv)], axis=-1)
    return (M + np.swapaxes(M, -1, -2)) / 2, tau - c


def _rows(model: Model, q: Floats, v: Floats, *clock: Floats) -> tuple[Floats, Floats]:
    """G and gamma of all rows that do not give way."""
    t, hard = clock[0] if clock else None, model.hard_rows
    gamma = np.asarray(model.constraint_bias(q, v, t=t), dtype=float)[..., hard]
    return np.asarray(model.constraint_jacobian(q, t=t), dtype=float)[..., hard, :], gamma


def link_rows(model: Model, q: Floats, v: Floats, *clock: Floats) -> LinkRows:
    """Rows that do not give way on links and coordinates, from the row of the quantity `constraint_blocks`."""
    row = np.asarray(model.evaluate("constraint_blocks", (q, v, *clock)), dtype=float)
    mech: Mechanism = model.mechanism
    lead, at, first = row.shape[:-1], 0, 0
    on_links: dict[int, Floats] = {}
    N, gamma = np.zeros((*lead, mech.nc, mech.nv)), np.zeros((*lead, mech.nc))
    for constraint in mech.constraints:
        own = slice(first, first + constraint.count)
        for body in constraint.bodies:
            link = model.plan.link_of(body)
            if link >= 0:
                K = on_links.setdefault(link, np.zeros((*lead, mech.nc, 6)))
                K[..., own, :] += row[..., at : at + 6 * constraint.count].reshape(*lead, constraint.count, 6)
                at += 6 * constraint.count
        for body, k in constraint.coordinates:
            joint = mech.bodies[body].joint
            N[..., own, mech.bodies[body].v.start + (joint.velocity_of(k) or 0)] += row[..., at : at + constraint.count]
            at += constraint.count
        gamma[..., own] = row[..., at : at + constraint.count]
        at, first = at + constraint.count, own.stop
    hard = model.hard_rows
    return LinkRows({link: K[..., hard, :] for link, K in on_links.items()}, N[..., hard, :], gamma[..., hard])
