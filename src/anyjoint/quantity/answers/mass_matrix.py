"""The mass matrix, straight for small mechanisms, by kernels and pairs of links for large ones."""

from __future__ import annotations

from anyjoint.dynamics.composite_world import COMPOSITE_WORLD
from anyjoint.dynamics.mass_matrix import mass_matrix
from anyjoint.spatial import Matrix
from anyjoint.trace.straight import Straight
from anyjoint.trace.workshop import Trace, Workshop

from ..quantity import Q, Quantity, Row

DENSE = 40  # velocities up to which the mass matrix, and formulations that solve with it, are straight programs


def traced_mass(tree: Straight) -> Matrix:
    """M over graph nodes; where joints follow others M = Phi^T M_e Phi."""
    M = mass_matrix(tree.records, tree.plan.parents, tree.root, tree.velocity_starts)
    return M if tree.expanded is None else projected_mass(tree.expanded.Phi, M)


def projected_mass(Phi: Matrix, M: Matrix) -> Matrix:
    """Phi^T M Phi, symmetric to the bit."""
    projected: Matrix = Phi.T @ (M @ Phi)
    for i in range(len(projected)):
        projected[i, :i] = projected[:i, i]
    return projected


def trace(workshop: Workshop, _: str) -> Trace:
    """Large ones by kernels in the world's axes, not regrouped: far from the origin that would cost digits."""
    if workshop.mechanism.nv > DENSE and not workshop.expansion:
        from anyjoint.trace.mass_layout import mass_schedule  # only where kernels are asked for

        return workshop.layout(COMPOSITE_WORLD, mass_schedule)
    return workshop.straight("mass_matrix", ("q",), lambda tree: list(traced_mass(tree).ravel()), over="regrouped")


MASS_MATRIX = Quantity(
    "mass_matrix", "The mass matrix M(q).", (Q,), (Row("M", "matrix", meaning="mass matrix"),), trace
)
