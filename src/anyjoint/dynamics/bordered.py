"""The augmented system bordered by constraint rows: the links are eliminated first, multipliers last [PAK eq. 5, 8].

    [A  B] [x]   [   r  ]        x = (f, -phidot, qdd) of all links, B^T = (-K, 0, N)
    [E  0] [y] = [-gamma]        E = (0, -K, N)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anyjoint.scalar.array import Floats

from .augmented import FORCE, MOTION, Augmented, augmented_system, back_substitute, eliminate
from .blocks import Block, LinkRows, Maximal, apply, starts

FAINT = 1e-2  # pivots below this share of the largest are no longer brought to its size: rounding would be, too
REDUNDANT = 4_500  # last bits of an eigenvalue, where rows are of one size


def bordered_accelerations(links: Maximal, rows: LinkRows, bit: float) -> Floats:
    """Joint accelerations, links in order, that satisfy the rows; least squares where rows are redundant.

    Numbers are known to their last `bit`.
    """
    system = augmented_system(links)
    fall = ground_seen(links.blocks, links.parents, links.base_acceleration)
    at = starts(links.blocks)
    lead = np.broadcast_shapes(system.right[0].shape[:-1], rows.gamma.shape[:-1])
    E, B = zip(*(_border(rows, i, slice(at[i], at[i + 1]), lead) for i in range(len(links.blocks))), strict=True)
    x = back_substitute(eliminate(_with_columns(system, B)))  # x_0 and the columns of X = A^-1 B
    Ex = np.swapaxes(sum(own @ np.swapaxes(solved, -1, -2) for own, solved in zip(E, x, strict=True)), -1, -2)
    gamma = rows.gamma - sum(apply(K, fall[link]) for link, K in rows.on_links.items())
    terms = sum((np.abs(own) * np.abs(solved[..., 1:, :])).sum(axis=-1) for own, solved in zip(E, x, strict=True))
    S = np.swapaxes(Ex[..., 1:, :], -1, -2)
    y = least_squares(S, Ex[..., 0, :] + gamma, terms, bit)  # E (x_0 - X y) = -gamma
    return np.concatenate([s[..., 0, 12:] - apply(np.swapaxes(s[..., 1:, 12:], -1, -2), y) for s in x], axis=-1)


def ground_seen(blocks: Sequence[Block], parents: Sequence[int], base_acceleration: Floats) -> list[Floats]:
    """The ground's acceleration in the links' frames: the system counts theirs against gravity, rows do not."""
    made: list[Floats] = []
    for i, block in enumerate(blocks):
        made.append(apply(block.to_child, made[parents[i]] if parents[i] >= 0 else base_acceleration))
    return made


def least_squares(S: Floats, right: Floats, terms: Floats, bit: float) -> Floats:
    """y of least norm with S y = right, S symmetric and positive, its rows brought to one size.

    Rows of which nothing but rounding is left, of the terms that their diagonal is summed from, are left out.
    """
    diagonal = np.diagonal(S, axis1=-2, axis2=-1)
    size = np.maximum(diagonal, FAINT * diagonal.max(axis=-1, keepdims=True, initial=0.0))
    felt = diagonal > REDUNDANT * bit * terms
    scale = np.where(felt, 1.0 / np.sqrt(np.where(felt, size, 1.0)), 0.0)
    scaled = S * scale[..., :, None] * scale[..., None, :]
    inverse = np.linalg.pinv((scaled + np.swapaxes(scaled, -1, -2)) / 2, rcond=REDUNDANT * bit, hermitian=True)
    return scale * apply(inverse, scale * right)


def _border(rows: LinkRows, link: int, own: slice, lead: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Rows and columns of the border at a link, both (m, 12 + n)."""
    N = rows.on_joints[..., own]
    E = np.zeros((*lead, N.shape[-2], 12 + N.shape[-1]))
    B = np.zeros_like(E)
    E[..., 12:] = B[..., 12:] = N
    if link in rows.on_links:
        E[..., MOTION] = B[..., FORCE] = -rows.on_links[link]
    return E, B


def _with_columns(system: Augmented, B: Sequence[Floats]) -> Augmented:
    """The system with one right-hand side more for each row, as states of a batch."""
    right = tuple(
        np.concatenate([np.broadcast_to(r, (*b.shape[:-2], r.shape[-1]))[..., None, :], b], axis=-2)
        for r, b in zip(system.right, B, strict=True)
    )
    pairs = zip(system.diagonal, right, strict=True)
    diagonal = tuple(np.broadcast_to(K[..., None, :, :], (*r.shape, r.shape[-1])) for K, r in pairs)
    coupling = tuple(Ad[..., None, :, :] for Ad in system.coupling)
    return replace(system, diagonal=diagonal, right=right, coupling=coupling)
