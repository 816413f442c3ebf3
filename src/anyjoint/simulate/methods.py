"""The steps of each method: which stages, where their numbers stand, what a row of the state holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anyjoint.codegen import Schedule
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import absolute, less, maximum, minimum, power, select, sqrt

from .force_program import ForceProgram
from .physics import Physics
from .step import STATE, Place, StepBuilder, Values
from .tableau import DOPRI5, RK4, Tableau

METHODS = ("semi-implicit-euler", "rk4", "dopri5")
# An adaptive row goes on after (q, v) with these numbers, then y before the step and its interpolant, then the rates.
TIME, STEP, USED, BEFORE, ACCEPTED = range(5)
EXTRA = 5


@dataclass(frozen=True)
class Step:
    """A compiled step's description: its schedule, the length of a state's row, where the caller's numbers go."""

    method: str
    schedule: Schedule
    row: int
    settings: int
    forces: int  # first setting that belongs to the forces
    samples: int  # inputs over time that a step reads before it moves on to the next
    adaptive: bool


def make_step(method: str, mechanism: Mechanism, dynamics: Schedule, forces: ForceProgram, varying: bool) -> Step:
    """The step of a method; `varying` says that inputs change with time and stand two rows per step in the drive."""
    builder = StepBuilder()
    row = mechanism.nq + mechanism.nv
    if method == "dopri5":
        controls = [builder.setting() for _ in range(3)]
        physics = Physics(builder, mechanism, dynamics, forces)
        row = _adaptive(builder, physics, DOPRI5, controls)
        return Step(method, builder.schedule(), row, builder.settings, len(controls), 0, True)
    h = builder.setting()
    physics = Physics(builder, mechanism, dynamics, forces)
    drive = mechanism.nv + len(forces.functions) if varying else 0
    if method == "rk4":
        _runge_kutta(builder, physics, RK4, h, 2 * drive)
    else:
        _euler(builder, physics, h)
    physics.rechart()
    return Step(method, builder.schedule(), row, builder.settings, 1, 2 if varying else 0, False)


@dataclass(frozen=True)
class Stage:
    """Places of one stage: coordinates, velocities, dq/dt and dv/dt."""

    q: Place
    v: Place
    qdot: Place
    a: Place


class _Stages:
    """The stages of a Runge-Kutta method, one after the other."""

    def __init__(self, builder: StepBuilder, physics: Physics, h: Place) -> None:
        self.builder, self.physics, self.h = builder, physics, h
        self.nq, self.nv = physics.nq, physics.nv
        self.made: list[Stage] = []

    def evaluate(self, weights: tuple[float, ...], drive: int) -> Stage:
        """Go h times weights along the rates so far, and find the rate there."""
        physics, room = self.physics, self.builder.room
        q, v = room(self.nq), room(self.nv)
        self.go(weights, q, v)
        a = room(self.nv)
        physics.accelerate(q, v, drive, a)
        stage = Stage(q, v, physics.rate(q, v, room(self.nq) if physics.has_rates else v), a)
        self.made.append(stage)
        return stage

    def go(self, weights: tuple[float, ...], q: Place, v: Place) -> None:
        """q and v of the state plus h times the weighted rates."""
        used = [(w, s) for w, s in zip(weights, self.made, strict=False) if w]
        x, y = (STATE, 0), (STATE, self.nq)
        rates = {f"k{i}": s.qdot for i, (_, s) in enumerate(used)}
        changes = {f"a{i}": s.a for i, (_, s) in enumerate(used)}
        scalars = {"h": self.h} if used else {}

        def forward(name: str, k: str) -> Any:
            return lambda values: {name: values[name] + values["h"] * _sum(values, k, used) if used else values[name]}

        move, change = forward("q", "k"), forward("v", "a")
        if self.nq == self.nv:
            inputs = {"q": x, "v": y} | rates | changes
            self.builder.pointwise(
                self.nq, inputs, scalars, {"q": q, "v": v}, lambda values: move(values) | change(values)
            )
        else:
            self.builder.pointwise(self.nq, {"q": x} | rates, scalars, {"q": q}, move)
            self.builder.pointwise(self.nv, {"v": y} | changes, scalars, {"v": v}, change)


