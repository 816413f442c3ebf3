"""Steps as runs of kernels: the operations of a stepper on places in the work array."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder

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
        t: Place | None = None,
    ) -> None:  # fmt: skip
        self.builder, self.physics, self.h, self.inputs, self.t = builder, physics, h, inputs, t
        self.q, self.v = Sum(q), Sum(v)

    def accelerate(self, c: float, q: Sum, v: Sum) -> Sum:
        """dv/dt."""
        self._compute(q, v)
        out = self.builder.room(self.physics.nv)
        self.physics.accelerate(q.at, v.at, self.inputs(c), out, self.time(c))
        return Sum(out, place=out, power=self.physics.power(v.at, self.inputs(c)))

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

    def go(self, x: Sum, weights: Sequence[float], rates: Sequence[Sum]) -> Sum:
        """x + h times the weighted sum of rates."""
        used = [(w, rate) for w, rate in zip(weights, rates, strict=True) if w]
        return Sum(x.x, tuple(w for w, _ in used), tuple(rate for _, rate in used))

    def finish(self, q: Sum, v: Sum, to_q: Place, to_v: Place) -> None:
        """Write the state after the step."""
        self._write(((q, self.physics.nq, to_q), (v, self.physics.nv, to_v)))

    def add_work(self, v: Sum, total: Place) -> None:
        """Add the work of a step: power is integrated just as accelerations were."""
        powers = {f"p{i}": rate.power for i, rate in enumerate(v.rates) if rate.power}
        weights = dict(zip((f"p{i}" for i in range(len(v.rates))), v.weights, strict=True))
        done = lambda x: {"work": x["h"] * sum(weights[name] * x[name] for name in powers)}  # noqa: E731
        self.builder.pointwise(1, {}, {"h": self.h, **powers}, {"work": total}, done, accumulate=True)

    def add_work_at_end(self, q: Place, v: Place, total: Place) -> None:
        """Add the work of an implicit step, which has moved along the velocities at its end, under the forces there."""
        inputs = self.inputs(1.0)
        self.physics.gathered(q, v, inputs)
        power = self.physics.power(v, inputs)
        assert power is not None  # work is asked for
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

        def sums(values: Mapping[str, Any]) -> dict[str, Any]:
            made = {}
            for k, (x, _) in enumerate(wanted):
                total: Any = 0.0
                for i, weight in enumerate(x.weights if x.place is None else ()):
                    total = total + weight * values[f"k{k}.{i}"]
                made[f"x{k}"] = values[f"x{k}"] + values["h"] * total if moving and x.place is None else values[f"x{k}"]
            return made

        self.builder.pointwise(n, inputs, {"h": self.h} if moving else {}, outputs, sums)
