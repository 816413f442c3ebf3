"""Linking numbers of rings: how often one core circle passes through the disc of another, with its sign."""

from typing import Any

import numpy as np


def through_disc(T: Any, radius: float, sides: int = 120) -> Any:
    """Linking number of two circles of one radius about z, the second placed by T (..., 4, 4) in the first's frame.

    The second circle, as a polygon, crosses the plane of the first; crossings within its disc count +1 or -1. The
    polygon is inside its circle by radius (1 - cos(pi / sides)), so circles must be that far apart: tori of any
    thickness that touch are.
    """
    t = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    circle = radius * np.stack([np.cos(t), np.sin(t), 0 * t], axis=1)
    a = circle @ np.swapaxes(T[..., :3, :3], -1, -2) + T[..., None, :3, 3]
    b = np.roll(a, -1, axis=-2)
    above, below = a[..., 2], b[..., 2]
    crosses = (above > 0) != (below > 0)
    s = above / np.where(crosses, above - below, 1.0)
    hit = a[..., :2] + s[..., None] * (b - a)[..., :2]
    inside = crosses & (np.linalg.norm(hit, axis=-1) < radius)
    return np.where(inside, np.sign(below - above), 0).sum(axis=-1)


def neighbours(mech: Any, poses: Any) -> Any:
    """Linking numbers (frames, pairs) of every torus with the torus it hangs in, over the world poses of a run."""
    ring = {body.index: s for body in mech.bodies for s in body.shapes if type(s).__name__ == "Torus"}
    pairs = [(body.parent, body.index) for body in mech.bodies if body.index in ring and body.parent in ring]
    place = {k: np.eye(4) if s.pose is None else np.asarray(s.pose.matrix, dtype=float) for k, s in ring.items()}
    return np.stack(
        [
            through_disc(np.linalg.inv(poses[:, i] @ place[i]) @ poses[:, j] @ place[j], ring[i].major)
            for i, j in pairs
        ],
        axis=1,
    )
