"""Ball joint in exponential coordinates, reparameterised before they break down [RM section 4.7]."""

import math
from collections.abc import Sequence

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, Turn, dot, vector, zeros

from . import exponential
from .joint import Coordinate, Joint
from .product_rule import Motion
from .quaternion import relative_turn

# The cube stays inside the ball |q| < 2 pi, where the map is regular.
EXPONENTIAL_DOMAIN = (-math.pi, math.pi)


@frozen
class Spherical(Joint):
    """A ball joint, Q = exp([q]) [RM eq. 36]; q = the rotation vector (x, y, z).

    A body that turns freely keeps its energy better on `SphericalQuaternion` (docs: Energy over long runs).
    """

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(Coordinate(name, domain=EXPONENTIAL_DOMAIN) for name in ("rx", "ry", "rz"))

    def pose(self, q: Sequence[Scalar]) -> Pose:
        return Pose((Turn(exponential.rotation_matrix(q, exponential.coefficients(dot(q, q)))),))

    def motion(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
        """By closed forms: accurate near q = 0, and cheaper than differentiating the matrix."""
        k = exponential.coefficients(dot(q, q))
        S, c = zeros(6, 3), zeros(6)
        S[:3] = exponential.body_jacobian(q, k)  # [RM eq. 38]
        c[:3] = exponential.body_bias(q, v, k)  # [RM eq. 41]
        return Motion(Pose((Turn(exponential.rotation_matrix(q, k)),)), Pose(), S, zeros(6, 3), c)

    def chart(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
        return exponential.reparameterise(q, v)

    def nearest(self, q: Sequence[Scalar], to: Sequence[Scalar]) -> Sequence[Scalar]:
        return exponential.nearest(q, to)

    def deflection(self, q: Sequence[Scalar], rest: Sequence[Scalar]) -> Sequence[Scalar]:
        return relative_turn(exponential.quaternion(q), exponential.quaternion(rest))

    def speeds(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        """The angular velocity in the body."""
        return list(exponential.body_jacobian(q, exponential.coefficients(dot(q, q))) @ vector(*v))

    def singularity(self, q: Sequence[float]) -> str | None:
        return exponential.turn_singularity(q)
