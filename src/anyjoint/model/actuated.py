"""Inverse dynamics with a choice of actuated joints: they and the constraints carry what the tree asks for.

M a + bias = B u - G^T y. Rows of passive velocities are conditions on the multipliers y; what these leave open is used
to make the forces u of the actuated ones as small as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.dynamics.multipliers import NOISE
from anyjoint.errors import InputError
from anyjoint.scalar.array import ArrayLike, Floats

from .constraints import velocities_of
from .parameter_rows import Given
from .part import WhichBody

if TYPE_CHECKING:
    from .model import Model

RANK = {"float64": 1e-10, "float32": 1e-4}  # of a direction that rows still hold something in, beside the largest
MISSED = {"float64": 1e-8, "float32": 1e-3}  # by how much accelerations may miss a row, relative to its terms


def actuated_forces(
    model: Model, motion: Sequence[Floats], tau: Floats, actuated: WhichBody | Sequence[WhichBody], t: ArrayLike | None,
    parameters: Given | None = None,
) -> Floats:  # fmt: skip
    """Forces of the actuated velocities, 0 for all others; `tau` is what the tree asks for in this motion (q, v, a)."""
    q, v, a = motion
    driven = np.zeros(model.nv, dtype=bool)
    for item in [actuated] if isinstance(actuated, str) or not isinstance(actuated, Sequence) else actuated:
        driven[velocities_of(model, item, "inverse_dynamics: actuated")] = True
    tau = np.asarray(tau, dtype=float)
    G = np.zeros((*tau.shape[:-1], 0, model.nv))
    if model.mechanism.nc:
        G, tau = _hard_rows(model, q, v, np.asarray(a, dtype=float), tau, {"t": t, "parameters": parameters})
    G = np.broadcast_to(G, (*tau.shape[:-1], *G.shape[-2:]))
    forces = np.zeros(tau.shape)
    forces[..., driven], left = least_forces(np.swapaxes(G, -1, -2), tau, driven, _cut(model, G))
    _check_followed(model, driven, tau, left)
    return forces.astype(model.dtype, copy=False)


def _cut(model: Model, G: Floats) -> Floats:
    """Below which rows hold nothing. All of them may be rounding, of what would be 1."""
    largest = np.abs(G).max(axis=(-2, -1), initial=0.0)
    cut: Floats = np.maximum(RANK[model.dtype.name] * largest, NOISE * float(np.finfo(model.dtype).eps))
    return cut


def least_forces(Gt: Floats, tau: Floats, driven: Floats, cut: Floats) -> tuple[Floats, Floats]:
    """The smallest u with B u - G^T y = tau, and what passive velocities still miss; rows below `cut` hold nothing."""
    passive, active = Gt[..., ~driven, :], Gt[..., driven, :]
    P = pseudo_inverse(passive, cut)
    y = -_times(P, tau[..., ~driven])
    open_ = np.eye(Gt.shape[-1]) - P @ passive  # directions of y that passive velocities do not feel
    y = y - _times(open_ @ pseudo_inverse(active @ open_, cut), tau[..., driven] + _times(active, y))
    return tau[..., driven] + _times(active, y), tau[..., ~driven] + _times(passive, y)


def pseudo_inverse(A: Floats, cut: Floats) -> Floats:
    """A^+, where singular values up to `cut` count as 0."""
    if not A.size:
        return np.swapaxes(np.zeros_like(A), -1, -2)
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    keep = s > np.asarray(cut)[..., None]
    inverse = np.where(keep, 1.0 / np.where(keep, s, 1.0), 0.0)
    return np.swapaxes(U * inverse[..., None, :] @ Vt, -1, -2)


def _hard_rows(
    model: Model, q: Floats, v: Floats, a: Floats, tau: Floats, given: dict[str, Any]
) -> tuple[Floats, Floats]:
    """G of rows that do not give way, and tau without what soft rows push with."""
    G = checked_accelerations(model, "inverse_dynamics", q, v, a, **given)
    return G[..., model.hard_rows, :], tau - model.soft_forces(q, v, **given)


def checked_accelerations(
    model: Model, where: str, q: ArrayLike, v: ArrayLike, a: Floats, t: ArrayLike | None,
    parameters: Given | None = None,
) -> Floats:  # fmt: skip
    """G; refuse accelerations with which G a + gamma is not 0 on rows that do not give way."""
    G = np.asarray(model.constraint_jacobian(q, t=t, parameters=parameters), dtype=float)
    gamma = np.asarray(model.constraint_bias(q, v, t=t, parameters=parameters), dtype=float)
    missed, hard = _times(G, a) + gamma, model.hard_rows
    scale = _times(np.abs(G), np.abs(a)) + np.abs(gamma)
    off = np.abs(missed[..., hard]) > MISSED[model.dtype.name] * np.maximum(scale[..., hard], 1.0)
    if off.any():
        state = np.argwhere(off.any(axis=-1))[0]
        names, by = np.array(model.row_names)[hard], missed[..., hard][tuple(state)]
        worst = np.argsort(-np.abs(by))[: min(4, int(off[tuple(state)].sum()))]
        said = ", ".join(f"{names[k]} by {by[k]:.3g}" for k in worst)
        raise InputError(
            f"{where}:{_which(state)} the accelerations a violate constraints: {said}. Give accelerations that satisfy "
            "them, such as those of forward_dynamics"
        )
    return G


def _check_followed(model: Model, driven: Floats, tau: Floats, left: Floats) -> None:
    """Refuse accelerations that nothing can give to passive velocities."""
    scale = np.maximum(np.abs(tau).max(axis=-1, initial=0.0), 1.0)
    off = np.abs(left) > MISSED[model.dtype.name] * scale[..., None]
    if not off.any():
        return
    state = np.argwhere(off.any(axis=-1))[0]
    names = [name for name, own in zip(_velocity_names(model), driven, strict=True) if not own]
    missing = left[tuple(state)]
    worst = np.argsort(-np.abs(missing))[: min(4, int(off[tuple(state)].sum()))]
    said = ", ".join(f"{names[k]} ({missing[k]:.3g})" for k in worst)
    raise InputError(
        f"inverse_dynamics:{_which(state)} passive joints cannot follow a: forces are missing at {said}. Name one of "
        "them in actuated, or ask for other accelerations"
    )


def _velocity_names(model: Model) -> list[str]:
    bodies = model.mechanism.bodies
    return [b.name if b.joint.nv == 1 else f"{b.name}/{name}" for b in bodies for name in b.joint.velocity_names]


def _which(state: Floats) -> str:
    return f" state {int(state[0])}," if len(state) else ""


def _times(matrix: Floats, row: Floats) -> Floats:
    product: Floats = (matrix @ row[..., None])[..., 0]
    return product
