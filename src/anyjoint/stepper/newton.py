"""Newton's method within a step, as runs of kernels that are repeated until all states are solved.

v' = v + g a, q' = q + g qdot(q', v') and a in balance with the forces there. Every lane stops by itself and then stays
as it is, so that no state depends on its neighbours. One that is not solved in time becomes NaN, which ends a run.
"""

from __future__ import annotations

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder, Values
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, absolute, less, maximum, select

from .physics import Physics

MOST = 120  # iterations
BOLD = 60  # iterations that go all the way; later ones go half of it: forces with corners can send them to and fro
CLOSE = 1e-11  # beside 1 or the size of a number: what an iteration may still change at the end
ROUND, SLOW = 3e-6, 0.9  # changes so small that hardly shrink any more are rounding, of short numbers


@frozen
class Solved:
    """Where the state and the accelerations of a stage stand."""

    q: Place
    v: Place
    a: Place


class Newton:
    """Builds the runs of one solve; `length` is where g stands."""

    def __init__(self, builder: Builder, physics: Physics, q: Place, v: Place, length: Place) -> None:
        self.builder, self.physics, self.q, self.v, self.length = builder, physics, q, v, length
        nq, nv = physics.nq, physics.nv
        self.made = Solved(builder.room(nq), builder.room(nv), builder.room(nv))
        self.x, self.rates = builder.room(nv), builder.room(nq)
        self.on, self.total, self.last, self.count = (builder.room(1) for _ in range(4))

    def solve(self, inputs: Place, t: Place | None) -> Solved:
        """Add the runs."""
        builder, made = self.builder, self.made
        self._begin()
        begin = len(builder.runs)
        self.physics.correct(made.q, made.v, made.a, inputs, self.x, self.length, t)
        self._accelerate()
        self._move()
        self._decide()
        builder.repeat(begin, self.on)
        self._finish()
        return made

    def _begin(self) -> None:
        """Nothing accelerates: on along the velocities."""
        builder, made, nv, nq = self.builder, self.made, self.physics.nv, self.physics.nq
        start = {"on": self.on, "total": self.total, "last": self.last, "count": self.count}
        builder.pointwise(1, {}, {}, start, lambda x: {"on": 1.0, "total": 0.0, "last": 1e30, "count": 0.0})
        going = {"v": made.v, "a": made.a}
        builder.pointwise(nv, {"v": self.v}, {}, going, lambda x: {"v": x["v"], "a": 0.0})
        rates = self.physics.rate(self.q, self.v, self.rates)
        far = lambda x: {"q": x["q"] + x["g"] * x["rate"]}  # noqa: E731
        builder.pointwise(nq, {"q": self.q, "rate": rates}, {"g": self.length}, {"q": made.q}, far)

    def _accelerate(self) -> None:
        """a + x, and v' from that; the change counts beside the size of velocities."""
        builder, made = self.builder, self.made
        scalars = {"g": self.length, "on": self.on, "count": self.count}

        def moved(x: Values) -> dict[str, Scalar]:
            share = select(less(0.0, x["on"]), select(less(x["count"], BOLD), 1.0, 0.5), 0.0)
            a = x["a"] + select(less(0.0, share), share * x["x"], 0.0)  # what is done may be infinite
            return {"a": a, "v": x["v"] + x["g"] * a}

        def squares(x: Values) -> dict[str, Scalar]:
            return {"total": square(x["g"] * x["x"], x["v"])}

        given = {"a": made.a, "x": self.x, "v": self.v}
        builder.pointwise(self.physics.nv, given, scalars, {"a": made.a, "v": made.v}, moved)
        seen = {"x": self.x, "v": made.v}
        builder.pointwise(self.physics.nv, seen, {"g": self.length}, {"total": self.total}, squares, accumulate=True)

    def _move(self) -> None:
        """q' from the velocities at the end; the change counts beside the size of coordinates."""
        builder, made, nq = self.builder, self.made, self.physics.nq
        rates = self.physics.rate(made.q, made.v, self.rates)
        given = {"base": self.q, "rate": rates, "q": made.q}

        def squares(x: Values) -> dict[str, Scalar]:
            return {"total": square(x["base"] + x["g"] * x["rate"] - x["q"], x["q"])}

        def moved(x: Values) -> dict[str, Scalar]:
            return {"q": select(less(0.0, x["on"]), x["base"] + x["g"] * x["rate"], x["q"])}

        builder.pointwise(nq, given, {"g": self.length}, {"total": self.total}, squares, accumulate=True)
        builder.pointwise(nq, given, {"g": self.length, "on": self.on}, {"q": made.q}, moved)

    def _decide(self) -> None:
        """Go on while something changes, and is not rounding."""

        def decide(x: Values) -> dict[str, Scalar]:
            stuck = select(less(x["total"], x["last"] * SLOW * SLOW), 1.0, select(less(x["total"], ROUND**2), 0.0, 1.0))
            wanted = select(less(CLOSE * CLOSE, x["total"]), stuck, 0.0)
            count = x["count"] + x["on"]
            on = select(less(0.0, x["on"]), select(less(x["count"], MOST), wanted, 0.0), 0.0)
            return {"on": on, "count": count, "last": x["total"], "total": 0.0}

        places = {"on": self.on, "total": self.total, "last": self.last, "count": self.count}
        self.builder.pointwise(1, places, {}, places, decide)

    def _finish(self) -> None:
        """What is not solved is infinite, or not a number."""
        unsolved = lambda x: {"v": x["v"] / select(less(x["count"], MOST), 1.0, 0.0)}  # noqa: E731
        self.builder.pointwise(self.physics.nv, {"v": self.made.v}, {"count": self.count}, {"v": self.made.v}, unsolved)


def square(change: Scalar, size: Scalar) -> Scalar:
    """The square of a change beside 1 or the size of a number."""
    ratio = change / maximum(absolute(size), 1.0)
    return ratio * ratio
