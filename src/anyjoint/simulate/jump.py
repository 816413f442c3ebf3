"""Joints and constraints that jump where cases of a function change: energy would jump with them, so find that.

`aj.select`, `abs`, `floor`, tables and the like make a function of pieces. Two states on different pieces are parted by
a switch; just before and just behind it, poses and their derivatives must agree. Of rows on coordinates and time only
the values must: where slopes jump, velocities do, by an impulse that keeps the rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property

import numpy as np

from anyjoint.constraints import FunctionConstraint
from anyjoint.frozen import frozen
from anyjoint.joints import Joint
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.probing import joint_pose, made_of_pieces
from anyjoint.scalar import Scalar
from anyjoint.scalar.array import Floats
from anyjoint.stepper.physics import has_chart, joint_key
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.derivative import jacobian
from anyjoint.symbolic.interpret import evaluate, evaluate_ids
from anyjoint.symbolic.ops import PIECES
from anyjoint.symbolic.rewrite import reachable

from .way import periods_of, way

ROUNDS, PARTS = 8, 64  # 64^-8 of a step: down to rounding
AT_ONCE = 32  # switches that are looked at within one step
JUMP = 1e-6  # of the numbers' own size; what is continuous changes by rounding only


@frozen(eq=False)
class Pieces:
    """A joint's pose, or rows, as expressions of coordinates, and the nodes that decide between cases."""

    graph: Graph
    q: tuple[Node, ...]
    values: tuple[Node, ...]
    deciders: tuple[int, ...]
    slopes: bool = True  # whether derivatives must not jump, too
    passed: set[bytes] = field(default_factory=set)  # switches of one coordinate that are known to be smooth

    def cases(self, q: Floats) -> Floats:
        """On which piece each decider is, (deciders, n), at coordinates (n, nq)."""
        g = self.graph
        deciding = [(*PIECES[g.op[i]], (g.a[i], g.b[i])) for i in self.deciders]
        rules = [(rule, operands[:count]) for count, rule, operands in deciding]
        given = dict(zip((node.id for node in self.q), np.ascontiguousarray(q.T), strict=True))
        known = evaluate_ids(g, [i for _, ids in rules for i in ids], given)
        with np.errstate(all="ignore"):
            found = [rule(*(known[i] for i in ids)) for rule, ids in rules]
        # What is undefined, in a case that is not taken, is a case like others.
        return np.asarray(np.nan_to_num(np.array([np.broadcast_to(x, len(q)) for x in found], dtype=float)))

    @cached_property
    def smooth(self) -> list[Scalar]:
        """What must not jump: values, and their derivatives by all coordinates."""
        if not self.slopes:
            return list(self.values)
        return [*self.values, *jacobian(list(self.values), list(self.q), method="forward").ravel()]

    def jumps(self, before: Floats, behind: Floats) -> bool:
        """Whether poses or their derivatives differ at two places that are next to each other."""
        columns = np.ascontiguousarray(np.stack([before, behind]).T)
        values = evaluate(self.smooth, dict(zip(self.q, columns, strict=True)))
        a, b = np.stack([np.broadcast_to(x, 2) for x in values], axis=1).astype(float)
        with np.errstate(invalid="ignore"):  # where something is not finite, others notice
            return bool((np.abs(a - b) > JUMP * np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))).any())

    def first(self, own: Floats, periods: Floats) -> tuple[int, float, Floats] | None:
        """The first step (k, k + 1) of a path in which something jumps, the share of it, and the place."""
        cases = self.cases(own)
        for k in np.flatnonzero((cases[:, 1:] != cases[:, :-1]).any(axis=0)):
            there = way(own[k], own[k + 1], periods)
            for low, high in self._switches(own[k], there):
                if self.jumps(own[k] + low * there, own[k] + high * there):
                    return int(k), high, own[k] + high * there
        return None

    def _switches(self, begin: Floats, there: Floats) -> Iterator[tuple[float, float]]:
        """Where on the way from `begin` cases change: the last share before and the first behind, one by one."""
        start = 0.0
        for _ in range(AT_ONCE):
            low, high = start, 1.0
            for _ in range(ROUNDS):
                shares = np.linspace(low, high, PARTS + 1)
                cases = self.cases(begin + shares[:, None] * there)
                changed = np.flatnonzero((cases[:, 1:] != cases[:, :1]).any(axis=0))
                if not len(changed):
                    return
                low, high = shares[changed[0]], shares[changed[0] + 1]
                known = len(begin) == 1 and np.stack([cases[:, changed[0]], cases[:, changed[0] + 1]]).tobytes()
                if known and known in self.passed:
                    break
            else:
                yield float(low), float(high)
                if known:
                    self.passed.add(known)
            start = float(high)


