"""What a stepper is: a step from one state to the next, described once for machine code, Python and pages.

A step is a function of `Ops`, which know the state, its rates and how to go along them; it never sees what the vectors
are made of. A new stepper is one file in `methods` with a `Stepper` of its name in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from anyjoint.frozen import frozen

from .tableau import Tableau

if TYPE_CHECKING:
    from anyjoint.codegen.builder import Builder

    from .error_control import AdaptiveStep, Controls
    from .physics import Physics

Vector = Any  # coordinates, velocities or their rates, of whatever kind the Ops deal in
Length = Any  # of a part of a step, in seconds


class Ops(Protocol):
    """What steps are made of: the state (q, v) at the beginning of a step of length h, and operations."""

    q: Vector
    v: Vector

    def accelerate(self, c: float, q: Vector, v: Vector) -> Vector:
        """dv/dt at the time t + c h."""

    def rate(self, q: Vector, v: Vector) -> Vector:
        """dq/dt: the velocities themselves, but for quaternions and rolling."""

    def carry(self, q: Vector, to: Vector, v: Vector) -> Vector:
        """Velocities v at q as they are seen at `to`, while bodies go straight on: the axes of free bodies turn."""

    def go(self, x: Vector, weights: Sequence[float], rates: Sequence[Vector]) -> Vector:
        """x + h times the weighted sum of rates."""

    def solve(self, c: float, q: Vector, v: Vector, g: Length) -> tuple[Vector, Vector, Vector]:
        """q' = q + g qdot(q', v'), v' = v + g a, and a, the accelerations there at the time t + c h."""

    def share(self, part: float) -> Length:
        """A part of the step."""

    def past(self) -> tuple[Vector, Vector, Length]:
        """q and v on from the state before, and g, of the backward differentiation formula of order two."""


@frozen
class Stepper:
    """A method; one whose tableau estimates errors chooses its steps by itself."""

    name: str
    purpose: str
    order: int
    step: Callable[[Ops], tuple[Vector, Vector]]
    tableau: Tableau | None = None
    implicit: bool = False  # whether accelerations feel forces as they will be at the end of the step
    solves: bool = False  # whether a step solves equations, by corrections
    remembers: bool = False  # whether a step looks back at the state before
    # How it builds steps whose length it chooses without a tableau.
    chooses: Callable[[Builder, Physics, Controls], AdaptiveStep] | None = None
    damps: bool = False  # whether what is too quick for its steps comes to rest
    resists: bool = False  # whether contacts, limits of joints and dry friction are a part of the step

    @property
    def dynamics(self) -> str:
        """The quantity that accelerations come from."""
        if self.resists:
            return "contact_acceleration"
        if self.implicit:
            return "implicit_correction" if self.solves else "implicit_acceleration"
        return "forward_dynamics"

    @property
    def instants(self) -> tuple[float, ...]:
        """Parts of a step after which it asks for accelerations, or may."""
        return tuple(sorted({*self.tableau.c, 1.0})) if self.tableau else (0.0, 0.5, 1.0)

    @property
    def adaptive(self) -> bool:
        """Whether steps choose their own length."""
        return self.chooses is not None or (self.tableau is not None and bool(self.tableau.error))


def runge_kutta(ops: Ops, tableau: Tableau) -> tuple[Vector, Vector]:
    """The stages of an explicit Runge-Kutta method, one after the other."""
    rates: list[Vector] = []
    accelerations: list[Vector] = []
    for c, weights in zip(tableau.c, tableau.a, strict=True):
        q, v = ops.go(ops.q, weights, rates), ops.go(ops.v, weights, accelerations)
        accelerations.append(ops.accelerate(c, q, v))
        rates.append(ops.rate(q, v))
    return ops.go(ops.q, tableau.b, rates), ops.go(ops.v, tableau.b, accelerations)
