"""The ways to trace a quantity over the plans of a mechanism.

mechanism -> plan (links, inner frames) -> numbers (raw parameters) -> trace (straight or kernels) -> schedule

What lays out kernels is imported where it is needed: a trace that is remembered needs none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from anyjoint.codegen import Schedule, count_schedule
from anyjoint.constraints import Push, Resistance
from anyjoint.dynamics.algorithm import Algorithm, Along, Input, Over
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar
from anyjoint.tree.closures import ClosedPlan
from anyjoint.tree.plan import GENERAL, Plan

from .constrained import Constrained, Question, constrained, frame_variables
from .numbers import Numbers
from .plans import Plans
from .pushes import push_numbers
from .setup import Rows
from .store import Traced, remembered
from .straight import Straight, row_schedule, trace_tree
from .structure import closed_structure, structure

if TYPE_CHECKING:
    from anyjoint.joints import Joint

    from .classes import Tracer

# Straight-line code is best while it is small. Larger mechanisms run faster by kernels in loops where bodies share
# classes; where nearly every body is a class of its own, looping saves nothing and straight-line code still wins, up to
# the size at which it outgrows the caches and a second of compile time. Of a wide tree it computes one state in less
# than half the time of kernels, because limbs that are alike are lanes of vectors; robots, with two or three links on
# each level, are as fast by kernels and compile in half the time.
SMALL, LARGE = 3_500, 16_000  # operations of forward dynamics
FEW = 2_000  # operations of the quantity itself, up to which looping costs more than it saves, whatever is shared
SHARING = 3.2  # calls for each kernel
BUSY, BUSY_SHARING = 4_100, 1.5  # straight code of more operations outgrows the nearest cache of instructions
LIMBS = 4  # links on each level, from which on straight code computes limbs side by side (codegen/pack.py)


@frozen
class Trace:
    """A traced quantity: what to run, how its numbers come from parameters, and over which links it was traced."""

    algorithm: str
    schedule: Schedule
    setups: list[Rows]
    plan: Plan
    numbers: Numbers
    over: Over
    gravity: bool
    closed: bool = False  # whether with closures of constraints
    joints: tuple[Joint, ...] = ()  # joints whose numbers the schedule has built in, for rates and charts
    pushes: tuple[Push | Resistance, ...] = ()  # forces whose numbers are among its own
    loose: bool = False  # whether those are wrenches, however stiff they are
    by: Algorithm | None = None  # the sweeps that it was traced by, if it is nothing else

    @property
    def count(self) -> int:
        """How many numbers its kernels load; never none."""
        return max((rows.end for rows in self.setups), default=0) + 1

    def numbers_under(self, pushes: Sequence[Push]) -> Numbers:
        """Its numbers, but for those of its pushes: of others that differ in nothing else."""
        own = push_numbers(self.plan, pushes)
        return replace(self.numbers, frames=(*self.numbers.frames[: -len(own)], *map(tuple, own)))

    def still_fits(self, mechanism: Mechanism) -> bool:
        """Whether a mechanism has the very joints whose numbers are built in."""
        return {id(joint) for joint in self.joints} <= {id(body.joint) for body in mechanism.bodies}

    @property
    def form(self) -> str:
        """How it is laid out: "straight" or "kernels"."""
        return "straight" if any(rows.links is None for rows in self.setups) else "kernels"


class Workshop(Plans):
    """Traces quantities of one mechanism."""

    def pushed(self, pushes: Sequence[Push | Resistance], loose: bool = False) -> Workshop:
        """A workshop of the same mechanism under forces."""
        return Workshop(self.mechanism, self.form, self.varying, pushes, loose) if pushes else self

    def read_by(self, algorithm: Algorithm) -> Numbers:
        """The raw numbers of an algorithm."""
        numbers = self.numbers(algorithm.over, algorithm.gravity)
        return numbers if algorithm.masses else numbers.massless()

    def sweeps(self, algorithm: Algorithm, plan: Plan | None = None) -> Trace:
        """An algorithm of sweeps, straight or by kernels; over another plan than its own if one is given."""
        plan = plan or self.plan(algorithm.over)
        numbers = self.read_by(algorithm)

        def straight() -> Traced:
            sized = algorithm.sized
            sizes = self.sizes(algorithm.inputs, algorithm.over, sized)
            read = algorithm.partials, sized, algorithm.factors
            tree = trace_tree(plan, numbers, self.joints, sizes, self.expansion, *read)
            tree.run(algorithm)
            return row_schedule(tree.variables, algorithm.inputs, tree.outputs(algorithm))

        def trace() -> Traced:
            if self.expansion or not plan.links:
                return straight()
            size = estimate(plan)
            if self.form == "kernels" or (self.form == "auto" and (size > LARGE or (size > SMALL and not limbs(plan)))):
                from .classes import Tracer
                from .layout import lay_out

                schedule, rows = lay_out(Tracer(plan, numbers, self.joints, algorithm))
                if self.form == "kernels" or size > LARGE or pays(schedule):
                    return schedule, rows
            return straight()

        schedule, setups = self._remembered((algorithm.name, self.form), plan, numbers, trace)
        over, gravity = algorithm.over, algorithm.gravity
        return Trace(algorithm.name, schedule, setups, plan, numbers, over, gravity, by=algorithm)

    def straight(
        self,
        name: str,
        inputs: Sequence[str],
        function: Callable[[Straight], Sequence[Scalar]],
        over: Over = "links",
        gravity: bool = True,
        partials: Along | None = None,
        sized: Sequence[Input] = (),
    ) -> Trace:
        """A function of the whole tree that answers with the entries of the result row, as one straight program."""
        plan, numbers = self.plan(over), self.numbers(over, gravity)

        def trace() -> Traced:
            sizes = self.sizes(inputs, over, sized)
            tree = trace_tree(plan, numbers, self.joints, sizes, self.expansion, partials, sized)
            return row_schedule(tree.variables, inputs, function(tree))

        schedule, setups = self._remembered(name, plan, numbers, trace)
        return Trace(name, schedule, setups, plan, numbers, over, gravity)

    def constrained(
        self, name: str, inputs: Sequence[str], question: Question | Callable[[Constrained], Sequence[Scalar]],
        over: Over = "regrouped",
    ) -> Trace:  # fmt: skip
        """The answer to a question about the tree with its constraints, straight or by kernels; functions, straight.

        The name tells all questions apart.
        """
        closed, numbers = self.closed(over), self.numbers(over, True, True)

        def trace() -> Traced:
            if not isinstance(question, Question):
                return self._constrained_straight(question, inputs, False, over)
            kernels = self._by_constrained_kernels(question, inputs, closed, numbers)
            return kernels or self._constrained_straight(lambda x: x.answer(question), inputs, question.still)

        if self.pushes:
            made = trace()
        else:
            rows = closed_structure(closed, self.mechanism.constraints, self.relative, self.row_programs)
            made = self._remembered((name, tuple(inputs), self.form, rows), closed.plan, numbers, trace)
        return Trace(name, *made, closed.plan, numbers, over, True, True, pushes=self.pushes)

    def resisted(self, name: str, inputs: Sequence[str], question: Question) -> Trace:
        """Accelerations over a step under resistances, by kernels, then what contacts show."""
        over: Over = "regrouped"
        closed, numbers = self.closed(over), self.numbers(over, True, True)
        from .contact_kernels import contact_kernels

        made = contact_kernels(self, question, inputs)
        return Trace(name, *made, closed.plan, numbers, over, True, True, pushes=self.pushes)

    def push_forces(self, inputs: Sequence[str]) -> Trace:
        """Generalized forces of loose pushes, by kernels."""
        over: Over = "regrouped"
        closed, numbers = self.closed(over), self.numbers(over, True, True)
        from .constrained_kernels import push_kernels

        made = push_kernels(self, inputs, closed, numbers)
        return Trace("pushed", *made, closed.plan, numbers, over, True, True, pushes=self.pushes, loose=True)

    def _by_constrained_kernels(
        self, question: Question, inputs: Sequence[str], closed: ClosedPlan, numbers: Numbers
    ) -> Traced | None:
        """By kernels, if that is asked for or pays."""
        size = estimate(closed.plan)
        if self.expansion or self.form == "straight" or (self.form == "auto" and size <= SMALL):
            return None
        if self.form == "auto" and size <= LARGE and self._sharing(closed.plan) < SHARING:
            return None  # which tracing them would show, too
        from .constrained_kernels import constrained_kernels

        made = constrained_kernels(self, question, inputs, closed, numbers)
        return made if self.form == "kernels" or size > LARGE or sharing(made[0]) >= SHARING else None

    def _sharing(self, plan: Plan) -> float:
        """Links for each class, at most: exact numbers may tell more of them apart."""
        return len(plan.links) / max(len({(self.joints.key(link), link.columns) for link in plan.links}), 1)

    def _constrained_straight(
        self, function: Callable[[Constrained], Sequence[Scalar]], inputs: Sequence[str], still: bool,
        over: Over = "regrouped",
    ) -> Traced:  # fmt: skip
        closed, numbers = self.closed(over), self.numbers(over, True, True)
        sizes = [size for size in self.sizes(inputs, over) if size[0] in ("q", "v", "qdd")]
        tree = trace_tree(closed.plan, numbers, self.joints, sizes, self.expansion)
        if "tau" in inputs:
            tree.rows["tau"] = [tree.variables.row("tau", k) for k in range(self.mechanism.nv)]
        row = tree.variables.row
        t, h = (row(name, 0) if name in inputs else default for name, default in (("t", 0.0), ("h", None)))
        from .pushes import PushedTree

        own = frame_variables(tree.variables, numbers)[len(self.mechanism.constraints) :] if self.pushes else []
        pushes = PushedTree(self.found(over), closed, self.push_programs, own) if self.pushes else None
        ahead = 0 if "qdd" in inputs else h
        made = constrained(
            tree, self.mechanism, closed, self.relative, numbers, self.row_programs, t, still, h, ahead, pushes
        )
        return row_schedule(tree.variables, inputs, function(made))

    def layout(self, algorithm: Algorithm, make: Callable[[Tracer], tuple[Schedule, list[Rows]]]) -> Trace:
        """An algorithm by kernels, with more kernels behind them."""
        plan, numbers = self.plan(algorithm.over), self.read_by(algorithm)

        def trace() -> Traced:
            from .classes import Tracer

            return make(Tracer(plan, numbers, self.joints, algorithm))

        made = self._remembered(algorithm.name, plan, numbers, trace)
        return Trace(algorithm.name, *made, plan, numbers, algorithm.over, algorithm.gravity)

    def _remembered(self, name: Hashable, plan: Plan, numbers: Numbers, trace: Callable[[], Traced]) -> Traced:
        if self.expansion:  # functions of the user's own may tell how joints follow
            return trace()
        return remembered((name, structure(plan, numbers, self.joints)), trace)


def estimate(plan: Plan) -> int:
    """A rough number of operations of forward dynamics, to choose the form before anything is traced."""
    return sum(400 if link.kind != GENERAL else 500 + 250 * link.joint.nv for link in plan.links)


def limbs(plan: Plan) -> bool:
    """Whether a tree is wide: balls in a bowl, patches side by side."""
    depth: list[int] = []
    for parent in plan.parents:
        depth.append(depth[parent] + 1 if parent >= 0 else 1)
    return len(depth) >= LIMBS * max(depth)


def pays(schedule: Schedule) -> bool:
    """Whether kernels in loops are faster than straight code of as many operations."""
    operations = count_schedule(schedule).total
    enough = SHARING if operations <= BUSY else BUSY_SHARING
    return operations > FEW and sharing(schedule) >= enough


def sharing(schedule: Schedule) -> float:
    """Calls for each kernel."""
    return sum(run.times for run in schedule.runs) / max(len(schedule.kernels), 1)
