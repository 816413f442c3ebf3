"""Constant poses between joint axes in Denavit and Hartenberg's form; all functions take stacks of poses.

Any pose is Rot_z(gamma) Trans_z(delta) Rot_x(alpha) Trans(p) Rot_z(theta), and delta is free to choose.
Where a joint turns about z or slides along it, the outer Rot_z Trans_z on either side can be moved into the choice
of body frames, which leaves one elementary rotation and a planar shift: p = (a, 0, r) with delta at the foot of the
common normal of the two z axes. Where those are nearly parallel the foot is far away, and everything that is seen from
there loses digits; then p = (a, b, 0), with delta beside the child's origin, costs as little.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anyjoint.frozen import frozen

from .rigid import Array, homogeneous

TINY = 1e-14  # below this, relative to 1 or to the pose's size, a number is rounding noise of an exact 0 or 1
FAR = 16.0  # shifts of a pose's size beyond which the foot is not used: inertias lose digits with the shift squared


@frozen
class Normal:
    """Rot_z(gamma) Trans_z(delta) Rot_x(alpha) Trans(p) Rot_z(theta)."""

    gamma: Array
    delta: Array
    sin_alpha: Array
    cos_alpha: Array
    p: Array
    theta: Array


def common_normal(K: Array) -> Normal:
    """Decompose 4x4 poses, with delta chosen such that p has one zero more."""
    pose = unshifted(K, through=True)
    sa, ca, (x, y, z) = pose.sin_alpha, pose.cos_alpha, np.moveaxis(pose.p, -1, 0)
    near = (sa > 0) & (np.abs(y) <= FAR * np.linalg.norm(pose.p, axis=-1) * sa)
    delta = np.where(near, y, z) / np.where(near, sa, ca)
    p = np.stack([x, np.where(near, 0.0, y - delta * sa), np.where(near, z - delta * ca, 0.0)], axis=-1)
    return replace(pose, delta=delta, p=p)


def unshifted(K: Array, through: bool = False) -> Normal:
    """Decompose 4x4 poses with delta = 0.

    Parallel axes have many common normals. The one `through` both origins, which leaves p without y, is for who can
    move gamma elsewhere. To turn by it costs more than y does, unless it is by right angles and makes theta zero.
    """
    R, (x, y, z) = K[..., :3, :3], np.moveaxis(K[..., :3, 3], -1, 0)
    ca, sa = R[..., 2, 2], np.hypot(R[..., 0, 2], R[..., 1, 2])
    parallel = sa < TINY
    ca, sa = np.where(parallel, np.copysign(1.0, ca), ca), np.where(parallel, 0.0, sa)
    together = parallel & (np.hypot(x, y) <= TINY * (1 + np.abs(z)))
    x, y = np.where(together, 0.0, x), np.where(together, 0.0, y)
    toward = np.arctan2(y, x)
    if not through:
        s, c = exact_sincos(toward)
        toward = np.where((s * c == 0) & (snap(c * R[..., 0, 0] + s * R[..., 1, 0]) == 1), toward, 0.0)
    gamma = np.where(parallel, toward, np.arctan2(R[..., 0, 2], -R[..., 1, 2]))
    s, c = exact_sincos(gamma)
    # What is left after gamma, whose noise is as large as alpha is small: their sum keeps its digits.
    theta = np.arctan2(-(c * R[..., 0, 1] + s * R[..., 1, 1]), c * R[..., 0, 0] + s * R[..., 1, 0])
    across = c * y - s * x
    p = np.stack([c * x + s * y, ca * across + sa * z, ca * z - sa * across], axis=-1)
    return Normal(gamma, 0.0 * z, sa, ca, p, theta)


def rotation_z(angle: Array) -> Array:
    """Turns about z."""
    s, c = exact_sincos(angle)
    R = np.zeros((*s.shape, 3, 3))
    R[..., 0, 0] = R[..., 1, 1] = c
    R[..., 0, 1], R[..., 1, 0], R[..., 2, 2] = -s, s, 1.0
    return R


def rotation_x(s: Array, c: Array) -> Array:
    """Turns about x by angles of which sine and cosine are known."""
    R = np.zeros((*np.shape(s), 3, 3))
    R[..., 1, 1] = R[..., 2, 2] = c
    R[..., 1, 2], R[..., 2, 1], R[..., 0, 0] = -np.asarray(s), s, 1.0
    return R


def exact_sincos(angle: Array) -> tuple[Array, Array]:
    """sin and cos with the rounding noise of right angles removed."""
    return snap(np.sin(angle)), snap(np.cos(angle))


def snap(x: Array) -> Array:
    """x, or the exact 0, 1 or -1 that it misses by rounding noise only."""
    exact = np.round(np.clip(x, -1.0, 1.0))
    return np.asarray(np.where(np.abs(x - exact) <= TINY, exact, x))


def screw_z(angle: Array, shift: Array) -> Array:
    """Rot_z(angle) Trans_z(shift), which commutes with a hinge or slider along z."""
    shift = np.asarray(shift, dtype=float)
    return homogeneous(rotation_z(angle), np.stack([0 * shift, 0 * shift, shift], axis=-1))


def principal(angle: Array) -> Array:
    """Angles between -pi and pi."""
    return np.asarray(angle - 2 * np.pi * np.round(angle / (2 * np.pi)))
