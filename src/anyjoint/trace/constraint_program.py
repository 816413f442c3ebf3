"""Rows of functions of users, differentiated and simplified once for each function."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence

from anyjoint.constraints import Constraint, FunctionConstraint, Loop, Rows, Touched
from anyjoint.errors import AnyjointError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Matrix, Pose, Translation, Turn, Twist, Vector, vector
from anyjoint.symbolic import Graph, Node

from .simplified import Simplified


@frozen
class Seen:
    """A link as a program sees it: all of it variables."""

    R: Matrix
    p: Vector
    w: Vector
    u: Vector
    X: Pose


class ConstraintPrograms:
    """Rows of functions of users, differentiated and simplified once for each function."""

    def __init__(self) -> None:
        self._programs: dict[Hashable, Simplified] = {}
        self._identities: dict[Hashable, str | None] = {}

    def identity(self, constraint: Constraint) -> Hashable:
        """What tells rows apart in every process: of a function, all that it computes; None if that is not known."""
        if not isinstance(constraint, FunctionConstraint):
            return row_kind(constraint)
        key = (constraint.function, len(constraint.bodies), len(constraint.coordinates), constraint.time)
        if key not in self._identities:
            self._identities[key] = _computed(constraint)
        own = constraint.compliance, constraint.count, constraint.time, constraint.function.velocity
        return None if self._identities[key] is None else (*own, self._identities[key])

    def rows(
        self, graph: Graph, constraint: Constraint, bodies: Sequence[Touched], q: Sequence[Scalar],
        qd: Sequence[Scalar], t: Scalar,
    ) -> Rows:  # fmt: skip
        """The rows of a constraint in a graph."""
        if not isinstance(constraint, FunctionConstraint):
            return constraint.rows(bodies, q, qd, t)
        key = (constraint.function, len(bodies), len(q), constraint.time, constraint.count)
        if key not in self._programs:
            self._programs[key] = _traced(constraint)
        values = [x for body in bodies for x in entries(body)] + [*q, *qd, t]
        error, *rest = self._programs[key].at(graph, values)
        return Rows(error or None, *rest)


def row_kind(constraint: Constraint) -> Hashable:
    """What makes the rows of two constraints the same expressions."""
    own = constraint.compliance, constraint.count
    if isinstance(constraint, FunctionConstraint):
        return own, constraint.function
    assert isinstance(constraint, Loop)
    closing = constraint.closing
    return own, closing.shifts, closing.turns, closing.slides, closing.tilts, closing.cross


def _computed(constraint: FunctionConstraint) -> str | None:
    """A text for what a function computes of variables, equal in every process where that is the same."""
    g = Graph()

    def some(n: int) -> Vector:
        return vector(*(g.variable("x") for _ in range(n)))

    poses = [Pose((Translation(tuple(some(3))), Turn(some(9).reshape(3, 3)))) for _ in constraint.bodies]
    twists = [Twist(some(3), some(3)) for _ in constraint.bodies] if constraint.function.velocity else []
    n = len(constraint.coordinates)
    try:
        made = constraint.function.entries(constraint.arguments(poses, twists, some(n), some(n), g.variable("t")))
    except AnyjointError:  # what is wrong with the function is told elsewhere
        return None
    ids = [x.id if isinstance(x, Node) else g.constant_id(x) for x in made]
    everything = ids, g.op, g.a, g.b, g.c, [x.hex() for x in map(float, g.constants)], g.tables
    return hashlib.sha256(repr(everything).encode()).hexdigest()


def entries(body: Touched) -> list[Scalar]:
    """All that a program sees of a link."""
    return [*body.R.ravel(), *body.p, *body.w, *body.u, *body.X.R.ravel(), *body.X.p]


def _traced(constraint: FunctionConstraint) -> Simplified:
    g = Graph()
    bodies = [seen_variables(g) for _ in constraint.bodies]
    q, qd = ([g.variable(name) for _ in constraint.coordinates] for name in ("q", "v"))
    t = g.variable("t")
    rows = constraint.rows(bodies, q, qd, t)
    parts = [rows.error or [], rows.rate, rows.K, rows.N, rows.gamma]
    return Simplified.of(g, [x for b in bodies for x in entries(b)] + [*q, *qd, t], parts)


def seen_variables(g: Graph) -> Seen:
    """A link that is all variables."""

    def some(name: str, n: int) -> Vector:
        return vector(*(g.variable(name) for _ in range(n)))

    R, p, w, u = some("R", 9).reshape(3, 3), some("p", 3), some("w", 3), some("u", 3)
    return Seen(R, p, w, u, Pose((Translation(tuple(some("X", 3))), Turn(some("X", 9).reshape(3, 3)))))
