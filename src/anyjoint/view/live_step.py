"""Steps of live pages: those of a run in JavaScript, of any stepper, with what sliders and the pointer add.

The state stands in a row, with all that the method has to remember; what the page adds stands in the drive, behind
torques, which are zero. A step from another state or time than the last one ended at begins a run, with nothing to
remember, just as runs in Python begin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.codegen import CompiledSchedule, Place, Schedule
from anyjoint.codegen.builder import Builder, Embedded
from anyjoint.forces.program import ForceProgram
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.quantity import Quantity
from anyjoint.simulate.adaptive import SMALLEST, explicit
from anyjoint.simulate.programs import program_of
from anyjoint.simulate.request import Request
from anyjoint.simulate.step import Part, Step, make_step
from anyjoint.stepper import Stepper
from anyjoint.stepper.physics import Physics, projection_of

if TYPE_CHECKING:
    from anyjoint.trace.workshop import Trace

# What the sliders and the pointer add to a step, and the quantities that say how it acts.
PUSHES = {"weight": "weight_forces", "pull": "generalized_forces"}
STEPPING = """\
const stepping = () => {{
  const [row, drive, lastQ, lastV] = [model.row, nv + 4 + 6 * nb, nq, nv].map(vector);
  const shownQ = row.subarray(model.shows, model.shows + nq);
  const shownV = row.subarray(model.shows + nq, model.shows + nq + nv);
  const settings = Float64Array.from(model.settings);
  const before = drive.slice();
  const none = drive.slice();
  let due = NaN; // when the last step ended
  const same = (x, y) => {{
    for (let k = 0; k < x.length; k++) if (x[k] !== y[k]) return false;
    return true;
  }};
  const push = (gravity, wrenches, damping) => {{
    before.set(drive);
    for (let k = 0; k < 3; k++) drive[nv + k] = gravity[k] - model.gravity[k];
    for (let k = 0; k < 6 * nb; k++) drive[nv + 3 + k] = wrenches ? wrenches[k] : 0;
    drive[nv + 3 + 6 * nb] = damping;
    return !same(drive, before);
  }};
  const begin = (q, v, time) => {{
    row.fill(0);
    row.set(q);
    row.set(v, nq);
    row[model.time] = time;
  }};
{advance}
  const step = (q, v, {{ gravity, wrenches, damping, time = 0 }}, dt) => {{
    const pushed = push(gravity, wrenches, damping);
    const attempt = same(drive, none) ? parts.step ?? parts.pushed : parts.pushed;
    const goesOn = same(q, lastQ) && same(v, lastV) && Math.abs(time - due) < dt / 2;
    advance(attempt, q, v, time, dt, goesOn, pushed);
    q.set(shownQ);
    v.set(shownV);
    lastQ.set(shownQ);
    lastV.set(shownV);
    due = time + dt;
  }};
  return {{ step, touched: row.subarray(model.shown, model.shown + SHOWN * touches) }};
}};"""
GIVEN = """\
  const advance = (attempt, q, v, time, dt, goesOn) => {
    if (!goesOn) begin(q, v, time);
    row[model.time] = time;
    settings[0] = dt;
    attempt.call(row, drive, settings);
  };"""
# Steps lead beyond what is shown, so they begin anew where something else pushes.
CHOSEN = """\
  const rates = parts.rates ?? parts.pushed;
  const advance = (attempt, q, v, time, dt, goesOn, pushed) => {
    settings[0] = Infinity;
    if (!goesOn || pushed) {
      begin(q, v, time);
      rates.call(row, drive, settings); // a step of no length
      parts.first.call(row, drive, settings);
    }
    while (row[model.time] < time + dt) {
      attempt.call(row, drive, settings);
      if (row[model.step] < model.smallest * Math.max(row[model.time], dt)) return row.fill(NaN);
    }
    settings[0] = time + dt;
    parts.sample.call(row, drive, settings);
  };"""


class Pushed(Physics):
    """Dynamics with what a page adds: other gravity, wrenches on bodies, damping of all velocities."""

    def __init__(
        self, builder: Builder, mechanism: Mechanism, dynamics: Schedule, forces: ForceProgram,
        settings: Sequence[Place], *, pushes: Mapping[str, tuple[Schedule, int]], **others: Any,
    ) -> None:  # fmt: skip
        """`pushes` are the programs of PUSHES, and where their numbers begin."""
        super().__init__(builder, mechanism, dynamics, forces, settings, forced=True, **others)
        self.pushes = {
            name: (Embedded(builder, schedule, ("q", "result")), {"numbers": builder.place("numbers", start)})
            for name, (schedule, start) in pushes.items()
        }
        self.part = builder.room(self.nv)

    def applied(self, q: Place, v: Place, inputs: Place) -> Place:
        """Forces with all of that."""
        builder, total = self.builder, self.tau
        assert total is not None
        gravity, wrenches = inputs.at(self.nv), inputs.at(self.nv + 3)
        damping = {"d": wrenches.at(6 * self.mechanism.nb)}
        builder.pointwise(self.nv, {"v": v}, damping, {"tau": total}, lambda x: {"tau": -x["d"] * x["v"]})
        rows = {"weight": {"g": gravity}, "pull": {"y": wrenches}}
        for name, (push, numbers) in self.pushes.items():
            push.call({"q": q, "result": self.part, **numbers, **rows[name]})
            both = {"tau": total, "more": self.part}
            builder.pointwise(self.nv, both, {}, {"tau": total}, lambda x: {"tau": x["tau"] + x["more"]})
        if not self.feels:
            self.add_forces(q, v, inputs, total)
        return total


@frozen
class LiveStep:
    """A step, and its text as {call(state, drive, settings)}; its numbers and work array stay inside."""

    step: Step
    text: str


def live_steps(request: Request, few: bool) -> dict[str, LiveStep]:
    """Steps and parts of them by their names in the script; `step`, without what a page adds, if these are few."""
    steps = {"pushed": live_step(request, pushed=True)}
    if few:
        steps["step"] = live_step(request)
    if request.stepper.adaptive:
        steps |= {"first": live_step(request, part="first"), "sample": live_step(request, part="sample")}
    if request.stepper.adaptive and request.stepper.implicit:
        steps["rates"] = live_step(explicit(request), pushed=True)
    return steps


def live_step(request: Request, pushed: bool = False, part: Part = "step") -> LiveStep:
    """A step of a run, or a part of one; `pushed` by what a page adds."""
    model, numbers = request.model, list[float]()

    def program(quantity: str | Quantity) -> tuple[Trace, int]:
        """The trace of a quantity, and where its numbers begin, behind those of the others."""
        made, start = program_of(model, quantity), len(numbers)
        numbers.extend(map(float, made.numbers))
        return made.trace, start

    traces = [program(quantity)[0] for quantity in request.quantities]
    many = None
    if request.pushing and not request.stepper.implicit:  # which feels forces by itself
        trace, start = program(request.pushing)
        many = trace.schedule, start
    physics_of: Callable[..., Physics] = Physics
    if pushed:
        added = {name: program(quantity) for name, quantity in PUSHES.items()}
        physics_of = partial(Pushed, pushes={name: (trace.schedule, at) for name, (trace, at) in added.items()})
    step = make_step(
        request.stepper, model.mechanism, traces[0].schedule, request.forces, varying=False, powered=False,
        projection=projection_of(traces), pushing=many, physics_of=physics_of, part=part,
    )  # fmt: skip
    actual = ", ".join(array.name for array in step.schedule.arrays)
    lines = [
        "(() => {",
        f"{CompiledSchedule(step.schedule).source('js')}const numbers = new Float64Array({[*numbers, 0.0]});",
        "const work = new Float64Array(WORK);",
        f"return {{ call(state, drive, settings) {{ run({actual}); }} }};",
        "})()",
    ]
    return LiveStep(step, "\n".join(lines))


def row_facts(request: Request, steps: Mapping[str, LiveStep]) -> dict[str, Any]:
    """Where the page finds what in a row, and the numbers of the run."""
    step, length = steps["pushed"].step, max(made.step.row for made in steps.values())
    forces, row = [float(x) for x in request.forces.numbers], step.layout
    if row is None:
        clock = step.clock if request.model.mechanism.timed else length  # a place that nobody reads
        return {"row": length + 1, "shows": 0, "shown": step.shown, "time": clock, "settings": [0.0, *forces]}
    facts = {"row": length, "shows": row.length, "shown": 0, "time": row.time, "step": row.step}
    smallest = SMALLEST * float(np.finfo(float).eps)
    return facts | {"smallest": smallest, "settings": [0.0, request.rtol, request.atol, *forces]}


def stepping_text(stepper: Stepper) -> str:
    """JavaScript that defines stepping(), which makes what of dynamics moves on."""
    return STEPPING.format(advance=CHOSEN if stepper.adaptive else GIVEN)
