"""A step of a run as a map between states, transformed: transposed for gradients, with rates beside for tangents.

Rows: `state` changes in place: q, v, for steps that look back the state before and the length of the step from there,
for those that choose their length the rates, too, and, where the mechanism wants to know it, the time. `drive` are
inputs, `h` is the length of the step, `s` of an interpolated state the part of the step that has passed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from anyjoint.codegen import Array, CompiledSchedule, Place, Schedule
from anyjoint.codegen.adjoint import Solve, adjoint, bar_of
from anyjoint.codegen.builder import Builder
from anyjoint.codegen.tangent import tangent
from anyjoint.constraints.touch import SHOWN
from anyjoint.forces.program import ForceProgram
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar
from anyjoint.scalar.array import Floats
from anyjoint.stepper import Stepper
from anyjoint.stepper.compiled import CompiledOps, Sum
from anyjoint.stepper.physics import Physics, Projection
from anyjoint.stepper.tableau import Tableau
from anyjoint.trace.joint_numbers import raw_places
from anyjoint.trace.workshop import Trace

from .taped_step import KNOWN, TAPE, TapedOps, counted_from_the_end

if TYPE_CHECKING:
    from anyjoint.codegen.builder import Values

ROWS = ("state", "drive", "h", "s")
ARRAYS = (*(Array(name, "row") for name in ROWS), Array("numbers", "uniform"), Array("settings", "uniform"))
SEED = "seed"
Part = Literal["step", "inside", "start", "end"]  # start: what the first step is given; end: a step that an event cuts


@frozen
class StepMap:
    """What a step of a run is made of."""

    stepper: Stepper
    mechanism: Mechanism
    traces: tuple[Trace, ...]  # accelerations, then corrections where steps end with a projection
    forces: ForceProgram
    varying: bool  # whether inputs change within a step: there is a row of them for each of its instants
    taped: bool = False  # whether accelerations are known; then traces are inverse dynamics and a solve with M
    pushing: Trace | None = None  # forces by kernels, whose numbers stand behind those of the traces
    raw: bool = False  # whether numbers are the raw ones, because derivatives are by them

    @property
    def width(self) -> int:
        """How many inputs there are at a time."""
        return self.mechanism.nv + len(self.forces.functions)

    @property
    def n(self) -> int:
        """How many numbers a state has."""
        return self.mechanism.nq + self.mechanism.nv

    @property
    def handed(self) -> int:
        """How many numbers a step hands on: the state, and what the next one looks back at."""
        return 2 * self.n + 1 if self.stepper.remembers else self.n

    @property
    def row(self) -> int:
        """How many numbers a row of the state has."""
        return self.handed + self.mechanism.timed

    def schedule(self, part: Part = "step") -> Schedule:
        """The step, or the state at the part `s` of it, by the method's interpolant."""
        ops = self._ops()
        self._add(ops, part)
        return ops.builder.schedule()

    def _ops(self) -> CompiledOps:
        """What a step is made of, on a row of the state."""
        builder, mechanism = Builder(ARRAYS), self.mechanism
        q, v = builder.place("state"), builder.place("state", mechanism.nq)
        t = builder.place("state", self.row - 1) if mechanism.timed else None
        before = builder.place("state", self.n) if self.stepper.remembers else None
        physics = self._physics(builder)
        return CompiledOps(builder, physics, builder.place("h"), q, v, self._inputs(builder), t, before)

    def _add(self, ops: CompiledOps, part: Part) -> None:
        """Add the runs of a part of a step."""
        if part == "inside":
            _interpolate(ops, self.stepper)
        else:
            self._finish(ops, *self.stepper.step(ops))

    def _finish(self, ops: CompiledOps, q: Sum, v: Sum) -> None:
        """Write the state after the step, as it should be, and what the next one looks back at."""
        if ops.before:
            ops.remember()
        ops.finish(q, v, ops.q.x, ops.v.x)
        last = ops.before.at(self.n) if ops.before else None
        ops.physics.settle(ops.q.x, ops.v.x, ops.time(1.0), last)

    def _physics(self, builder: Builder) -> Physics:
        feels = self.stepper.implicit
        length = None
        if feels:
            length = builder.room(1) if self.stepper.solves else builder.place("h")
        settings = [builder.place("settings", k) for k in range(len(self.forces.numbers))]
        projection = None if self.taped else self._projection()
        start = sum(trace.count for trace in self.traces)
        pushing = (self.pushing.schedule, start) if self.pushing else None
        first = self.traces[0]
        own = {body: builder.place("numbers", at) for body, at in raw_places(first.plan, first.numbers).items()}
        return Physics(
            builder, self.mechanism, first.schedule, self.forces, settings, projection=projection, step=length,
            feels=feels, pushing=pushing, shown=SHOWN * self.mechanism.np if self.stepper.resists else 0,
            own=own if self.raw else None,
        )  # fmt: skip

    def _inputs(self, builder: Builder) -> Callable[[float], Place]:
        """Where inputs stand at a part of the step."""
        width, parts = self.width if self.varying else 0, self.stepper.instants
        return lambda c: builder.place("drive", parts.index(c) * width)

    def taped_schedule(self) -> tuple[Schedule, dict[int, Solve]]:
        """The step with known accelerations, and what is solved on the way back."""
        builder = Builder((*ARRAYS, Array(TAPE, "row"), Array(KNOWN, "row")))
        physics, (inverse, solve), mechanism = self._physics(builder), self.traces, self.mechanism
        q, v = builder.place("state"), builder.place("state", mechanism.nq)
        ops = TapedOps(builder, physics, builder.place("h"), q, v, self._inputs(builder))
        ops.equations(inverse.schedule, solve.schedule, inverse.count)
        ops.finish(*self.stepper.step(ops), q, v)
        physics.settle(q, v)
        return builder.schedule(), counted_from_the_end(ops.solves, builder)

    def _projection(self) -> Projection | None:
        if len(self.traces) == 1:
            return None
        first, second, third = self.traces
        return Projection(second.schedule, third.schedule, (first.count, first.count + second.count))

    def backward(self, by: Sequence[str], part: Part = "step") -> CompiledSchedule:
        """state~ becomes A^T (state~ + seed); adjoints of what else is in `by` are added up."""

        def weigh(builder: Builder, seeds: Place) -> None:
            rows = {"x": builder.place(bar_of("state")), "seed": builder.place(SEED)}
            builder.pointwise(self.handed, rows, {}, {"y": seeds}, lambda x: {"y": x["x"] + x["seed"]})

        totals = [name for name in by if name != "state"]
        if self.taped:
            schedule, solves = self.taped_schedule()
            made = adjoint(schedule, ["state", TAPE, *totals], "state", weigh, totals, [SEED], solves)
        else:
            made = adjoint(self.schedule(part), ["state", *totals], "state", weigh, totals, [SEED])
        return CompiledSchedule(made)

    def forward(self, by: Sequence[str], part: Part = "step") -> CompiledSchedule:
        """The step, and the rates of the state beside it, state'."""
        return CompiledSchedule(tangent(self.schedule(part), ["state", *by], ["state"]))


