"""Momentum of the whole mechanism in the world, and how it changes with coordinates, velocities and time.

With sums over everything beyond a joint, marked c: the momentum per unit velocity is I^c J_k, and
dh/dq_k = J_k x* h^c + I^c Psi'_k. Without accelerations of joints h changes by the sum of I A + V x* I V.
"""

from __future__ import annotations

from anyjoint.joints.product_rule import columns
from anyjoint.spatial import vector, zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .common_frame import Mass, crossed
from .derivatives import inertial_wrench, move


def travel(body: Record, parent: Parent) -> None:
    """Outward: motion in the world's frame, momentum, and the wrench that changes it."""
    body.on_ground = False  # behind the ground's own frame
    move(body, parent)
    own = Mass(body.E, body.h, body.m)
    body.momentum = own @ body.v
    body.wrench = inertial_wrench(body, body.alpha)
    body.moment, body.mass = (zeros(3), zeros(1)) if body.still else (body.h, vector(body.m))


def collect_momentum(body: Record, parent: Parent) -> None:
    """Inward: momentum per unit velocity, and its change along each joint."""
    mass = Mass(body.plus("E", body.E), body.plus("h", body.h), body.plus("m", body.m))
    momentum = body.plus("momentum", body.momentum)
    for name, value in (("E", mass.E), ("h", mass.h), ("m", mass.m), ("momentum", momentum)):
        parent.add(name, value)
    J, Psi, n = body.J_world, body.Psi, body.J_world.shape[1]
    body.per_velocity = columns([mass @ J[:, k] for k in range(n)]).T
    body.per_tangent = columns([crossed(J[:, k], momentum) + mass @ Psi[:, k] for k in range(n)]).T


CENTROIDAL = algorithm(
    "centroidal momentum",
    ("outward", travel),
    ("inward", collect_momentum),
    inputs=["q", "v"],
    results=["per_velocity", "per_tangent"],
    totals=["momentum", "wrench", "moment", "mass"],
    gravity=False,
    partials="velocities",
)
