"""The logarithm of a rigid motion in plain numbers."""

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def rotation_vector(R: Array) -> Array:
    """The rotation vector of a rotation matrix, through its quaternion, so that it is accurate up to half a turn."""
    K = np.array([
        [R[0, 0] - R[1, 1] - R[2, 2], R[1, 0] + R[0, 1], R[2, 0] + R[0, 2], R[2, 1] - R[1, 2]],
        [R[1, 0] + R[0, 1], R[1, 1] - R[0, 0] - R[2, 2], R[2, 1] + R[1, 2], R[0, 2] - R[2, 0]],
        [R[2, 0] + R[0, 2], R[2, 1] + R[1, 2], R[2, 2] - R[0, 0] - R[1, 1], R[1, 0] - R[0, 1]],
        [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], R[0, 0] + R[1, 1] + R[2, 2]],
    ])  # fmt: skip
    x, y, z, w = np.linalg.eigh(K)[1][:, 3]
    if w < 0:
        x, y, z, w = -x, -y, -z, -w
    axis = np.array([x, y, z])
    length = float(np.linalg.norm(axis))
    return 2 * axis if length < 1e-12 else axis * (2 * math.atan2(length, w) / length)


def logarithm(T: Array) -> Array:
    """The twist (angular, linear) whose exponential is the 4x4 matrix T."""
    w = rotation_vector(T[:3, :3])
    t = float(np.linalg.norm(w))
    if t < 1e-4:
        e = 1 / 12 + t * t / 720
    else:
        e = (1 - 0.5 * t / math.tan(0.5 * t)) / (t * t)
    W = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    return np.concatenate([w, (np.eye(3) - 0.5 * W + e * W @ W) @ T[:3, 3]])
