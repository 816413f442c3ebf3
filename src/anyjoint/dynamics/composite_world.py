"""Composite rigid bodies in the world's axes: for large mechanisms, where walking each column to the root costs most.

In one common frame composite inertias are plain sums, and an entry of M is one dot product, S_j . F_i, for every
joint j between i and the root [PAK section 4]; the blocks D on the diagonal also hold what joints alone feel.
"""

from __future__ import annotations

import numpy as np

from anyjoint.joints.product_rule import columns
from anyjoint.spatial import Vector, cross, rigid, vector
from anyjoint.spatial.inertia import turn_symmetric
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .kinematics import place
from .small_matrix import joint_inertia
from .velocity import child_frame


def to_world(body: Record, parent: Parent) -> None:
    """Outward: the joint's Jacobian and the body's own inertia, about the world's origin."""
    place(body, parent)
    child_frame(body)
    body.S_world = columns([twist_in_world(body, body.S[:, j]) for j in range(body.S.shape[1])])
    h = vector(body.J.B[2, 1], body.J.B[0, 2], body.J.B[1, 0])
    turned = rigid(body.J.C[0, 0], body.R @ h, turn_symmetric(body.J.A, body.R))
    body.J_world = turned.shifted(body.p)


def twist_in_world(body: Record, s: Vector) -> Vector:
    """Ad(T) s [SG eq. 2]."""
    w = body.R @ s[:3]
    return np.concatenate([w, body.R @ s[3:] + cross(body.p, w)])


def gather(body: Record, parent: Parent) -> None:
    """Inward: the momentum of everything beyond a joint, per unit of its velocity."""
    J = body.plus("J", body.J_world)
    body.F_world = columns([J @ body.S_world[:, j] for j in range(body.S_world.shape[1])])
    body.D_world = joint_inertia(body.S_world, body.F_world, body.armature)
    parent.add("J", J)


COMPOSITE_WORLD = algorithm(
    "composite bodies in the world",
    ("outward", to_world),
    ("inward", gather),
    results=["S_world", "F_world", "D_world"],
    inputs=["q"],
)
