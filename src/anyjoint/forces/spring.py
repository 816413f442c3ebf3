"""A spring and damper between two points."""

from __future__ import annotations

from anyjoint.constraints import Push
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar, sqrt
from anyjoint.spatial import Pose, dot

from .force import Values, Vector3, check_number, checked_vector, two_bodies

TINY = 1e-36  # keeps the direction of a spring finite where its points coincide


@frozen
class Spring:
    """A spring and damper between a point of one body and a point of another (None: the ground).

    The force along the line is stiffness * (distance - length) + damping * its rate.
    """

    body_a: Where
    point_a: Vector3
    body_b: Where
    point_b: Vector3
    stiffness: float
    damping: float = 0.0
    length: float = 0.0

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping", "length"):
            check_number("Spring", name, getattr(self, name), least=0.0)
        for name in ("point_a", "point_b"):
            object.__setattr__(self, name, checked_vector("Spring", name, getattr(self, name)))

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        bodies = two_bodies(mechanism, self.body_a, self.body_b, "Spring")
        plain = not self.length and not self.damping  # no direction needed, so points may coincide
        numbers = *self.point_a, *self.point_b, self.stiffness, self.damping, self.length
        pull, energy = (stretched, stretched_energy) if plain else (along_the_line, energy_along_the_line)
        return [Push(what="Spring", measure=line, effort=pull, bodies=bodies, numbers=numbers, energy=energy)]


def line(a: Pose, b: Pose, n: Values) -> Values:
    """From the point of a to the point of b, in the world."""
    return b.act(n[3:6]) - a.act(n[:3])


def stretched(s: Values, rate: Values, n: Values, signals: Values) -> Values:
    """A spring that has no length at rest."""
    return -n[6] * s


def along_the_line(s: Values, rate: Values, n: Values, signals: Values) -> Values:
    """The force along the line, by its components."""
    stiffness, damping, length = n[6:9]
    distance = sqrt(dot(s, s) + TINY)
    pull = stiffness * (distance - length) + damping * (dot(s, rate) / distance)
    return -pull / distance * s


def stretched_energy(s: Values, n: Values) -> Scalar:
    return 0.5 * n[6] * dot(s, s)


def energy_along_the_line(s: Values, n: Values) -> Scalar:
    stretch = sqrt(dot(s, s) + TINY) - n[8]
    return 0.5 * n[6] * stretch * stretch
