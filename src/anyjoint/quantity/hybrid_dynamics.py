"""Some joints prescribed, the others free [RM alg. 6]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from anyjoint.dynamics.carried_hybrid import CARRIED_HYBRID
from anyjoint.dynamics.hybrid import HYBRID
from anyjoint.mechanism.checks import check_regular
from anyjoint.scalar import Scalar
from anyjoint.spatial import vector
from anyjoint.trace.constrained import Constrained, Question, after_first, led, right_side
from anyjoint.trace.workshop import Trace, Workshop
from anyjoint.tree.record import Record

from .constraints import ACCELERATIONS
from .divides import BY_FORCES
from .quantity import TAU, A, Q, Quantity, Row, T, V, with_time

REST = after_first(CARRIED_HYBRID)


def hybrid_dynamics(prescribed: frozenset[int]) -> Quantity:
    """The quantity for one choice of bodies whose joints' accelerations are given."""

    def trace(workshop: Workshop, _: str) -> Trace:
        check_regular(workshop.mechanism, set(prescribed))
        if workshop.mechanism.constraints or workshop.expansion:
            name = f"{CARRIED_HYBRID.name} {sorted(prescribed)}"
            question = Question("hybrid", prescribed=prescribed, straight=answers(prescribed))
            return workshop.constrained(name, with_time(workshop, ("q", "v", "tau", "qdd_in")), question)
        plan = workshop.plan("links")
        links = tuple(link._replace(prescribed=link.body in prescribed) for link in plan.links)
        return workshop.sweeps(HYBRID, replace(plan, links=links))

    return Quantity(
        f"hybrid_dynamics {sorted(prescribed)}",
        "Accelerations and forces of all joints, of which some follow given accelerations.",
        (Q, V, TAU, Row("a", "velocities", meaning="accelerations of prescribed joints; others are not read"), T),
        (A, TAU),
        trace,
        optional=("t",),
        divides=replace(BY_FORCES, held=prescribed),
    )


def answers(prescribed: frozenset[int]) -> Callable[[Constrained], Sequence[Scalar]]:
    """Accelerations and forces, where constraints hold or joints follow others."""

    def found(system: Constrained) -> Sequence[Scalar]:
        mechanism, row = system.mechanism, system.tree.variables.row
        held = {body: place(system, body) for body in prescribed}
        for body, record in held.items():
            v = mechanism.bodies[body].v
            record.prescribed, record.qdd_in = True, vector(*(row("qdd_in", k) for k in range(v.start, v.stop)))
            joint = system.tree.records[system.closed.plan.link_of(body)]
            joint.tau = joint.passive  # forces given for prescribed joints are not read
        pairs = zip(mechanism.constraints, system.rows, strict=True)
        system.give([right_side(constraint, rows, ACCELERATIONS) for constraint, rows in pairs])
        system.tree.run(REST)
        a: list[Scalar] = []
        tau: list[Scalar] = []
        for own in mechanism.bodies:
            if own.joint.nv:
                a += list(system.tree.records[system.closed.plan.link_of(own.index)].qdd)
                given = [row("tau", k) for k in range(own.v.start, own.v.stop)]
                tau += list(held[own.index].tau_out) if own.index in held else given
        return [*a, *tau]

    return found


def place(system: Constrained, body: int) -> Record:
    """Where a body's accelerations are put in: at its link, or at the closure of those that others follow."""
    leaders = list(led(system.mechanism))
    if body not in leaders:
        return system.tree.records[system.closed.plan.link_of(body)]
    return system.tree.records[system.closed.where[len(system.mechanism.constraints) + leaders.index(body)]]
