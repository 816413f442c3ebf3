"""A tree with constraints over graph nodes: rows of all constraints, and the sweeps that carry their multipliers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from anyjoint.constraints import Constraint, Rows
from anyjoint.constraints.rows import giving_way, push
from anyjoint.dynamics.algorithm import Algorithm, algorithm
from anyjoint.dynamics.carried import CARRIED, CARRIED_AT_REST
from anyjoint.dynamics.constraint_jacobian import PROJECT
from anyjoint.dynamics.implicit import CARRIED_IMPLICIT, soften
from anyjoint.dynamics.led import give_leads
from anyjoint.dynamics.link_rows import LinkFrames, constraint_rows, give_rows
from anyjoint.dynamics.newton_euler import BIAS, accelerate
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, Scalars, Translation, Turn, vector, zeros
from anyjoint.symbolic import Node
from anyjoint.symbolic.simplify import merge_identities
from anyjoint.tree.closures import UNFELT, ClosedPlan, Felt, Unknowns, close_plan
from anyjoint.tree.denavit import snap
from anyjoint.tree.plan import Plan
from anyjoint.tree.rigid import Array, matrices

from .constraint_program import ConstraintPrograms
from .numbers import Numbers
from .straight import Straight, Variables

if TYPE_CHECKING:
    from anyjoint.tree.record import Record

FIRST = algorithm("velocities", ("outward", CARRIED.sweeps[0].function), inputs=["q", "v"])
LACKING = algorithm("lacking wrenches", ("outward", BIAS.sweeps[0].function), inputs=["q", "v"])
MISSING = algorithm("missing wrenches", ("outward", accelerate), inputs=["q", "v", "qdd"])


def after_first(method: Algorithm) -> Algorithm:
    """All but the first sweep."""
    sweeps = ((sweep.direction, sweep.function) for sweep in method.sweeps[1:])
    return algorithm(method.name, *sweeps, inputs=["tau"], results=method.results)


REST, STILL, IMPLICIT_REST = after_first(CARRIED), after_first(CARRIED_AT_REST), after_first(CARRIED_IMPLICIT)
FRAME = 12  # numbers of a frame: rotation by rows, origin


def closed_plan(
    plan: Plan, mechanism: Mechanism, relative: Sequence[bool], more: Sequence[Unknowns] = (), felt: Felt = UNFELT,
    piled: frozenset[int] = frozenset(),
) -> ClosedPlan:  # fmt: skip
    """A plan with a closure for every constraint and, behind those, for every joint that others follow, then more."""
    blocks = []
    for constraint, moves_along in zip(mechanism.constraints, relative, strict=True):
        links = tuple(plan.link_of(body) for body in constraint.bodies)
        joints = tuple(plan.link_of(body) for body, _ in constraint.coordinates)
        soft = constraint.compliance > 0
        blocks.append(Unknowns(constraint.count, links, joints, (), not moves_along, soft, constraint.alike))
    for leader, followers in led(mechanism).items():
        links = tuple(plan.link_of(body) for body in (leader, *followers))
        blocks.append(Unknowns(mechanism.bodies[leader].joint.nv, driven=links))
    return close_plan(plan, [*blocks, *more], felt, piled)


def led(mechanism: Mechanism) -> dict[int, list[int]]:
    """Bodies whose joints lead others, and those that follow them."""
    found: dict[int, list[int]] = {}
    for body in mechanism.bodies:
        if body.joint.follows and body.joint.inner.nv:
            found.setdefault(mechanism.leader(body).index, []).append(body.index)
    return found


def velocities(mechanism: Mechanism, closed: ClosedPlan) -> list[list[int]]:
    """The velocities of the mechanism that move each link: its own, or those that it follows."""
    made: list[list[int]] = []
    for link in closed.plan.links:
        own = mechanism.leader(mechanism.bodies[link.body]).v if link.body >= 0 else slice(0, 0)
        made.append(list(range(own.start, own.stop)))
    return made


def frame_numbers(plan: Plan, constraints: Sequence[Constraint]) -> list[list[float]]:
    """Per constraint the frames that it is written in, in the frames of the links; rounding noise is made exact."""
    own = matrices([frame for constraint in constraints for frame in constraint.frames])
    bodies = [body for constraint in constraints for body in constraint.bodies]
    carried = np.array([plan.placed[body].frame if body >= 0 else np.eye(4) for body in bodies]).reshape(-1, 4, 4)
    rows = iter(frame_rows(carried @ own))
    return [[x for _ in constraint.bodies for x in next(rows)] for constraint in constraints]


def frame_rows(T: Array) -> list[list[float]]:
    """The numbers of frames; rounding noise is made exact."""
    p = T[:, :3, 3]
    p = np.where(np.abs(p) <= 4e-15 * np.abs(p).max(axis=1, initial=1e-3)[:, None], 0.0, p)
    rows: list[list[float]] = np.hstack([snap(T[:, :3, :3]).reshape(-1, 9), p]).tolist()
    return rows


@frozen
class Question:
    """What is asked of a tree with constraints. `right` is what accelerations have to make up for, row by row.

    `still`: nothing moves, falls or pushes, so that accelerations are corrections. `implicit`: they are those over a
    step at whose end velocities are on the rows, where `right` is divided by its length. Without `right` the errors of
    the rows themselves are asked for.
    """

    answer: Literal["accelerations", "multipliers", "both", "errors", "entries", "hybrid"]
    right: Callable[[Rows], Scalars] | None = lambda rows: rows.gamma
    still: bool = False
    implicit: bool = False
    given: bool = False  # whether implicit accelerations are given, and corrections are asked for
    prescribed: frozenset[int] = frozenset()  # bodies whose accelerations are given, and forces asked for
    straight: Callable[[Constrained], Sequence[Scalar]] | None = None  # how it is answered where kernels do not

    def ahead(self, h: Scalar) -> Scalar:
        """How long soft rows and springs go on at the present velocities."""
        return 0 if self.given else h

    @property
    def at_rest(self) -> bool:
        """Whether links' accelerations are without those of velocities and gravity."""
        return self.still or self.implicit


