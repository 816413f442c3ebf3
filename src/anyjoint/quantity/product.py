"""Derivatives of any quantity times a vector, as quantities: rates along a direction, gradients of weighted sums, and
rates of those gradients.

They are made of the quantity's own schedule (`product_trace.py`), so whatever can be traced can be differentiated. By
parameters they are derivatives by the raw numbers of a trace in which numbers are parameters one by one
(`Varying.nudged`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.stepper.physics import joint_groups, moves_otherwise
from anyjoint.trace.workshop import Trace, Workshop

from .divides import differentiated
from .quantity import Quantity, Row

NUMBERS = "numbers"
WEIGHTS = "weights"


def change_of(name: str) -> str:
    """The row of small changes of a row."""
    return f"d_{name}"


def gradient_of(name: str) -> str:
    """The row of derivatives of a weighted sum by a row."""
    return f"{name}_bar"


@frozen
class By:
    """What a quantity is differentiated by: names of its inputs, and whether also by the numbers of its trace."""

    rows: tuple[str, ...]
    numbers: int = 0  # how many there are, if by them
    moving: tuple[int, ...] = ()  # which of them change; the rest has no part in directions and gradients
    raw: bool = False  # whether by coordinates themselves instead of what velocities see

    def __str__(self) -> str:
        names = [*self.rows, *([NUMBERS] if self.numbers else [])]
        return f"{', '.join(names)}{' (raw)' if self.raw else ''}"


class Problem:
    """A quantity of a mechanism and what it is differentiated by: rows and their sizes, in tangent terms."""

    def __init__(self, quantity: Quantity, mechanism: Mechanism, by: By) -> None:
        self.quantity, self.mechanism, self.by = quantity, mechanism, by
        self.bends = not by.raw and any(moves_otherwise(group.joint) for group in joint_groups(mechanism))
        self.given = quantity.given(mechanism)
        self.outputs = quantity.outputs
        self.size = sum(row.size(mechanism) for row in self.outputs)

    def is_bent(self, row: Row) -> bool:
        """Whether a row is a point among coordinates that differ from what velocities see."""
        return self.bends and row.kind == "coordinates"

    def rate_row(self, row: Row, name: str) -> Row:
        """A small change of a row."""
        if row.kind == "coordinates" and not self.by.raw:
            return Row(name, "velocities", meaning="a small change of coordinates, as velocities see it")
        return replace(row, name=name, meaning=f"a small change of {row.name}")

    def rows(self, named: Callable[[str], str]) -> list[Row]:
        """Changes of everything that the quantity is differentiated by, or derivatives by it, under such names."""
        found = [self.rate_row(row, named(row.name)) for row in self.given if row.name in self.by.rows]
        return [*found, *([Row(named(NUMBERS), "whole", (self.by.numbers,))] if self.by.numbers else [])]

    @property
    def changes(self) -> list[Row]:
        """Small changes of everything that the quantity is differentiated by."""
        return self.rows(change_of)

    @property
    def output_changes(self) -> list[Row]:
        """Small changes of the outputs."""
        return [self.rate_row(row, f"{change_of(row.name)}_out") for row in self.outputs]

    @property
    def weights(self) -> Row:
        """Weights of the outputs."""
        return Row(WEIGHTS, "whole", (self.sizes(self.output_changes),), "of the outputs, one behind the other")

    def sizes(self, rows: list[Row]) -> int:
        """How many numbers some rows have."""
        return sum(row.size(self.mechanism) for row in rows)


def jvp(quantity: Quantity, mechanism: Mechanism, by: By) -> Quantity:
    """The quantity, and its rates along a direction."""
    problem = Problem(quantity, mechanism, by)
    purpose = f"{quantity.name} and its derivative along a direction."
    return _product("jvp", problem, purpose, problem.changes, problem.output_changes)


def vjp(quantity: Quantity, mechanism: Mechanism, by: By) -> Quantity:
    """The quantity, and the gradient of a weighted sum of its entries."""
    problem = Problem(quantity, mechanism, by)
    purpose = f"{quantity.name} and the gradient of a weighted sum of its entries."
    return _product("vjp", problem, purpose, [problem.weights], problem.rows(gradient_of))


def hvp(quantity: Quantity, mechanism: Mechanism, by: By) -> Quantity:
    """The quantity, the gradient of a weighted sum of its entries, and the rates of that along a direction."""
    problem = Problem(quantity, mechanism, by)
    purpose = f"{quantity.name}, the gradient of a weighted sum of its entries, and its derivative along a direction."
    rows = [*problem.rows(gradient_of), *problem.rows(lambda name: change_of(gradient_of(name)))]
    return _product("hvp", problem, purpose, [problem.weights, *problem.changes], rows)


def _product(
    kind: Literal["jvp", "vjp", "hvp"], problem: Problem, purpose: str, inputs: list[Row], outputs: list[Row]
) -> Quantity:
    """A quantity with these inputs and outputs behind its own."""

    def trace(workshop: Workshop, formulation: str) -> Trace:
        from .product_trace import TRACES  # what differentiates schedules, imported when something is differentiated

        return TRACES[kind](problem, workshop, formulation)

    quantity = problem.quantity
    pushing = [row.name for row in inputs if row.name != change_of(NUMBERS)]  # numbers have any size
    pushed = [row.name for row in outputs if row.kind != "whole"]
    return Quantity(
        f"{kind} {quantity.name} by {problem.by}",
        purpose,
        (*problem.given, *inputs),
        (*quantity.outputs, *outputs),
        trace,
        divides=differentiated(quantity.divides, pushing, pushed) if quantity.divides else None,
    )
