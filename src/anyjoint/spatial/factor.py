"""The three kinds of factor that every pose is a product of, and how twists, wrenches and inertias pass them.

A factor maps child coordinates to parent coordinates. Elementary rotations and translations are kept apart
because passing them one at a time is far cheaper than passing one dense 6x6 adjoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import cached_property

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, sincos

from .algebra import Matrix, Vector, cross, vector, zeros
from .inertia import BlockInertia, rotate_general, rotate_symmetric

PLANES = ((1, 2), (2, 0), (0, 1))


@frozen
class Rotation:
    """A rotation by an angle about the coordinate axis 0, 1 or 2."""

    axis: int
    angle: Scalar
    known: tuple[Scalar, Scalar] | None = field(default=None, kw_only=True, compare=False, repr=False)  # (sin, cos)

    @staticmethod
    def from_sincos(axis: int, s: Scalar, c: Scalar) -> Rotation:
        """A rotation whose angle is known only by its sine and cosine; it cannot be differentiated."""
        return Rotation(axis, None, known=(s, c))

    @cached_property
    def sincos(self) -> tuple[Scalar, Scalar]:
        """(sin, cos) of the angle."""
        return sincos(self.angle) if self.known is None else self.known

    @property
    def plane(self) -> tuple[int, int]:
        """The two axes that turn, i towards j."""
        return PLANES[self.axis]

    def matrix(self) -> Matrix:
        s, c = self.sincos
        i, j = self.plane
        R = zeros(3, 3)
        R[self.axis, self.axis] = 1
        R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
        return R

    def inverse(self) -> Rotation:
        s, c = self.sincos
        return Rotation(self.axis, None if self.angle is None else -self.angle, known=(-s, c))

    def turn(self, x: Vector) -> Vector:
        """A direction of the parent side, in the child's axes: R^T x."""
        s, c = self.sincos
        i, j = self.plane
        out = x.copy()
        out[i], out[j] = c * x[i] + s * x[j], c * x[j] - s * x[i]
        return out

    def motion(self, v: Vector) -> Vector:
        """The twist v of the parent side, seen from the child: Ad(F^-1) v."""
        return np.concatenate([self.turn(v[:3]), self.turn(v[3:])])

    def force(self, f: Vector) -> Vector:
        """The wrench f of the child side, seen from the parent: Ad(F^-1)^T f."""
        s, c = self.sincos
        i, j = self.plane
        out = f.copy()
        for k in (0, 3):
            out[i + k], out[j + k] = c * f[i + k] - s * f[j + k], s * f[i + k] + c * f[j + k]
        return out

    def inertia(self, J: BlockInertia) -> BlockInertia:
        """The child's inertia seen from the parent: Ad(F^-1)^T J Ad(F^-1)."""
        s, c = self.sincos
        i, j = self.plane
        turn = (s, c, c * s, s * s, i, j, self.axis)
        return BlockInertia(rotate_symmetric(J.A, *turn), rotate_general(J.B, *turn), rotate_symmetric(J.C, *turn))


@frozen
class Translation:
    """A shift of the origin."""

    p: tuple[Scalar, Scalar, Scalar]

    def inverse(self) -> Translation:
        x, y, z = self.p
        return Translation((-x, -y, -z))

    def turn(self, x: Vector) -> Vector:
        return x

    def motion(self, v: Vector) -> Vector:
        return np.concatenate([v[:3], v[3:] + cross(v[:3], self.p)])

    def force(self, f: Vector) -> Vector:
        return np.concatenate([f[:3] + cross(self.p, f[3:]), f[3:]])

    def inertia(self, J: BlockInertia) -> BlockInertia:
        return J.shifted(vector(*self.p))


@frozen
class Turn:
    """A rotation given by its matrix."""

    R: Matrix

    def matrix(self) -> Matrix:
        return self.R

    def inverse(self) -> Turn:
        return Turn(self.R.T)

    def turn(self, x: Vector) -> Vector:
        out: Vector = self.R.T @ x
        return out

    def motion(self, v: Vector) -> Vector:
        return np.concatenate([self.turn(v[:3]), self.turn(v[3:])])

    def force(self, f: Vector) -> Vector:
        return np.concatenate([self.R @ f[:3], self.R @ f[3:]])

    def inertia(self, J: BlockInertia) -> BlockInertia:
        return J.turned(self.R)


Factor = Rotation | Translation | Turn


def as_matrix(rows: Matrix | Sequence[Sequence[Scalar]]) -> Matrix:
    """An object array 3x3 (or any shape) from nested sequences."""
    source = np.asarray(rows, dtype=object)
    return np.array(source, dtype=object)
