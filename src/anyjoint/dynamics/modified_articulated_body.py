"""Modified articulated-body method [PAK section 7]: pivots computed stably, whatever the ratio of masses.

The paper computes D = H^T M H + H^T M~ H from the body's own inertia M and the projected inertia M~ of its children,
so that a small M survives next to a large M~. That helps only as far as M~ itself is accurate: its large entries must
cancel where light links carry a heavy tip. So the two are not only kept apart but never multiplied out: inertias are
stacks of rows (square_root.py), a pivot is a sum of squares, and a large row that a joint sets free is dropped whole.
"""


import numpy as np

from anyjoint.scalar import known, sqrt
from anyjoint.spatial import Matrix, Pose, Vector, dot, vector, zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .articulated_body import is_free, unit_columns
from .square_root import compress, eliminate_column, rows_of
from .velocity import centripetal_acceleration, spin


def velocities(body: Record, parent: Parent) -> None:
    """Outward: angular velocities and velocity products, without gyroscopic wrenches: the rows bring them."""
    spin(body, parent)


def inertias(body: Record, parent: Parent) -> None:
    """Inward: rotate the joint's columns into the first rows, keep those, hand the others on."""
    rows = _gather(body, rows_of(body.J, body.w))
    rows = _seen_through(body.W, rows, centripetal_acceleration(body))
    w = body.W.force(body.plus("w", zeros(6)))
    rows = _seen_through(Pose(), rows, body.a)
    S = body.S_A + body.S_B
    body.R, rows = _triangular(_with_armature(rows, body.armature), S)  # D = R^T R
    body.T = rows[: S.shape[1]]
    body.u = _solve_lower(body.R.T, body.tau - S.T @ w)
    parent.add("w", body.A.force(w + body.T[:, :6].T @ body.u))
    free = unit_columns(S) if is_free(body) else {}
    rest = rows[S.shape[1] :]
    for row in free:
        rest[:, row] = 0  # G S = 0, exactly
    parent.add(f"rows {body.elders}", _seen_through(body.A, compress(rest, free), zeros(6)))


def accelerations(body: Record, parent: Parent) -> None:
    """Outward: joint accelerations from R qdd = u - T alpha, and body accelerations."""
    alpha = body.A.motion(parent.alpha)
    body.qdd = _solve_upper(body.R, body.u - body.T[:, 6] - body.T[:, :6] @ alpha)
    alpha = alpha + body.a + (body.S_A + body.S_B) @ body.qdd
    body.alpha = body.W.motion(alpha) + centripetal_acceleration(body)


def _gather(body: Record, own: Matrix) -> Matrix:
    """The body's own rows above those of its children, each child's under its own name."""
    stack, k = [], 0
    while (handed := body.handed(f"rows {k}")) is not None:
        stack.append(handed)
        k += 1
    return np.vstack([*stack, own])


def _seen_through(pose: Pose, rows: Matrix, acceleration: Vector) -> Matrix:
    """Rows for accelerations of the pose's parent side; `acceleration` is added on the way."""
    out = zeros(*rows.shape)
    for k, row in enumerate(rows):
        out[k, :6] = pose.force(row[:6])
        out[k, 6] = row[6] + dot(row[:6], acceleration)
    return out


def _with_armature(rows: Matrix, armature: Vector) -> Matrix:
    """Rows with one more entry per velocity, and a row for each velocity that the joint alone feels."""
    rotors = [k for k, x in enumerate(armature) if known(x) != 0.0]
    out = zeros(len(rows) + len(rotors), 7 + len(armature))
    out[: len(rows), :7] = rows
    for k, j in enumerate(rotors, len(rows)):
        out[k, 7 + j] = sqrt(armature[j])
    return out


def _triangular(rows: Matrix, S: Matrix) -> tuple[Matrix, Matrix]:
    """(R, rows) with G S = [R; 0] and R upper triangular; entries from the seventh on are the joint's own."""
    n = S.shape[1]
    R = zeros(n, n)
    for j in range(n):
        felt = [dot(row[:6], S[:, j]) + row[7 + j] for row in rows[j:]]
        rows[j:], R[j, j] = eliminate_column(rows[j:], felt)
        for k in range(j + 1, n):
            R[j, k] = dot(rows[j, :6], S[:, k]) + rows[j, 7 + k]
    return R, rows[:, :7]


def _solve_lower(L: Matrix, b: Vector) -> Vector:
    x = zeros(len(b))
    for i in range(len(b)):
        x[i] = (b[i] - dot(L[i, :i], x[:i])) / L[i, i]
    return x


def _solve_upper(R: Matrix, b: Vector) -> Vector:
    return vector(*_solve_lower(R[::-1, ::-1], b[::-1])[::-1])


MODIFIED_ARTICULATED_BODY = algorithm(
    "modified-articulated-body",
    ("outward", velocities),
    ("inward", inertias),
    ("outward", accelerations),
    results=["qdd"],
    inputs=["q", "v", "tau"],
    siblings=True,
)
