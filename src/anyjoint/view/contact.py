"""Where bodies touch: joints over curves and surfaces know their contact points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anyjoint.codegen import javascript_function
from anyjoint.errors import AnyjointError
from anyjoint.scalar.array import Floats
from anyjoint.symbolic import Graph

if TYPE_CHECKING:
    from anyjoint.joints import Joint
    from anyjoint.mechanism import Body, Mechanism
    from anyjoint.simulate import Trajectory

TOUCHING = ("surface1", "curve1", "surface", "curve")  # a joint with one of these rides on something


def touching(mechanism: Mechanism) -> list[int]:
    """For every body that rides on something, its parent (-1 is the ground)."""
    return [body.parent for body in _riders(mechanism)]


def _riders(mechanism: Mechanism) -> list[Body]:
    return [body for body in mechanism.bodies if any(hasattr(body.joint, name) for name in TOUCHING)]


def contact_script(mechanism: Mechanism) -> str:
    """JavaScript that defines makeContacts() -> f(q, out): contact points in their parents' frames, 3 numbers each.

    They come in the order of `touching`, from the same joints that make the dynamics; empty when nothing touches.
    """
    riders = _riders(mechanism)
    if not riders:
        return ""
    graph = Graph()
    domains = [c.domain for body in mechanism.bodies for c in body.joint.coordinates]
    q = [graph.variable(f"q{i}", domain) for i, domain in enumerate(domains)]
    points = [x for body in riders for x in body.placement.act(list(body.joint.legs(q[body.q])[0].p))]
    text = javascript_function([np.array(q)], points)
    return f"function makeContacts() {{\n{text}return f;\n}}\n"


def contact_points(mechanism: Mechanism, q: Floats, poses: Floats) -> tuple[Floats, ...] | None:
    """World points of contact for every row of q, given the bodies' world poses there; None if nothing touches."""
    found = []
    for body in _riders(mechanism):
        local = contact_in_joint(body.joint, q[:, body.q])
        placement = np.asarray(body.placement.matrix, dtype=float)
        in_parent = local @ placement[:3, :3].T + placement[:3, 3]
        found.append(in_parent if body.parent < 0 else _to_world(poses[:, body.parent], in_parent))
    return tuple(np.stack(found, axis=1)) if found else None


def contact_marks(
    traj: Trajectory, mechanism: Mechanism, kept: Floats, poses: Floats
) -> tuple[tuple[Floats, ...] | None, tuple[Floats, ...] | None]:
    """World points of contact in the frames that are kept, and forces there, where contacts open and close.

    Forces are shares of the one that is exceeded in a twentieth of all contacts, so that an impact does not dwarf them.
    """
    always = contact_points(mechanism, np.asarray(traj.q, dtype=float)[kept], poses)
    told = getattr(traj, "contacts", {}).values()
    tracks = [track for x in told for track in (x.tracks() if hasattr(x, "tracks") else (x,))]
    if not tracks:
        return always, None
    sizes = np.concatenate([np.linalg.norm(track.forces[track.touching], axis=1) for track in tracks])
    unit = float(np.quantile(sizes, 0.95)) if len(sizes) else 0.0
    points, forces = [], []
    for i, k in enumerate(kept):
        here = [track for track in tracks if track.touching[k]]
        resting = np.zeros((0, 3)) if always is None else always[i]
        points.append(np.concatenate([resting, *(track.points[k : k + 1] for track in here)]))
        pushes = [track.forces[k : k + 1] / (unit or 1.0) for track in here]
        forces.append(np.concatenate([np.zeros_like(resting), *pushes]))
    return tuple(points), tuple(forces)


def contact_in_joint(joint: Joint, q: Floats) -> Floats:
    """Origin of the contact frame in the joint frame, one per row of q: the first leg of the joint ends there."""
    try:
        together = joint.legs(list(q.T))[0].p  # most geometry takes whole columns at once
        return np.stack([np.broadcast_to(np.asarray(x, dtype=float), len(q)) for x in together], axis=1)
    except (AnyjointError, TypeError, ValueError, AttributeError):  # a user's function may take single numbers only
        return np.array([[float(x) for x in joint.legs([float(s) for s in row])[0].p] for row in q])


def _to_world(poses: Floats, points: Floats) -> Floats:
    return np.asarray(np.einsum("nij,nj->ni", poses[:, :3, :3], points) + poses[:, :3, 3])
