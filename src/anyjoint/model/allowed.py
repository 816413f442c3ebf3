"""Motions that constraints allow: for each velocity, the least one in which it is 1.

Of all C with G C = 0 and C_i = 1, the one with the smallest C^T W C is P e_i / P_ii, where P is the inverse of W on the
motions that G leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import InputError
from anyjoint.scalar.array import ArrayLike, Floats

if TYPE_CHECKING:
    from .model import Model

RANK = {"float64": 1e-8, "float32": 1e-3}  # of rows beside the strongest: states are on constraints to 1e-9
HELD = {"float64": 1e-12, "float32": 1e-5}  # the share of a motion below which it is none


def allowed_motions(
    model: Model, where: str, q: Floats, weights: ArrayLike | None = None, t: ArrayLike | None = None
) -> Floats:
    """For states (..., nq) the matrix (..., nv, nv) whose column i moves velocity i by 1; NaN where it cannot move."""
    W = _metric(model, where, q, weights)
    try:
        back = np.linalg.inv(np.swapaxes(np.linalg.cholesky(W), -1, -2))  # W = L L^T, back = L^-T
    except np.linalg.LinAlgError as error:
        raise InputError(f"{where}: weights are not positive; expected a number > 0 for each velocity, or a matrix"
                         " such as model.mass_matrix(q)") from error  # fmt: skip
    left = np.broadcast_to(np.eye(model.nv), W.shape)
    if model.hard_rows.any():
        G = np.asarray(model.constraint_jacobian(q, t=t), dtype=float)[..., model.hard_rows, :]
        _, sizes, rows = np.linalg.svd(G @ back, full_matrices=False)
        kept = np.where((sizes > RANK[model.dtype.name] * sizes.max(axis=-1, keepdims=True))[..., None], rows, 0.0)
        left = left - np.swapaxes(kept, -1, -2) @ kept
    P = back @ left @ np.swapaxes(back, -1, -2)
    own = np.diagonal(P, axis1=-2, axis2=-1)
    whole = np.diagonal(back @ np.swapaxes(back, -1, -2), axis1=-2, axis2=-1)
    moves = own > HELD[model.dtype.name] * whole
    return np.asarray(P / np.where(moves, own, np.nan)[..., None, :])


def _metric(model: Model, where: str, q: Floats, weights: ArrayLike | None) -> Floats:
    """W (..., nv, nv) as it is given, or that of the squares of all velocities, of joints that follow others, too."""
    shape = (*q.shape[:-1], model.nv, model.nv)
    if weights is None:
        Phi = _expanded(model, q)
        return (
            np.asarray(np.swapaxes(Phi, -1, -2) @ Phi) if Phi is not None else np.broadcast_to(np.eye(model.nv), shape)
        )
    try:
        W = np.asarray(weights, dtype=float)
        W = np.broadcast_to(W * np.eye(model.nv) if W.shape == (model.nv,) else W, shape)
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: weights of shape {np.shape(weights)}; expected ({model.nv},), one number for each"
                         f" velocity, or a matrix ({model.nv}, {model.nv})") from error  # fmt: skip
    if (
        W.ndim < 2
        or not np.isfinite(W).all()
        or np.abs(W - np.swapaxes(W, -1, -2)).max(initial=0.0) > 1e-9 * np.abs(W).max()
    ):
        raise InputError(f"{where}: weights are no symmetric matrix of finite numbers")
    return W


def _expanded(model: Model, q: Floats) -> Floats | None:
    """Velocities of all joints per unit of ours, where some follow others."""
    expansion = model.workshop.expansion
    if not expansion:
        return None
    rest, rows = [0.0] * model.nv, np.atleast_2d(q).astype(float)
    found = [np.asarray(expansion.coordinates(list(row), rest).Phi, dtype=float) for row in rows]
    return np.reshape(found, (*q.shape[:-1], -1, model.nv))
