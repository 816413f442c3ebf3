"""Si & Guenter's Method II: recursions 1-3 are compiled, recursions 4-6 are numeric matrix algebra [SG section 4]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .algorithm import algorithm
from .blocks import Block, Floats, apply, starts
from .recursive import recursion_1, recursion_2, recursion_3


def finish(k: Any, parent: Any) -> None:
    """Inward: recursion 3, and what the numeric part starts from."""
    recursion_3(k, parent)
    k.G_R, k.G_p = k.G.R, k.G.p


# Rows have the shape of BLOCKS (its two six-vectors are not used here), then tau-bar.
SYMBOLIC_PART = algorithm(
    "recursive-mixed",
    ("outward", recursion_1),
    ("outward", recursion_2),
    ("inward", finish),
    results=["G_R", "G_p", "a", "b", "S", "tau_bar"],
    inputs=["q", "v", "tau"],
)


def numeric_part(
    blocks: Sequence[Block],
    parents: Sequence[int],
    inertias: Sequence[Floats],
    tau_bar: Sequence[Floats],
    armature: Floats | float = 0.0,
) -> Floats:
    """Recursions 4, 5 and 6; Omega is inverted numerically."""
    n, lead = len(blocks), blocks[0].p.shape[:-1]
    Ad = [block.to_child for block in blocks]
    J = [np.broadcast_to(M, (*lead, 6, 6)).copy() for M in inertias]
    z = [np.zeros((*lead, 6)) for _ in range(n)]
    P: list[Floats] = [np.zeros(0)] * n
    c_bar: list[Floats] = [np.zeros(0)] * n
    at = starts(blocks)
    rotors = np.broadcast_to(armature, at[-1])
    for k in range(n - 1, -1, -1):
        S, St = blocks[k].S, np.swapaxes(blocks[k].S, -1, -2)
        U = J[k] @ S
        Omega_inverse = np.linalg.inv(St @ U + np.diag(rotors[at[k] : at[k + 1]]))  # [SG eq. 28]
        P[k] = U @ Omega_inverse
        c = tau_bar[k] - apply(St, z[k])  # [SG eq. 32]
        c_bar[k] = apply(Omega_inverse, c)  # [SG eq. 33]
        if parents[k] >= 0:
            dual = np.swapaxes(Ad[k], -1, -2)
            J[parents[k]] += dual @ (J[k] - P[k] @ np.swapaxes(U, -1, -2)) @ Ad[k]  # [SG eq. 27]
            z[parents[k]] += apply(dual, z[k] + apply(P[k], c))  # [SG eq. 29, 30, 31]
    qdd = np.zeros((*lead, at[-1]))
    eta: list[Floats] = []
    for k in range(n):
        carried = apply(Ad[k], eta[parents[k]]) if parents[k] >= 0 else np.zeros((*lead, 6))
        own = c_bar[k] - apply(np.swapaxes(P[k], -1, -2), carried)  # [SG eq. 35]
        eta.append(carried + apply(blocks[k].S, own))  # [SG eq. 34]
        qdd[..., at[k] : at[k + 1]] = own
    return qdd
