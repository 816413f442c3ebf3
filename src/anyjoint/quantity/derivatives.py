"""Derivatives of inverse and forward dynamics, and the inverse of the mass matrix: straight, or by kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from anyjoint.dynamics.algorithm import Algorithm, Along, algorithm
from anyjoint.dynamics.derivative_matrices import (
    Inverse,
    Slices,
    coordinate_entries,
    mass_entries,
    velocity_entries,
)
from anyjoint.dynamics.derivatives import INVERSE_DERIVATIVES, begin, collect_wrenches, follow, resist
from anyjoint.dynamics.forward_derivatives import FORWARD_DERIVATIVES, MASS_FACTORS
from anyjoint.mechanism.checks import check_regular
from anyjoint.scalar import Scalar
from anyjoint.spatial import Matrix, Scalars, Vector, vector
from anyjoint.trace.straight import Straight
from anyjoint.trace.workshop import Trace, Workshop
from anyjoint.tree.plan import Plan

from .answers.mass_matrix import projected_mass, traced_mass
from .constrained_derivatives import constrained_forward

if TYPE_CHECKING:
    from anyjoint.tree.record import Record

# Straight programs find accelerations between these two: at none, then what they add.
BEGINNING = algorithm("beginning", ("outward", begin), ("inward", resist), inputs=["q", "v"])
RESPONSE = algorithm("response", ("outward", follow), ("inward", collect_wrenches), inputs=["q", "v", "qdd"])
LARGE = 9_000, 15_000, 10_000  # operations up to which matrices are straight: of inverse, of forward dynamics, M^-1
PER_PAIR, PER_VELOCITY, PER_SOLVE = 67, 300, 10  # of them: roughly


def pairs(plan: Plan) -> int:
    """How many pairs of velocities act on each other."""
    above: list[int] = []
    total = 0
    for link in plan.links:
        before = above[link.parent] if link.parent >= 0 else 0
        total += before * link.joint.nv
        above.append(before + link.joint.nv)
    return total


def is_large(workshop: Workshop, per_pair: int, limit: int) -> bool:
    """Whether a matrix had better be computed by kernels."""
    if workshop.expansion or not workshop.plan().links or workshop.form == "straight":
        return False
    size = per_pair * pairs(workshop.plan()) + PER_VELOCITY * workshop.mechanism.nv
    return workshop.form == "kernels" or size > limit


def places(tree: Straight, along: Along) -> list[Slices]:
    """Rows and columns of the links."""
    return [Slices(link.v, link.v if along == "velocities" else link.q) for link in tree.plan.links]


def inverse_matrices(tree: Straight, along: Along) -> list[Scalar]:
    """dtau/dq, dtau/dv and M over graph nodes."""
    if not tree.records:
        return []
    tree.run(INVERSE_DERIVATIVES)
    of = tree.records, tree.plan.parents, places(tree, along)
    made = coordinate_entries(*of), velocity_entries(*of), mass_entries(*of)
    if tree.expanded:
        made = followed(tree, *made, tree.rows["qdd"])
    return [x for matrix in made for x in matrix.flat]


def followed(tree: Straight, by_q: Matrix, by_v: Matrix, M: Matrix, a: Scalars) -> tuple[Matrix, Matrix, Matrix]:
    """The same where joints follow others: tau = Phi^T tau_e with v_e = Phi v and a_e = Phi a + s."""
    assert tree.expanded is not None  # or there was nothing to follow
    Phi, bend = tree.expanded.Phi, tree.expanded.bend()
    swing = bend.times(tree.rows["v"])
    change = by_q @ Phi + by_v @ swing + M @ (bend.times(a) + bend.second)
    forces = vector(*(x for body in tree.records for x in body.J_world.T @ body.f_all + own_forces(body)))
    Q = Phi.T @ change + bend.transposed_times(forces)
    return Q, Phi.T @ (by_v @ Phi + M @ (2 * swing)), projected_mass(Phi, M)


def own_forces(body: Record) -> Vector:
    """What a joint itself asks for: armature, less springs and dampers."""
    return body.armature * body.qdd - body.passive


def forward_matrices(tree: Straight, along: Along) -> list[Scalar]:
    """da/dq, da/dv and M^-1 over graph nodes: accelerations first, then -M^-1 times the derivatives at them."""
    if not tree.records:
        return []
    tree.run(BEGINNING)
    of = tree.records, tree.plan.parents, places(tree, along)
    M, Phi = mass_entries(*of), tree.expanded.Phi if tree.expanded else None
    inverse = Inverse(M if Phi is None else projected_mass(Phi, M))
    a = inverse.times(free_forces(tree, M))
    qdd = a if Phi is None or tree.expanded is None else Phi @ a + tree.expanded.second
    for link, record in zip(tree.plan.links, tree.records, strict=True):
        record.qdd = qdd[link.v]
    tree.run(RESPONSE)
    by_q, by_v = coordinate_entries(*of), velocity_entries(*of)
    if tree.expanded:
        by_q, by_v, _ = followed(tree, by_q, by_v, M, a)
    made = [-inverse.times(X) for X in (by_q, by_v)]
    return [*made[0].flat, *made[1].flat, *inverse.matrix().flat]


def free_forces(tree: Straight, M: Matrix) -> Vector:
    """Forces that are left for accelerations: tau, springs and dampers, less what the motion asks for."""
    asked = vector(*tree.values("passive")) - vector(*tree.values("generalized"))
    tau = vector(*tree.rows["tau"])
    if tree.expanded:
        asked = tree.expanded.Phi.T @ (asked - M @ tree.expanded.second)
    left: Vector = tau + asked
    return left


def inverse_trace(along: Along) -> Callable[[Workshop, str], Trace]:
    """How derivatives of inverse dynamics are traced."""

    def trace(workshop: Workshop, _: str) -> Trace:
        name, method = named(INVERSE_DERIVATIVES, along)
        if is_large(workshop, PER_PAIR, LARGE[0]):
            from anyjoint.trace.derivative_layout import inverse_schedule  # only where kernels are asked for

            return workshop.layout(method, inverse_schedule)
        function = lambda tree: inverse_matrices(tree, along)  # noqa: E731
        return workshop.straight(name, method.inputs, function, method.over, partials=along)

    return trace


def forward_trace(along: Along) -> Callable[[Workshop, str], Trace]:
    """How derivatives of forward dynamics are traced."""

    def trace(workshop: Workshop, _: str) -> Trace:
        check_regular(workshop.mechanism)
        if workshop.mechanism.constraints:
            return constrained_forward(workshop, along)
        name, method = named(FORWARD_DERIVATIVES, along)
        if is_large(workshop, PER_PAIR + PER_SOLVE * workshop.mechanism.nv, LARGE[1]):
            from anyjoint.trace.derivative_layout import forward_schedule  # only where kernels are asked for

            return workshop.layout(method, forward_schedule)
        function = lambda tree: forward_matrices(tree, along)  # noqa: E731
        return workshop.straight(name, method.inputs, function, method.over, partials=along)

    return trace


def named(method: Algorithm, along: Along) -> tuple[str, Algorithm]:
    """The algorithm along velocities or coordinates, and the name that its straight program is stored by."""
    name = f"{method.name} along {along}"
    return f"{name}, straight", replace(method, name=name, partials=along)


def inverse_mass_trace(workshop: Workshop, _: str) -> Trace:
    """By the factors of the mass matrix, or by those of articulated bodies."""
    check_regular(workshop.mechanism)
    if is_large(workshop, PER_SOLVE + workshop.mechanism.nv, LARGE[2]):
        from anyjoint.trace.derivative_layout import inverse_mass_schedule  # only where kernels are asked for

        return workshop.layout(MASS_FACTORS, inverse_mass_schedule)

    def function(tree: Straight) -> list[Scalar]:
        return list(Inverse(traced_mass(tree)).matrix().flat) if tree.records else []

    return workshop.straight("inverse mass matrix", ("q",), function, over="regrouped")
