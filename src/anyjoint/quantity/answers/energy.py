"""Kinetic and potential energy: sums over all bodies, and what soft constraints store."""

from anyjoint.dynamics.kinematics import ENERGY
from anyjoint.scalar import Scalar
from anyjoint.trace.constrained import Constrained, held
from anyjoint.trace.workshop import Trace, Workshop

from ..quantity import Q, Quantity, Row, V

KINETIC = Row("kinetic", "whole", meaning="kinetic energy")
POTENTIAL = Row("potential", "whole", meaning="potential energy")


def energies(workshop: Workshop, _: str) -> Trace:
    """Sums over links, and what soft constraints store."""
    if any(constraint.stores for constraint in workshop.mechanism.constraints):
        return workshop.constrained("energy", ("q", "v"), with_soft_rows, over="links")  # with all of the weight
    return workshop.sweeps(ENERGY)


def with_soft_rows(system: Constrained) -> list[Scalar]:
    """A soft row stores half its error squared over its compliance."""
    system.tree.run(ENERGY)
    kinetic, potential = system.tree.outputs(ENERGY)
    for constraint, rows in zip(system.mechanism.constraints, system.rows, strict=True):
        if constraint.stores:
            potential = potential + sum(x * x for x in held(rows)) * (0.5 / constraint.compliance)
    return [kinetic, potential]


ENERGIES = Quantity(
    "energy",
    "Kinetic and potential energy, springs included; gravity's is zero for centres of mass at the world's origin.",
    (Q, V),
    (KINETIC, POTENTIAL),
    energies,
)
