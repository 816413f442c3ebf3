"""Rigid motions and inertias of many bodies at once, as stacks of NumPy matrices: poses 4x4, inertias 6x6."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.scalar.array import ArrayLike
from anyjoint.spatial import Factor, Pose, Rotation, Translation
from anyjoint.spatial.factor import PLANES

Array = np.ndarray[Any, np.dtype[Any]]
TRANSLATION, TURN = 3, 4  # kinds of factors that are no rotation about axis 0, 1 or 2


def homogeneous(R: Array, p: ArrayLike) -> Array:
    """Poses from rotations and origins."""
    p = np.asarray(p, dtype=float)
    T = np.zeros((*np.broadcast_shapes(R.shape[:-2], p.shape[:-1]), 4, 4))
    T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = R, p, 1.0
    return T


def matrices(poses: Sequence[Pose]) -> Array:
    """The 4x4 matrices of many poses made of numbers; those with the same sequence of factors are computed together."""
    out = np.zeros((len(poses), 4, 4))
    groups: dict[tuple[int, ...], list[int]] = {}
    for k, pose in enumerate(poses):
        groups.setdefault(tuple([_kind(factor) for factor in pose.factors]), []).append(k)
    for kinds, members in groups.items():
        T = np.tile(np.eye(4), (len(members), 1, 1))
        R, p = T[:, :3, :3], T[:, :3, 3]
        for j, kind in enumerate(kinds):
            factors: list[Any] = [poses[k].factors[j] for k in members]
            if kind == TRANSLATION:
                p += (R @ np.array([factor.p for factor in factors], dtype=float)[..., None])[..., 0]
            elif kind == TURN:
                R[...] = R @ np.array([factor.R for factor in factors], dtype=float)
            else:
                pairs = [x.known or (math.sin(x.angle), math.cos(x.angle)) for x in factors]
                s, c = np.array(pairs, dtype=float).T[:, :, None]
                a, b = PLANES[kind]
                R[:, :, a], R[:, :, b] = R[:, :, a] * c + R[:, :, b] * s, R[:, :, b] * c - R[:, :, a] * s
        out[members] = T
    return out


def _kind(factor: Factor) -> int:
    """The axis of a rotation, or what else the factor is."""
    if isinstance(factor, Rotation):
        return factor.axis
    return TRANSLATION if isinstance(factor, Translation) else TURN


def axis_poses(axes: ArrayLike) -> Array:
    """For each unit vector some rotation, as a pose, whose third column it is."""
    z = np.asarray(axes, dtype=float).reshape(-1, 3)
    k, each = np.argmin(np.abs(z), axis=1), np.arange(len(z))
    i, j = (k + 1) % 3, (k + 2) % 3
    length = np.hypot(z[each, i], z[each, j])
    x = np.zeros_like(z)
    x[each, i], x[each, j] = -z[each, j] / length, z[each, i] / length
    return homogeneous(np.stack([x, np.cross(z, x), z], axis=-1), (0.0, 0.0, 0.0))


def inverse(T: Array) -> Array:
    """The inverse of a pose."""
    Rt = np.swapaxes(T[..., :3, :3], -1, -2)
    return homogeneous(Rt, -(Rt @ T[..., :3, 3:])[..., 0])


def adjoint(T: Array) -> Array:
    """The 6x6 adjoint of a pose [SG eq. 2]."""
    X = np.zeros((*T.shape[:-2], 6, 6))
    X[..., :3, :3] = X[..., 3:, 3:] = T[..., :3, :3]
    X[..., 3:, :3] = skew(T[..., :3, 3]) @ T[..., :3, :3]
    return X


def skew(p: Array) -> Array:
    """The matrices [p] with [p] b = p x b."""
    out = np.zeros((*p.shape[:-1], 3, 3))
    out[..., 2, 1], out[..., 0, 2], out[..., 1, 0] = p[..., 0], p[..., 1], p[..., 2]
    return out - np.swapaxes(out, -1, -2)


def moved(J: Array, T: Array) -> Array:
    """Inertias given in frames, seen from the frames in which those have poses T."""
    X = adjoint(inverse(T))
    seen: Array = np.swapaxes(X, -1, -2) @ J @ X
    return seen
