"""Feedback that balances: the linear-quadratic regulator about a state of rest."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError

if TYPE_CHECKING:
    from anyjoint.model import Model

Floats = np.ndarray[Any, np.dtype[Any]]
AT_REST = 1e-6  # of gravity's forces: what inputs may leave of accelerations


@dataclass(frozen=True)
class Regulator:
    """tau = tau0 - K (x - x0), a function of (t, q, v) that `simulate` takes as `tau`; x is (q, v)."""

    q0: Floats
    tau0: Floats
    gain: Floats = field(repr=False)  # (nv, 2 nv)
    poles: Floats  # of the closed loop

    def __call__(self, t: float, q: Floats, v: Floats) -> Floats:
        return np.asarray(self.tau0 - self.gain @ np.concatenate([q - self.q0, v]))


def lqr(
    model: Model, q: Any, tau: Any = None, *, Q: Any = 1.0, R: Any = 1.0, actuated: Sequence[Any] | None = None
) -> Regulator:
    """The feedback that keeps a model at rest at q at the least cost: the integral of x^T Q x + u^T R u.

    `Q` weighs errors of (q, v) and `R` inputs: numbers, diagonals or matrices. `actuated` are the bodies or velocities
    that have inputs (default all). `tau` are the inputs that hold the model at q; by default those that it needs.
    """
    try:
        solve = importlib.import_module("scipy.linalg").solve_continuous_are
    except ImportError as error:
        raise AnyjointError("lqr: SciPy is not installed; pip install 'anyjoint[scipy]'") from error
    if model.nq != model.nv:
        raise InputError("lqr: some joints have more coordinates than velocities; feed back their own errors instead")
    free, still, at = free_velocities(model, actuated, "lqr"), np.zeros(model.nv), np.asarray(q, dtype=float)
    needed = model.inverse_dynamics(at, still, still)
    hold = np.zeros(model.nv) if tau is None else np.asarray(tau, dtype=float)
    if tau is None:
        hold[free] = needed[free]
    left = np.abs(model.forward_dynamics(at, still, hold)).max()
    if left > AT_REST * max(np.abs(needed).max(), 1.0):
        raise InputError(f"lqr: the model does not rest at q, it accelerates by {left:.3g}; choose a place of rest")
    A, B = model.linearise(at, still, hold)
    B = B[:, free]
    try:
        P = solve(A, B, _weights(Q, 2 * model.nv, "Q"), _weights(R, len(free), "R"))
    except np.linalg.LinAlgError as error:
        raise InputError("lqr: these inputs cannot balance the model; actuate other joints") from error
    K = np.zeros((model.nv, 2 * model.nv))
    K[free] = np.linalg.solve(_weights(R, len(free), "R"), B.T @ P)
    return Regulator(at, hold, K, np.linalg.eigvals(A - B @ K[free]))


def free_velocities(model: Any, actuated: Sequence[Any] | None, what: str) -> Floats:
    """Velocities that have inputs, given by bodies or numbers."""
    if actuated is None:
        return np.arange(model.nv)
    chosen: list[int] = []
    for item in actuated:
        if isinstance(item, (int, np.integer)):
            chosen.append(int(item))
        else:
            body = model.mechanism.bodies[model.body_index(item)]
            chosen += range(body.v.start, body.v.stop)
    if not chosen or min(chosen) < 0 or max(chosen) >= model.nv:
        raise InputError(f"{what}: actuated={actuated!r}; expected bodies, or velocities below {model.nv}")
    return np.array(sorted(set(chosen)))


def _weights(given: Any, n: int, name: str) -> Floats:
    made = np.asarray(given, dtype=float)
    matrix = np.diag(np.broadcast_to(made, (n,))) if made.ndim < 2 else made
    if matrix.shape != (n, n) or not np.isfinite(matrix).all():
        raise InputError(f"lqr: {name} has shape {made.shape}; expected a number, {n} of them, or ({n}, {n})")
    return matrix
