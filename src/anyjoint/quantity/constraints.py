"""What constraints say: multipliers, errors, and the smallest corrections that take a state back onto them.

Corrections are measured by kinetic energy and found by the sweeps of forward dynamics, at rest and without gravity:
M d + G^T y = 0, G d = -error [PAK reference 3].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anyjoint.dynamics.carried import CARRIED
from anyjoint.trace.constrained import Constrained
from anyjoint.trace.workshop import Trace, Workshop

from .quantity import TAU, A, Q, Quantity, Row, T, V, with_time

MULTIPLIERS = Row("multipliers", "rows", meaning="multipliers of all rows, M a + G^T y = tau - bias")


def multipliers(system: Constrained) -> Sequence[Any]:
    """What constraints push with."""
    return system.solve([rows.gamma for rows in system.rows])[1]


def errors(system: Constrained) -> Sequence[Any]:
    """Errors of positions, 0 for rows that are on velocities alone, then errors of velocities."""
    position = [x for rows in system.rows for x in (rows.error if rows.error is not None else [0.0] * len(rows.rate))]
    return [*position, *(x for rows in system.rows for x in rows.rate)]


def position_correction(system: Constrained) -> Sequence[Any]:
    """Along velocities, so that coordinates move by their rate."""
    return system.solve([rows.error if rows.error is not None else [0.0] * len(rows.rate) for rows in system.rows])[0]


def velocity_correction(system: Constrained) -> Sequence[Any]:
    """What is to be added to velocities."""
    return system.solve([rows.rate for rows in system.rows])[0]


def stabilised(a: float, b: float) -> Callable[[Constrained], Sequence[Any]]:
    """Accelerations that also pull errors back: g'' + 2 a g' + b^2 g = 0 [Baumgarte]."""

    def accelerations(system: Constrained) -> Sequence[Any]:
        right = []
        for rows in system.rows:
            held = rows.error if rows.error is not None else [0.0] * len(rows.rate)
            right.append([x + 2 * a * y + b * b * z for x, y, z in zip(rows.gamma, rows.rate, held, strict=True)])
        return system.solve(right)[0]

    return accelerations


def baumgarte(a: float, b: float) -> Quantity:
    """Forward dynamics with Baumgarte's feedback."""
    name = f"forward_dynamics baumgarte {a!r} {b!r}"
    trace = traced(name, ("q", "v", "tau"), stabilised(a, b))
    return Quantity(name, "Accelerations that pull errors back.", (Q, V, TAU, T), (A,), trace, ("tau", "t"))


def traced(
    name: str, inputs: tuple[str, ...], function: Callable[[Constrained], Sequence[Any]], still: bool = False
) -> Callable[[Workshop, str], Trace]:
    """How a function of the constrained tree is traced; without constraints nothing has to be corrected."""

    def trace(workshop: Workshop, _: str) -> Trace:
        if workshop.mechanism.constraints:
            return workshop.constrained(
                f"{CARRIED.name}: {name}", with_time(workshop, inputs), function, still=still
            )
        zeros = [0.0] * (workshop.mechanism.nv if still else 0)
        return workshop.straight(name, inputs, lambda tree: zeros)

    return trace


CONSTRAINT_MULTIPLIERS = Quantity(
    "constraint_multipliers",
    "Multipliers of all constraint rows; those of rows that others imply are 0.",
    (Q, V, TAU, T),
    (MULTIPLIERS,),
    traced("multipliers", ("q", "v", "tau"), multipliers),
    optional=("tau", "t"),
    constrained=True,
)
CONSTRAINT_ERRORS = Quantity(
    "constraint_errors",
    "By how much positions and velocities miss the constraints, row by row.",
    (Q, V, T),
    (Row("position", "rows", meaning="errors of positions"), Row("velocity", "rows", meaning="errors of velocities")),
    traced("errors", ("q", "v"), errors),
    optional=("t",),
    constrained=True,
)
POSITION_CORRECTION = Quantity(
    "position_correction",
    "A small motion that takes positions back onto the constraints, in first order.",
    (Q, T),
    (Row("d", "velocities", meaning="how far to move along each velocity"),),
    traced("position correction", ("q",), position_correction, still=True),
    optional=("t",),
    constrained=True,
)
VELOCITY_CORRECTION = Quantity(
    "velocity_correction",
    "What takes velocities back onto the constraints.",
    (Q, V, T),
    (Row("d", "velocities", meaning="what to add to velocities"),),
    traced("velocity correction", ("q", "v"), velocity_correction, still=True),
    optional=("t",),
    constrained=True,
)
CONSTRAINT_ENTRIES = Quantity(
    "constraint_entries",
    "The entries of the constraints' Jacobian G, link by link; model.constraint_jacobian puts them together.",
    (Q, T),
    (),
    traced("jacobian", ("q",), Constrained.entries, still=True),
    optional=("t",),
    constrained=True,
)
