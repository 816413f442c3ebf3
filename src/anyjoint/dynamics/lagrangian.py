"""Symbolic Lagrangian inverse dynamics in the recursive trace form [GL eq. 13], in the axes of the links.

Q_j = tr(W_p dA/dq_j phi_j) with phi_j = P Wdd^T + A phi_j+1, where P is the 4x4 matrix of second moments; the page's
t_cm a^T - B U^T / 2 has the same trace without a mass to divide by. Two things make it cheap, see docs/guenter-lee.md:

* A trace is cyclic, so W_p can go round: Q_j = tr(hat(S_j) psi_j) with psi = phi W. Then only W^-1 Wdd is left of the
  motion, [Omega, a; 0, 0] in the link's axes, and psi_j = P (W^-1 Wdd)^T + A psi_j+1 A^T.
* hat(S) is skew where it turns, so a trace never feels the symmetric part of psi, and A psi A^T keeps the two apart.
  Of the twelve numbers of psi six are left: three of its skew part, and its last row.

These are the torque and the force of Newton and Euler, and so are their operations: the best factoring of Lagrange's
equations is theirs. The form of the page, in the world's axes and with all of phi, is in lagrangian_printed.py.
"""


from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .newton_euler import accelerate, apply


def transformations(body: Record, parent: Parent) -> None:
    """Outward: W^-1 Wdd = [Omega, a; 0, 0], and the six numbers of P (W^-1 Wdd)^T that traces feel."""
    accelerate(body, parent)  # [GL eq. 1], twice differentiated


def traces(body: Record, parent: Parent) -> None:
    """Inward: psi, and one trace per coordinate; with rotors, springs and dampers."""
    apply(body, parent)  # [GL eq. 13]


LAGRANGIAN_INVERSE = algorithm(
    "lagrangian", ("outward", transformations), ("inward", traces), inputs=["q", "v", "qdd"], results=["generalized"],
    over="regrouped",
)  # fmt: skip
