"""Accelerations over a step that feel springs, dampers and soft constraints as they will be at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anyjoint.constraints import Push, Rows
from anyjoint.dynamics.implicit import CARRIED_IMPLICIT, CARRIED_NEWTON, IMPLICIT, NEWTON
from anyjoint.mechanism.checks import check_regular
from anyjoint.trace.constrained import Question, held
from anyjoint.trace.workshop import Trace, Workshop

from .divides import BY_CORRECTION, BY_FORCES_OVER_A_STEP
from .quantity import TAU, A, Q, Quantity, Row, T, V, with_time

ACCELERATION = (
    "implicit_acceleration",
    "Accelerations over a step of dt seconds that feel springs and dampers as they will be at its end.",
)
CORRECTION = (
    "implicit_correction",
    "What brings accelerations a into balance with forces, where velocities follow in dt seconds: a Newton step.",
)
DT = Row("dt", "whole", meaning="seconds, the length of the step")


def signal_rows(pushes: Sequence[Push]) -> tuple[Row, ...]:
    """The row of what functions of time say, if forces depend on any."""
    count = sum(len(push.signals) for push in pushes)
    return (Row("signals", "whole", (count,), "what functions of time say, that forces depend on"),) if count else ()


def pulled(pull: float) -> Callable[[Rows], list[object]]:
    """What rows ask of velocities over a step: to take errors of positions off at a rate, too."""

    def right(rows: Rows) -> list[object]:
        return [x + pull * y for x, y in zip(rows.rate, held(rows), strict=True)] if pull else list(rows.rate)

    return right


def implicit(
    pull: float = 0.0, pushes: Sequence[Push] = (), given: bool = False, like: Quantity | None = None
) -> Quantity:
    """The quantity that takes errors of positions off at the rate `pull`, per second, as RedMax does.

    It feels `pushes` as they will be, too; their functions of time are a row behind the others, `signals`. Where
    accelerations are `given`, it corrects them. `like` is one whose pushes have other numbers.
    """
    plain, carried = (NEWTON, CARRIED_NEWTON) if given else (IMPLICIT, CARRIED_IMPLICIT)
    signals, right = signal_rows(pushes), pulled(pull)

    def trace(workshop: Workshop, _: str) -> Trace:
        check_regular(workshop.mechanism)
        if workshop.mechanism.constraints or workshop.expansion or pushes:
            question = Question("accelerations", right, implicit=True, given=given)
            inputs = (*with_time(workshop, plain.inputs), *(row.name for row in signals))
            name = f"{carried.name} {pull!r}" if pull else carried.name
            return workshop.pushed(pushes).constrained(name, inputs, question)
        return workshop.sweeps(plain)

    name, purpose = CORRECTION if given else ACCELERATION
    return Quantity(
        name + (f" {pull!r}" if pull else ""),
        purpose,
        (Q, V, TAU, DT, *((A,) if given else ()), T, *signals),
        (Row("x", "velocities", meaning="what to add to the accelerations"),) if given else (A,),
        trace,
        optional=("t",),
        divides=BY_CORRECTION if given else BY_FORCES_OVER_A_STEP,
        by_name=not pushes,
        pushes=tuple(pushes),
        like=like,
    )


