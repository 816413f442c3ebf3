"""The one product rule: S and c = Sdot*qdot of any pose, factor by factor.

It is [RM eq. 45-51] for composites and [RM alg. 4, 5] for splines; only the scalars inside the factors (angles,
translations, rotation matrices of frames) are differentiated, so a hinge keeps its constant S.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from anyjoint.scalar import Scalar, jet
from anyjoint.spatial import Factor, Matrix, Pose, Rotation, Translation, Turn, Vector, ad, dot, vector, zeros

Legs = Callable[[Sequence[Scalar]], tuple[Pose, Pose]]


@dataclass(frozen=True)
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
        to_child = self.B.inverse()
        S = self.S
        return columns([to_child.motion(S[:, j]) for j in range(S.shape[1])])


def motion_of(legs: Legs, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
    """Motion of a joint from its legs: V = Ad(A^-1) v_parent + J_A qdot - J_B qdot."""
    A, S_A, c_A = leg_motion(lambda x: legs(x)[0], q, v)
    B, J_B, c_B = leg_motion(lambda x: legs(x)[1], q, v)
    return Motion(A, B, S_A, -J_B, c_A - c_B)


def leg_motion(pose: Callable[[Sequence[Scalar]], Pose], q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Pose, Matrix, Vector]:
    """Pose, S = vee(G^-1 dG/dq) and c = Sdot*qdot of a product of factors."""
    G = pose(q)
    entries = [_entries(factor) for factor in G.factors]
    if not q or not any(entries):
        return G, zeros(6, len(v)), zeros(6)
    _, partials, second = jet(lambda x: [e for factor in pose(x).factors for e in _entries(factor)], q, v)
    rates = vector(*v)
    S, c, at = zeros(6, len(v)), zeros(6), 0
    for factor, values in zip(G.factors, entries, strict=True):
        window = slice(at, at + len(values))
        at += len(values)
        S_f = columns([_twist(factor, p[window]) for p in partials])
        c_f = _second_twist(factor, second[window])
        carried = factor.motion(S @ rates)
        S = columns([factor.motion(S[:, j]) for j in range(S.shape[1])]) + S_f  # [RM eq. 45]
        c = factor.motion(c) + ad(carried, S_f @ rates) + c_f  # [RM eq. 51]
    return G, S, c


def columns(vectors: Sequence[Vector]) -> Matrix:
    """A 6xn matrix from its columns."""
    out = zeros(6, len(vectors))
    for j, column in enumerate(vectors):
        out[:, j] = column
    return out


def _entries(factor: Factor) -> list[Scalar]:
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
