"""Formulations whose matrices are assembled from compiled blocks and solved numerically."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anyjoint.dynamics.augmented import augmented_accelerations
from anyjoint.dynamics.blocks import split_blocks
from anyjoint.dynamics.recursive_mixed import numeric_part
from anyjoint.dynamics.redmax import redmax_accelerations
from anyjoint.errors import InputError
from anyjoint.tree.plan import Link

Floats = np.ndarray[Any, np.dtype[Any]]
SOLVERS: dict[str, Callable[..., Floats]] = {
    "redmax": redmax_accelerations,
    "augmented": augmented_accelerations,
}


def numeric_forward(model: Any, name: str, q: Floats, v: Floats, tau: Floats) -> Floats:
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
    return accelerations(blocks, model.plan.parents, inertias, tau, up, _armature(links))


def _recursive_mixed(model: Any, q: Floats, v: Floats, tau: Floats) -> Floats:
    """Recursions 1-3 from machine code, 4-6 from NumPy [SG Method II]."""
    row, links = np.asarray(model.program("recursive_mixed")(q, v, tau), dtype=float), model.plan.links
    widths = [link.joint.nv for link in links]
    blocks, rest = np.split(row, [24 * len(links) + 6 * model.nv], axis=-1)
    tau_bar = np.split(rest, np.cumsum(widths)[:-1], axis=-1)
    inertias = [link.inertia for link in links]
    return numeric_part(split_blocks(blocks, widths), model.plan.parents, inertias, tau_bar, _armature(links))


def _armature(links: Sequence[Link]) -> Floats:
    """What the joints alone feel, links in order."""
    return np.concatenate([link.spring.armature if link.spring else np.zeros(link.joint.nv) for link in links])


def large_forward(model: Any, name: str, q: Floats, v: Floats, tau: Floats) -> Floats:
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
