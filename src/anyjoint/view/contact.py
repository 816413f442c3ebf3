"""Where bodies touch: joints over curves and surfaces know their contact points."""

from __future__ import annotations

from typing import Any

import numpy as np

from anyjoint.view.scene import Array

TOUCHING = ("surface1", "curve1", "surface", "curve")  # a joint with one of these rides on something


def contact_points(mechanism: Any, q: Array, poses: Array) -> tuple[Array, ...] | None:
    """World points of contact for every row of q, given the bodies' world poses there; None if nothing touches."""
    found = []
    for body in mechanism.bodies:
        if any(hasattr(body.joint, name) for name in TOUCHING):
            local = contact_in_joint(body.joint, q[:, body.q])
            placement = np.asarray(body.placement.matrix, dtype=float)
            in_parent = local @ placement[:3, :3].T + placement[:3, 3]
            found.append(in_parent if body.parent < 0 else _to_world(poses[:, body.parent], in_parent))
    return tuple(np.stack(found, axis=1)) if found else None


def contact_in_joint(joint: Any, q: Array) -> Array:
    """Origin of the contact frame in the joint frame, one per row of q: the first leg of the joint ends there."""
    try:
        together = joint.legs(list(q.T))[0].p  # most geometry takes whole columns at once
        return np.stack([np.broadcast_to(np.asarray(x, dtype=float), len(q)) for x in together], axis=1)
    except (TypeError, ValueError, AttributeError):  # a user's function may take single numbers only
        return np.array([[float(x) for x in joint.legs([float(s) for s in row])[0].p] for row in q])


def _to_world(poses: Array, points: Array) -> Array:
    return np.asarray(np.einsum("nij,nj->ni", poses[:, :3, :3], points) + poses[:, :3, 3])
