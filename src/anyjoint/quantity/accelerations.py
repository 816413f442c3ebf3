"""Derivatives of accelerations by the equation that they obey, ID(q, v, a) = tau: articulated inertias are not
differentiated.

With mu = M^-1 w, the gradient of w . a by tau is mu; by the state and by numbers it is that of -mu . ID(q, v, a) with a
and mu held. Rates are da = M^-1 (dtau - dID), where dID is the rate of ID(q, v, a) with a held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anyjoint.codegen import Schedule, rows_and_numbers
from anyjoint.codegen.activity import Entries
from anyjoint.codegen.adjoint import adjoint, bar_of
from anyjoint.codegen.builder import Builder, Embedded, Values
from anyjoint.codegen.tangent import rate_of, tangent
from anyjoint.dynamics.articulated_body import (
    ARTICULATED_BODY,
    ARTICULATED_BODY_AND_LOAD,
    ARTICULATED_BODY_THEN_LOAD,
)
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.trace.setup import Rows
from anyjoint.trace.whole import whole
from anyjoint.trace.workshop import Trace, Workshop
from anyjoint.tree.plan import GENERAL

from .answers.inverse_dynamics import INVERSE_DYNAMICS

MOVING = ("q", "v", "numbers")  # what inverse dynamics depends on beside accelerations


@frozen
class Equation:
    """Accelerations and mu in one program, and inverse dynamics, whose numbers stand behind those of the first.

    With their set-ups in them (trace/whole.py), both read the same raw numbers.
    """

    solved: Trace
    inverse: Trace
    start: int
    by_numbers: bool

    @property
    def setups(self) -> list[Rows]:
        """Set-ups of all numbers."""
        if self.by_numbers:
            return self.solved.setups
        behind = [replace(rows, start=rows.start + self.start) for rows in self.inverse.setups]
        return [*self.solved.setups, *behind]

    def adjoint(self, inputs: Sequence[str], nv: int, twice: bool, only: Entries) -> Schedule:
        """As `codegen.adjoint` makes one of forward dynamics: `inputs` are among q, v, tau and numbers."""
        rows = ["q", "v", "tau", "result", bar_of("result"), *(bar_of(name) for name in inputs)]
        builder = Builder(rows_and_numbers(*rows))
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
        if moving := [name for name in MOVING if name in inputs]:
            back = adjoint(self.inverse.schedule, moving, twice=twice, only=only)
            program = Embedded(builder, back, ["qdd", "result", bar_of("result")])
            places = {name: builder.place(name) for name in ("q", "v", *map(bar_of, moving))}
            places |= {"qdd": both, "result": lack, bar_of("result"): seed}
            program.call(places | {"numbers": builder.place("numbers", self.start)})
        return builder.schedule()

    @property
    def _loaded(self) -> int:
        """The first run of the first program that reads the load."""
        schedule = self.solved.schedule
        load = next(i for i, array in enumerate(schedule.arrays) if array.name == "load")
        return next(i for i, run in enumerate(schedule.runs) if load in run.arrays)

    def tangent(self, inputs: Sequence[str], nv: int, only: Entries) -> Schedule:
        """As `codegen.tangent` makes one of forward dynamics: `inputs` are among q, v, tau and numbers."""
        rows = ["q", "v", "tau", "result", *map(rate_of, (*inputs, "result"))]
        builder = Builder(rows_and_numbers(*rows))
        both, load, lack, rate = (builder.room(n) for n in (2 * nv, nv, nv, nv))
        solving = Embedded(builder, self.solved.schedule, ["result", "load"])
        given = {name: builder.place(name) for name in ("q", "v", "tau")} | {"load": load, "result": both}
        solving.call(given, slice(self._loaded))
        parts = {"force": builder.place(rate_of("tau"))} if "tau" in inputs else {}
        if moving := [name for name in MOVING if name in inputs]:
            schedule = tangent(self.inverse.schedule, moving, only=only)
            along = Embedded(builder, schedule, ["qdd", "result", rate_of("result")])
            places = {name: builder.place(name) for name in ("q", "v", *map(rate_of, moving))}
            places |= {"qdd": both, "result": lack, rate_of("result"): rate}
            along.call(places | {"numbers": builder.place("numbers", self.start)})
            parts |= {"asked": rate}
        builder.pointwise(nv, parts, {}, {"x": load}, lambda x: {"x": x.get("force", 0) - x.get("asked", 0)})
        solving.call(given, slice(self._loaded, None))
        answers = {"a": builder.place("result"), "rate": builder.place(rate_of("result"))}
        builder.pointwise(nv, {"x": both, "y": both.at(nv)}, {}, answers, lambda x: {"a": x["x"], "rate": x["y"]})
        return builder.schedule()


def equation(workshop: Workshop, accelerations: Trace, rates: bool, by_numbers: bool) -> Equation | None:
    """The programs for rates or gradients, where accelerations were found by sweeps and that is less; else None.

    Rates need kernels, which can wait for each other; in chains of simple joints alone, where each link waits for the
    one before, further sweeps take longer than the operations that they save.
    """
    general = accelerations.form == "kernels" and any(link.kind == GENERAL for link in accelerations.plan.links)
    if accelerations.by != ARTICULATED_BODY or (rates and not general):
        return None
    solved = workshop.sweeps(ARTICULATED_BODY_THEN_LOAD if rates else ARTICULATED_BODY_AND_LOAD)
    inverse = INVERSE_DYNAMICS.trace(workshop, "auto")
    if not by_numbers:
        return Equation(solved, inverse, max((rows.end for rows in solved.setups), default=0), by_numbers)
    flat = accelerations.numbers.flat()
    alike = all(np.array_equal(flat, trace.numbers.flat()) for trace in (solved, inverse))
    return Equation(whole(solved), whole(inverse), 0, by_numbers) if alike else None
