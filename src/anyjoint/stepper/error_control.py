"""A Runge-Kutta step with error control, all without branches: a step that is too long leaves the state as it was.

So every lane of a vector has its own time and step length. Lanes that have reached the end stay there: a step of no
length finds the rates of a state, with which a run begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder, Values
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, absolute, less, maximum, minimum, power, select, sqrt

from .compiled import CompiledOps, Sum
from .physics import Physics
from .tableau import Tableau


@frozen
class Controls:
    """Where the caller's numbers stand."""

    end: Place
    relative: Place
    absolute: Place


CONTROLS = [field.name for field in fields(Controls)]
# Shortest and longest change of the step, and the safety factor [Hairer, Norsett & Wanner II.4].
LEAST, MOST, SAFETY = 0.2, 5.0, 0.9
CAREFUL = 1e-6  # seconds of a first step of which nothing is known


class AdaptiveRow:
    """What a row of the state holds: q and v (and work), a clock, all before the step, interpolant, the last rates."""

    def __init__(self, nq: int, nv: int, powered: bool) -> None:
        self.controlled = nq + nv  # work has no say in the length of steps
        n = self.width = nq + nv + powered
        self.time, self.step, self.used, self.begin, self.accepted = range(n, n + 5)
        self.before = n + 5
        self.dense = self.before + n  # four coefficients, one vector after the other
        self.rates = self.dense + 4 * n
        self.length = self.rates + n
        self.looks: slice | None = None  # what the next step looks back at, if it does


@frozen
class Part:
    """The coordinates or the velocities: how many, where they begin in y, their new values and rates."""

    n: int
    start: int
    new: Place
    rates: list[Place]


