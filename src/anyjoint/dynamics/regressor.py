"""Forces are linear in inertias: the columns of Y with tau = Y pi, for ten numbers of each body.

Per body pi = (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz), with h = m c and I about the origin of the body's frame, in
its axes. The wrench that a unit of each asks for is seen from the common frame, where joints above read it off.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anyjoint.spatial import Matrix, Vector, cross, skew, zeros
from anyjoint.spatial.inertia import RIGID, UPPER
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .common_frame import products
from .derivatives import place
from .newton_euler import accelerate


def weigh_units(body: Record, parent: Parent) -> None:
    """Outward: wrenches of unit inertias at the body's motion, and what its own joint feels of them."""
    place(body, parent.R, parent.p)
    accelerate(body, parent)
    wrenches = unit_wrenches(body.w, body.wdot, body.acceleration, body.Omega)
    forces = body.R @ wrenches[3:]
    couples = body.R @ wrenches[:3]
    for k in range(RIGID):
        couples[:, k] = couples[:, k] + cross(body.p, forces[:, k])
    body.units = np.vstack([couples, forces])
    body.D_units = products(body.J_world, body.units)


def unit_wrenches(w: Vector, wdot: Vector, a: Vector, Omega: Matrix) -> Matrix:
    """Wrenches (6, 10) about the origin: f = m a + Omega h, n = h x a + I wdot + w x I w."""
    out = zeros(6, RIGID)
    out[3:, 0] = a
    out[:3, 1:4], out[3:, 1:4] = -skew(a), Omega
    for k, (i, j) in enumerate(UPPER):
        spin, turn = zeros(3), zeros(3)
        spin[i], turn[i] = w[j], wdot[j]
        if i != j:
            spin[j], turn[j] = w[i], wdot[i]
        out[:3, 4 + k] = turn + cross(w, spin)
    return out


def regressor_matrix(records: Sequence[Record], parents: Sequence[int], starts: Sequence[int]) -> Matrix:
    """Y (nv, 10 nb) from the records of all bodies; zero where a joint does not move a body."""
    out = zeros(starts[-1], RIGID * len(records))
    for i, body in enumerate(records):
        columns, j = slice(RIGID * i, RIGID * i + RIGID), i
        while j >= 0:
            n = records[j].J_world.shape[1]
            out[starts[j] : starts[j] + n, columns] = (
                body.D_units if j == i else products(records[j].J_world, body.units)
            )
            j = parents[j]
    return out


REGRESSOR = algorithm(
    "regressor", ("outward", weigh_units), inputs=["q", "v", "qdd"], results=["J_world", "units", "D_units"],
    over="bodies",
)  # fmt: skip
