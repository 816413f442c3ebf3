"""The matrix C of velocity products, straight for small mechanisms, by kernels and pairs of links for large ones."""

from __future__ import annotations

from anyjoint.dynamics.coriolis import CORIOLIS
from anyjoint.dynamics.derivative_matrices import coriolis_entries, mass_entries
from anyjoint.scalar import Scalar
from anyjoint.trace.straight import Straight
from anyjoint.trace.workshop import Trace, Workshop

from ..derivatives import LARGE, PER_PAIR, is_large, places
from ..quantity import Q, Quantity, Row, V


def matrix(tree: Straight) -> list[Scalar]:
    """C over graph nodes; where joints follow others, v_e = Phi v, it is Phi^T (C_e Phi + M_e Phidot)."""
    if not tree.records:
        return []
    tree.run(CORIOLIS)
    of = tree.records, tree.plan.parents, places(tree, "velocities")
    C = coriolis_entries(*of)
    if tree.expanded:
        Phi, Phidot = tree.expanded.Phi, tree.expanded.bend().times(tree.rows["v"])
        C = Phi.T @ (C @ Phi + mass_entries(*of) @ Phidot)
    return list(C.flat)


def trace(workshop: Workshop, _: str) -> Trace:
    """Straight, or by kernels."""
    if is_large(workshop, PER_PAIR // 2, LARGE[0]):
        from anyjoint.trace.derivative_layout import coriolis_schedule  # only where kernels are asked for

        return workshop.layout(CORIOLIS, coriolis_schedule)
    return workshop.straight("coriolis, straight", CORIOLIS.inputs, matrix, CORIOLIS.over, partials=CORIOLIS.partials)


CORIOLIS_MATRIX = Quantity(
    "coriolis_matrix",
    "The matrix C(q, v) of Coriolis and centrifugal forces C v, for which Mdot - 2C is skew [SG eq. 52].",
    (Q, V),
    (Row("C", "matrix", meaning="matrix of velocity products"),),
    trace,
)
