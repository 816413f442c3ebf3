"""Smooth tracks in few bytes: integers of 16 bits, differences in time and between neighbours, deflated.

A track is a number that changes from frame to frame, such as a coordinate of a body. Numbers are rounded to steps of
their range; a motion is smooth in time, and neighbouring bodies move alike, so differences are small and deflate well.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def packed_tracks(values: Array, low: Array, step: Array) -> dict[str, Any]:
    """Values (frames, tracks, components) as JSON data; component k is low[k] + i step[k] with 0 <= i < 65536.

    What `unpacked` or the page reads differs by at most step / 2.
    """
    levels = np.rint((values - low) / np.where(step > 0, step, 1.0)).astype(np.uint16)
    # Differences wrap around at 65536 and so do the sums that undo them: nothing is lost.
    changes = _differences(_differences(levels, axis=0), axis=1).astype(np.int16)
    zigzag = ((changes << 1) ^ (changes >> 15)).astype(np.uint16)  # 0, -1, 1, -2 ... become 0, 1, 2, 3 ...
    rows = np.moveaxis(zigzag, -1, 0)
    planes = np.stack([rows & 255, rows >> 8]).astype(np.uint8)  # all low bytes, then all high ones, which are mostly 0
    data = base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode("ascii")
    return {"shape": list(values.shape), "low": low.tolist(), "step": step.tolist(), "data": data}


def unpacked(tracks: dict[str, Any]) -> Array:
    """The values of packed tracks: what the page computes."""
    frames, count, components = tracks["shape"]
    raw = np.frombuffer(zlib.decompress(base64.b64decode(tracks["data"])), dtype=np.uint8)
    planes = raw.astype(np.uint16).reshape(2, components, frames, count)
    zigzag = np.moveaxis(planes[0] | planes[1] << 8, 0, -1)
    changes = (zigzag >> 1) ^ -(zigzag & 1)
    levels = np.cumsum(np.cumsum(changes, axis=1, dtype=np.uint16), axis=0, dtype=np.uint16)
    return np.asarray(np.asarray(tracks["low"]) + levels * np.asarray(tracks["step"]))


def pose_tracks(positions: Array, quaternions: Array) -> dict[str, Any]:
    """Positions (n, nb, 3) and unit quaternions (n, nb, 4) as seven tracks per body, x y z qx qy qz qw.

    A coordinate is off by at most 1/131070 of the largest extent of the motion, a rotation by 1.3e-4 rad.
    """
    low, extent = positions.min(axis=(0, 1)), np.ptp(positions, axis=(0, 1)).max()
    lows = np.concatenate([low, np.full(4, -1.0)])
    # 15 bits for quaternions: half the bytes are theirs, and 1.3e-4 rad is a tenth of a pixel. 0 and 1 stay exact.
    steps = np.concatenate([np.full(3, extent / 65535), np.full(4, 1 / 16383)])
    return packed_tracks(np.concatenate([positions, continuous(quaternions)], axis=-1), lows, steps)


def point_tracks(points: Array) -> dict[str, Any]:
    """Points (n, m, 3) as three tracks each; one is off by at most 1/131070 of their largest extent."""
    extent = np.ptp(points, axis=(0, 1)).max()
    return packed_tracks(points, points.min(axis=(0, 1)), np.full(3, extent / 65535))


def continuous(quaternions: Array) -> Array:
    """The same rotations without jumps of sign: each quaternion on the side of the one before."""
    turns = np.sum(quaternions[1:] * quaternions[:-1], axis=-1) < 0
    signs = np.concatenate([np.ones_like(quaternions[:1, :, 0]), np.where(turns, -1.0, 1.0)])
    return np.asarray(quaternions * np.cumprod(signs, axis=0)[..., None])


def _differences(levels: Array, axis: int) -> Array:
    return np.diff(levels, axis=axis, prepend=np.zeros_like(np.take(levels, [0], axis)))
