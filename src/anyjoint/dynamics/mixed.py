"""Si & Guenter's mixed symbolic-numerical forward dynamics (Method II of SG section 5), batched on NumPy.

Recursion 1, where the joints' functions and derivatives are, comes compiled as blocks; recursions 2-6 are numeric.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .blocks import Block, Floats, apply, starts
from .redmax import jacobian_rate_times_velocity


def mixed_accelerations(
    blocks: Sequence[Block], parents: Sequence[int], inertias: Sequence[Floats], tau: Floats, base_acceleration: Floats
) -> Floats:
    """Joint accelerations, links in order, in linear time."""
    Ad = [block.to_child for block in blocks]
    P, Omega = articulated(blocks, parents, inertias, Ad)
    tau_bar = remaining_torques(blocks, parents, inertias, tau, base_acceleration, Ad)
    c_bar = innovations(blocks, parents, tau_bar, P, Omega, Ad)
    qdd: list[Floats] = []
    eta: list[Floats] = []
    for i, block in enumerate(blocks):  # recursion 6
        carried = apply(Ad[i], eta[parents[i]]) if parents[i] >= 0 else np.zeros(6)
        qdd.append(c_bar[i] - apply(_t(P[i]), carried))  # [SG eq. 35]
        eta.append(carried + apply(block.S, qdd[i]))  # [SG eq. 34]
    return np.concatenate(qdd, axis=-1)


def remaining_torques(
    blocks: Sequence[Block],
    parents: Sequence[int],
    inertias: Sequence[Floats],
    tau: Floats,
    base_acceleration: Floats,
    Ad: Sequence[Floats],
) -> list[Floats]:
    """Recursions 2 and 3: tau less what the motion without joint accelerations asks for."""
    at = starts(blocks)
    alpha = jacobian_rate_times_velocity(blocks, parents, base_acceleration)  # [SG eq. 22]
    p = [apply(J, a) + block.b for J, a, block in zip(inertias, alpha, blocks, strict=True)]  # [SG eq. 23]
    for i in range(len(blocks) - 1, -1, -1):
        if parents[i] >= 0:
            p[parents[i]] = p[parents[i]] + apply(_t(Ad[i]), p[i])  # [SG eq. 24]
    return [tau[..., at[i] : at[i + 1]] - apply(_t(block.S), p[i]) for i, block in enumerate(blocks)]  # [SG eq. 25, 26]


def articulated(
    blocks: Sequence[Block], parents: Sequence[int], inertias: Sequence[Floats], Ad: Sequence[Floats]
) -> tuple[list[Floats], list[Floats]]:
    """Recursion 4: P = J_bar S Omega^-1 and Omega of every joint."""
    J_bar = [np.asarray(J, dtype=float) for J in inertias]
    P, Omega = [np.zeros(0)] * len(blocks), [np.zeros(0)] * len(blocks)
    for i in range(len(blocks) - 1, -1, -1):
        U = J_bar[i] @ blocks[i].S
        Omega[i] = _t(blocks[i].S) @ U  # [SG eq. 28]
        P[i] = _t(np.linalg.solve(Omega[i], _t(U)))  # [SG eq. 29, 30]
        if parents[i] >= 0:
            J_bar[parents[i]] = J_bar[parents[i]] + _t(Ad[i]) @ (J_bar[i] - P[i] @ _t(U)) @ Ad[i]  # [SG eq. 27]
    return P, Omega


def innovations(
    blocks: Sequence[Block],
    parents: Sequence[int],
    tau_bar: Sequence[Floats],
    P: Sequence[Floats],
    Omega: Sequence[Floats],
    Ad: Sequence[Floats],
) -> list[Floats]:
    """Recursion 5."""
    z = [np.zeros(6) for _ in blocks]
    c_bar = [np.zeros(0)] * len(blocks)
    for i in range(len(blocks) - 1, -1, -1):
        c = tau_bar[i] - apply(_t(blocks[i].S), z[i])  # [SG eq. 32]
        c_bar[i] = np.linalg.solve(Omega[i], c[..., None])[..., 0]  # [SG eq. 33]
        if parents[i] >= 0:
            z[parents[i]] = z[parents[i]] + apply(_t(Ad[i]), z[i] + apply(P[i], c))  # [SG eq. 31]
    return c_bar


def _t(matrix: Floats) -> Floats:
    return np.swapaxes(matrix, -1, -2)
