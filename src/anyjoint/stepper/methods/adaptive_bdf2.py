"""BDF2 with steps that are chosen by the error: what is smooth takes long ones, however stiff it is.

The error is estimated from how far the new values are from a parabola through the last two states and the last rates:
of the difference, (h + k) / (3h + 2k) is the error of the formula, where k is the step before.
"""

from __future__ import annotations

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder, Values
from anyjoint.scalar import Scalar, absolute, less, maximum, select

from ..error_control import AdaptiveRow, AdaptiveStep, Controls, Part
from ..physics import Physics
from ..stepper import Stepper
from ..tableau import Tableau
from .bdf2 import step

# Hermite's cubic through values and rates at both ends, by the rate at the beginning, the mean rate, that at the end.
HERMITE = Tableau(2, (), (), (), dense=((1, -2, 1, 0), (0, 3, -2, 0), (0, -1, 1, 0)))


class LookingBackRow(AdaptiveRow):
    """Behind all else, the state before, the length of the step from there, and the work done up to it."""

    def __init__(self, nq: int, nv: int, powered: bool) -> None:
        super().__init__(nq, nv, powered)
        self.past = self.length
        self.last = self.past + nq + nv
        self.length = self.last + 2
        self.looks = slice(self.past, self.last + 1)


class AdaptiveBdf2(AdaptiveStep):
    """Builds the runs of one step."""

    row: LookingBackRow
    most = 2.0  # longer strides make formulas of changing steps unstable from 1 + sqrt(2) on

    def __init__(self, builder: Builder, physics: Physics, controls: Controls) -> None:
        super().__init__(builder, physics, HERMITE, controls, LookingBackRow)
        self.exponent = -1 / 3
        self.ops.before = self._at(self.row.past)

    def make(self) -> int:
        """Add the runs; the length of a row."""
        nq, nv = self.physics.nq, self.physics.nv
        self._begin()
        q, v, a = self.ops.solve(1.0, *self.ops.past())
        rates = self.physics.rate(q.at, v.at, self.builder.room(nq))
        parts = [self._part(nq, 0, q.at, rates), self._part(nv, nq, v.at, a.at)]
        for part in parts:
            self._compare(part)
        if self.physics.damping is not None:
            parts.append(self._worked())
        self._decide()
        last = self._at(self.row.last)
        for part in parts[:2]:
            self._remember(part)
        if len(parts) > 2:
            past, old = self.put_back
            keep = lambda x: {"past": select(went_on(x), x["past"], x["old"])}  # noqa: E731
            scalars = {"on": self.accept, "used": self.used}
            self.builder.pointwise(1, {"past": past, "old": old}, scalars, {"past": past}, keep)
        self.builder.pointwise(1, {"last": last}, {"used": self.used, "on": self.accept}, {"last": last}, kept_length)
        for part in parts:
            self._finish(part)
        self.physics.settle(self._at(0), self._at(nq), self.ops.time(0.0), last)
        return self.row.length

    def _part(self, n: int, start: int, new: Place, rate: Place) -> Part:
        """Rates at the beginning, between, and at the end, which is where the next step begins."""
        mean, y = self.builder.room(n), self._at(start)
        slope = lambda x: {"k": (x["new"] - x["y"]) / maximum(x["h"], 1e-300)}  # noqa: E731
        self.builder.pointwise(n, {"new": new, "y": y}, {"h": self.used}, {"k": mean}, slope)
        return Part(n, start, new, [self._at(self.row.rates + start), mean, rate])

    def _worked(self) -> Part:
        """The work, by the same formula as velocities; what it was before is put back if the step is not accepted."""
        at, new, before = self.physics.nq + self.physics.nv, self.builder.room(1), self.builder.room(1)
        past = self._at(self.row.last + 1)
        given = {"y": self._at(at), "past": past}
        copy = lambda x: {"y": x["y"], "past": x["past"]}  # noqa: E731
        self.builder.pointwise(1, given, {}, {"y": new, "past": before}, copy)
        self.ops.add_work_of_implicit(self._at(0), self._at(self.physics.nq), new)
        self.put_back = past, before
        mean = self._part(1, at, new, self._at(self.row.rates + at)).rates[1]
        return Part(1, at, new, [mean, mean, mean])

    def _compare(self, part: Part) -> None:
        """Add the squares of the errors relative to the tolerances."""

        def square(x: Values) -> dict[str, Scalar]:
            h, k, y, rate = x["h"], maximum(x["last"], 1e-300), x["y"], x["rate"]
            bent = (x["past"] - y + k * rate) / (k * k)
            share = (h + k) / (3 * h + 2 * k)
            off = x["new"] - y - h * rate
            error = select(less(0.0, x["last"]), share * (off - h * h * bent), 0.5 * off)
            ratio = error / (x["atol"] + x["rtol"] * maximum(absolute(y), absolute(x["new"])))
            return {"total": ratio * ratio}

        row = self.row
        inputs = {"y": self._at(part.start), "new": part.new, "rate": part.rates[0]}
        inputs["past"] = self._at(row.past + part.start)
        scalars = {"h": self.used, "rtol": self.controls.relative, "atol": self.controls.absolute}
        scalars["last"] = self._at(row.last)
        self.builder.pointwise(part.n, inputs, scalars, {"total": self.total}, square, accumulate=True)

    def _remember(self, part: Part) -> None:
        """The state at the beginning of the step, if that was accepted and has a length."""
        past = self._at(self.row.past + part.start)
        keep = lambda x: {"past": select(went_on(x), x["y"], x["past"])}  # noqa: E731
        inputs, scalars = {"y": self._at(part.start), "past": past}, {"on": self.accept, "used": self.used}
        self.builder.pointwise(part.n, inputs, scalars, {"past": past}, keep)


def went_on(x: Values) -> Scalar:
    """Whether a step was accepted and has a length."""
    return less(0.5, select(less(1e-30, x["used"]), x["on"], 0.0))


def kept_length(x: Values) -> dict[str, Scalar]:
    """The length of the last step that went on."""
    return {"last": select(went_on(x), x["used"], x["last"])}


ADAPTIVE_BDF2 = Stepper(
    "adaptive-bdf2", "second order, stiff mechanisms, steps chosen by rtol and atol, samples every dt", 2, step,
    implicit=True, solves=True, remembers=True, chooses=AdaptiveBdf2, damps=True,
)  # fmt: skip
