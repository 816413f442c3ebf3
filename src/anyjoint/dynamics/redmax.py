"""RedMax: reduced dynamics from the maximal ones through the Jacobian J_mr, dense [RM eq. 11-21, alg. 1]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anyjoint.scalar.array import Floats

from .blocks import Block, LinkRows, Maximal, ad_matrix, apply, starts


def jacobian(blocks: Sequence[Block], parents: Sequence[int]) -> list[Floats]:
    """J_mr as one 6 x nv matrix per link, filled from the ancestors' products [RM eq. 18, alg. 1]."""
    at = starts(blocks)
    J: list[Floats] = []
    for i, block in enumerate(blocks):
        own = np.zeros((*block.p.shape[:-1], 6, at[-1]))
        if parents[i] >= 0:
            own += block.to_child @ J[parents[i]]  # [RM alg. 1, 6]
        own[..., at[i] : at[i + 1]] = block.S  # [RM alg. 1, 2]
        J.append(own)
    return J


def jacobian_rate(blocks: Sequence[Block], parents: Sequence[int], v: Floats, Sdot: Sequence[Floats]) -> list[Floats]:
    """Jdot_mr, link by link; `Sdot` are the time derivatives of the joints' own S [RM alg. 1]."""
    at, J = starts(blocks), jacobian(blocks, parents)
    Jdot: list[Floats] = []
    for i, block in enumerate(blocks):
        own = np.zeros_like(J[i])
        if parents[i] >= 0:
            Ad = block.to_child
            s = apply(block.S, v[..., at[i] : at[i + 1]])
            # The derivative of Ad by the relative twist alone: [RM eq. 21] with both world twists cancelled.
            own += -ad_matrix(s) @ Ad @ J[parents[i]] + Ad @ Jdot[parents[i]]  # [RM eq. 20]
        own[..., at[i] : at[i + 1]] = Sdot[i]  # [RM eq. 19]
        Jdot.append(own)
    return Jdot


def jacobian_rate_times_velocity(
    blocks: Sequence[Block], parents: Sequence[int], base_acceleration: Floats
) -> list[Floats]:
    """Jdot qdot, the links' accelerations at zero joint acceleration; gravity is the ground's acceleration."""
    made: list[Floats] = []
    for i, block in enumerate(blocks):
        before = made[parents[i]] if parents[i] >= 0 else base_acceleration
        made.append(apply(block.to_child, before) + block.a)
    return made


def reduced_inertia(J: Sequence[Floats], inertias: Sequence[Floats], armature: Floats | float = 0.0) -> Floats:
    """M_r = J^T M_m J [RM eq. 12], and what joints alone feel on its diagonal."""
    M_r = np.asarray(sum(np.swapaxes(Ji, -1, -2) @ M @ Ji for Ji, M in zip(J, inertias, strict=True)))
    return M_r + armature * np.eye(M_r.shape[-1])


def redmax_accelerations(links: Maximal) -> Floats:
    """Joint accelerations, links in order [RM eq. 12]."""
    M_r, right = reduced_system(links)
    solved: Floats = np.linalg.solve(M_r, right[..., None])[..., 0]
    return solved


def reduced_system(links: Maximal) -> tuple[Floats, Floats]:
    """M_r and f_r of M_r qdd = f_r [RM eq. 10, 12]."""
    J = jacobian(links.blocks, links.parents)
    drift = jacobian_rate_times_velocity(links.blocks, links.parents, links.base_acceleration)
    right = links.tau.astype(float)
    for Ji, M, block, a in zip(J, links.inertias, links.blocks, drift, strict=True):
        f = -block.b - apply(M, a)  # [RM eq. 9, 12]: f_m - M_m Jdot qdot
        right = right + apply(np.swapaxes(Ji, -1, -2), f)
    return reduced_inertia(J, links.inertias, links.armature), right


def reduced_rows(blocks: Sequence[Block], parents: Sequence[int], rows: LinkRows) -> tuple[Floats, Floats]:
    """G_r = G_m J_mr + N and gamma_r = gamma_m + G_m Jdot qdot: maximal rows as M_m and f_m are reduced [RM eq. 12]."""
    J = jacobian(blocks, parents)
    drift = jacobian_rate_times_velocity(blocks, parents, np.zeros(6))
    G, gamma = rows.on_joints, rows.gamma
    for link, K in rows.on_links.items():
        G = G + K @ J[link]
        gamma = gamma + apply(K, drift[link])
    return G, gamma
