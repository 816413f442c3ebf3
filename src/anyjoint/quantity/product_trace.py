"""How derivatives times vectors are traced: the quantity's own schedule, by codegen/tangent.py and codegen/adjoint.py.

Changes of coordinates are turned into what velocities see on the way in and out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from anyjoint.codegen import Array, Place, Schedule
from anyjoint.codegen.activity import Entries
from anyjoint.codegen.adjoint import adjoint, bar_of
from anyjoint.codegen.builder import Builder, Embedded
from anyjoint.codegen.passes import over_derivatives_of_joints
from anyjoint.codegen.tangent import rate_of, tangent
from anyjoint.stepper.physics import built_in_joints
from anyjoint.trace.whole import whole
from anyjoint.trace.workshop import Trace, Workshop
from anyjoint.tree.plan import GENERAL

from .accelerations import Equation
from .product import NUMBERS, WEIGHTS, Problem, change_of
from .quantity import Row
from .tangent_space import TangentSpace

SEEN = "seen"  # the outputs once more, as a row that does not change: what velocities see is seen from where they are


class _Making:
    """A product in the making: the quantity's trace, and a builder over the product's own rows."""

    def __init__(self, problem: Problem, workshop: Workshop, formulation: str, *more: Row) -> None:
        self.problem, self.workshop = problem, workshop
        self.traced = problem.quantity.trace(workshop, formulation)
        self.trace = whole(self.traced) if problem.by.numbers else self.traced
        self.equation: Equation | None = None
        rows = [array.name for array in self.trace.schedule.arrays if array.kind == "row" and array.name != "result"]
        self.inside = dict(zip((row.name for row in problem.given), rows, strict=True))  # what the trace calls them
        self.inside[NUMBERS] = NUMBERS
        names = [row.name for row in (*problem.given, *more)]
        self.builder = Builder((*(Array(name, "row") for name in (*names, "result")), Array(NUMBERS, "uniform")))
        self.space = TangentSpace(self.builder, workshop.mechanism)

    @property
    def active(self) -> list[str]:
        """What the trace calls the arrays that it is differentiated by."""
        return [self.inside[row] for row in self.problem.by.rows] + [NUMBERS] * bool(self.problem.by.numbers)

    @property
    def only(self) -> Entries:
        """The entries that change, of arrays of which not all do."""
        return {NUMBERS: self.problem.by.moving}

    @property
    def own(self) -> dict[str, Place]:
        """Where the quantity's own rows stand."""
        return {self.inside[row.name]: self.builder.place(row.name) for row in self.problem.given}

    def bent(self) -> list[Row]:
        """Inputs among those it is differentiated by whose changes are not what velocities see."""
        return [row for row in self.problem.given if row.name in self.problem.by.rows and self.problem.is_bent(row)]

    def directions(self) -> dict[str, Place]:
        """Where small changes of inputs stand, turned into changes of coordinates."""
        places = {rate_of(self.inside[name]): self.builder.place(change_of(name)) for name in self._names()}
        for row in self.bent():
            place = self.builder.room(row.size(self.workshop.mechanism))
            self.space.push(self.builder.place(row.name), self.builder.place(change_of(row.name)), place)
            places[rate_of(self.inside[row.name])] = place
        return places

    def _names(self) -> list[str]:
        return [*self.problem.by.rows, *([NUMBERS] if self.problem.by.numbers else [])]

    def gradients(self, begin: int) -> tuple[dict[str, Place], list[tuple[Row, Place, Place]]]:
        """Where gradients go by what the trace calls their rows, and those that must be turned on the way."""
        places: dict[str, Place] = {}
        turned = []
        bent = {row.name: row for row in self.bent()}
        for name, change in zip(self._names(), self.problem.changes, strict=True):
            place = self.builder.place("result", begin)
            if name in bent:
                room = self.zeros(bent[name].size(self.workshop.mechanism))
                turned.append((bent[name], room, place))
                place = room
            places[self.inside[name]] = place
            begin += change.size(self.workshop.mechanism)
        return places, turned

    def zeros(self, n: int) -> Place:
        """Room in the work array, cleared: programs leave out what nothing depends on."""
        room = self.builder.room(n)
        self.builder.clear(n, room)
        return room

    def pull(self, turned: list[tuple[Row, Place, Place]]) -> None:
        """Gradients by coordinates as velocities see them."""
        for row, room, place in turned:
            self.space.pull(self.builder.place(row.name), room, place)

    def solve(self, rates: bool = False) -> None:
        """Go by the equation that the quantity's values obey, where that is less; `rates`, not gradients."""
        ask = self.problem.quantity.equation
        self.equation = ask(self.workshop, self.traced, rates, bool(self.problem.by.numbers)) if ask else None
        if self.equation:
            self.trace = replace(self.trace, setups=self.equation.setups)

    def finished(self) -> Trace:
        joints = built_in_joints(self.workshop.mechanism) if self.problem.bends else ()
        schedule = self.builder.schedule()
        if any(link.kind == GENERAL for link in self.trace.plan.links):
            schedule = over_derivatives_of_joints(schedule)
        return replace(self.trace, schedule=schedule, joints=(*self.trace.joints, *joints))


