"""Formulations whose matrices are assembled from compiled blocks and solved numerically."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.dynamics.augmented import augmented_accelerations
from anyjoint.dynamics.blocks import split_blocks
from anyjoint.dynamics.recursive_mixed import numeric_part
from anyjoint.dynamics.redmax import redmax_accelerations
from anyjoint.errors import InputError
from anyjoint.quantity.forward_dynamics import NUMERIC

from .arguments import checked_out, checked_rows
from .diagnosis import explain

if TYPE_CHECKING:
    from .model import Model

Floats = np.ndarray[Any, np.dtype[Any]]
SOLVERS: dict[str, Callable[..., Floats]] = {
    "redmax": redmax_accelerations,
    "augmented": augmented_accelerations,
}


def solved_forward(model: Model, name: str, arrays: tuple[Any, ...], out: Floats | None) -> Floats:
    """Forward dynamics by a formulation that solves numerically, of one state or a batch, finite or explained."""
    where, inputs = "forward_dynamics", [("q", model.nq), ("v", model.nv), ("tau", model.nv)]
    rows, batch = checked_rows(where, arrays, inputs, np.dtype(float))
    if model.places is not None:
        model.places.check(where, rows[0])
    result = checked_out(where, out, (*batch, model.nv), model.dtype, rows)
    forward = numeric_forward if name in NUMERIC else large_forward
    try:
        result[...] = forward(model, name, *rows)
    except np.linalg.LinAlgError:
        result[...] = np.nan
        if batch:  # state by state, to tell which one it is
            for k in range(len(result)):
                result[k] = solved_forward(model, name, tuple(x[k] if x.ndim == 2 else x for x in rows), None)
    explain(model, where, inputs, rows, result)
    return result


def numeric_forward(model: Model, name: str, q: Floats, v: Floats, tau: Floats) -> Floats:
    """Accelerations by the named formulation."""
    if not model.plan.links:
        return np.zeros(np.shape(v))
    if name == "recursive-mixed":
        return _recursive_mixed(model, q, v, tau)
    accelerations = SOLVERS[name]
    blocks = model.blocks(q, v)
    links = model.plan.links
    inertias = [link.inertia for link in links]
    up = np.concatenate([np.zeros(3), -np.asarray(model.mechanism.gravity)])
    tau = np.asarray(tau, dtype=float) + model.passive_forces(q, v)
    return accelerations(blocks, model.plan.parents, inertias, tau, up)


def _recursive_mixed(model: Model, q: Floats, v: Floats, tau: Floats) -> Floats:
    """Recursions 1-3 from machine code, 4-6 from NumPy [SG Method II]."""
    row, links = np.asarray(model.program("recursive_mixed")(q, v, tau), dtype=float), model.plan.links
    widths = [link.joint.nv for link in links]
    blocks, rest = np.split(row, [24 * len(links) + 6 * model.nv], axis=-1)
    tau_bar = np.split(rest, np.cumsum(widths)[:-1], axis=-1)
    return numeric_part(split_blocks(blocks, widths), model.plan.parents, [link.inertia for link in links], tau_bar)


def large_forward(model: Model, name: str, q: Floats, v: Floats, tau: Floats) -> Floats:
    """Dense formulations of large mechanisms: M and c from compiled sweeps, then a numeric solution."""
    if name == "composite-rigid-body":
        M, c = model.mass_matrix(q), model.bias_forces(q, v)
    elif name == "lagrangian":
        inverse = model.program("inverse_dynamics_lagrangian")
        c = inverse(q, v, np.zeros(model.nv))
        # The coefficient of each acceleration in the linear-time equations [GL section 4].
        M = np.stack([inverse(q, v, e) - c for e in np.eye(model.nv)], axis=-1)
    else:
        raise InputError(f"{name} is not a dense formulation")
    solved: Floats = np.linalg.solve(M, (tau - c)[..., None])[..., 0]
    return solved
