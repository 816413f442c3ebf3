"""Quaternions of batches of rotations."""

from __future__ import annotations

import numpy as np

from anyjoint.scalar.array import Floats


def quaternions(R: Floats) -> Floats:
    """Rotations (..., 3, 3) as quaternions (..., 4) ordered x, y, z, w, by the largest of the four components."""
    t = np.trace(R, axis1=-2, axis2=-1)
    d = np.stack([R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]], axis=-1)
    # Row k of `columns` is 4 q_k q: each is exact up to scale, the largest q_k gives the best one.
    xy, xz, yz = R[..., 0, 1] + R[..., 1, 0], R[..., 0, 2] + R[..., 2, 0], R[..., 1, 2] + R[..., 2, 1]
    wx, wy, wz = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    xx, yy, zz = (1 + 2 * d[..., k] - t for k in range(3))
    rows = np.stack(
        [
            np.stack([xx, xy, xz, wx], axis=-1),
            np.stack([xy, yy, yz, wy], axis=-1),
            np.stack([xz, yz, zz, wz], axis=-1),
            np.stack([wx, wy, wz, 1 + t], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(np.stack([xx, yy, zz, 1 + t], axis=-1), axis=-1)
    chosen = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    return np.asarray(chosen / np.linalg.norm(chosen, axis=-1, keepdims=True))
