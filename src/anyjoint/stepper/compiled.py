"""Steps as runs of kernels: the operations of a stepper on places in the work array."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder, Values
from anyjoint.scalar import Scalar, less, maximum, select

from .newton import Newton
from .physics import Physics


@dataclass(eq=False)
class Sum:
    """x + h times a weighted sum of rates, computed when it is needed; `place` is where it then stands."""

    x: Place
    weights: tuple[float, ...] = ()
    rates: tuple[Sum, ...] = ()
    place: Place | None = None
    power: Place | None = None  # of accelerations: that of the forces at work, where it is asked for

    @property
    def at(self) -> Place:
        """Where it stands; asked for only once it has been computed."""
        assert self.place is not None
        return self.place


class CompiledOps:
    """The operations of one step; inputs of a stage stand where `inputs` says for its c."""

    def __init__(
        self, builder: Builder, physics: Physics, h: Place, q: Place, v: Place, inputs: Callable[[float], Place],
        t: Place | None = None, before: Place | None = None,
    ) -> None:  # fmt: skip
        self.builder, self.physics, self.h, self.inputs, self.t = builder, physics, h, inputs, t
        self.q, self.v = Sum(q), Sum(v)
        self.before = before  # where the state before stands, then the length of the step from there, and the work
        self.looked: tuple[Place, Place] | None = None  # how the state before counts, and g
        self.accelerations: list[Place] = []  # of all stages
        self.shown: Place | None = None  # what dynamics have answered behind the last accelerations
        self.met: tuple[float, Place, Place] | None = None  # the c and the state at which forces were felt

    def accelerate(self, c: float, q: Sum, v: Sum) -> Sum:
        """dv/dt."""
        self._compute(q, v)
        out = self.builder.room(self.physics.nv + self.physics.shown)
        self.shown = out.at(self.physics.nv)
        self.physics.accelerate(q.at, v.at, self.inputs(c), out, self.time(c))
        self.accelerations.append(out)
        return Sum(out, place=out, power=self.physics.power(q.at, v.at, self.inputs(c), self.shown))

    def time(self, c: float) -> Place | None:
        """Where t + c h stands; nowhere if nothing depends on it."""
        if self.t is None:
            return None
        at = self.builder.room(1)
        self.builder.pointwise(1, {"t": self.t}, {"h": self.h}, {"t": at}, lambda x: {"t": x["t"] + c * x["h"]})
        return at

    def rate(self, q: Sum, v: Sum) -> Sum:
        """dq/dt."""
        if not self.physics.has_rates:
            self._compute(q, v)
            return v
        self._compute(q, v)
        out = self.builder.room(self.physics.nq)
        self.physics.rate(q.at, v.at, out)
        return Sum(out, place=out)

    def carry(self, q: Sum, to: Sum, v: Sum) -> Sum:
        """Velocities at q as they are seen at `to`."""
        if not self.physics.carries:
            return v
        self._compute(q, v)
        self._compute(to, v)
        out = self.builder.room(self.physics.nv)
        self.physics.carry(q.at, to.at, v.at, out)
        return Sum(out, place=out)

    def go(self, x: Sum, weights: Sequence[float], rates: Sequence[Sum]) -> Sum:
        """x + h times the weighted sum of rates."""
        used = [(w, rate) for w, rate in zip(weights, rates, strict=True) if w]
        return Sum(x.x, (*x.weights, *(w for w, _ in used)), (*x.rates, *(rate for _, rate in used)))

    def share(self, part: float) -> Place:
        """Where a part of the step stands."""
        at = self.builder.room(1)
        self.builder.pointwise(1, {}, {"h": self.h}, {"g": at}, lambda x: {"g": part * x["h"]})
        return at

    def solve(self, c: float, q: Sum, v: Sum, g: Place) -> tuple[Sum, Sum, Sum]:
        """The state after a stage, and its accelerations, by Newton's method."""
        self._compute(q, v)
        found = Newton(self.builder, self.physics, q.at, v.at, g).solve(self.inputs(c), self.time(c))
        self.met = c, found.q, found.v
        made = (Sum(place, place=place) for place in (found.q, found.v, found.a))
        return next(made), next(made), next(made)

    def past(self) -> tuple[Sum, Sum, Place]:
        """y + w^2 / (1 + 2w) (y - y_before) with the ratio w of this step to the last, and (1 + w) / (1 + 2w) h."""
        assert self.before is not None  # steppers that look back are given one
        builder, (nq, nv) = self.builder, (self.physics.nq, self.physics.nv)
        g, on = builder.room(1), builder.room(1)

        def lengths(x: Values) -> dict[str, Scalar]:
            w = select(less(0.0, x["last"]), x["h"] / maximum(x["last"], 1e-300), 0.0)  # without one, backward Euler
            return {"g": x["h"] * (1 + w) / (1 + 2 * w), "on": w * w / (1 + 2 * w)}

        last = self.before.at(nq + nv)
        builder.pointwise(1, {"last": last}, {"h": self.h}, {"g": g, "on": on}, lengths)
        self.looked = on, g
        made = []
        for now, before, n in ((self.q, self.before, nq), (self.v, self.before.at(nq), nv)):
            place = builder.room(n)
            builder.pointwise(
                n, {"y": now.x, "z": before}, {"on": on}, {"y": place},
                lambda x: {"y": x["y"] + x["on"] * (x["y"] - x["z"])},
            )  # fmt: skip
            made.append(Sum(place, place=place))
        return made[0], made[1], g

    def remember(self) -> None:
        """Keep the state at the beginning of the step, before it is overwritten."""
        assert self.before is not None
        nq, nv = self.physics.nq, self.physics.nv
        for now, before, n in ((self.q, self.before, nq), (self.v, self.before.at(nq), nv)):
            self.builder.copy(n, now.x, before)
        self.builder.copy(1, self.h, self.before.at(nq + nv))

    def finish(self, q: Sum, v: Sum, to_q: Place, to_v: Place) -> None:
        """Write the state after the step."""
        self._write(((q, self.physics.nq, to_q), (v, self.physics.nv, to_v)))

    def add_work(self, v: Sum, total: Place) -> None:
        """Add the work of a step: power is integrated just as accelerations were."""
        powers = {f"p{i}": rate.power for i, rate in enumerate(v.rates) if rate.power}
        weights = dict(zip((f"p{i}" for i in range(len(v.rates))), v.weights, strict=True))
        done = lambda x: {"work": x["h"] * sum(weights[name] * x[name] for name in powers)}  # noqa: E731
        self.builder.pointwise(1, {}, {"h": self.h, **powers}, {"work": total}, done, accumulate=True)

    def add_work_of_implicit(self, q: Place, v: Place, total: Place) -> None:
        """Add the work of an implicit step, which has moved along velocities under the forces that were met there."""
        if self.met is None:
            end = Sum(q), Sum(v)
            self._compute(*end)  # forces are computed in the work array
            self.met = 1.0, end[0].at, end[1].at
        c, q, v = self.met
        inputs = self.inputs(c)
        self.physics.gathered(q, v, inputs)
        power = self.physics.power(q, v, inputs)
        assert power is not None  # work is asked for
        if self.looked and self.before:  # work is integrated just as velocities are
            on, g = self.looked
            places = {"work": total, "before": self.before.at(self.physics.nq + self.physics.nv + 1)}

            def both(x: Values) -> dict[str, Scalar]:
                more = x["on"] * (x["work"] - x["before"]) + x["g"] * x["power"]
                return {"work": x["work"] + more, "before": x["work"]}

            self.builder.pointwise(1, places, {"on": on, "g": g, "power": power}, places, both)
            return
        done = lambda x: {"work": x["h"] * x["power"]}  # noqa: E731
        self.builder.pointwise(1, {}, {"h": self.h, "power": power}, {"work": total}, done, accumulate=True)

    def _compute(self, q: Sum, v: Sum) -> None:
        """Make room for what has not been computed yet, and compute it."""
        wanted = []
        for x, n in ((q, self.physics.nq), (v, self.physics.nv)):
            if x.place is None:
                wanted.append((x, n, self.builder.room(n)))
        self._write(wanted)
        for x, _, place in wanted:
            x.place = place

    def _write(self, wanted: Sequence[tuple[Sum, int, Place]]) -> None:
        """Sums into places; those of one length together, which saves a pass."""
        for n in dict.fromkeys(n for _, n, _ in wanted):
            self._together(n, [(x, place) for x, m, place in wanted if m == n])

    def _together(self, n: int, wanted: Sequence[tuple[Sum, Place]]) -> None:
        inputs, outputs = {}, {}
        for k, (x, place) in enumerate(wanted):
            inputs[f"x{k}"] = x.place or x.x
            outputs[f"x{k}"] = place
            if x.place is None:
                inputs |= {f"k{k}.{i}": rate.at for i, rate in enumerate(x.rates)}
        moving = any(x.place is None and x.rates for x, _ in wanted)

        def sums(values: Mapping[str, Scalar]) -> dict[str, Scalar]:
            made = {}
            for k, (x, _) in enumerate(wanted):
                total: Scalar = 0.0
                for i, weight in enumerate(x.weights if x.place is None else ()):
                    total = total + weight * values[f"k{k}.{i}"]
                made[f"x{k}"] = values[f"x{k}"] + values["h"] * total if moving and x.place is None else values[f"x{k}"]
            return made

        self.builder.pointwise(n, inputs, {"h": self.h} if moving else {}, outputs, sums)
