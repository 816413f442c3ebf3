"""Spatial inertias as blocks, stored symmetric: J = [[A, B], [B^T, C]] maps a twist to a momentum."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar

from .algebra import Matrix, Vector, dot, minus_dot, plus_dot, skew, zeros

UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # entries of a symmetric matrix, row by row
RIGID = 10  # numbers of a rigid inertia: mass, its moments, the tensor


@frozen
class BlockInertia:
    """A symmetric 6x6 inertia; A and C are symmetric 3x3, B is general."""

    A: Matrix
    B: Matrix
    C: Matrix

    def __add__(self, other: BlockInertia) -> BlockInertia:
        return BlockInertia(add_symmetric(self.A, other.A), self.B + other.B, add_symmetric(self.C, other.C))

    def __matmul__(self, v: Vector) -> Vector:
        w, u = v[:3], v[3:]
        top = [plus_dot(dot(self.A[i], w), self.B[i], u) for i in range(3)]
        bottom = [plus_dot(dot(self.B[:, i], w), self.C[i], u) for i in range(3)]
        out = zeros(6)
        out[:] = top + bottom
        return out

    def shifted(self, p: Vector) -> BlockInertia:
        """Seen from a frame in which this one's origin is at p."""
        x, y, z = p
        A, B, C = self.A, self.B, self.B + skew(p) @ self.C
        # A + [p] B^T + C [p]^T entry by entry, where C is now the shifted B: products with the same factor are joined.
        A = symmetric_from(
            [
                A[0, 0] + (y * (B[0, 2] + C[0, 2]) - z * (B[0, 1] + C[0, 1])),
                A[0, 1] + (z * (C[0, 0] - B[1, 1]) + y * B[1, 2] - x * C[0, 2]),
                A[0, 2] + (y * (B[2, 2] - C[0, 0]) - z * B[2, 1] + x * C[0, 1]),
                A[1, 1] + (z * (B[1, 0] + C[1, 0]) - x * (B[1, 2] + C[1, 2])),
                A[1, 2] + (x * (C[1, 1] - B[2, 2]) + z * B[2, 0] - y * C[1, 0]),
                A[2, 2] + (x * (B[2, 1] + C[2, 1]) - y * (B[2, 0] + C[2, 0])),
            ]
        )
        return BlockInertia(A, C, self.C)

    def turned(self, R: Matrix) -> BlockInertia:
        """Seen from a frame in which this one's axes are the columns of R."""
        return BlockInertia(turn_symmetric(self.A, R), R @ self.B @ R.T, turn_symmetric(self.C, R))

    def minus_outer(self, U: Matrix, W: Matrix, vanishing: Collection[int] = ()) -> BlockInertia:
        """J - U W^T for 6xd matrices whose product is symmetric (the articulated-body update).

        Rows listed in `vanishing` are known to become exactly zero.
        """

        def entry(J: Matrix, i: int, j: int, row: int, column: int) -> Scalar:
            if row in vanishing or column in vanishing:
                return 0
            return minus_dot(J[i, j], U[row], W[column])

        B = zeros(3, 3)
        for i in range(3):
            for j in range(3):
                B[i, j] = entry(self.B, i, j, i, j + 3)
        A = symmetric(lambda i, j: entry(self.A, i, j, i, j))
        return BlockInertia(A, B, symmetric(lambda i, j: entry(self.C, i, j, i + 3, j + 3)))

    def matrix(self) -> Matrix:
        """The full 6x6 matrix."""
        return np.block([[self.A, self.B], [self.B.T, self.C]])

    def entries(self) -> list[Scalar]:
        """The 21 independent numbers: C and A by upper triangle, B by rows.

        In this order, because moving an inertia computes C first, B from C and A from B: few values wait in registers.
        """
        upper = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
        return [self.C[k] for k in upper] + list(self.B.ravel()) + [self.A[k] for k in upper]

    @staticmethod
    def from_entries(e: list[Scalar]) -> BlockInertia:
        """The inverse of `entries`."""
        B = np.array(e[6:15], dtype=object).reshape(3, 3)
        return BlockInertia(symmetric_from(e[15:]), B, symmetric_from(e[:6]))

    @staticmethod
    def zero() -> BlockInertia:
        return BlockInertia(zeros(3, 3), zeros(3, 3), zeros(3, 3))


def rigid(mass: Scalar, h: Vector, tensor: Matrix) -> BlockInertia:
    """A rigid body's inertia from mass, first moment h = m*c and tensor about the frame's origin [SG eq. 5]."""
    C = zeros(3, 3)
    C[0, 0] = C[1, 1] = C[2, 2] = mass
    return BlockInertia(tensor, skew(h), C)


def symmetric(entry: object) -> Matrix:
    """A symmetric 3x3 matrix from a function of (i, j) with i <= j."""
    out = zeros(3, 3)
    for i in range(3):
        for j in range(i, 3):
            out[i, j] = out[j, i] = entry(i, j)  # type: ignore[operator]
    return out


def symmetric_from(upper: list[Scalar]) -> Matrix:
    """A symmetric 3x3 matrix from its upper triangle by rows."""
    index = {(0, 0): 0, (0, 1): 1, (0, 2): 2, (1, 1): 3, (1, 2): 4, (2, 2): 5}
    return symmetric(lambda i, j: upper[index[i, j]])


def add_symmetric(X: Matrix, Y: Matrix) -> Matrix:
    return symmetric(lambda i, j: X[i, j] + Y[i, j])


def turn_symmetric(A: Matrix, R: Matrix) -> Matrix:
    """R A R^T by its upper triangle."""
    RA = R @ A
    return symmetric(lambda i, j: dot(RA[i], R[j]))


def _turn_pair(M: Matrix, row: int, s: Scalar, c: Scalar, i: int, j: int) -> tuple[Scalar, Scalar]:
    return c * M[row, i] - s * M[row, j], s * M[row, i] + c * M[row, j]


def rotate_symmetric(M: Matrix, s: Scalar, c: Scalar, cs: Scalar, ss: Scalar, i: int, j: int, k: int) -> Matrix:
    """R M R^T for an elementary rotation in the plane (i, j); cs, ss are shared by all blocks."""
    t = M[i, i] - M[j, j]
    u = ss * t + (2 * cs) * M[i, j]
    out = zeros(3, 3)
    out[k, k] = M[k, k]
    out[i, i], out[j, j] = M[i, i] - u, M[j, j] + u
    out[i, j] = out[j, i] = cs * t + (c * c - ss) * M[i, j]
    out[i, k], out[j, k] = out[k, i], out[k, j] = _turn_pair(M, k, s, c, i, j)
    return out


def rotate_general(M: Matrix, s: Scalar, c: Scalar, cs: Scalar, ss: Scalar, i: int, j: int, k: int) -> Matrix:
    """R M R^T for an elementary rotation and a general block."""
    t, w = M[i, i] - M[j, j], M[i, j] + M[j, i]
    u, x = ss * t + cs * w, cs * t - ss * w
    out = zeros(3, 3)
    out[k, k] = M[k, k]
    out[i, i], out[j, j] = M[i, i] - u, M[j, j] + u
    out[i, j], out[j, i] = M[i, j] + x, M[j, i] + x
    out[k, i], out[k, j] = _turn_pair(M, k, s, c, i, j)
    out[i, k], out[j, k] = _turn_pair(M.T, k, s, c, i, j)
    return out
