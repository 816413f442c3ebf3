"""Two magnets: dipoles that pull and turn each other."""

from __future__ import annotations

from anyjoint.constraints import Push
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar, sqrt
from anyjoint.spatial import Pose, dot, vector

from .energy import conservative
from .force import Values, Vector3, checked_vector, two_bodies

FIELD = 1e-7  # mu_0 / (4 pi), T m / A


@frozen
class Magnets:
    """A dipole at a point of one body and another at a point of another (None: the ground).

    Moments, in A m^2, are in the bodies' own axes. Near each other they act as what they are only while their distance
    is large beside the magnets.
    """

    body_a: Where
    point_a: Vector3
    moment_a: Vector3
    body_b: Where
    point_b: Vector3
    moment_b: Vector3

    def __post_init__(self) -> None:
        for name in ("point_a", "point_b", "moment_a", "moment_b"):
            object.__setattr__(self, name, checked_vector("Magnets", name, getattr(self, name)))

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        bodies = two_bodies(mechanism, self.body_a, self.body_b, "Magnets")
        numbers = *self.point_a, *self.point_b, *self.moment_a, *self.moment_b
        effort = conservative(potential)
        return [Push(what="Magnets", measure=seen, effort=effort, bodies=bodies, numbers=numbers, energy=potential)]


def seen(a: Pose, b: Pose, n: Values) -> Values:
    """The line from one magnet to the other and both moments, in the world."""
    return vector(*(b.act(n[3:6]) - a.act(n[:3])), *(a.R @ vector(*n[6:9])), *(b.R @ vector(*n[9:12])))


def potential(s: Values, n: Values) -> Scalar:
    """The energy of a dipole in the field of the other."""
    r, m, other = s[:3], s[3:6], s[6:9]
    square = dot(r, r)
    return FIELD * (dot(m, other) - 3 * dot(m, r) * dot(other, r) / square) / (square * sqrt(square))
