"""Outward sweeps that answer questions about motion: world poses, link blocks, energy, momentum."""

import numpy as np

from anyjoint.spatial import cross, dot, vector, zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .velocity import child_frame, gyroscopic_wrench, move


def place(body: Record, parent: Parent) -> None:
    """World pose of a link: T = T_parent G [SG eq. 6], as rotation and origin."""
    G = body.A @ body.W
    body.R = parent.R @ G.R
    body.p = parent.R @ G.p + parent.p


def pose(body: Record, parent: Parent) -> None:
    """World pose as a 4x4 matrix [RM eq. 1]."""
    place(body, parent)
    body.T = np.vstack([np.column_stack([body.R, body.p]), [[0, 0, 0, 1]]])


def mass_moments(body: Record, parent: Parent) -> None:
    """Mass, and mass times the centre of mass in the world; that of the ground does not count."""
    place(body, parent)
    if body.still:
        body.moment, body.mass = zeros(3), zeros(1)
        return
    h = vector(body.J.B[2, 1], body.J.B[0, 2], body.J.B[1, 0])
    body.moment = body.R @ h + body.J.C[0, 0] * body.p
    body.mass = vector(body.J.C[0, 0])


def energy(body: Record, parent: Parent) -> None:
    """Kinetic energy [LJ eq. 26, 27]; potential energy of the weight, and what springs store."""
    move(body, parent)
    mass_moments(body, parent)
    body.kinetic = vector(0.5 * dot(body.v, body.J @ body.v) + 0.5 * dot(body.armature, body.qd * body.qd))
    body.potential = body.stored + vector(dot(body.up, body.moment))


def momentum(body: Record, parent: Parent) -> None:
    """Momentum in the world's axes about its origin."""
    move(body, parent)
    place(body, parent)
    own = body.J @ body.v
    linear = body.R @ own[3:]
    body.momentum = np.concatenate([body.R @ own[:3] + cross(body.p, linear), linear])


def blocks(body: Record, parent: Parent) -> None:
    """Everything that the dense formulations assemble: G, S, velocity products and gyroscopic wrenches per link."""
    move(body, parent)
    child_frame(body)
    body.G_R, body.G_p = body.G.R, body.G.p
    body.a = body.W.motion(body.a)
    body.b = gyroscopic_wrench(body)


POSES = algorithm(
    "poses", ("outward", pose), inputs=["q"], results=["T"], over="bodies", gravity=False, masses=False
)
MASS_MOMENTS = algorithm("moments of mass", ("outward", mass_moments), inputs=["q"], totals=["moment", "mass"])
ENERGY = algorithm("energy", ("outward", energy), inputs=["q", "v"], totals=["kinetic", "potential"])
MOMENTUM = algorithm("momentum", ("outward", momentum), inputs=["q", "v"], totals=["momentum"])
BLOCKS = algorithm("blocks", ("outward", blocks), results=["G_R", "G_p", "a", "b", "S"], inputs=["q", "v"])