class TreePushes(Protocol):
    """Pushes on a traced tree (see pushes.py)."""

    def begin(self, tree: Straight, mechanism: Mechanism, frames: LinkFrames, h: Scalar, ahead: Scalar) -> None: ...
    def carry(self, records: Sequence[Record]) -> None: ...


@dataclass
class Constrained:
    """A traced tree, its rows, and what they say at the state."""

    tree: Straight
    mechanism: Mechanism
    closed: ClosedPlan
    relative: Sequence[bool]
    frames: LinkFrames
    rows: list[Rows]
    still: bool = False
    h: Scalar | None = None  # the length of an implicit step
    pushes: TreePushes | None = None

    def answer(self, question: Question) -> list[Scalar]:
        """The entries of the result row."""
        if question.straight is not None:
            return list(question.straight(self))
        if question.right is None:
            return [*(x for rows in self.rows for x in held(rows)), *(x for rows in self.rows for x in rows.rate)]
        if question.answer == "entries":
            return self.entries()
        pairs = list(zip(self.mechanism.constraints, self.rows, strict=True))
        for place, (constraint, rows) in zip(self.closed.where, pairs, strict=False):
            if self.h is not None and constraint.compliance:
                self.tree.records[place].weight = vector(*giving_way(rows, constraint.compliance, self.h, 0)[1])
        a, multipliers = self.solve([right_side(constraint, rows, question, self.h) for constraint, rows in pairs])
        if question.answer == "both":
            return [*a, *multipliers]
        return a if question.answer == "accelerations" else multipliers

    def give(self, right: Sequence[Scalars]) -> None:
        """Give links their rows, with these right sides."""
        give_rows(
            self.closed, self.mechanism.constraints, self.relative, self.frames, self.rows, right,
            self.tree.root.acceleration, lambda place: velocity_place(self.mechanism, self.closed, place),
        )  # fmt: skip
        if self.pushes:
            self.pushes.carry(self.tree.records)

    def entries(self) -> list[Scalar]:
        """Entries of the Jacobian of all rows, link by link."""
        self.give([rows.gamma for rows in self.rows])
        self.tree.run(PROJECT)
        return self.tree.values("H")

    def solve(self, right: Sequence[Scalars]) -> tuple[list[Scalar], list[Scalar]]:
        """Accelerations in the mechanism's order, and multipliers, for right sides of the rows."""
        self.give(right)
        moving = REST if self.h is None else IMPLICIT_REST
        self.tree.run(STILL if self.still else moving)
        a: list[Scalar] = [0.0] * self.mechanism.nv
        for link, record in zip(self.closed.plan.links, self.tree.records, strict=True):
            if link.body >= 0 and not self.mechanism.bodies[link.body].joint.follows:
                a[self.mechanism.bodies[link.body].v] = list(record.qdd if self.h is None else record.answer)
        closures = self.closed.where[: len(self.mechanism.constraints)]
        multipliers = [x for k in closures for x in self.tree.records[k].multipliers]
        return a, multipliers


def right_side(constraint: Constraint, rows: Rows, question: Question, h: Scalar | None = None) -> Scalars:
    """What accelerations have to make up for; of a soft row what it pushes with, which corrections leave alone."""
    assert question.right is not None
    if h is not None:
        soft = giving_way(rows, constraint.compliance, h, question.ahead(h))[0] if constraint.compliance else None
        return over(question.right(rows), h) if soft is None else soft
    if not constraint.compliance:
        return question.right(rows)
    return [0.0] * constraint.count if question.still else push(rows, constraint.compliance)


def over(values: Scalars, h: Scalar) -> Scalars:
    """Errors of velocities as the accelerations that take them away within a step."""
    per_second = 1 / h
    return [x * per_second for x in values]


