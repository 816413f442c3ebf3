"""What links hand to their parents while unknowns pass them: J, b, U, D, r and s, each column where it lands.

s is what the diagonal of D was made from, so that rows which others imply can be told.
"""

from collections.abc import Sequence

from anyjoint.joints.product_rule import columns
from anyjoint.scalar import Scalar
from anyjoint.spatial import BlockInertia, Matrix, Pose, Vector, dot, plus_dot, vector, zeros
from anyjoint.tree.columns import Columns
from anyjoint.tree.record import Record

from .algorithm import Parent
from .velocity import centripetal_acceleration


def received(body: Record) -> tuple[BlockInertia, Vector, Matrix, list[Scalar], Vector, list[Scalar]]:
    """J, b, U, D by its lower triangle, r and s: the link's own and what its children have handed in."""
    front: Columns = body.columns
    U = zeros(6, front.width)
    for k, column in enumerate(front.starts):
        U[:, column] = wrench(body, k)
    parts = [body.handed(name) for name in ("U", "D", "r", "s")]
    own = [U, zeros(len(pairs(front.width))), zeros(front.width), zeros(front.width)]
    U, D, r, s = (x if y is None else x + y for x, y in zip(own, parts, strict=True))
    J, b = body.handed("J"), body.handed("b")
    J, b = body.J if J is None else body.J + J, body.b if b is None else body.b + b
    return J, b, U, list(D), r, list(s)


def working(body: Record) -> tuple[BlockInertia, Vector, Matrix, list[Scalar], Vector, list[Scalar]]:
    """The same in the joint's working frame."""
    J, b, U, D, r, s = received(body)
    r = vector(*(plus_dot(x, column[3:], body.g) for x, column in zip(r, U.T, strict=True)))
    b = body.W.force(b + J @ centripetal_acceleration(body))
    return body.W.inertia(J), b, forces(body.W, U), D, r, s


def wrench(body: Record, k: int) -> Vector:
    """Column k of the rows that touch a link."""
    column: Vector = body.K[6 * k : 6 * k + 6]
    return column


def on_joint(body: Record, k: int) -> Vector:
    """Column k of the rows that touch a link's coordinates."""
    n = len(body.qd)
    column: Vector = body.N[n * k : n * k + n]
    return column


def hand_on(
    body: Record, parent: Parent, J: BlockInertia | None, b: Vector | None, U: Matrix, D: Sequence[Scalar], r: Vector,
    s: Sequence[Scalar],
) -> None:  # fmt: skip
    """Hand the form to the parent, its columns where they land there."""
    front = body.columns
    if J is not None and b is not None and not front.to_ground:
        parent.add("J", body.A.inertia(J))
        parent.add("b", body.A.force(b))
    if not front.lands:
        return
    U = forces(body.A, U)
    if front.to_ground:
        r, U = r + falling(body, U), zeros(*U.shape)
    wide, places = zeros(6, front.above), {key: k for k, key in enumerate(pairs(front.above))}
    triangle, rest, scale = zeros(len(places)), zeros(front.above), zeros(front.above)
    for k, column in enumerate(front.lands):
        wide[:, column], rest[column], scale[column] = U[:, k], r[k], s[k]
    for (i, j), x in zip(pairs(len(front.lands)), D, strict=True):
        a, c = front.lands[i], front.lands[j]
        triangle[places[max(a, c), min(a, c)]] = x
    for name, value in (("U", wide), ("D", triangle), ("r", rest), ("s", scale)):
        parent.add(name, value)


def falling(body: Record, U: Matrix) -> Vector:
    """U^T alpha of the ground, which accelerates against gravity."""
    return vector(*(dot(column, body.up) for column in U[3:].T))


def forces(pose: Pose, U: Matrix) -> Matrix:
    """Columns of wrenches through a pose."""
    return columns([pose.force(U[:, k]) for k in range(U.shape[1])]) if U.shape[1] else U


def pairs(width: int) -> list[tuple[int, int]]:
    """The lower triangle by rows."""
    return [(i, j) for i in range(width) for j in range(i + 1)]
