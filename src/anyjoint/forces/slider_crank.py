"""A slider that a rod joins to a crank: what a drive that pushes the slider acts along."""

from __future__ import annotations

from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar, less, select, sqrt
from anyjoint.spatial import Pose, dot, unit_axis, vector

from .force import Values, Vector3, body_index, check_number, checked_vector
from .path import Path


@frozen
class SliderCrank:
    """Where the slider is that runs from `origin` of `body` along `axis`, by a rod to the `pin` of the `crank`.

    Of its two places the one behind the pin. A pin that is farther from the axis than the rod is long takes it along.
    """

    body: Where
    origin: Vector3
    axis: Vector3
    crank: Where
    pin: Vector3
    rod: float

    def __post_init__(self) -> None:
        for name in ("origin", "axis", "pin"):
            object.__setattr__(self, name, checked_vector("SliderCrank", name, getattr(self, name)))
        object.__setattr__(self, "axis", unit_axis(self.axis, "SliderCrank: axis"))
        check_number("SliderCrank", "rod", self.rod, least=0.0)

    def read(self, mechanism: Mechanism) -> Path:
        """The place of the slider as a measure."""
        bodies = tuple(body_index(mechanism, x, "SliderCrank") for x in (self.body, self.crank))
        return Path(slid, bodies, (), (*self.origin, *self.axis, *self.pin, float(self.rod)))


def slid(body: Pose, crank: Pose, n: Values) -> Scalar:
    """The pin is at `far` along the axis, and the rod reaches back by what Pythagoras leaves of it."""
    away = crank.act(n[6:9]) - body.act(n[:3])
    far = dot(body.R @ vector(*n[3:6]), away)
    left = far * far + n[9] * n[9] - dot(away, away)
    reaches = less(0.0, left)
    return select(reaches, far - sqrt(select(reaches, left, 1.0)), far)
