"""The regressor of inverse dynamics: forces as a linear function of the inertias of all bodies."""

from __future__ import annotations

from anyjoint.dynamics.regressor import REGRESSOR, regressor_matrix
from anyjoint.scalar import Scalar
from anyjoint.spatial import vector
from anyjoint.trace.straight import Straight
from anyjoint.trace.workshop import Trace, Workshop

from ..quantity import A, Q, Quantity, Row, V

SMALL = 8  # bodies up to which it is a straight program


def entries(tree: Straight) -> list[Scalar]:
    """Y by rows over graph nodes; where joints follow others, forces are projected."""
    if not tree.records:
        return []
    tree.run(REGRESSOR)
    Y = regressor_matrix(tree.records, tree.plan.parents, tree.velocity_starts)
    if tree.expanded is not None:
        Y = tree.expanded.Phi.T @ Y
    return list(vector(*Y.flat))


def trace(workshop: Workshop, _: str) -> Trace:
    """Straight where it is small."""
    small = workshop.form == "straight" or (workshop.form == "auto" and workshop.mechanism.nb <= SMALL)
    if workshop.expansion or not workshop.mechanism.nv or small:
        return workshop.straight("regressor, straight", REGRESSOR.inputs, entries, REGRESSOR.over)
    from anyjoint.trace.regressor_layout import regressor_schedule  # only where kernels are asked for

    return workshop.layout(REGRESSOR, regressor_schedule)


REGRESSOR_MATRIX = Quantity(
    "regressor",
    "Y with tau = Y pi, ten numbers pi = (m, h, I about the origin) for each body; springs and armature have no part.",
    (Q, V, A),
    (Row("Y", "regressor", (10,), meaning="forces per unit of each number of each body"),),
    trace,
)
