"""Pushes traced once per kind: rows, efforts and their slopes as expressions of the links that they touch."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from anyjoint.constraints import Push, Touched
from anyjoint.constraints.push import Scalars
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, absolute, known, less, maximum, select
from anyjoint.spatial import Matrix, Pose, Translation, Turn, Twist, Vector, as_matrix, cross, skew, vector, zeros
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.derivative import hessian, jacobian
from anyjoint.symbolic.rewrite import substitute

from .constraint_program import entries, seen_variables
from .simplified import Simplified


@frozen
class Pushed:
    """A push over a step of length h: y + W (K . x) along its rows, where x are accelerations, as multipliers.

    K are six numbers by rows for each body that moves, N one by row for each coordinate. `bend` (6, 6) and `turn` (6)
    are what a body feels because rows turn with it: h^2 times how K y changes with a small motion, and what that makes
    of its twist in the time that bodies go on at their velocities.
    """

    K: list[Matrix]
    N: list[Vector]
    y: Vector
    W: Matrix
    bend: list[Matrix]
    turn: list[Vector]

    @property
    def parts(self) -> list[Scalar]:
        """All values, to be taken apart."""
        return [self.K, self.N, self.y, self.W, self.bend, self.turn]


class PushPrograms:
    """Pushes, differentiated and simplified once for each kind; of `loose` ones slopes are left out."""

    def __init__(self, loose: bool = False) -> None:
        self.loose = loose
        self._programs: dict[Hashable, Simplified] = {}
        self._natures: dict[Hashable, tuple[bool, int, tuple[bool, ...]]] = {}

    def nature(self, push: Push) -> tuple[bool, int, tuple[bool, ...]]:
        """Whether what it pushes with changes with positions or velocities, how many rows it has, and which turn."""
        if push.kind not in self._natures:
            made = self._program(push)
            _, _, y, W, bend, _ = made.rebuild(made.outputs)
            self._natures[push.kind] = _moves(W), len(y), tuple(_moves(b) for b in bend)
        return self._natures[push.kind]

    def at(
        self, graph: Graph, push: Push, bodies: Sequence[Touched], q: Scalars, qd: Scalars, numbers: Scalars,
        signals: Scalars, h: Scalar, ahead: Scalar,
    ) -> Pushed:  # fmt: skip
        """A push in a graph; `bodies` are those that move. `ahead` is how long they go on at their velocities."""
        values = [x for body in bodies for x in entries(body)] + [*q, *qd, *numbers, *signals, h, ahead]
        return Pushed(*self._program(push).at(graph, values))

    def _program(self, push: Push) -> Simplified:
        if push.kind not in self._programs:
            self._programs[push.kind] = _traced(push, self.loose)
        return self._programs[push.kind]


def _traced(push: Push, loose: bool) -> Simplified:
    g = Graph()
    moving = [seen_variables(g) for body in push.bodies if body >= 0]
    q, qd = ([g.variable(name) for _ in push.coordinates] for name in ("q", "v"))
    numbers, signals = [g.variable("p") for _ in push.numbers], [g.variable("s") for _ in push.signals]
    h, ahead = g.variable("h"), g.variable("t")
    if push.velocity:
        pushed = _by_speeds(g, push, moving, q, qd, numbers, signals, h)
    else:
        pushed = _by_places(g, push, moving, q, qd, numbers, signals, h, ahead, loose)
    variables = [x for body in moving for x in entries(body)] + [*q, *qd, *numbers, *signals, h, ahead]
    return Simplified.of(g, variables, pushed.parts)


def _moves(matrix: Matrix) -> bool:
    return any(known(x) != 0 for x in matrix.flat)


def _by_places(
    g: Graph, push: Push, moving: Sequence[Touched], q: Scalars, qd: Scalars, numbers: Scalars, signals: Scalars,
    h: Scalar, ahead: Scalar, loose: bool,
) -> Pushed:  # fmt: skip
    """Rows are derivatives of what is measured, along small motions of the links and by the coordinates."""
    z = [[g.variable("z") for _ in range(6)] for _ in moving]
    still = {x: 0.0 for row in z for x in row}
    s = [g.as_node(x) for x in push.measured(_poses(push, moving, z, push.exact), [], q, qd, numbers)]
    at = jacobian(s, [*still, *q])
    rows = np.array(substitute(list(at.flat), still), dtype=object).reshape(at.shape)
    speeds = [*(x for body in moving for x in (*body.w, *body.u)), *qd]
    rate = list(rows @ vector(*speeds)) if speeds else [0.0] * len(s)
    K, N = _split(rows, len(moving))
    if loose:
        efforts = push.efforts(substitute(s, still), rate, numbers, signals)
        y = vector(*(-g.as_node(x) for x in efforts))
        return Pushed(K, N, y, zeros(len(y), len(y)), [zeros(6, 6) for _ in moving], [zeros(6) for _ in moving])
    y, C, B = _slopes(g, push, substitute(s, still), rate, numbers, signals)
    if push.exact:
        bend = [_bend(g, s, y, row, still) for row in z]
    else:  # sizes of entries are those in bodies' own frames: the frames of links are ours, and steps must not see them
        own = [g.as_node(x) for x in push.measured(_poses(push, moving, z, own=True), [], q, qd, numbers)]
        sized = [not_negative(_bend(g, own, y, row, still)) for row in z]
        bend = [_seen_from(body.X, b) for body, b in zip(moving, sized, strict=True)]
    twists = [np.concatenate([body.w, body.u]) for body in moving]
    turn = [ahead * (b @ twist) for b, twist in zip(bend, twists, strict=True)]
    return Pushed(K, N, y + ahead * (C @ vector(*rate)), h * (B + h * C), [h * h * b for b in bend], turn)


def _by_speeds(
    g: Graph, push: Push, moving: Sequence[Touched], q: Scalars, qd: Scalars, numbers: Scalars, signals: Scalars,
    h: Scalar,
) -> Pushed:  # fmt: skip
    """Rows are derivatives of the speeds that are measured, which are linear in twists and rates."""
    z = [[0.0] * 6 for _ in moving]
    seen = iter([body.X.motion(np.concatenate([body.w, body.u])) for body in moving])
    standing = Twist(zeros(3), zeros(3))
    twists = [standing if body < 0 else Twist(*np.split(next(seen), 2)) for body in push.bodies]
    poses = _poses(push, moving, z)
    rate = [g.as_node(x) for x in push.measured(poses, twists, q, qd, numbers)]
    speeds = [*(x for body in moving for x in (*body.w, *body.u)), *qd]
    y, _, B = _slopes(g, push, push.sight(poses, q, numbers), rate, numbers, signals)
    K, N = _split(jacobian(rate, speeds), len(moving))
    return Pushed(K, N, y, h * B, [zeros(6, 6) for _ in moving], [zeros(6) for _ in moving])


def _seen_from(X: Pose, matrix: Matrix) -> Matrix:
    """A symmetric form of a body's twists as one of its link's."""
    A: Matrix = np.array([X.motion(e) for e in as_matrix(np.eye(6, dtype=int))], dtype=object)
    made: Matrix = A @ matrix @ A.T
    return made


def _poses(
    push: Push, moving: Sequence[Touched], z: Sequence[Sequence[Scalar]], along_screws: bool = False, own: bool = False
) -> list[Pose]:
    """Poses of the bodies of a push whose links have moved a little; or which have, in frames of their `own`."""
    made = iter([_displaced(body, vector(*row), along_screws, own) for body, row in zip(moving, z, strict=True)])
    return [Pose() if body < 0 else next(made) for body in push.bodies]


def not_negative(matrix: Matrix) -> Matrix:
    """A symmetric matrix with more on its diagonal, where others outweigh that: at least what it was, and positive."""
    made = matrix + 0
    for i, row in enumerate(matrix):
        others = sum((_size(x) for k, x in enumerate(row) if k != i and known(x) != 0), 0.0)
        made[i, i] = maximum(row[i], others)
    return made


def _size(x: Scalar) -> Scalar:
    """|x|, level at 0: in a plane of symmetry, derivatives across it are the mean of those to either side, 0."""
    size = absolute(x)
    return select(less(0.0, size), size, 0.0)


def _displaced(body: Touched, xi: Vector, along_screws: bool, own: bool) -> Pose:
    """Beyond where a link or body is, to second order, so that second derivatives are symmetric slopes of wrenches.

    Along a screw exp(xi), or turning while the origin goes straight: then nothing turns with where the origin is.
    """
    turn, way = skew(xi[:3]), xi[3:] + (cross(xi[:3], xi[3:]) / 2 if along_screws else 0)
    R, p = body.X.behind(body.R, body.p) if own else (body.R, body.p)
    moved = Pose((Translation(tuple(p + R @ way)), Turn(R + R @ (turn + turn @ turn / 2))))
    return moved if own else moved @ body.X


def _slopes(
    g: Graph, push: Push, s: Scalars, rate: Scalars, numbers: Scalars, signals: Scalars
) -> tuple[Vector, Matrix, Matrix]:
    """What a push pushes with against its efforts, and how that changes with s and sdot: symmetric parts."""
    at, going = [g.variable("s") for _ in s], [g.variable("r") for _ in rate]
    y = [-g.as_node(e) for e in push.efforts(at, going, numbers, signals)]
    C, B = zeros(len(y), len(y)) if push.velocity else jacobian(y, at), jacobian(y, going)
    there: dict[Node, Scalar] = dict(zip(going, rate, strict=True)) | dict(zip(at, s, strict=True))
    flat = [*y, *((C + C.T) / 2).flat, *((B + B.T) / 2).flat]
    found, n = substitute([g.as_node(x) for x in flat], there), len(y)
    split = vector(*found[:n]), vector(*found[n : n + n * n]), vector(*found[n + n * n :])
    return split[0], split[1].reshape(n, n), split[2].reshape(n, n)


def _bend(g: Graph, s: Scalars, y: Vector, z: Sequence[Node], still: dict[Node, float]) -> Matrix:
    """How y . ds/dz changes with z where y does not."""
    held = [g.variable("y") for _ in s]
    total: Scalar = sum((a * b for a, b in zip(held, s, strict=True)), 0.0)
    second = hessian(total, list(z))
    found = substitute(list(second.flat), {**still, **dict(zip(held, y, strict=True))})
    return vector(*found).reshape(6, 6)


def _split(rows: Matrix, bodies: int) -> tuple[list[Matrix], list[Vector]]:
    """(m, 6 bodies + coordinates) as (6, m) for each body and (m) for each coordinate."""
    K = [rows[:, 6 * i : 6 * i + 6].T for i in range(bodies)]
    return K, [rows[:, k] for k in range(6 * bodies, rows.shape[1])]

