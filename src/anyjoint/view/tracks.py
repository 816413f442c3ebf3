"""Smooth tracks in few bytes: integers of 16 bits, differences in time and between neighbours, deflated.

A track is a number that changes from frame to frame, such as a coordinate of a body. Numbers are rounded to steps of
their range; a motion is smooth in time, and neighbouring bodies move alike, so differences are small and deflate well.
"""

from __future__ import annotations

import base64
import zlib
from typing import TypedDict

import numpy as np

from anyjoint.scalar.array import Floats


class Tracks(TypedDict):
    """Tracks as JSON data: (frames, tracks, components), the least value and the step of each component, and bytes."""

    shape: list[int]
    low: list[float]
    step: list[float]
    data: str


def packed_tracks(values: Floats, low: Floats, step: Floats) -> Tracks:
    """Values (frames, tracks, components) as JSON data; component k is low[k] + i step[k] with 0 <= i < 65536.

    What the page reads differs by at most step / 2.
    """
    levels = np.rint((values - low) / np.where(step > 0, step, 1.0)).astype(np.uint16)
    # Differences wrap around at 65536 and so do the sums that undo them: nothing is lost.
    changes = _differences(_differences(levels, axis=0), axis=1).astype(np.int16)
    zigzag = ((changes << 1) ^ (changes >> 15)).astype(np.uint16)  # 0, -1, 1, -2 ... become 0, 1, 2, 3 ...
    rows = np.moveaxis(zigzag, -1, 0)
    planes = np.stack([rows & 255, rows >> 8]).astype(np.uint8)  # all low bytes, then all high ones, which are mostly 0
    data = base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode("ascii")
    return {"shape": list(values.shape), "low": low.tolist(), "step": step.tolist(), "data": data}


def pose_tracks(positions: Floats, quaternions: Floats) -> Tracks:
    """Positions (n, nb, 3) and unit quaternions (n, nb, 4) as seven tracks per body, x y z qx qy qz qw.

    A coordinate is off by at most 1/131070 of the largest extent of the motion, a rotation by 1.3e-4 rad.
    """
    low, extent = positions.min(axis=(0, 1)), np.ptp(positions, axis=(0, 1)).max()
    lows = np.concatenate([low, np.full(4, -1.0)])
    # 15 bits for quaternions: half the bytes are theirs, and 1.3e-4 rad is a tenth of a pixel. 0 and 1 stay exact.
    steps = np.concatenate([np.full(3, extent / 65535), np.full(4, 1 / 16383)])
    return packed_tracks(np.concatenate([positions, continuous(quaternions)], axis=-1), lows, steps)


def point_tracks(points: Floats) -> Tracks:
    """Points (n, m, 3) as three tracks each; one is off by at most 1/131070 of their largest extent."""
    extent = np.ptp(points, axis=(0, 1)).max()
    return packed_tracks(points, points.min(axis=(0, 1)), np.full(3, extent / 65535))


def continuous(quaternions: Floats) -> Floats:
    """The same rotations without jumps of sign: each quaternion on the side of the one before."""
    turns = np.sum(quaternions[1:] * quaternions[:-1], axis=-1) < 0
    signs = np.concatenate([np.ones_like(quaternions[:1, :, 0]), np.where(turns, -1.0, 1.0)])
    return np.asarray(quaternions * np.cumprod(signs, axis=0)[..., None])


def _differences(levels: Floats, axis: int) -> Floats:
    return np.diff(levels, axis=axis, prepend=np.zeros_like(np.take(levels, [0], axis)))
