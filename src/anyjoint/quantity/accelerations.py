"""Gradients of accelerations by the equation that they obey, ID(q, v, a) = tau: articulated inertias are not
differentiated.

With mu = M^-1 w, the gradient of w . a by tau is mu; by the state it is that of -mu . ID(q, v, a) with a and mu held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from anyjoint.codegen import Array, Schedule
from anyjoint.codegen.adjoint import adjoint, bar_of
from anyjoint.codegen.builder import Builder, Embedded, Values
from anyjoint.dynamics.articulated_body import ARTICULATED_BODY_AND_LOAD
from anyjoint.scalar import Scalar
from anyjoint.trace.setup import Rows
from anyjoint.trace.workshop import Trace, Workshop

from .inverse_dynamics import INVERSE_DYNAMICS


@dataclass(frozen=True)
class Equation:
    """Accelerations and mu in one program, and inverse dynamics, whose numbers stand behind those of the first."""

    solved: Trace
    inverse: Trace
    start: int

    @property
    def setups(self) -> list[Rows]:
        """Set-ups of all numbers."""
        behind = [replace(rows, start=rows.start + self.start) for rows in self.inverse.setups]
        return [*self.solved.setups, *behind]

    def adjoint(self, inputs: Sequence[str], nv: int, twice: bool) -> Schedule:
        """As `codegen.adjoint` makes one of forward dynamics: `inputs` are among q, v and tau."""
        rows = ["q", "v", "tau", "result", bar_of("result"), *(bar_of(name) for name in inputs)]
        builder = Builder((*(Array(name, "row") for name in rows), Array("numbers", "uniform")))
        both, seed, lack = builder.room(2 * nv), builder.room(nv), builder.room(nv)
        given = {name: builder.place(name) for name in ("q", "v", "tau")}
        program = Embedded(builder, self.solved.schedule, ["result"])
        program.call(given | {"load": builder.place(bar_of("result")), "result": both})
        answers = {"a": builder.place("result"), "seed": seed}
        answers |= {"mu": builder.place(bar_of("tau"))} if "tau" in inputs else {}

        def answered(x: Values) -> dict[str, Scalar]:
            found = {"a": x["a"], "seed": -x["mu"], "mu": x["mu"]}
            return {name: found[name] for name in answers}

        builder.pointwise(nv, {"a": both, "mu": both.at(nv)}, {}, answers, answered)
        if moving := [name for name in ("q", "v") if name in inputs]:
            back = adjoint(self.inverse.schedule, moving, twice=twice)
            program = Embedded(builder, back, ["qdd", "result", bar_of("result")])
            places = {name: builder.place(name) for name in ("q", "v", *map(bar_of, moving))}
            places |= {"qdd": both, "result": lack, bar_of("result"): seed}
            program.call(places | {"numbers": builder.place("numbers", self.start)})
        return builder.schedule()


def equation(workshop: Workshop) -> Equation:
    """The programs for a mechanism without constraints."""
    solved = workshop.sweeps(ARTICULATED_BODY_AND_LOAD)
    start = max((rows.end for rows in solved.setups), default=0)
    return Equation(solved, INVERSE_DYNAMICS.trace(workshop, "auto"), start)
