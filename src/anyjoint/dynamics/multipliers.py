"""Lagrange's multipliers in a dense system: [[M, G^T], [G, 0]] (a, y) = (f, -gamma) [GL section 5; PAK eq. 7]."""

from __future__ import annotations

import numpy as np

from anyjoint.scalar.array import Floats

from .blocks import apply

NOISE = 450  # last bits of an entry that may be all rounding, where lengths are metres or more
FAINT = 1e-3  # rows below this share of the largest are no longer brought to its size: rounding would be, too
REDUNDANT = 45_000  # last bits that are left of a row, of what it is where nothing else holds


def constrained_accelerations(M: Floats, right: Floats, G: Floats, gamma: Floats, bit: float) -> Floats:
    """a with M a + G^T y = right and G a + gamma = 0: the nearest to the free accelerations, in kinetic energy.

    With M = L L^T and a = a_0 + L^-T x, the least x that closes the rows; singular values tell rows that others imply,
    where numbers are known to their last `bit`.
    """
    G = np.where(np.abs(G) > NOISE * bit * np.abs(G).max(axis=(-2, -1), keepdims=True, initial=1.0), G, 0.0)
    L = np.linalg.cholesky(M)
    free = np.linalg.solve(M, right[..., None])[..., 0]
    rows = np.swapaxes(np.linalg.solve(L, np.swapaxes(G, -1, -2)), -1, -2)
    size = np.linalg.norm(rows, axis=-1)
    size = np.maximum(size, FAINT * size.max(axis=-1, keepdims=True, initial=0.0))
    scale = 1.0 / np.where(size > 0, size, 1.0)
    inverse = np.linalg.pinv(rows * scale[..., None], rcond=REDUNDANT * bit)
    x = apply(inverse, -scale * (gamma + apply(G, free)))
    moved: Floats = np.linalg.solve(np.swapaxes(L, -1, -2), x[..., None])[..., 0]
    return free + moved
