"""What a constraint says about accelerations: rows K, one 6-vector for each body that it touches, and the rest gamma.

A row asks that sum_i K_i . alpha_i + N . qdd + gamma = 0, where alpha is the acceleration of a link: derivative of the
angular velocity, ordinary acceleration of the origin, in the link's axes [PAK eq. 5; GL eq. 16]. K is the
derivative of the row along the twists of the links, so that it costs the same however deep in the tree they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Matrix, Pose, Scalars, Vector, zeros


class Touched(Protocol):
    """A link that a constraint touches: where it is in a frame that all of them share, how it moves, in its own axes.

    `X` is the frame that the constraint is written in (the body's own, or that of a closing joint) in the link's.
    """

    @property
    def R(self) -> Matrix: ...
    @property
    def p(self) -> Vector: ...
    @property
    def w(self) -> Vector: ...
    @property
    def u(self) -> Vector: ...
    @property
    def X(self) -> Pose: ...


def push(rows: Rows, compliance: Scalar) -> Scalars:
    """Multipliers of soft rows: a spring pushes with its error over its compliance, a damper with its rate over it."""
    return [x / compliance for x in (rows.rate if rows.error is None else rows.error)]


def giving_way(rows: Rows, compliance: Scalar, h: Scalar, ahead: Scalar) -> tuple[Scalars, Scalars]:
    """Multipliers of soft rows over a step of length h: what they push with after the time `ahead` if nothing
    accelerates, and what each adds per unit of its row's acceleration."""
    if rows.error is None:
        return push(rows, compliance), [h / compliance for _ in rows.rate]
    held = [(x + ahead * v) / compliance for x, v in zip(rows.error, rows.rate, strict=True)]
    return held, [h * h / compliance for _ in rows.rate]


@frozen
class Standing:
    """The ground, which stands still."""

    X: Pose
    R = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=object)
    p, w, u = zeros(3), zeros(3), zeros(3)


@frozen
class Rows:
    """m rows at a state: position errors (none for rows on velocities), velocity errors, K (6, m) per body touched, N
    (m) per coordinate touched, and gamma, all that accelerations do not cause."""

    error: Scalars | None
    rate: Scalars
    K: Sequence[Matrix]
    N: Sequence[Vector]
    gamma: Scalars
