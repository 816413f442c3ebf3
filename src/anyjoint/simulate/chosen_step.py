"""A step of adaptive-bdf2 as a map between states: its length is a number that the run has chosen.

Samples inside steps are interpolated by the rates at both ends [stepper/adaptive_bdf2.py]. Those at the beginning are
what the step before has found at its end, so a row of the state has them behind all else that is handed on.
"""

from __future__ import annotations

from anyjoint.codegen import Place
from anyjoint.stepper.compiled import CompiledOps, Sum
from anyjoint.stepper.methods.adaptive_bdf2 import HERMITE

from .step_map import Part, StepMap, go_inside


class ChosenStepMap(StepMap):
    """Steps that look back, and hand on their rates."""

    @property
    def handed(self) -> int:
        """How many numbers a step hands on, with its rates."""
        return super().handed + self.n

    def _add(self, ops: CompiledOps, part: Part) -> None:
        if part == "start":
            self._start(ops)
            return
        builder, physics = ops.builder, ops.physics
        q, v, a = ops.solve(1.0, *ops.past())
        ends = (physics.nq, ops.q, q, physics.rate(q.at, v.at, builder.room(physics.nq))), (physics.nv, ops.v, v, a.at)
        for (n, y, new, rate), first in zip(ends, self._rates(ops), strict=True):
            if part == "inside":
                go_inside(builder, HERMITE, n, y.x, [first, _mean(ops, n, y, new), rate])
            else:
                builder.copy(n, rate, first)
        if part == "step":
            self._finish(ops, q, v)

    def _rates(self, ops: CompiledOps) -> tuple[Place, Place]:
        """Where the rates at the beginning of the step stand."""
        place = ops.builder.place("state", super().handed)
        return place, place.at(self.mechanism.nq)

    def _start(self, ops: CompiledOps) -> None:
        """The rates of the first state: accelerations are what corrects none at all, in no time."""
        builder, physics = ops.builder, ops.physics
        none, length, a = builder.room(physics.nv), builder.room(1), builder.room(physics.nv)
        for n, place in ((physics.nv, none), (1, length)):
            builder.clear(n, place)
        q, v = ops.go(ops.q, (), ()), ops.go(ops.v, (), ())
        rates = ops.rate(q, v).at, a
        physics.correct(q.at, v.at, none, ops.inputs(0.0), a, length, ops.time(0.0))
        for n, rate, place in zip((physics.nq, physics.nv), rates, self._rates(ops), strict=True):
            builder.copy(n, rate, place)


def _mean(ops: CompiledOps, n: int, y: Sum, new: Sum) -> Place:
    """The mean rate over the step."""
    place = ops.builder.room(n)
    slope = lambda x: {"k": (x["new"] - x["y"]) / x["h"]}  # noqa: E731
    ops.builder.pointwise(n, {"new": new.at, "y": y.x}, {"h": ops.h}, {"k": place}, slope)
    return place
