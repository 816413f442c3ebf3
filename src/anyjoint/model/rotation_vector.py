"""Rotation vectors of batches of rotations, and how they change."""

from __future__ import annotations

from typing import Any

import numpy as np

from anyjoint.dynamics.blocks import skew

Floats = np.ndarray[Any, np.dtype[Any]]


def rotation_vector(R: Floats) -> Floats:
    """The logarithm of rotations, (batch, 3, 3) -> (batch, 3), by quaternions, so that it holds up to half a turn."""
    w = np.sqrt(np.maximum(1 + np.trace(R, axis1=1, axis2=2), 0.0)) / 2
    xyz = np.sqrt(np.maximum(1 + 2 * np.diagonal(R, axis1=1, axis2=2) - np.trace(R, axis1=1, axis2=2)[:, None], 0)) / 2
    spin = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1) / 4
    # The largest of the four numbers is exact; the others follow from it.
    four = np.concatenate([w[:, None], xyz], axis=1)
    best, rows = np.argmax(four, axis=1), np.arange(len(R))
    symmetric = (R + np.swapaxes(R, -1, -2)) / 4
    quaternion = np.empty((len(R), 4))
    for k in range(4):
        mine = best == k
        lead = four[mine, k][:, None]
        if k == 0:
            quaternion[mine] = np.concatenate([lead, spin[mine] / lead], axis=1)
        else:
            axis = symmetric[mine, k - 1] / lead
            axis[:, k - 1] = lead[:, 0]
            quaternion[mine] = np.concatenate([spin[mine, k - 1][:, None] / lead, axis], axis=1)
    quaternion *= np.where(quaternion[rows, 0] < 0, -1.0, 1.0)[:, None]
    size = np.linalg.norm(quaternion[:, 1:], axis=1)
    angle = 2 * np.arctan2(size, quaternion[:, 0])
    scale = np.where(size > 1e-12, angle / np.maximum(size, 1e-300), 2.0)
    return np.asarray(quaternion[:, 1:] * scale[:, None])


def rate_of_rotation_vector(angle: Floats) -> Floats:
    """How a rotation vector changes with an angular velocity along the world's axes, (batch, 3, 3)."""
    size = np.linalg.norm(angle, axis=1)
    small = size < 1e-4
    safe = np.where(small, 1.0, size)
    bend = np.where(small, 1 / 12 + size**2 / 720, (1 - safe / 2 / np.tan(safe / 2)) / safe**2)
    A = skew(angle)
    return np.asarray(np.eye(3) - A / 2 + bend[:, None, None] * (A @ A))
