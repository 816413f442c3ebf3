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

from .divides import BY_JOINTS
from .quantity import TAU, A, Q, Quantity, Row, T, V, with_time

ACCELERATIONS = Question("accelerations")


def asked(
    name: str, inputs: tuple[str, ...], question: Question | Callable[[Constrained], Sequence[Scalar]]
) -> Callable[[Workshop, str], Trace]:
    """How a question is traced; without constraints there are no rows, and nothing has to be corrected."""

    def trace(workshop: Workshop, _: str) -> Trace:
        if workshop.mechanism.constraints:
            if isinstance(question, Question) and question.answer in ("accelerations", "multipliers"):
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


CONSTRAINT_MULTIPLIERS = Quantity(
    "constraint_multipliers",
    "Multipliers of all constraint rows, M a + G^T y = tau - bias; those of rows that others imply are 0.",
    (Q, V, TAU, T),
    (Row("multipliers", "rows", meaning="what constraints push with"),),
    asked("multipliers", ("q", "v", "tau"), Question("multipliers")),
    optional=("tau", "t"),
    among="constrained",
    divides=BY_JOINTS,
)
CONSTRAINT_ERRORS = Quantity(
    "constraint_errors",
    "By how much positions and velocities miss the constraints, row by row.",
    (Q, V, T),
    (Row("position", "rows", meaning="errors of positions"), Row("velocity", "rows", meaning="errors of velocities")),
    asked("errors", ("q", "v"), Question("errors", None)),
    optional=("t",),
    among="constrained",
)
POSITION_CORRECTION = Quantity(
    "position_correction",
    "A small motion that takes positions back onto the constraints, in first order.",
    (Q, T),
    (Row("d", "velocities", meaning="how far to move along each velocity"),),
    asked("position correction", ("q",), Question("accelerations", held, still=True)),
    optional=("t",),
    among="constrained",
)
VELOCITY_CORRECTION = Quantity(
    "velocity_correction",
    "What takes velocities back onto the constraints.",
    (Q, V, T),
    (Row("d", "velocities", meaning="what to add to velocities"),),
    asked("velocity correction", ("q", "v"), Question("accelerations", lambda rows: rows.rate, still=True)),
    optional=("t",),
    among="constrained",
)
CONSTRAINT_ENTRIES = Quantity(
    "constraint_entries",
    "The entries of the constraints' Jacobian G, link by link; model.constraint_jacobian puts them together.",
    (Q, T),
    (),
    asked("jacobian", ("q",), Question("entries", still=True)),
    optional=("t",),
    among="constrained",
)