@frozen(eq=False)
class JumpWatch:
    """A body whose joint is made of pieces; `q` are the coordinates that move it, with their periods if they wrap."""

    body: str
    names: tuple[str, ...]
    q: slice
    periods: Floats
    pieces: Pieces

    def first(self, t: Floats, q: Floats) -> tuple[int, float, Floats] | None:
        """The first step (k, k + 1) of a path in which the joint jumps, the share of it, and the place."""
        return self.pieces.first(q[:, self.q], self.periods)

    def sentence(self, at: Floats) -> str:
        """What happened at these coordinates."""
        where = ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.names, at, strict=True))
        return (
            f"the joint of body {self.body!r} jumps at {where}: its pose or its velocity is another on the other side, "
            "and energy would jump with it; let its cases (select, abs, floor, tables, pieces of splines) meet with "
            "equal values and equal first derivatives"
        )


@frozen(eq=False)
class RowWatch:
    """A constraint on coordinates and time, such as a motion that is given, which is made of pieces."""

    described: str
    names: tuple[str, ...]
    columns: tuple[int, ...]
    pieces: Pieces

    def first(self, t: Floats, q: Floats) -> tuple[int, float, Floats] | None:
        """The first step (k, k + 1) of a path in which the rows jump, the share of it, and the place."""
        own = np.column_stack([q[:, self.columns], t])
        return self.pieces.first(own, np.zeros(own.shape[1]))

    def sentence(self, at: Floats) -> str:
        """What happened at these coordinates, at this time."""
        where = ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.names, at, strict=True))
        return (
            f"{self.described} jumps at {where}: bodies would have to be elsewhere at once; let its cases (select, "
            "floor, tables) meet with equal values"
        )


def row_watches(mechanism: Mechanism) -> tuple[RowWatch, ...]:
    """All constraints on coordinates and time alone that may jump."""
    found = []
    for constraint in mechanism.constraints:
        if isinstance(constraint, FunctionConstraint) and constraint.holonomic and not constraint.bodies:
            graph = Graph()
            z = [graph.variable("q") for _ in (*constraint.coordinates, "t")]
            rows = constraint.function.entries(constraint.arguments([], [], z[:-1], [], z[-1]))
            made = made_of(graph, z, rows, slopes=False)
            places = [(mechanism.bodies[body], k) for body, k in constraint.coordinates]
            if made:
                names = (*(body.coordinate_names[k] for body, k in places), "t")
                columns = tuple(body.q.start + k for body, k in places)
                found.append(RowWatch(constraint.described, names, columns, made))
    return tuple(found)


def jump_watches(mechanism: Mechanism) -> tuple[JumpWatch, ...]:
    """All joints of a mechanism that are made of pieces which nobody has proved to fit together."""
    traced: dict[Hashable, Pieces | None] = {}
    found = []
    for body in mechanism.bodies:
        leader = mechanism.leader(body)
        if not leader.joint.nq or not made_of_pieces(body.joint) or _has_two_charts(body.joint):
            continue
        key = joint_key(body.joint)
        if key not in traced:
            traced[key] = _pieces(body.joint, leader.joint)
        made = traced[key]
        if made:
            coordinates = leader.joint.coordinates
            names = tuple(c.name for c in coordinates)
            found.append(JumpWatch(body.name, names, leader.q, periods_of(coordinates), made))
    return tuple(found)


def _has_two_charts(joint: Joint) -> bool:
    """Whether coordinates themselves jump, to another chart of a rolling surface: the same pose, by another piece."""
    return joint.changes_pieces and has_chart(joint)


def _pieces(joint: Joint, leader: Joint) -> Pieces | None:
    graph = Graph()
    q = [graph.variable("q", c.domain) for c in leader.coordinates]
    return made_of(graph, q, joint_pose(joint, q).matrix.flat)


def made_of(graph: Graph, q: Sequence[Node], values: Iterable[Scalar], slopes: bool = True) -> Pieces | None:
    """Values as pieces, or None where nothing decides between cases."""
    moving = tuple(x for x in values if isinstance(x, Node))
    deciders = tuple(i for i in reachable(graph, [x.id for x in moving]) if graph.op[i] in PIECES)
    return Pieces(graph, tuple(q), moving, deciders, slopes) if deciders else None
