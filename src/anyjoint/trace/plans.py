"""Plans of one mechanism, open or closed by constraints, their numbers, and which of those vary."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from anyjoint.constraints import Push, Resistance
from anyjoint.dynamics.algorithm import Input, Over
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.scalar.array import Floats
from anyjoint.tree.closures import ClosedPlan
from anyjoint.tree.columns import FEEDS
from anyjoint.tree.plan import NUDGE, Frames, Plan, body_plan, make_frames, make_plan

from .constrained import closed_plan, frame_numbers
from .constraint_program import ConstraintPrograms
from .coupling import Expansion, expand
from .joints_cache import JointCache
from .numbers import Numbers, NumberTable, numbers_of
from .push_program import PushPrograms
from .pushes import Pushes, find_pushes, push_numbers, push_places
from .relative import is_relative
from .renumber import Basis

WEIGHTLESS = (0.0, 0.0, 0.0)  # the field where gravity does not count


@frozen
class Varying:
    """Which numbers are variables, whatever their value: those that are others in one of the `variants` of a mechanism.

    With `nudged`, every body is a link in its own frame, so that numbers are parameters one by one; these bodies'
    placements are such parameters, too. With `freed`, numbers of pushes are variables as well.
    """

    variants: Callable[[], Sequence[Mechanism]] = tuple
    nudged: Collection[int] | None = None
    freed: bool = False


AS_THEY_ARE = Varying()  # none but those that are not exactly 0, 1 or -1


class Plans:
    """Links and numbers of one mechanism, for every way to run over them; made again when parameters change."""

    def __init__(
        self, mechanism: Mechanism, form: str = "auto", varying: Varying = AS_THEY_ARE,
        pushes: Sequence[Push | Resistance] = (), loose: bool = False,
    ) -> None:  # fmt: skip
        """`pushes` are forces that implicit steps feel as they will be, or just as they are, if they are `loose`."""
        self.mechanism, self.form, self.varying, self.joints = mechanism, form, varying, JointCache()
        self.pushes, self.loose, self.push_programs = tuple(pushes), loose, PushPrograms(loose)
        self.row_programs = ConstraintPrograms()
        self._which: dict[tuple[Over, bool, bool], Floats | None] = {}
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
            return body_plan(tree, self.varying.nudged)
        return make_plan(tree, regroup=over == "regrouped", frames=frames)

    def basis(self, over: Over) -> Basis:
        """A plan and its numbers, of the present joints and placements."""
        bodies = tuple((self.expansion or self.mechanism).bodies)
        known = self._bases.get(over)
        if known is None or not known.fits(bodies):
            own = over == "bodies" or self.varying.nudged is not None
            frames = None if own else make_frames(self.expansion or self.mechanism)
            self._plans[over] = plan = self._planned(over, frames)
            self._bases[over] = Basis(plan, frames, over == "regrouped", bodies)
        return self._bases[over]

    def forget(self) -> None:
        """Drop everything that was computed from parameters."""
        self.__dict__.pop("expansion", None)
        self._plans.clear()
        self._closed.clear()
        self._found.clear()

    def look_again(self) -> None:
        """Forget which numbers vary: where others have changed, too, it may be more of them."""
        self._which.clear()

    def numbers(self, over: Over, gravity: bool, closed: bool = False) -> Numbers:
        """The raw numbers of a plan, open or closed by constraints, and which of them vary."""
        g = self.mechanism.gravity
        field = (float(g[0]), float(g[1]), float(g[2])) if gravity else WEIGHTLESS
        if closed:
            plan = self.closed(over).plan
            frames = frame_numbers(plan, self.mechanism.constraints) + push_numbers(plan, self.pushes)
            found = numbers_of(plan, field, frames)
        else:
            found = self.basis(over).of((self.expansion or self.mechanism).bodies, field)
        key = over, gravity, closed
        if key not in self._which:
            given = self.form, replace(self.varying, variants=tuple), self.pushes, self.loose
            variants = (Plans(variant, *given) for variant in self.varying.variants())
            others = [variant.numbers(*key).flat() for variant in variants]
            varying = np.ptp([found.flat(), *others], axis=0) != 0 if others else None
            if varying is not None:
                varying |= self._nudges(over, closed, found)
            if self.varying.freed and closed:
                varying = np.zeros(len(found.flat()), dtype=bool) if varying is None else varying
                for push, places in zip(self.pushes, push_places(found, self.pushes), strict=True):
                    varying[places] |= isinstance(push, Push)  # not of resistances, which no user has given
            self._which[key] = varying
        return replace(found, varying=self._which[key])

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

    def sizes(self, inputs: Sequence[str], over: Over, sized: Sequence[Input] = ()) -> list[tuple[str, int]]:
        """Lengths of the state rows."""
        links = len(self.plan(over).links)
        special = {"q": self.mechanism.nq} | dict.fromkeys(FEEDS, 0)
        special |= {row.name: row.count * (links if row.each else 1) for row in sized}
        return [(name, special.get(name, self.mechanism.nv)) for name in inputs]