class AdaptiveStep:
    """Builds the runs of one step."""

    most = MOST  # how much longer the next step may be

    def __init__(
        self, builder: Builder, physics: Physics, tableau: Tableau, controls: Controls,
        row: type[AdaptiveRow] = AdaptiveRow,
    ) -> None:  # fmt: skip
        self.builder, self.physics, self.tableau, self.controls = builder, physics, tableau, controls
        self.exponent = -1 / tableau.order  # of the error in the length of the next step
        self.row = row(physics.nq, physics.nv, physics.damping is not None)
        self.used, self.total, self.accept = (builder.room(1) for _ in range(3))
        clock = self._at(self.row.time) if physics.mechanism.timed else None
        drive = builder.place("drive")
        self.ops = CompiledOps(builder, physics, self.used, self._at(0), self._at(physics.nq), lambda c: drive, clock)

    def make(self) -> int:
        """Add the runs; the length of a row."""
        self._begin()
        parts = self._stages()
        for part in parts[:2]:
            self._estimate(part)
        self._decide()
        for part in parts:
            self._finish(part)
        self.physics.settle(self._at(0), self._at(self.physics.nq), self.ops.time(0.0))  # the clock has moved on
        return self.row.length

    def first(self) -> int:
        """Add runs that choose the length of the first step by the rates of its state; the length of a row."""
        builder, row = self.builder, self.row
        sums = {"size": builder.room(1), "slope": builder.room(1)}
        builder.clear(1, *sums.values())
        inputs = {"size": self._at(0), "slope": self._at(row.rates)}

        def squares(x: Values) -> dict[str, Scalar]:
            scale = x["atol"] + x["rtol"] * absolute(x["size"])
            return {name: (x[name] / scale) * (x[name] / scale) for name in inputs}

        scalars = {"rtol": self.controls.relative, "atol": self.controls.absolute}
        builder.pointwise(row.controlled, inputs, scalars, sums, squares, accumulate=True)
        choose = lambda x: {"h": first_length(*(x[name] / row.controlled for name in sums))}  # noqa: E731
        builder.pointwise(1, sums, {}, {"h": self._at(row.step)}, choose)
        return row.length

    def sample(self) -> int:
        """Add runs that write the state at the end, which is within the last step, behind a row; their length."""
        builder, row, controls = self.builder, self.row, self.controls
        part, t, state = builder.room(1), builder.room(1), self._at(row.length)
        clock = {"begin": self._at(row.begin), "used": self._at(row.used)}
        passed = lambda x: {"s": (x["t"] - x["begin"]) / x["used"], "t": x["t"]}  # noqa: E731
        builder.pointwise(1, clock, {"t": controls.end}, {"s": part, "t": t}, passed)
        inputs = {f"d{p}": self._at(row.dense + p * row.width) for p in range(4)} | {"y": self._at(row.before)}
        inside = lambda x: {"y": within(x["y"], x["h"], x["s"], [x[f"d{p}"] for p in range(4)])}  # noqa: E731
        builder.pointwise(row.controlled, inputs, {"h": clock["used"], "s": part}, {"y": state}, inside)
        self.physics.project(state, state.at(self.physics.nq), t if self.physics.mechanism.timed else None)
        return row.length + row.controlled

    def _at(self, index: int) -> Place:
        return self.builder.place("state", index)

    def _begin(self) -> None:
        """A step is never longer than the way to the end."""
        row = self.row
        self.builder.pointwise(
            1,
            {"t": self._at(row.time), "h": self._at(row.step)},
            {"end": self.controls.end},
            {"used": self.used, "total": self.total},
            lambda x: {"used": maximum(minimum(x["h"], x["end"] - x["t"]), 0.0), "total": 0.0},
        )

    def _stages(self) -> list[Part]:
        """All stages; the last one is at the end of the step, and the first of the next step where charts permit."""
        physics, nq, nv = self.physics, self.physics.nq, self.physics.nv
        ops = self.ops
        rates: list[Sum] = []
        accelerations: list[Sum] = []
        for i, (c, weights) in enumerate(zip((*self.tableau.c, 1.0), (*self.tableau.a, self.tableau.b), strict=True)):
            q, v = ops.go(ops.q, weights, rates), ops.go(ops.v, weights, accelerations)
            if i == 0 and not physics.has_charts and not physics.projection:
                places = self._at(self.row.rates), self._at(self.row.rates + nq)
                rates.append(Sum(places[0], place=places[0]))
                power = self._at(self.row.rates + nq + nv) if physics.damping else None
                accelerations.append(Sum(places[1], place=places[1], power=power))
            else:
                accelerations.append(ops.accelerate(c, q, v))
                rates.append(ops.rate(q, v))
        parts = [Part(nq, 0, q.at, [rate.at for rate in rates]), Part(nv, nq, v.at, [a.at for a in accelerations])]
        powers = [a.power for a in accelerations if a.power]
        return [*parts, self._work(powers)] if powers else parts

    def _work(self, powers: list[Place]) -> Part:
        """The work, integrated as the velocities are."""
        at, new = self.physics.nq + self.physics.nv, self.builder.room(1)
        inputs = {"y": self._at(at)} | named(powers)
        after = lambda x: {"y": x["y"] + x["h"] * combination(x, self.tableau.b)}  # noqa: E731
        self.builder.pointwise(1, inputs, {"h": self.used}, {"y": new}, after)
        return Part(1, at, new, powers)

    def _estimate(self, part: Part) -> None:
        """Add the squares of the errors relative to the tolerances."""

        def square(x: Values) -> dict[str, Scalar]:
            error = combination(x, self.tableau.error)
            scale = x["atol"] + x["rtol"] * maximum(absolute(x["old"]), absolute(x["new"]))
            ratio = x["h"] * error / scale
            return {"total": ratio * ratio}

        inputs = {"old": self._at(part.start), "new": part.new} | named(part.rates)
        scalars = {"h": self.used, "rtol": self.controls.relative, "atol": self.controls.absolute}
        self.builder.pointwise(part.n, inputs, scalars, {"total": self.total}, square, accumulate=True)

    def _decide(self) -> None:
        """Accept or not, and the length of the next step."""
        row, count = self.row, self.row.controlled

        def decide(x: Values) -> dict[str, Scalar]:
            error = sqrt(x["total"] / count)
            good = less(error, 1.0)
            change = minimum(maximum(SAFETY * power(maximum(error, 1e-10), self.exponent), LEAST), self.most)
            change = select(less(error, 1e30), change, LEAST)  # also where the error is not a number
            ended = select(less(x["used"], x["h"]), x["end"], x["t"] + x["used"])  # cut short: it ends exactly there
            idle = less(x["used"], 1e-30)
            retry = x["used"] * minimum(change, SAFETY)
            flag = select(good, 1.0, 0.0)
            return {
                "t": select(good, ended, x["t"]),
                "h": select(idle, x["h"], select(good, x["h"] * change, retry)),
                "length": x["used"],
                "begin": x["t"],
                "flag": flag,
                "accept": flag,
            }

        t, h = self._at(row.time), self._at(row.step)
        inputs = {"t": t, "h": h, "used": self.used, "total": self.total}
        outputs = {"t": t, "h": h, "length": self._at(row.used), "begin": self._at(row.begin)}
        outputs |= {"flag": self._at(row.accepted), "accept": self.accept}
        self.builder.pointwise(1, inputs, {"end": self.controls.end}, outputs, decide)

    def _finish(self, part: Part) -> None:
        """Take the new values if they were accepted; write the state before the step and the interpolant."""
        last = len(part.rates) - 1

        def finish(x: Values) -> dict[str, Scalar]:
            good = less(0.5, x["accept"])
            out = {"y": select(good, x["new"], x["y"]), "before": x["y"], "rate": select(good, x[f"k{last}"], x["k0"])}
            for p in range(4):
                out[f"d{p}"] = combination(x, [weights[p] for weights in self.tableau.dense])
            return out

        row, y = self.row, self._at(part.start)
        inputs = {"y": y, "new": part.new} | named(part.rates)
        outputs = {"y": y, "before": self._at(row.before + part.start), "rate": self._at(row.rates + part.start)}
        outputs |= {f"d{p}": self._at(row.dense + p * row.width + part.start) for p in range(4)}
        self.builder.pointwise(part.n, inputs, {"accept": self.accept}, outputs, finish)


def first_length(size: Scalar, slope: Scalar) -> Scalar:
    """A careful length for the first step [Hairer, Norsett & Wanner II.4].

    Of the mean squares of a state and of its rates, beside the tolerances.
    """
    size, slope = sqrt(size), sqrt(slope)
    usual = select(less(slope, 1e300), 0.01 * size / maximum(slope, 1e-5), CAREFUL)  # also where it is not a number
    return select(less(minimum(size, slope), 1e-5), CAREFUL, usual)


def within(y: Scalar, h: Scalar, s: Scalar, dense: Sequence[Scalar]) -> Scalar:
    """y + h (d0 s + d1 s^2 + d2 s^3 + d3 s^4), where s is the part of the step that has passed."""
    d0, d1, d2, d3 = dense
    return y + h * s * (d0 + s * (d1 + s * (d2 + s * d3)))


def named(rates: list[Place]) -> dict[str, Place]:
    """Names for the rates of the stages."""
    return {f"k{i}": place for i, place in enumerate(rates)}


def combination(x: Values, weights: Sequence[float]) -> Scalar:
    """A weighted sum of the stages' rates."""
    total: Scalar = 0.0
    for i, weight in enumerate(weights):
        if weight:
            total = total + weight * x[f"k{i}"]
    return total
