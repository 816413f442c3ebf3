"""Si & Guenter's six recursions, equations 18-35, in their order and symbols.

Differences from the page: gravity enters as the base acceleration alpha_0 = -g instead of through f_e; the sums of
(31) run over tau-bar, which the paper's text prints as v-bar; Pi of (30) needs the dual adjoint, as (58) requires.
"""


import numpy as np

from anyjoint.joints.product_rule import columns
from anyjoint.spatial import zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .small_matrix import joint_inertia, ldl
from .velocity import child_frame, gyroscopic_wrench, move


def recursion_1(k: Record, parent: Parent) -> None:
    """Outward: velocities."""
    move(k, parent)  # [SG eq. 18, 19, 20]
    child_frame(k)  # [SG eq. 9]
    k.a = k.W.motion(k.a)
    k.b = gyroscopic_wrench(k)  # [SG eq. 21]


def recursion_2(k: Record, parent: Parent) -> None:
    """Outward: accelerations at zero joint acceleration."""
    k.alpha = k.G.motion(parent.alpha) + k.a  # [SG eq. 22]
    k.alpha_bar = k.J @ k.alpha + k.b  # [SG eq. 23]


def recursion_3(k: Record, parent: Parent) -> None:
    """Inward: the torques that remain."""
    p = k.plus("p", k.alpha_bar)  # [SG eq. 24]
    k.tau_bar = k.tau - k.S.T @ p  # [SG eq. 25, 26, 55]
    parent.add("p", k.G.force(p))


def recursion_4(k: Record, parent: Parent) -> None:
    """Inward: articulated inertias."""
    J_bar = k.plus("J_bar", k.J)
    U = columns([J_bar @ k.S[:, j] for j in range(k.S.shape[1])])
    k.factors = ldl(joint_inertia(k.S, U, k.armature))  # [SG eq. 28]
    k.P = np.array([k.factors.solve(row) for row in U], dtype=object)  # J_bar S Omega^-1 of [SG eq. 29, 30]
    parent.add("J_bar", k.G.inertia(J_bar.minus_outer(U, k.P)))  # [SG eq. 27]


def recursion_5(k: Record, parent: Parent) -> None:
    """Inward: innovations."""
    z = k.plus("z", zeros(6))
    c = k.tau_bar - k.S.T @ z  # [SG eq. 32]
    k.c_bar = k.factors.solve(c)  # [SG eq. 33]
    parent.add("z", k.G.force(z + k.P @ c))  # [SG eq. 31]: Y z + Pi tau_bar = Ad*(z - P S^T z + P tau_bar)


def recursion_6(k: Record, parent: Parent) -> None:
    """Outward: joint accelerations."""
    eta = k.G.motion(parent.eta)
    k.qdd = k.c_bar - k.P.T @ eta  # [SG eq. 35]
    k.eta = eta + k.S @ k.qdd  # [SG eq. 34]: Y^T eta + S c_bar = Ad eta - S P^T Ad eta + S c_bar


RECURSIVE = algorithm(
    "recursive",
    ("outward", recursion_1),
    ("outward", recursion_2),
    ("inward", recursion_3),
    ("inward", recursion_4),
    ("inward", recursion_5),
    ("outward", recursion_6),
    results=["qdd"],
    inputs=["q", "v", "tau"],
)
