"""Inertias as stacks of rows: J = G^T G, joined and reduced by rotations of rows, over any scalar.

A row holds six entries g and a seventh, its own part beta of the bias: a stack means the sum of g^T (g alpha + beta).
Rotations mix rows of very different size without losing the small ones, which sums of squares cannot do.
"""

from collections.abc import Collection, Sequence

from anyjoint.scalar import Scalar, known, less, select, sqrt
from anyjoint.spatial import BlockInertia, Matrix, Vector, cross, dot, skew, vector, zeros


def rows_of(J: BlockInertia, w: Vector) -> Matrix:
    """Six rows of a rigid body with angular velocity w, alpha being ordinary accelerations of the frame's origin."""
    mass = J.C[0, 0]
    c = vector(J.B[2, 1], J.B[0, 2], J.B[1, 0]) * _reciprocal(mass)
    shift = skew(c)
    tensor = J.A + mass * (shift @ shift)  # about the centre of mass
    L, inverse = _cholesky(tensor)
    root = _root(mass)
    rows = zeros(6, 7)
    rows[:3, :3] = L.T
    rows[3:, :3], rows[3:, 6] = -root * shift, root * cross(w, cross(w, c))
    for k in range(3):
        rows[3 + k, 3 + k] = root
    couple = cross(w, tensor @ w)
    for i in range(3):  # beta = L^-1 (w x I w)
        rows[i, 6] = (couple[i] - dot(L[i, :i], rows[:i, 6])) * inverse[i]
    return rows


def eliminate_column(rows: Matrix, column: Sequence[Scalar]) -> tuple[Matrix, Scalar]:
    """Rotate rows so that `column`, one number per row, is left in the first row alone; the rows and that number."""
    rows, column = rows.copy(), list(column)
    for k in range(1, len(rows)):
        if known(column[k]) == 0.0:
            continue
        if known(column[0]) == 0.0:
            rows[0], rows[k], column[0] = rows[k].copy(), rows[0].copy(), column[k]
            continue
        square = column[0] * column[0] + column[k] * column[k]
        turning = less(0.0, square)  # two zeros need no rotation
        length = sqrt(square)
        divisor = select(turning, length, 1.0)
        c, s = select(turning, column[0], 1.0) / divisor, column[k] / divisor
        rows[0], rows[k] = c * rows[0] + s * rows[k], c * rows[k] - s * rows[0]
        column[0] = length
    return rows, column[0]


def compress(rows: Matrix, vanished: Collection[int]) -> Matrix:
    """As few rows with the same G^T G and G^T beta; the columns in `vanished` are exactly zero."""
    wanted = [k for k in range(6) if k not in vanished]
    rows = rows.copy()
    for n, k in enumerate(wanted):
        if len(rows) <= len(wanted):
            break
        rows[n:], rows[n, k] = _column(rows[n:], k)
    return rows[: len(wanted)]


def _column(rows: Matrix, k: int) -> tuple[Matrix, Scalar]:
    made, pivot = eliminate_column(rows, list(rows[:, k]))
    made[1:, k] = 0
    return made, pivot


def _cholesky(A: Matrix) -> tuple[Matrix, Vector]:
    """Lower L with L L^T = A, and reciprocals of its diagonal; directions without inertia get zeros."""
    L, inverse = zeros(3, 3), zeros(3)
    for j in range(3):
        pivot = A[j, j] - dot(L[j, :j], L[j, :j])
        inverse[j] = _reciprocal(_root(pivot))
        L[j, j] = _root(pivot)
        for i in range(j + 1, 3):
            L[i, j] = (A[i, j] - dot(L[i, :j], L[j, :j])) * inverse[j]
    return L, inverse


def _root(x: Scalar) -> Scalar:
    """sqrt(x), or 0 where rounding has made x negative."""
    value = known(x)
    if value is not None:
        return sqrt(x) if value > 0 else 0
    return sqrt(select(less(0.0, x), x, 0.0))


def _reciprocal(x: Scalar) -> Scalar:
    """1/x, or 0 where x is 0."""
    value = known(x)
    if value is not None:
        return 1 / x if value != 0 else 0
    positive = less(0.0, x)
    return select(positive, 1.0, 0.0) / select(positive, x, 1.0)
