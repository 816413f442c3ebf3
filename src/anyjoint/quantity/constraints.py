"""What constraints say: multipliers, errors, and the smallest corrections that take a state back onto them.

Corrections are measured by kinetic energy and found by the sweeps of forward dynamics, at rest and without gravity:
M d + G^T y = 0, G d = -error [PAK reference 3].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anyjoint.constraints import Rows
from anyjoint.dynamics.carried import CARRIED
from anyjoint.mechanism.checks import check_regular
from anyjoint.scalar import Scalar
from anyjoint.trace.constrained import Constrained, Question, held
from anyjoint.trace.workshop import Trace, Workshop

from .divides import BY_FORCES
from .quantity import TAU, A, Q, Quantity, Row, T, V, with_time

ACCELERATIONS = Question("accelerations")


def asked(
    name: str, inputs: tuple[str, ...], question: Question | Callable[[Constrained], Sequence[Scalar]]
) -> Callable[[Workshop, str], Trace]:
    """How a question is traced; without constraints there are no rows, and nothing has to be corrected."""

    def trace(workshop: Workshop, _: str) -> Trace:
        if workshop.mechanism.constraints:
            if isinstance(question, Question) and question.answer in ("accelerations", "multipliers", "both"):
                check_regular(workshop.mechanism)
            return workshop.constrained(f"{CARRIED.name}: {name}", with_time(workshop, inputs), question)
        corrects = isinstance(question, Question) and question.answer == "accelerations"
        zeros = [0.0] * (workshop.mechanism.nv if corrects else 0)
        return workshop.straight(name, inputs, lambda tree: zeros)

    return trace


def baumgarte(a: float, b: float) -> Quantity:
    """Accelerations that also pull errors back: g'' + 2 a g' + b^2 g = 0."""

    def right(rows: Rows) -> list[Scalar]:
        return [x + 2 * a * y + b * b * z for x, y, z in zip(rows.gamma, rows.rate, held(rows), strict=True)]

    name = f"forward_dynamics baumgarte {a!r} {b!r}"
    trace = asked(name, ("q", "v", "tau"), Question("accelerations", right))
    return Quantity(name, "Accelerations that pull errors back.", (Q, V, TAU, T), (A,), trace, ("tau", "t"))


HELD = Quantity(
    "forward_dynamics",
    "Accelerations, and multipliers in any order, which are 0 for rows that others imply.",
    (Q, V, TAU, T),
    (A, Row("multipliers", "rows")),
    asked("accelerations and multipliers", ("q", "v", "tau"), Question("both")),
    optional=("tau", "t"),
    divides=BY_FORCES,
    by_name=False,
)