def _sum(values: Values, k: str, used: list[tuple[float, Stage]]) -> Any:
    total: Any = 0.0
    for i, (weight, _) in enumerate(used):
        total = total + weight * values[f"{k}{i}"]
    return total


def _runge_kutta(builder: StepBuilder, physics: Physics, tableau: Tableau, h: Place, drive: int) -> None:
    """A step of fixed length; inputs of a stage stand at c * drive."""
    stages = _Stages(builder, physics, h)
    for c, weights in zip(tableau.c, tableau.a, strict=True):
        stages.evaluate(weights, round(c * drive))
    stages.go(tableau.b, (STATE, 0), (STATE, physics.nq))


def _euler(builder: StepBuilder, physics: Physics, h: Place) -> None:
    """Semi-implicit: v += h a(q, v), then q += h qdot(q, new v)."""
    q, v = (STATE, 0), (STATE, physics.nq)
    stage = _Stages(builder, physics, h).evaluate((), 0)
    scalars = {"h": h}
    work = stage.v
    builder.pointwise(
        physics.nv, {"v": v, "a": stage.a}, scalars, {"v": v, "w": work},
        lambda x: {"v": x["v"] + x["h"] * x["a"], "w": x["v"] + x["h"] * x["a"]},
    )  # fmt: skip
    qdot = physics.rate(stage.q, work, builder.room(physics.nq) if physics.has_rates else work)
    builder.pointwise(physics.nq, {"q": q, "k": qdot}, scalars, {"q": q}, lambda x: {"q": x["q"] + x["h"] * x["k"]})


# -- error control -----------------------------------------------------------------------------------------------


def adaptive_places(nq: int, nv: int) -> tuple[int, int, int, int]:
    """Where an adaptive row has its clock, the state before the step, the interpolant, and its length."""
    n = nq + nv
    clock = n
    before = clock + EXTRA
    dense = before + n
    return clock, before, dense, dense + 4 * n + n


def _adaptive(builder: StepBuilder, physics: Physics, tableau: Tableau, controls: list[Place]) -> int:
    """A step with error control, all without branches: a step that is too long leaves the state as it was.

    So every lane of a vector has its own time and step length. Lanes that have reached the end stay there.
    """
    nq, nv = physics.nq, physics.nv
    clock, before, dense, row = adaptive_places(nq, nv)
    end, relative, absolute_ = controls
    t, h = (STATE, clock + TIME), (STATE, clock + STEP)
    used = builder.room(1)
    total = builder.room(1)
    builder.pointwise(
        1, {"t": t, "h": h}, {"end": end}, {"used": used, "total": total},
        lambda x: {"used": maximum(minimum(x["h"], x["end"] - x["t"]), 0.0), "total": 0.0},
    )  # fmt: skip
    stages = _Stages(builder, physics, used)
    kept = (STATE, row - nq - nv), (STATE, row - nv)  # the last rate of the step before is the first of this one
    first_same = not physics.has_charts
    for i, weights in enumerate(tableau.a):
        if i == 0 and first_same:
            stages.made.append(_kept_stage(builder, physics, kept))
        else:
            stages.evaluate(weights, 0)
    last = stages.evaluate(tableau.b, 0)
    parts = (
        (nq, 0, last.q, [s.qdot for s in stages.made], kept[0]),
        (nv, nq, last.v, [s.a for s in stages.made], kept[1]),
    )
    for n, start, new, rates, _ in parts:
        _estimate(builder, n, (STATE, start), new, rates, used, total, tableau, relative, absolute_)
    accept = _control(builder, t, h, (STATE, clock), used, total, nq + nv, end)
    for n, start, new, rates, keep in parts:
        _finish(builder, n, start, before, dense, nq + nv, new, rates, keep, accept, tableau)
    physics.rechart()
    return row


