"""A step whose accelerations are known: backwards, each is the unknown of an equation, and costs one solve.

M a + bias = tau holds at every stage. Adjoints of a become those of the equation by mu = M^-1 abar, and the rest is the
adjoint of inverse dynamics, which has half the operations of forward dynamics, and no articulated inertias.
"""

from __future__ import annotations

from anyjoint.codegen import Place, Schedule
from anyjoint.codegen.adjoint import Solve
from anyjoint.codegen.builder import Builder, Embedded
from anyjoint.codegen.shadow import Shadows
from anyjoint.stepper.compiled import CompiledOps, Sum

TAPE, KNOWN = "tape", "known"  # rows of accelerations: as unknowns, and as numbers that are given


class TapedOps(CompiledOps):
    """The operations of one step; accelerations are read from the tape, and inverse dynamics says what they obey."""

    def equations(self, inverse: Schedule, solve: Schedule, numbers: int) -> None:
        """What accelerations obey, and how it is solved with numbers that begin at a place."""
        self.inverse = Embedded(self.builder, inverse, ("q", "v", "result"))
        self.solve_program, self.solve_numbers = solve, numbers
        self.solver: Embedded | None = None
        self.solves: dict[int, Solve] = {}

    def accelerate(self, c: float, q: Sum, v: Sum) -> Sum:
        """dv/dt, from the tape."""
        self._compute(q, v)
        builder, nv, stage = self.builder, self.physics.nv, len(self.accelerations)
        a, lack = builder.room(nv), builder.room(nv)
        builder.copy(nv, builder.place(TAPE, stage * nv), a)
        self.inverse.call({"q": q.at, "v": v.at, "qdd": builder.place(KNOWN, stage * nv), "result": lack})
        tau = self.physics.applied(q.at, v.at, self.inputs(c))
        less = lambda x: {"r": x["r"] - x["tau"]}  # noqa: E731
        builder.pointwise(nv, {"r": lack, "tau": tau}, {}, {"r": lack}, less)
        self.solves[len(builder.runs) - 1] = lambda made: self._solve(made, q.at, a, lack)
        self.accelerations.append(a)
        return Sum(a, place=a)

    def _solve(self, made: Shadows, q: Place, a: Place, lack: Place) -> None:
        """Adjoints of what accelerations obey: -M^-1 abar."""
        builder, nv = made.builder, self.physics.nv
        work = made.builder.work_array
        shadow = made.place[len(made.schedule.arrays) - 1]
        if self.solver is None:  # one for all stages
            self.solver, self.mu = Embedded(builder, self.solve_program, ("q", "x", "result")), builder.room(nv)
        places = {"q": Place(work, q.offset), "x": shadow.at(a.offset), "result": self.mu}
        self.solver.call(places | {"numbers": builder.place("numbers", self.solve_numbers)})
        to = shadow.at(lack.offset)
        builder.pointwise(nv, {"mu": self.mu}, {}, {"r": to}, lambda x: {"r": -x["mu"]})


def counted_from_the_end(solves: dict[int, Solve], builder: Builder) -> dict[int, Solve]:
    """By the number of runs that follow, which passes over the schedule leave alone."""
    return {k - len(builder.runs): solve for k, solve in solves.items()}