def _in_work(places: Mapping[str, Place], builder: Builder) -> list[str]:
    """Rows of a program that stand in the work array."""
    return [name for name, place in places.items() if place.array == builder.work_array]


def trace_jvp(problem: Problem, workshop: Workshop, formulation: str) -> Trace:
    """The tangent of the quantity's program."""
    made = _Making(problem, workshop, formulation, *problem.changes)
    made.solve(rates=True)
    builder = made.builder
    places = made.own | made.directions() | {"result": builder.place("result")}
    rates, turned = _output_rates(made, builder.place("result", problem.size))
    places[rate_of("result")] = rates
    Embedded(builder, _tangent(made), _in_work(places, builder)).call(places)
    for source, target, row, values in turned:
        if problem.is_bent(row):
            made.space.solve(values, source, target)
        else:
            builder.copy(row.size(workshop.mechanism), source, target)
    return made.finished()


def _output_rates(made: _Making, result: Place) -> tuple[Place, list[tuple[Place, Place, Row, Place]]]:
    """Where rates of the outputs go: straight to the result, or to room from where some are turned."""
    problem, mechanism = made.problem, made.workshop.mechanism
    if not any(problem.is_bent(row) for row in problem.outputs):
        return result, []
    room, turned, at = made.zeros(problem.size), [], 0
    for row, change in zip(problem.outputs, problem.output_changes, strict=True):
        turned.append((room.at(at), result, row, made.builder.place("result", at)))
        at += row.size(mechanism)
        result = result.at(change.size(mechanism))
    return room, turned


def _tangent(made: _Making) -> Schedule:
    """The tangent of the trace."""
    if made.equation:
        return made.equation.tangent(made.active, made.workshop.mechanism.nv, made.only)
    return tangent(made.trace.schedule, made.active, only=made.only)


def _adjoint(made: _Making, twice: bool = False) -> Schedule:
    """The adjoint of the trace; weights of coordinates among the outputs are turned once these are known."""
    problem, mechanism = made.problem, made.workshop.mechanism
    if made.equation:
        return made.equation.adjoint(made.active, mechanism.nv, twice, made.only)
    if not any(problem.is_bent(row) for row in problem.outputs):
        return adjoint(made.trace.schedule, made.active, twice=twice, only=made.only)

    values = SEEN if twice else "result"

    def weigh(builder: Builder, seeds: Place) -> None:
        space, at, given = TangentSpace(builder, mechanism), 0, builder.place(bar_of("result"))
        for row, change in zip(problem.outputs, problem.output_changes, strict=True):
            if problem.is_bent(row):
                space.solve_transposed(builder.place(values, at), given, seeds.at(at))
            else:
                builder.copy(row.size(mechanism), given, seeds.at(at))
            at += row.size(mechanism)
            given = given.at(change.size(mechanism))

    more = [SEEN] if twice else []
    return adjoint(made.trace.schedule, made.active, weigh=weigh, more=more, twice=twice, only=made.only)


def trace_vjp(problem: Problem, workshop: Workshop, formulation: str) -> Trace:
    """The adjoint of the quantity's program."""
    made = _Making(problem, workshop, formulation, problem.weights)
    made.solve()
    builder = made.builder
    gradients, turned = made.gradients(problem.size)
    places = made.own | {bar_of(name): place for name, place in gradients.items()}
    places |= {"result": builder.place("result"), bar_of("result"): builder.place(WEIGHTS)}
    Embedded(builder, _adjoint(made), _in_work(places, builder)).call(places)
    made.pull(turned)
    return made.finished()


def trace_hvp(problem: Problem, workshop: Workshop, formulation: str) -> Trace:
    """The tangent of its adjoint."""
    made = _Making(problem, workshop, formulation, problem.weights, *problem.changes)
    made.solve()
    builder, n = made.builder, problem.sizes(problem.changes)
    gradients, turned = made.gradients(problem.size)
    rates, turned_rates = made.gradients(problem.size + n)
    outputs = ["result", *(bar_of(name) for name in made.active)]
    schedule = tangent(_adjoint(made, twice=True), made.active, outputs, made.only)
    places = made.own | made.directions() | {bar_of(name): place for name, place in gradients.items()}
    places |= {rate_of(bar_of(name)): place for name, place in rates.items()}
    places |= dict.fromkeys(("result", SEEN), builder.place("result")) | {bar_of("result"): builder.place(WEIGHTS)}
    places[rate_of("result")] = builder.room(problem.size)
    Embedded(builder, schedule, _in_work(places, builder)).call(places)
    made.pull([*turned, *turned_rates])
    return made.finished()


TRACES = {"jvp": trace_jvp, "vjp": trace_vjp, "hvp": trace_hvp}
