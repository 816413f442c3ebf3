"""Constant poses between joint axes in Denavit and Hartenberg's form; all functions take stacks of poses.

Any pose is Rot_z(gamma) Trans_z(delta) Rot_x(alpha) Trans(a, 0, r) Rot_z(theta): the common normal of the two z axes.
Where a joint turns about z or slides along it, the outer Rot_z Trans_z on either side can be moved into the choice
of body frames, which leaves one elementary rotation and a planar shift.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .rigid import Array, homogeneous

TINY = 1e-14  # below this, relative to 1 or to the pose's size, a number is rounding noise of an exact 0 or 1


@dataclass(frozen=True)
class Normal:
    """Rot_z(gamma) Trans_z(delta) Rot_x(alpha) Trans(a, 0, r) Rot_z(theta)."""

    gamma: Any
    delta: Any
    sin_alpha: Any
    cos_alpha: Any
    a: Any
    r: Any
    theta: Any


def common_normal(K: Array) -> Normal:
    """Decompose 4x4 poses."""
    R, (x, y, z) = K[..., :3, :3], np.moveaxis(K[..., :3, 3], -1, 0)
    ca, sa = R[..., 2, 2], np.hypot(R[..., 0, 2], R[..., 1, 2])
    parallel = sa < TINY  # then any normal will do; take the one through both origins
    length = np.hypot(x, y)
    apart = length > TINY * (1 + np.abs(z))
    along = np.where(apart, np.arctan2(y, x), 0.0)
    divisor = np.where(parallel, 1.0, sa)
    gamma = np.where(parallel, along, np.arctan2(R[..., 0, 2], -R[..., 1, 2]))
    s, c = exact_sincos(gamma)
    t = np.where(parallel, 0.0, (c * y - s * x) / divisor)
    ca, sa = np.where(parallel, np.copysign(1.0, ca), ca), np.where(parallel, 0.0, sa)
    # Where the axes are parallel, what is left of the turn is about z, or about -z.
    rest = np.arctan2(ca * (c * R[..., 1, 0] - s * R[..., 0, 0]), c * R[..., 0, 0] + s * R[..., 1, 0])
    theta = np.where(parallel, rest, np.arctan2(R[..., 2, 0], R[..., 2, 1]))
    a = np.where(parallel, np.where(apart, length, 0.0), c * x + s * y)
    return Normal(gamma, z + t * ca, sa, ca, a, -t, theta)


def rotation_z(angle: Any) -> Array:
    """Turns about z."""
    s, c = exact_sincos(angle)
    R = np.zeros((*s.shape, 3, 3))
    R[..., 0, 0] = R[..., 1, 1] = c
    R[..., 0, 1], R[..., 1, 0], R[..., 2, 2] = -s, s, 1.0
    return R


def rotation_x(s: Any, c: Any) -> Array:
    """Turns about x by angles of which sine and cosine are known."""
    R = np.zeros((*np.shape(s), 3, 3))
    R[..., 1, 1] = R[..., 2, 2] = c
    R[..., 1, 2], R[..., 2, 1], R[..., 0, 0] = -np.asarray(s), s, 1.0
    return R


def exact_sincos(angle: Any) -> tuple[Array, Array]:
    """sin and cos with the rounding noise of right angles removed."""
    return snap(np.sin(angle)), snap(np.cos(angle))


def snap(x: Any) -> Array:
    """x, or the exact 0, 1 or -1 that it misses by rounding noise only."""
    exact = np.round(np.clip(x, -1.0, 1.0))
    return np.asarray(np.where(np.abs(x - exact) <= TINY, exact, x))


def screw_z(angle: Any, shift: Any) -> Array:
    """Rot_z(angle) Trans_z(shift), which commutes with a hinge or slider along z."""
    shift = np.asarray(shift, dtype=float)
    return homogeneous(rotation_z(angle), np.stack([0 * shift, 0 * shift, shift], axis=-1))
