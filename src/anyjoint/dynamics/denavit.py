"""Constant poses between joint axes in Denavit and Hartenberg's form.

Any pose is Rot_z(gamma) Trans_z(delta) Rot_x(alpha) Trans(a, 0, r) Rot_z(theta): the common normal of the two z axes.
Where a joint turns about z or slides along it, the outer Rot_z Trans_z on either side can be moved into the choice
of body frames, which leaves one elementary rotation and a planar shift.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
TINY = 1e-14  # below this, relative to 1 or to the pose's size, a number is rounding noise of an exact 0 or 1


@dataclass(frozen=True)
class Normal:
    """Rot_z(gamma) Trans_z(delta) Rot_x(alpha) Trans(a, 0, r) Rot_z(theta)."""

    gamma: float
    delta: float
    sin_alpha: float
    cos_alpha: float
    a: float
    r: float
    theta: float


def common_normal(K: Array) -> Normal:
    """Decompose a 4x4 pose."""
    R, p = K[:3, :3], K[:3, 3]
    ca, sa = float(R[2, 2]), float(math.hypot(R[0, 2], R[1, 2]))
    if sa < TINY:  # parallel axes: any normal will do; take the one through both origins
        a = math.hypot(p[0], p[1])
        gamma = math.atan2(p[1], p[0]) if a > TINY * (1 + abs(p[2])) else 0.0
        ca, sa = math.copysign(1.0, ca), 0.0
        rest = rotation_x(sa, ca).T @ rotation_z(-gamma) @ R
        return Normal(
            gamma, float(p[2]), sa, ca, a if gamma or a > TINY else 0.0, 0.0, math.atan2(rest[1, 0], rest[0, 0])
        )
    gamma = math.atan2(R[0, 2] / sa, -R[1, 2] / sa)
    x, y, z = rotation_z(-gamma) @ p
    t = y / sa
    theta = math.atan2(R[2, 0] / sa, R[2, 1] / sa)
    return Normal(gamma, float(z + t * ca), sa, ca, float(x), float(-t), theta)


def rotation_z(angle: float) -> Array:
    s, c = exact_sincos(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def rotation_x(s: float, c: float) -> Array:
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def exact_sincos(angle: float) -> tuple[float, float]:
    """sin and cos with the rounding noise of right angles removed."""
    s, c = math.sin(angle), math.cos(angle)
    return snap(s, 1.0), snap(c, 1.0)


def snap(x: float, scale: float) -> float:
    """x, or the exact 0, 1 or -1 that it misses by rounding noise only."""
    for exact in (0.0, 1.0, -1.0):
        if abs(x - exact) <= TINY * max(scale, 1e-300):
            return exact
    return float(x)


def homogeneous(R: Array, p: Any) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def screw_z(angle: float, shift: float) -> Array:
    """Rot_z(angle) Trans_z(shift), which commutes with a hinge or slider along z."""
    return homogeneous(rotation_z(angle), (0.0, 0.0, shift))