def held(rows: Rows) -> Scalars:
    """Errors of positions, 0 for rows that are on velocities alone."""
    return rows.error if rows.error is not None else [0.0] * len(rows.rate)


def constrained(
    tree: Straight, mechanism: Mechanism, closed: ClosedPlan, relative: Sequence[bool], numbers: Numbers,
    programs: ConstraintPrograms, t: Scalar, still: bool, h: Scalar | None = None, ahead: Scalar = 0,
    pushes: TreePushes | None = None,
) -> Constrained:  # fmt: skip
    """The rows of a traced tree, after its velocities; `still` sets forces, gyroscopic ones too, to zero after that.

    With h, the length of an implicit step, links know what they lack, and move no more; accelerations are given, or
    nothing accelerates.
    """
    implicit = MISSING if "qdd" in tree.rows else LACKING
    tree.run(FIRST if h is None else implicit)
    frames = LinkFrames(tree.records, closed.plan.parents)
    X = [poses_of(row) for row in frame_variables(tree.variables, numbers)[: len(mechanism.constraints)]]

    def coordinate(place: tuple[int, int]) -> tuple[Scalar, Scalar]:
        return coordinate_pair(tree, mechanism, place)

    def rows_of(constraint: Constraint, *arguments: Any) -> Rows:
        return programs.rows(tree.variables.graph, constraint, *arguments)

    rows = constraint_rows(closed, mechanism.constraints, relative, frames, X, coordinate, t, rows_of)
    give_forces(tree, mechanism, closed)
    if still or h is not None:
        tree.root.alpha, tree.root.acceleration = zeros(6), zeros(3)
    for record in tree.records if still else ():
        record.tau, record.a, record.b, record.g = zeros(len(record.qd)), zeros(6), zeros(6), zeros(3)
        record.second, record.up = zeros(len(record.qd)), zeros(3)
    if h is not None and pushes:
        pushes.begin(tree, mechanism, frames, h, ahead)
    for record in tree.records if h is not None else ():
        record.h, record.second = vector(h), zeros(len(record.qd))
        soften(record, ahead)
    give_leads(tree.records, closed.plan.parents, tree.root.acceleration, merge_nodes)
    return Constrained(tree, mechanism, closed, relative, frames, rows, still, h, pushes)


def coordinate_pair(tree: Straight, mechanism: Mechanism, place: tuple[int, int]) -> tuple[Scalar, Scalar]:
    """A coordinate and its rate."""
    body, k = place
    own = mechanism.bodies[body]
    return tree.rows["q"][own.q.start + k], tree.rows["v"][own.v.start + (own.joint.velocity_of(k) or 0)]


def merge_nodes(values: list[Scalar]) -> list[Scalar]:
    """Equal expressions made one."""
    return list(merge_identities(values)) if any(isinstance(x, Node) for x in values) else values


def give_forces(tree: Straight, mechanism: Mechanism, closed: ClosedPlan) -> None:
    """Forces on joints that have coordinates of their own, and how the others follow."""
    tau = vector(*tree.rows["tau"]) if "tau" in tree.rows else zeros(mechanism.nv)
    for link, record, own in zip(closed.plan.links, tree.records, velocities(mechanism, closed), strict=True):
        follows = link.body >= 0 and bool(mechanism.bodies[link.body].joint.follows)
        record.tau = record.passive if follows else record.passive + tau[own]
        record.Phi, record.second = zeros(len(record.qd), 0), zeros(len(record.qd))
        if link.columns.driven and tree.expanded:
            record.Phi, record.second = tree.expanded.Phi[link.v, own], tree.expanded.second[link.v]


def velocity_place(mechanism: Mechanism, closed: ClosedPlan, place: tuple[int, int]) -> tuple[int, int]:
    """The link of a coordinate, and which of its velocities is its rate."""
    return link_coordinate(mechanism, closed.plan, place)


def link_coordinate(mechanism: Mechanism, plan: Plan, place: tuple[int, int]) -> tuple[int, int]:
    """The same in a plan without closures."""
    body, k = place
    velocity = mechanism.bodies[body].joint.velocity_of(k)
    assert velocity is not None  # refused when the constraint was made
    return plan.link_of(body), velocity


def frame_variables(variables: Variables, numbers: Numbers) -> list[list[Scalar]]:
    """The numbers of constraints' frames, and those of pushes, over the variables of a trace."""
    at, made = numbers.starts()[-1] + 3, []
    for values in numbers.frames:
        made.append([variables.number(at + k) for k in range(len(values))])
        at += len(values)
    return made


def poses_of(row: Sequence[Scalar]) -> list[Pose]:
    """Frames from their numbers."""
    parts = [row[k : k + FRAME] for k in range(0, len(row), FRAME)]
    return [Pose((Translation(tuple(x[9:])), Turn(vector(*x[:9]).reshape(3, 3)))) for x in parts]
