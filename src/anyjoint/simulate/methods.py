"""The steps of each method: which stages, where their numbers stand, what a row of the state holds."""

from __future__ import annotations

from dataclasses import dataclass

from anyjoint.codegen import Schedule
from anyjoint.mechanism import Mechanism

from .error_control import CONTROLS, AdaptiveStep, Controls
from .force_program import ForceProgram
from .physics import Physics
from .stages import Stages
from .step import STATE, Place, StepBuilder
from .tableau import DOPRI5, RK4, Tableau

METHODS = ("semi-implicit-euler", "rk4", "dopri5")


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
        controls = Controls(builder.setting(), builder.setting(), builder.setting())
        physics = Physics(builder, mechanism, dynamics, forces)
        row = AdaptiveStep(builder, physics, DOPRI5, controls).make()
        return Step(method, builder.schedule(), row, builder.settings, len(CONTROLS), 0, True)
    h = builder.setting()
    physics = Physics(builder, mechanism, dynamics, forces)
    drive = mechanism.nv + len(forces.functions) if varying else 0
    if method == "rk4":
        _runge_kutta(builder, physics, RK4, h, 2 * drive)
    else:
        _euler(builder, physics, h)
    physics.rechart()
    return Step(method, builder.schedule(), row, builder.settings, 1, 2 if varying else 0, False)


def _runge_kutta(builder: StepBuilder, physics: Physics, tableau: Tableau, h: Place, drive: int) -> None:
    """A step of fixed length; inputs of a stage stand at c * drive."""
    stages = Stages(builder, physics, h)
    for c, weights in zip(tableau.c, tableau.a, strict=True):
        stages.evaluate(weights, round(c * drive))
    stages.go(tableau.b, (STATE, 0), (STATE, physics.nq))


def _euler(builder: StepBuilder, physics: Physics, h: Place) -> None:
    """Semi-implicit: v += h a(q, v), then q += h qdot(q, new v)."""
    q, v = (STATE, 0), (STATE, physics.nq)
    stage = Stages(builder, physics, h).evaluate((), 0)
    scalars = {"h": h}
    work = stage.v
    builder.pointwise(
        physics.nv, {"v": v, "a": stage.a}, scalars, {"v": v, "w": work},
        lambda x: {"v": x["v"] + x["h"] * x["a"], "w": x["v"] + x["h"] * x["a"]},
    )  # fmt: skip
    qdot = physics.rate(stage.q, work, builder.room(physics.nq) if physics.has_rates else work)
    builder.pointwise(physics.nq, {"q": q, "k": qdot}, scalars, {"q": q}, lambda x: {"q": x["q"] + x["h"] * x["k"]})