def _interpolate(ops: CompiledOps, stepper: Stepper) -> None:
    """The state inside a step, by the interpolant of a tableau."""
    tableau = stepper.tableau
    assert tableau is not None  # others have interpolants of their own
    rates: list[Sum] = []
    accelerations: list[Sum] = []
    for c, weights in zip((*tableau.c, 1.0), (*tableau.a, tableau.b), strict=True):
        at_q, at_v = ops.go(ops.q, weights, rates), ops.go(ops.v, weights, accelerations)
        accelerations.append(ops.accelerate(c, at_q, at_v))
        rates.append(ops.rate(at_q, at_v))
    for n, y, parts in ((ops.physics.nq, ops.q.x, rates), (ops.physics.nv, ops.v.x, accelerations)):
        go_inside(ops.builder, tableau, n, y, [part.at for part in parts])


def go_inside(builder: Builder, tableau: Tableau, n: int, y: Place, rates: Sequence[Place]) -> None:
    """From the beginning of a step to the part s of it [Tableau]: y + h sum_j k_j sum_p dense[j][p] s^(p+1)."""

    def inside(x: Values) -> dict[str, Scalar]:
        total: Scalar = 0.0
        for i, powers in enumerate(tableau.dense):
            weight: Scalar = 0.0
            for power in reversed(powers):
                weight = (weight + power) * x["s"]
            total = total + weight * x[f"k{i}"]
        return {"y": x["y"] + x["h"] * total}

    slopes = {f"k{i}": rate for i, rate in enumerate(rates)}
    scalars = {"h": builder.place("h"), "s": builder.place("s")}
    builder.pointwise(n, {"y": y} | slopes, scalars, {"y": y}, inside)


def over_steps(code: CompiledSchedule, rows: Mapping[str, Floats], count: int) -> None:
    """Call the code for many steps one after the other; rows (n,) are the same for all of them."""
    arrays = [rows[array.name] for array in code.schedule.arrays if array.kind != "lane"]
    code.entry(1)(*code.words(arrays, 1, 0), code.runs_at, count)
