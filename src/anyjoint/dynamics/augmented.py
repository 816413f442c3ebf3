"""The augmented system of Pai, Ascher & Kry, and what different eliminations make of it [PAK eq. 5-8].

Unknowns per link: x = (f, -phidot, qdd). Bodies here are numbered from the root, theirs from the tip.
"""

from __future__ import annotations

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats

from .blocks import Maximal, apply, starts

FORCE, MOTION = slice(0, 6), slice(6, 12)  # rows and columns of a link's block


@frozen
class Augmented:
    """The sparse system (5): one diagonal block and right-hand side per link, coupled to the parent's through Ad."""

    parents: tuple[int, ...]
    diagonal: tuple[Floats, ...]  # [[1, M, 0], [0, 1, H], [H^T, 0, armature]]
    coupling: tuple[Floats, ...]  # Ad, parent's twists seen from the link
    right: tuple[Floats, ...]  # (b, -a, tau)


def augmented_system(links: Maximal) -> Augmented:
    """Assemble (5); the ground's acceleration is known and goes to the right-hand side."""
    at, diagonal, right = starts(links.blocks), [], []
    own = np.broadcast_to(links.armature, at[-1])
    for i, block in enumerate(links.blocks):
        n, lead = block.S.shape[-1], block.p.shape[:-1]
        K = np.zeros((*lead, 12 + n, 12 + n))
        K[..., FORCE, FORCE] = K[..., MOTION, MOTION] = np.eye(6)
        K[..., FORCE, MOTION] = links.inertias[i]  # [PAK eq. 2]
        K[..., MOTION, 12:] = block.S  # [PAK eq. 3]
        K[..., 12:, FORCE] = np.swapaxes(block.S, -1, -2)  # [PAK eq. 4]
        K[..., 12:, 12:] = np.diag(own[at[i] : at[i + 1]])
        a = block.a + (apply(block.to_child, links.base_acceleration) if links.parents[i] < 0 else 0.0)
        force = np.broadcast_to(links.tau[..., at[i] : at[i + 1]], (*lead, n))
        diagonal.append(K)
        right.append(np.concatenate([block.b, -a, force], axis=-1))
    return Augmented(tuple(links.parents), tuple(diagonal), tuple(b.to_child for b in links.blocks), tuple(right))


def dense(system: Augmented) -> tuple[Floats, Floats]:
    """The system (5) as one dense matrix and right-hand side; to look at, and as an oracle."""
    at = [0, *np.cumsum([K.shape[-1] for K in system.diagonal]).tolist()]
    M = np.zeros((*system.right[0].shape[:-1], at[-1], at[-1]))
    for i, K in enumerate(system.diagonal):
        M[..., at[i] : at[i + 1], at[i] : at[i + 1]] = K
        p = system.parents[i]
        if p >= 0:
            Ad = system.coupling[i]
            M[..., at[i] + 6 : at[i] + 12, at[p] + 6 : at[p] + 12] = -Ad
            M[..., at[p] : at[p] + 6, at[i] : at[i] + 6] = -np.swapaxes(Ad, -1, -2)
    return M, np.concatenate(system.right, axis=-1)


def eliminate(system: Augmented) -> Augmented:
    """Block elimination from the leaves to the root, which fills in nothing but the links' own blocks [PAK eq. 8].

    What replaces M in a link's block is its articulated inertia, as an algebraic side effect.
    """
    diagonal, right = [K.copy() for K in system.diagonal], [r.copy() for r in system.right]
    for i in range(len(diagonal) - 1, -1, -1):
        p = system.parents[i]
        if p < 0:
            continue
        Ad = system.coupling[i]
        columns = np.zeros((*diagonal[i].shape[:-1], 7))
        columns[..., MOTION, :6] = -Ad
        columns[..., 6] = right[i]
        solved = np.linalg.solve(diagonal[i], columns)[..., FORCE, :]  # f_i = last column - the others * (-phidot_p)
        handed = np.swapaxes(Ad, -1, -2) @ solved
        diagonal[p][..., FORCE, MOTION] += handed[..., :6]  # M_p + Ad^T (M - M H (H^T M H)^-1 H^T M) Ad
        right[p][..., FORCE] += handed[..., 6]
    return Augmented(system.parents, tuple(diagonal), system.coupling, tuple(right))


def back_substitute(system: Augmented) -> list[Floats]:
    """The unknowns (f, -phidot, qdd) of every link of an eliminated system, root first."""
    x: list[Floats] = []
    for i, K in enumerate(system.diagonal):
        right = system.right[i].copy()
        if system.parents[i] >= 0:
            right[..., MOTION] += apply(system.coupling[i], x[system.parents[i]][..., MOTION])
        x.append(np.linalg.solve(K, right[..., None])[..., 0])
    return x


def augmented_accelerations(links: Maximal) -> Floats:
    """Joint accelerations, links in order, in linear time: elimination of (5) with small dense blocks."""
    solved = back_substitute(eliminate(augmented_system(links)))
    return np.concatenate([x[..., 12:] for x in solved], axis=-1)


def articulated_inertias(system: Augmented) -> list[Floats]:
    """The inertias M-hat that elimination leaves in the links' blocks [PAK section 5]."""
    return [K[..., FORCE, MOTION] for K in eliminate(system).diagonal]


def pivots(system: Augmented) -> list[Floats]:
    """The joint inertias D = H^T M-hat H, the (3k, 3k) blocks of the eliminated system [PAK eq. 8]."""
    return [
        np.swapaxes(K[..., MOTION, 12:], -1, -2) @ K[..., FORCE, MOTION] @ K[..., MOTION, 12:] + K[..., 12:, 12:]
        for K in eliminate(system).diagonal
    ]


def grouped(system: Augmented) -> tuple[Floats, Floats, Floats]:
    """(M, A^-1, H): the same system with forces, motions and joints grouped [PAK eq. 6, 7]."""
    n, at = len(system.diagonal), [0, *np.cumsum([K.shape[-1] - 12 for K in system.diagonal]).tolist()]
    lead = system.right[0].shape[:-1]
    M, H = np.zeros((*lead, 6 * n, 6 * n)), np.zeros((*lead, 6 * n, at[-1]))
    inverse_A = np.zeros_like(M)
    inverse_A[...] = np.eye(6 * n)
    for i, K in enumerate(system.diagonal):
        rows, p = slice(6 * i, 6 * i + 6), system.parents[i]
        M[..., rows, rows] = K[..., FORCE, MOTION]
        H[..., rows, at[i] : at[i + 1]] = K[..., MOTION, 12:]
        if p >= 0:
            inverse_A[..., rows, 6 * p : 6 * p + 6] = -system.coupling[i]
    return M, inverse_A, H


def joint_space_inertia(system: Augmented) -> Floats:
    """H^T A^T M A H, what block-row elimination of (7) leaves: the mass matrix [PAK section 4]."""
    M, inverse_A, H = grouped(system)
    AH = np.linalg.solve(inverse_A, H)
    product: Floats = np.swapaxes(AH, -1, -2) @ M @ AH
    own = np.concatenate([np.diagonal(K[..., 12:, 12:], axis1=-2, axis2=-1) for K in system.diagonal], axis=-1)
    return product + own[..., None] * np.eye(own.shape[-1])
