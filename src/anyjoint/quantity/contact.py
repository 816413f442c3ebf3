"""Accelerations over a step under contacts, limits of joints and dry friction, and the forces of contacts."""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.constraints import Push, Resistance
from anyjoint.errors import InputError
from anyjoint.mechanism.checks import check_regular
from anyjoint.trace.constrained import Question
from anyjoint.trace.workshop import Trace, Workshop

from .divides import BY_FORCES_OVER_A_STEP
from .implicit import DT, implicit, pulled, signal_rows
from .quantity import TAU, A, Q, Quantity, Row, T, V, with_time

INPUTS = ("q", "v", "tau", "h")


def contact(pull: float = 0.0, pushes: Sequence[Push] = (), given: Sequence[Resistance] | None = None) -> Quantity:
    """The quantity under forces, and under some resistances instead of all that the mechanism has."""
    signals, right = signal_rows(pushes), pulled(pull)

    def trace(workshop: Workshop, _: str) -> Trace:
        from anyjoint.forces.resist import resistances  # imported when something resists

        check_regular(workshop.mechanism)
        resisting = resistances(workshop.mechanism) if given is None else given
        if workshop.expansion:
            return followed(workshop, resisting)
        question = Question("accelerations", right, implicit=True)
        inputs = (*with_time(workshop, INPUTS), *(row.name for row in signals))
        return workshop.pushed((*pushes, *resisting)).resisted("contact", inputs, question)

    def followed(workshop: Workshop, resisting: Sequence[Resistance]) -> Trace:
        """Joints that follow others: a linearly implicit step, in which nothing can resist."""
        if resisting:
            raise InputError(
                f"time-stepping: {resisting[0].what} cannot be felt where joints follow others (joints.Coupled); join"
                ' them by constraints instead, or use method="implicit-euler"'
            )
        return implicit(pull, pushes).trace(workshop, "auto")

    return Quantity(
        "contact_acceleration" + (f" {pull!r}" if pull else ""),
        "Accelerations over a step of dt seconds under contacts, limits and dry friction, and what contacts do.",
        (Q, V, TAU, DT, T, *signals),
        (A, Row("contacts", "contacts", (3, 3), "of each point: where it is, its normal, the force, in the world")),
        trace,
        optional=("t",),
        among="touching",
        divides=BY_FORCES_OVER_A_STEP,
        by_name=not pushes and given is None,
    )


