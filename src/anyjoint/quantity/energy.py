"""Energy, momentum and the first moment of mass: sums over all bodies."""

from anyjoint.dynamics.kinematics import ENERGY, MASS_MOMENTS, MOMENTUM
from anyjoint.scalar import Scalar
from anyjoint.trace.constrained import Constrained, held
from anyjoint.trace.workshop import Trace, Workshop

from .quantity import Q, Quantity, Row, V, sweeps

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
TOTAL_MOMENTUM = Quantity(
    "momentum",
    "Total momentum in world axes about the world's origin: angular, then linear.",
    (Q, V),
    (Row("momentum", "whole", (6,), "angular, then linear momentum"),),
    sweeps(MOMENTUM),
)
FIRST_MOMENTS = Quantity(
    "mass_moments",
    "Mass times centre of mass of everything that moves, and the mass.",
    (Q,),
    (Row("moment", "whole", (3,), "mass times centre of mass"), Row("mass", "whole", meaning="mass")),
    sweeps(MASS_MOMENTS),
)