def _kept_stage(builder: StepBuilder, physics: Physics, kept: tuple[Place, Place]) -> Stage:
    return Stage((STATE, 0), (STATE, physics.nq), kept[0], kept[1])


def _estimate(
    builder: StepBuilder, n: int, old: Place, new: Place, rates: list[Place], used: Place, total: Place,
    tableau: Tableau, relative: Place, absolute_: Place,
) -> None:  # fmt: skip
    """Add the squares of the errors relative to the tolerances."""

    def square(x: Values) -> dict[str, Any]:
        error: Any = 0.0
        for i, weight in enumerate(tableau.error):
            if weight:
                error = error + weight * x[f"k{i}"]
        scale = x["atol"] + x["rtol"] * maximum(absolute(x["old"]), absolute(x["new"]))
        ratio = x["h"] * error / scale
        return {"total": ratio * ratio}

    inputs = {"old": old, "new": new} | {f"k{i}": k for i, k in enumerate(rates)}
    scalars = {"h": used, "rtol": relative, "atol": absolute_}
    builder.pointwise(n, inputs, scalars, {"total": total}, square, accumulate=True)


def _control(
    builder: StepBuilder, t: Place, h: Place, clock: Place, used: Place, total: Place, n: int, end: Place
) -> Place:
    """Accept or not, the next step length [Hairer, Norsett & Wanner II.4]; returns where the decision stands."""
    accept = builder.room(1)

    def decide(x: Values) -> dict[str, Any]:
        error = sqrt(x["total"] / n)
        good = less(error, 1.0)
        grow = minimum(maximum(0.9 * power(maximum(error, 1e-10), -0.2), 0.2), 5.0)
        factor = select(less(error, 1e30), grow, 0.2)  # also where the error is not a number
        ended = select(less(x["used"], x["h"]), x["end"], x["t"] + x["used"])  # a step cut short ends exactly there
        idle = less(x["used"], 1e-30)
        return {
            "t": select(good, ended, x["t"]),
            "h": select(idle, x["h"], select(good, x["h"] * maximum(factor, 0.2), x["used"] * minimum(factor, 0.9))),
            "u": x["used"], "before": x["t"], "flag": select(good, 1.0, 0.0), "accept": select(good, 1.0, 0.0),
        }  # fmt: skip

    at = clock[1]
    outputs = {"t": t, "h": h, "u": (STATE, at + USED), "before": (STATE, at + BEFORE), "flag": (STATE, at + ACCEPTED)}
    inputs = {"t": t, "h": h, "used": used, "total": total}
    builder.pointwise(1, inputs, {"end": end}, outputs | {"accept": accept}, decide)
    return accept


def _finish(
    builder: StepBuilder, n: int, start: int, before: int, dense: int, width: int, new: Place, rates: list[Place],
    keep: Place, accept: Place, tableau: Tableau,
) -> None:  # fmt: skip
    """Take the new values if they were accepted; write the state before the step and the interpolant."""

    def finish(x: Values) -> dict[str, Any]:
        good = less(0.5, x["accept"])
        out = {"y": select(good, x["new"], x["y"]), "before": x["y"]}
        out["keep"] = select(good, x[f"k{len(rates) - 1}"], x["k0"])
        for p in range(4):
            terms = [weights[p] * x[f"k{i}"] for i, weights in enumerate(tableau.dense) if weights[p]]
            total: Any = 0.0
            for term in terms:
                total = total + term
            out[f"d{p}"] = total
        return out

    inputs = {"y": (STATE, start), "new": new} | {f"k{i}": k for i, k in enumerate(rates)}
    outputs = {"y": (STATE, start), "before": (STATE, before + start), "keep": keep}
    outputs |= {f"d{p}": (STATE, dense + p * width + start) for p in range(4)}
    builder.pointwise(n, inputs, {"accept": accept}, outputs, finish)
