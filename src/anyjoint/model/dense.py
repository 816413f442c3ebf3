"""Formulations whose matrices are assembled from compiled blocks and solved numerically."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anyjoint.dynamics.augmented import augmented_accelerations
from anyjoint.dynamics.mixed import mixed_accelerations
from anyjoint.dynamics.redmax import redmax_accelerations
from anyjoint.errors import InputError

Floats = np.ndarray[Any, np.dtype[Any]]
SOLVERS: dict[str, Callable[..., Floats]] = {
    "redmax": redmax_accelerations,
    "augmented": augmented_accelerations,
    "recursive-mixed": mixed_accelerations,
}


def numeric_forward(model: Any, name: str, q: Floats, v: Floats, tau: Floats) -> Floats:
    """Accelerations by the named formulation."""
    accelerations = SOLVERS[name]
    blocks = model.blocks(q, v)
    links = model.plan.links
    inertias = [link.inertia for link in links]
    up = np.concatenate([np.zeros(3), -np.asarray(model.mechanism.gravity)])
    tau = np.broadcast_to(np.asarray(tau, dtype=float), np.broadcast_shapes(np.shape(tau), np.shape(v)))
    return accelerations(blocks, model.plan.parents, inertias, tau, up)


def large_forward(model: Any, name: str, q: Floats, v: Floats, tau: Floats) -> Floats:
    """Dense formulations of large mechanisms: M and c from compiled sweeps, then a numeric solution."""
    if name == "composite-rigid-body":
        M, c = model.mass_matrix(q), model.bias_forces(q, v)
    elif name == "lagrangian":
        inverse = model._program("inverse_dynamics_lagrangian")
        c = inverse(q, v, np.zeros(model.nv))
        # The coefficient of each acceleration in the linear-time equations [GL section 4].
        M = np.stack([inverse(q, v, e) - c for e in np.eye(model.nv)], axis=-1)
    else:
        raise InputError(f"{name} is not a dense formulation")
    solved: Floats = np.linalg.solve(M, (tau - c)[..., None])[..., 0]
    return solved
