"""Rotation vectors of batches of rotations, and how they change."""

from __future__ import annotations

import numpy as np

from anyjoint.dynamics.blocks import skew
from anyjoint.scalar.array import Floats
from anyjoint.spatial.quaternions import quaternions


def rotation_vector(R: Floats) -> Floats:
    """The logarithm of rotations, (batch, 3, 3) -> (batch, 3), by quaternions, so that it holds up to half a turn."""
    q = quaternions(R)
    q = q * np.where(q[:, 3:] < 0, -1.0, 1.0)
    size = np.linalg.norm(q[:, :3], axis=1)
    angle = 2 * np.arctan2(size, q[:, 3])
    return np.asarray(q[:, :3] * np.where(size > 1e-12, angle / np.maximum(size, 1e-300), 2.0)[:, None])


def rate_of_rotation_vector(angle: Floats) -> Floats:
    """How a rotation vector changes with an angular velocity along the world's axes, (batch, 3, 3)."""
    size = np.linalg.norm(angle, axis=1)
    small = size < 1e-4
    safe = np.where(small, 1.0, size)
    bend = np.where(small, 1 / 12 + size**2 / 720, (1 - safe / 2 / np.tan(safe / 2)) / safe**2)
    A = skew(angle)
    return np.asarray(np.eye(3) - A / 2 + bend[:, None, None] * (A @ A))
