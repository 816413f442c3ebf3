"""The one product rule: S and c = Sdot*qdot of any pose, factor by factor [SG eq. 9, 12].

It is [RM eq. 45-51] for composites and [RM alg. 4, 5] for splines; only the scalars inside the factors (angles,
translations, rotation matrices of frames) are differentiated, so a hinge keeps its constant S.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, jet
from anyjoint.spatial import Factor, Matrix, Pose, Rotation, Translation, Turn, Vector, ad, dot, vector, zeros

from .condense import condensed

Legs = Callable[[Sequence[Scalar]], tuple[Pose, Pose]]


@frozen
class Motion:
    """A joint at (q, v), seen from its working frame: the child's frame unless the joint has a second leg B.

    The child's twist in the working frame is V = Ad(A^-1) v_parent + S qdot with S = S_A + S_B.
    """

    A: Pose
    B: Pose
    S_A: Matrix
    S_B: Matrix
    c: Vector

    @property
    def S(self) -> Matrix:
        """The joint Jacobian in the working frame."""
        return self.S_A + self.S_B

    def jacobian(self) -> Matrix:
        """The joint Jacobian in the child's frame."""
        return seen_through(self.B.inverse(), self.S)

    def piece(self, v: Sequence[Scalar]) -> Piece:
        """The whole joint as one piece of a product: pose A B^-1, S and c in the child's frame."""
        if not self.B.factors:
            return Piece(self.A, self.S, self.c)
        to_child, rates = self.B.inverse(), vector(*v)
        # d/dt Ad(B) = Ad(B) ad(J_B qdot) and J_B = -S_B.
        c = to_child.motion(self.c - ad(self.S_B @ rates, self.S @ rates))
        return Piece(self.A @ to_child, seen_through(to_child, self.S), c)


@frozen
class Piece:
    """One piece of a product: its pose, its own Jacobian (6 x nv) and its own c, in its child's frame."""

    pose: Pose
    S: Matrix
    c: Vector


def motion_of(legs: Legs, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
    """Motion of a joint from its legs: V = Ad(A^-1) v_parent + J_A qdot - J_B qdot."""
    a = leg_motion(lambda x: legs(x)[0], q, v)
    b = leg_motion(lambda x: legs(x)[1], q, v)
    return Motion(condensed(a.pose), condensed(b.pose), a.S, -b.S, a.c - b.c)


def leg_motion(pose: Callable[[Sequence[Scalar]], Pose], q: Sequence[Scalar], v: Sequence[Scalar]) -> Piece:
    """Pose, S = vee(G^-1 dG/dq) and c = Sdot*qdot of a product of factors."""
    return product(factor_pieces(pose, q, v), v)


def factor_pieces(
    pose: Callable[[Sequence[Scalar]], Pose], q: Sequence[Scalar], v: Sequence[Scalar]
) -> list[Piece]:
    """Each factor of a product as a piece."""
    factors = pose(q).factors
    entries = [factor_entries(factor) for factor in factors]
    if not q or not any(entries):
        return [still_piece(factor, len(v)) for factor in factors]
    _, partials, second = jet(lambda x: [e for factor in pose(x).factors for e in factor_entries(factor)], q, v)
    pieces, at = [], 0
    for factor, values in zip(factors, entries, strict=True):
        window = slice(at, at + len(values))
        at += len(values)
        S = columns([_twist(factor, p[window]) for p in partials])
        pieces.append(Piece(Pose((factor,)), S, _second_twist(factor, second[window])))
    return pieces


def still_piece(factor: Factor, nv: int) -> Piece:
    """A factor that does not move."""
    return Piece(Pose((factor,)), zeros(6, nv), zeros(6))


def product(pieces: Sequence[Piece], v: Sequence[Scalar]) -> Piece:
    """S and c of a product of moving pieces, from those of the pieces."""
    rates = vector(*v)
    factors: list[Factor] = []
    S, c = zeros(6, len(v)), zeros(6)
    for piece in pieces:
        factors += piece.pose.factors
        carried = seen_through(piece.pose, S)
        S = carried + piece.S  # [RM eq. 45]
        c = piece.pose.motion(c) + ad(carried @ rates, piece.S @ rates) + piece.c  # [RM eq. 51]
    return Piece(Pose(factors), S, c)


def seen_through(pose: Pose, S: Matrix) -> Matrix:
    """The columns of S, twists of the pose's parent side, seen from its child: Ad(G^-1) S."""
    return columns([pose.motion(S[:, j]) for j in range(S.shape[1])])


def columns(vectors: Sequence[Vector]) -> Matrix:
    """A 6xn matrix from its columns."""
    out = zeros(6, len(vectors))
    for j, column in enumerate(vectors):
        out[:, j] = column
    return out


def factor_entries(factor: Factor) -> list[Scalar]:
    """The scalars of a factor that may depend on coordinates."""
    if isinstance(factor, Rotation):
        return [factor.angle]
    if isinstance(factor, Translation):
        return list(factor.p)
    return list(factor.R.ravel())


def _twist(factor: Factor, rates: Sequence[Scalar]) -> Vector:
    """vee(F^-1 dF) for rates of the factor's entries."""
    out = zeros(6)
    if isinstance(factor, Rotation):
        out[factor.axis] = rates[0]
    elif isinstance(factor, Translation):
        out[3:] = rates
    else:
        R, dR = factor.R, np.array(rates, dtype=object).reshape(3, 3)
        out[:3] = [dot(R[:, 2], dR[:, 1]), dot(R[:, 0], dR[:, 2]), dot(R[:, 1], dR[:, 0])]
    return out


def _second_twist(factor: Factor, second: Sequence[Scalar]) -> Vector:
    """d/dt of the factor's twist along qdot, from the second derivatives of its entries along qdot."""
    if not isinstance(factor, Turn):
        return _twist(factor, second)
    # d/dt (R^T Rdot) = Rdot^T Rdot + R^T Rddot, and the first term is symmetric: the skew part of the second is left.
    R, ddR = factor.R, np.array(second, dtype=object).reshape(3, 3)
    out = zeros(6)
    for k, (i, j) in enumerate(((2, 1), (0, 2), (1, 0))):
        out[k] = 0.5 * (dot(R[:, i], ddR[:, j]) - dot(R[:, j], ddR[:, i]))
    return out
