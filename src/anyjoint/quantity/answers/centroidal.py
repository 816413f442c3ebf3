"""Momentum of the whole mechanism about the world's origin, per unit velocity, and its derivatives."""

from __future__ import annotations

from anyjoint.dynamics.centroidal import CENTROIDAL
from anyjoint.scalar import Scalar
from anyjoint.spatial import Matrix, vector
from anyjoint.trace.straight import Straight
from anyjoint.trace.workshop import Trace, Workshop

from ..quantity import Q, Quantity, Row, V


def trace(workshop: Workshop, _: str) -> Trace:
    """By sweeps; where joints follow others, columns are projected."""
    if not workshop.expansion:
        return workshop.sweeps(CENTROIDAL)
    return workshop.straight(
        "centroidal momentum, projected", CENTROIDAL.inputs, projected, gravity=False, partials="velocities"
    )


def projected(tree: Straight) -> list[Scalar]:
    """Columns of the mechanism's own velocities: A = A_e Phi, and what Phi itself changes."""
    assert tree.expanded is not None  # or nothing had to be projected
    tree.run(CENTROIDAL)
    made = vector(*tree.outputs(CENTROIDAL))
    n = tree.expanded.Phi.shape[0]
    per_velocity, per_tangent = (made[k * 6 * n : (k + 1) * 6 * n].reshape(n, 6) for k in range(2))
    Phi: Matrix = tree.expanded.Phi
    turned = Phi.T @ per_tangent + tree.expanded.bend().times(tree.rows["v"]).T @ per_velocity
    return [*(Phi.T @ per_velocity).flat, *turned.flat, *made[12 * n :]]


CENTROIDAL_MOMENTUM = Quantity(
    "centroidal",
    "Momentum about the world's origin per unit velocity and along each tangent; in all, its rate, and mass moments.",
    (Q, V),
    (
        Row("per_velocity", "velocities", (6,), "angular, then linear momentum of unit velocities"),
        Row("per_tangent", "velocities", (6,), "change of momentum along each tangent"),
        Row("momentum", "whole", (6,), "angular, then linear momentum"),
        Row("rate", "whole", (6,), "its rate where joints do not accelerate"),
        Row("moment", "whole", (3,), "mass times centre of mass"),
        Row("mass", "whole", (1,), "mass of all that moves"),
    ),
    trace,
)
