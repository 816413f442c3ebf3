"""Plans, numbers and joint programs of one mechanism, and the ways to trace a quantity over them.

mechanism -> plan (links, inner frames) -> numbers (raw parameters) -> trace (straight or kernels) -> schedule
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.codegen import Schedule, count_schedule
from anyjoint.constraints import Push, Resistance
from anyjoint.dynamics.algorithm import Algorithm, Along, Over
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar
from anyjoint.scalar.array import Floats
from anyjoint.tree.closures import ClosedPlan
from anyjoint.tree.columns import FEEDS
from anyjoint.tree.plan import GENERAL, NUDGE, Frames, Plan, body_plan, make_frames, make_plan

from .classes import Tracer
from .constrained import Constrained, Question, closed_plan, constrained, frame_numbers, frame_variables
from .constrained_kernels import constrained_kernels, push_kernels
from .constraint_program import ConstraintPrograms
from .contact_kernels import contact_kernels
from .coupling import Expansion, expand
from .joints_cache import JointCache
from .layout import lay_out
from .numbers import Numbers, NumberTable, numbers_of
from .push_program import PushPrograms
from .pushes import PushedTree, Pushes, find_pushes, push_numbers
from .relative import is_relative
from .renumber import Basis
from .setup import Rows
from .store import Traced, remembered
from .straight import PER_LINK, SHARED, Straight, row_schedule, trace_tree
from .structure import closed_structure, structure

if TYPE_CHECKING:
    from anyjoint.joints import Joint

# Straight-line code is best while it is small. Larger mechanisms run faster by kernels in loops where bodies share
# classes; where nearly every body is a class of its own, looping saves nothing and straight-line code still wins, up to
# the size at which it outgrows the caches and a second of compile time.
SMALL, LARGE = 3_500, 16_000  # operations
SHARING = 3.0  # bodies per kernel
BUSY, BUSY_SHARING = 6_000, 1.5  # straight code of more operations outgrows the nearest cache of instructions
GROUND = (0.0, 0.0, 0.0)  # how the ground accelerates where gravity does not count


@dataclass(frozen=True)
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

    @property
    def count(self) -> int:
        """How many numbers its kernels load; never none."""
        return max((rows.end for rows in self.setups), default=0) + 1

    def still_fits(self, mechanism: Mechanism) -> bool:
        """Whether a mechanism has the very joints whose numbers are built in."""
        return {id(joint) for joint in self.joints} <= {id(body.joint) for body in mechanism.bodies}

    @property
    def form(self) -> str:
        """How it is laid out: "straight" or "kernels"."""
        return "straight" if any(rows.links is None for rows in self.setups) else "kernels"


class Workshop:
    """Traces quantities of one mechanism; plans are made again when parameters change."""

    def __init__(
        self, mechanism: Mechanism, form: str = "auto", variants: Callable[[], Sequence[Mechanism]] = tuple,
        nudged: Collection[int] | None = None, pushes: Sequence[Push | Resistance] = (), loose: bool = False,
    ) -> None:  # fmt: skip
        """Numbers that are others in one of the `variants` of the mechanism are variables whatever their value.

        With `nudged`, every body is a link in its own frame, so that numbers are parameters one by one; these bodies'
        placements are such parameters, too. `pushes` are forces that implicit steps feel as they will be, or, where
        they are `loose`, just as they are.
        """
        self.mechanism, self.form, self.joints, self.nudged = mechanism, form, JointCache(), nudged
        self.pushes, self.loose, self.push_programs = tuple(pushes), loose, PushPrograms(loose)
        self.row_programs = ConstraintPrograms()
        self._variants = variants
        self._varying: dict[tuple[Over, bool, bool], Floats | None] = {}
        self._plans: dict[Over, Plan] = {}
        self._closed: dict[Over, ClosedPlan] = {}
        self._found: dict[Over, Pushes] = {}
        self._bases: dict[Over, Basis] = {}

    @cached_property
    def expansion(self) -> Expansion | None:
        """The mechanism with a coordinate for every coupled joint, if it has any."""
        return expand(self.mechanism)

    @cached_property
    def relative(self) -> list[bool]:
        """Of each constraint whether it is about relative positions only."""
        return [is_relative(constraint) for constraint in self.mechanism.constraints]

    def closed(self, over: Over = "regrouped") -> ClosedPlan:
        """The links that an algorithm runs over, with closures of the constraints between them."""
        if over not in self._closed:
            found = self.found(over)
            self._closed[over] = closed_plan(
                self.plan(over), self.mechanism, self.relative, found.blocks, found.felt, found.pile.links
            )
        return self._closed[over]

    def found(self, over: Over = "regrouped") -> Pushes:
        """Where pushes act."""
        if over not in self._found:
            self._found[over] = find_pushes(self.pushes, self.plan(over), self.mechanism, self.push_programs)
        return self._found[over]

    def pushed(self, pushes: Sequence[Push | Resistance], loose: bool = False) -> Workshop:
        """A workshop of the same mechanism under forces."""
        return Workshop(self.mechanism, self.form, self._variants, self.nudged, pushes, loose) if pushes else self

    def plan(self, over: Over = "links") -> Plan:
        """The links that an algorithm runs over."""
        if over not in self._plans:
            frames = self.basis(over).frames  # a basis that is new has come with its plan
            if over not in self._plans:
                self._plans[over] = self._planned(over, frames)
        return self._plans[over]

    def _planned(self, over: Over, frames: Frames | None) -> Plan:
        tree = self.expansion or self.mechanism
        if frames is None:
            return body_plan(tree, self.nudged)
        return make_plan(tree, regroup=over == "regrouped", frames=frames)

    def basis(self, over: Over) -> Basis:
        """A plan and its numbers, of the present joints and placements."""
        bodies = tuple((self.expansion or self.mechanism).bodies)
        known = self._bases.get(over)
        if known is None or not known.fits(bodies):
            own = over == "bodies" or self.nudged is not None
            frames = None if own else make_frames(self.expansion or self.mechanism)
            self._plans[over] = plan = self._planned(over, frames)
            self._bases[over] = Basis(plan, numbers_of(plan, GROUND), frames, over == "regrouped", bodies)
        return self._bases[over]

    def forget(self) -> None:
        """Drop everything that was computed from parameters."""
        self.__dict__.pop("expansion", None)
        self._plans.clear()
        self._closed.clear()
        self._found.clear()

    def look_again(self) -> None:
        """Forget which numbers vary: where others have changed, too, it may be more of them."""
        self._varying.clear()

    def numbers(self, over: Over, gravity: bool, closed: bool = False) -> Numbers:
        """The raw numbers of a plan, open or closed by constraints, and which of them vary."""
        g = self.mechanism.gravity
        field = (float(g[0]), float(g[1]), float(g[2])) if gravity else GROUND
        if closed:
            plan = self.closed(over).plan
            frames = frame_numbers(plan, self.mechanism.constraints) + push_numbers(plan, self.pushes)
            found = numbers_of(plan, field, frames)
        else:
            found = self.basis(over).of((self.expansion or self.mechanism).bodies, field)
        key = over, gravity, closed
        if key not in self._varying:
            given = self.nudged, self.pushes, self.loose
            variants = (Workshop(variant, self.form, tuple, *given) for variant in self._variants())
            others = [variant.numbers(*key).flat() for variant in variants]
            varying = np.ptp([found.flat(), *others], axis=0) != 0 if others else None
            self._varying[key] = varying if varying is None else varying | self._nudges(over, closed, found)
        return replace(found, varying=self._varying[key])

    def _nudges(self, over: Over, closed: bool, numbers: Numbers) -> Floats:
        """Which numbers are those of small motions before joints: always zero, and always variables."""
        links = (self.closed(over).plan if closed else self.plan(over)).links
        found = np.zeros(len(numbers.flat()), dtype=bool)
        for link, end in zip(links, numbers.starts()[1:], strict=True):
            found[end - NUDGE : end] |= link.nudged
        return found

    def closed_table(self, links: NumberTable, over: Over) -> NumberTable:
        """Numbers of the closed plan, where those of its links are given and its frames are what they are."""
        made, at = self.numbers(over, True, True), list(self.closed(over).at)
        lead = links.rows.shape[:-2]
        rows = np.broadcast_to(made.table, (*lead, *made.table.shape)).copy()
        rows[..., at, : links.rows.shape[-1] - 3] = links.rows[..., :-3]
        rows[..., -3:] = links.rows[..., :1, -3:]
        frames = tuple(np.broadcast_to(row, (*lead, len(row))) for row in made.frames)
        return NumberTable(rows, tuple(len(row) for row in made.links), frames)

    def sizes(self, inputs: Sequence[str], over: Over) -> list[tuple[str, int]]:
        """Lengths of the state rows."""
        special = {"q": self.mechanism.nq} | dict.fromkeys(PER_LINK, 6 * len(self.plan(over).links)) | SHARED
        special |= dict.fromkeys(FEEDS, 0)
        return [(name, special.get(name, self.mechanism.nv)) for name in inputs]

    # -- tracing -------------------------------------------------------------------------------------------

    def sweeps(self, algorithm: Algorithm, plan: Plan | None = None) -> Trace:
        """An algorithm of sweeps, straight or by kernels; over another plan than its own if one is given."""
        plan = plan or self.plan(algorithm.over)
        numbers = self.numbers(algorithm.over, algorithm.gravity)

        def straight() -> Traced:
            sizes = self.sizes(algorithm.inputs, algorithm.over)
            tree = trace_tree(plan, numbers, self.joints, sizes, self.expansion, algorithm.partials)
            tree.run(algorithm)
            return row_schedule(tree.variables, algorithm.inputs, tree.outputs(algorithm))

        def trace() -> Traced:
            if self.expansion or not plan.links:
                return straight()
            size = estimate(plan)
            if self.form == "kernels" or (self.form == "auto" and size > SMALL):
                schedule, rows = lay_out(Tracer(plan, numbers, self.joints, algorithm))
                enough = SHARING if count_schedule(schedule).total <= BUSY else BUSY_SHARING
                if self.form == "kernels" or size > LARGE or sharing(schedule) >= enough:
                    return schedule, rows
            return straight()

        schedule, setups = self._remembered((algorithm.name, self.form), plan, numbers, trace)
        return Trace(algorithm.name, schedule, setups, plan, numbers, algorithm.over, algorithm.gravity)

    def straight(
        self,
        name: str,
        inputs: Sequence[str],
        function: Callable[[Straight], Sequence[Scalar]],
        over: Over = "links",
        gravity: bool = True,
        partials: Along | None = None,
    ) -> Trace:
        """A function of the whole tree that answers with the entries of the result row, as one straight program."""
        plan, numbers = self.plan(over), self.numbers(over, gravity)

        def trace() -> Traced:
            sizes = self.sizes(inputs, over)
            tree = trace_tree(plan, numbers, self.joints, sizes, self.expansion, partials)
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
        made = contact_kernels(self, question, inputs)
        return Trace(name, *made, closed.plan, numbers, over, True, True, pushes=self.pushes)

    def push_forces(self, inputs: Sequence[str]) -> Trace:
        """Generalized forces of loose pushes, by kernels."""
        over: Over = "regrouped"
        closed, numbers = self.closed(over), self.numbers(over, True, True)
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
        own = frame_variables(tree.variables, numbers)[len(self.mechanism.constraints) :] if self.pushes else []
        pushes = PushedTree(self.found(over), closed, self.push_programs, own) if self.pushes else None
        ahead = 0 if "qdd" in inputs else h
        made = constrained(
            tree, self.mechanism, closed, self.relative, numbers, self.row_programs, t, still, h, ahead, pushes
        )
        return row_schedule(tree.variables, inputs, function(made))

    def layout(self, algorithm: Algorithm, make: Callable[[Tracer], tuple[Schedule, list[Rows]]]) -> Trace:
        """An algorithm by kernels, with more kernels behind them."""
        plan, numbers = self.plan(algorithm.over), self.numbers(algorithm.over, algorithm.gravity)
        made = self._remembered(
            algorithm.name, plan, numbers, lambda: make(Tracer(plan, numbers, self.joints, algorithm))
        )
        return Trace(algorithm.name, *made, plan, numbers, algorithm.over, algorithm.gravity)

    def _remembered(self, name: Hashable, plan: Plan, numbers: Numbers, trace: Callable[[], Traced]) -> Traced:
        if self.expansion:  # functions of the user's own may tell how joints follow
            return trace()
        return remembered((name, structure(plan, numbers, self.joints)), trace)


def estimate(plan: Plan) -> int:
    """A rough number of operations of forward dynamics, to choose the form before anything is traced."""
    return sum(400 if link.kind != GENERAL else 500 + 250 * link.joint.nv for link in plan.links)


def sharing(schedule: Schedule) -> float:
    """Calls for each kernel."""
    return sum(run.times for run in schedule.runs) / max(len(schedule.kernels), 1)
