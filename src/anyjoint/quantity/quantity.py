"""What a model can answer, as a record: its name, its rows, one sentence of purpose, and how it is traced.

Everything else is derived from these records: Model's methods and their argument checks, operation counts, sources in
C and JavaScript, the table in the docs, the law tests. A new quantity is one file in this folder.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from anyjoint.codegen import count_schedule
from anyjoint.constraints import Push
from anyjoint.dynamics.algorithm import Algorithm
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.trace.workshop import Trace, Workshop
from anyjoint.tree.plan import GENERAL

if TYPE_CHECKING:
    from .accelerations import Equation
    from .divides import Divides

Kind = Literal[
    "coordinates", "rates", "velocities", "bodies", "matrix", "raw", "regressor", "rows", "contacts", "time", "whole"
]  # fmt: skip
# Mechanisms that a quantity says something about: those with constraints, or without, which it would have to know and
# does not; those with contacts, or without, which it would have to feel and does not.
Among = Literal["all", "constrained", "open", "touching", "apart"]
# The first dimensions of a row, as a mechanism calls them.
LEAD: dict[Kind, tuple[str, ...]] = {
    "coordinates": ("nq",),  # a point, near which joints move as velocities see it
    "rates": ("nq",),  # of coordinates
    "velocities": ("nv",),
    "bodies": ("nb",),
    "matrix": ("nv", "nv"),
    "raw": ("nv", "nq"),
    "regressor": ("nv", "nb"),
    "rows": ("nc",),
    "contacts": ("np",),
    "time": (),
    "whole": (),
}


@frozen
class Row:
    """An input or output; `kind` says how long it is: one number per coordinate or velocity, `inner` per body, ..."""

    name: str
    kind: Kind
    inner: tuple[int, ...] = ()
    meaning: str = ""

    def shape(self, mechanism: Mechanism) -> tuple[int, ...]:
        """The shape of this row for one state."""
        return (*(getattr(mechanism, name) for name in LEAD[self.kind]), *self.inner)

    @property
    def dimensions(self) -> str:
        """The shape in words: "(nb, 6)"."""
        return f"({', '.join([*LEAD[self.kind], *map(str, self.inner)])})"

    def size(self, mechanism: Mechanism) -> int:
        """How many numbers it has."""
        return math.prod(self.shape(mechanism))


@frozen
class Quantity:
    """Something that a model can answer."""

    name: str
    purpose: str
    inputs: tuple[Row, ...]
    outputs: tuple[Row, ...]
    trace: Callable[[Workshop, str], Trace]  # the second argument is the formulation of forward dynamics
    optional: tuple[str, ...] = ()  # inputs that are zero where they are not given
    anywhere: bool = False  # whether it also answers where joints break down
    among: Among = "all"  # which mechanisms it says something about
    divides: Divides | None = None  # by what it shows where there is no inverse of the mass matrix, if it needs that
    equation: Callable[[Workshop, Trace, bool, bool], Equation | None] | None = None  # by which derivatives of it go
    by_name: bool = True  # whether models know its program by its name; others lie on its own shelf
    pushes: tuple[Push, ...] = field(default=(), repr=False, compare=False)  # forces whose numbers are among its own
    like: Quantity | None = field(default=None, repr=False, compare=False)  # one that differs in these alone
    shelf: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)  # made for runs

    def concerns(self, mechanism: Mechanism) -> bool:
        """Whether it says something about a mechanism."""
        constrained, touching = bool(mechanism.constraints), bool(mechanism.contacts)
        answers = {"constrained": constrained, "open": not constrained, "touching": touching, "apart": not touching}
        return answers.get(self.among, True)

    def given(self, mechanism: Mechanism) -> tuple[Row, ...]:
        """The inputs for a mechanism: the time is one only where something depends on it."""
        return tuple(row for row in self.inputs if row.kind != "time" or mechanism.timed)


def with_time(workshop: Workshop, inputs: tuple[str, ...]) -> tuple[str, ...]:
    """Names of inputs, the time among them where something depends on it."""
    return (*inputs, "t") if workshop.mechanism.timed else inputs


def sweeps(algorithm: Algorithm, by_factors: Algorithm | None = None) -> Callable[[Workshop, str], Trace]:
    """How a quantity is traced that is an algorithm of sweeps and nothing else.

    `by_factors` does the same where joints have several factors; what takes fewer operations is taken.
    """

    def trace(workshop: Workshop, _: str) -> Trace:
        made = workshop.sweeps(algorithm)
        if by_factors is None or all(link.kind != GENERAL for link in made.plan.links):
            return made
        return fewer(made, workshop.sweeps(by_factors))

    return trace


def fewer(one: Trace, other: Trace) -> Trace:
    """The one that takes fewer operations."""
    return min(one, other, key=lambda trace: count_schedule(trace.schedule).total)


Q = Row("q", "coordinates", meaning="coordinates")
V = Row("v", "velocities", meaning="velocities")
A = Row("a", "velocities", meaning="accelerations")
X = Row("x", "velocities", meaning="any velocities")
TAU = Row("tau", "velocities", meaning="generalized forces")
T = Row("t", "time", meaning="seconds; only for mechanisms that depend on time")
