"""Resistance of a fluid: drag and lift on a body, and plain viscous damping of its motion."""

from __future__ import annotations

import math

from anyjoint.constraints import Push
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import sqrt
from anyjoint.spatial import Pose, Twist, at_unit_length, dot, vector

from .force import Values, Vector3, check_number, checked_vector, moving_index

TINY = 1e-36  # keeps the direction of a flow finite where nothing flows


@frozen
class Drag:
    """Resists the motion of a body through a fluid that flows with the velocity `wind`, in world axes.

    At `point` of the body, where u is its velocity against the fluid, act the force -(linear + quadratic |u|) u and the
    torque -angular * w. A wing has a `normal`, in body axes: the fluid pushes it along that, too, with
    -lift |u| (u . normal) normal, which is what a flat plate at a small angle of attack feels.
    """

    body: Where
    linear: float = 0.0
    angular: float = 0.0
    quadratic: float = 0.0
    lift: float = 0.0
    normal: Vector3 = (0.0, 0.0, 1.0)
    point: Vector3 = (0.0, 0.0, 0.0)
    wind: Vector3 = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for name in ("linear", "angular", "quadratic", "lift"):
            check_number("Drag", name, getattr(self, name), least=0.0)
        for name in ("normal", "point", "wind"):
            object.__setattr__(self, name, checked_vector("Drag", name, getattr(self, name)))
        length = math.hypot(*self.normal)
        check_number("Drag", "length of normal", length, least=1e-12)
        object.__setattr__(self, "normal", tuple(at_unit_length(self.normal)))

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        body = (moving_index(mechanism, self.body, "Drag"),)
        flow = *self.point, *self.wind, *self.normal, self.linear, self.quadratic, self.lift
        made = []
        if any(flow[9:]):
            resist = resist_slowly if not any(flow[10:]) else resist_fast
            made.append(
                Push(what="Drag", measure=speed, effort=resist, bodies=body, numbers=flow, velocity=True, seen=wind)
            )
        if self.angular:
            made.append(
                Push(what="Drag", measure=spin, effort=resist_turning, bodies=body, numbers=(self.angular,),
                     velocity=True)
            )  # fmt: skip
        return made


def speed(pose: Pose, twist: Twist, n: Values) -> Values:
    """The velocity of the point, in body axes."""
    return twist.at(n[:3])


def wind(pose: Pose, n: Values) -> Values:
    """The velocity of the fluid, in body axes."""
    return pose.R.T @ vector(*n[3:6])


def spin(pose: Pose, twist: Twist, n: Values) -> Values:
    return twist.angular


def resist_slowly(flow: Values, speed: Values, n: Values, signals: Values) -> Values:
    return -n[9] * (speed - flow)


def resist_fast(flow: Values, speed: Values, n: Values, signals: Values) -> Values:
    """With the square of the speed, and along the normal."""
    u, normal = speed - flow, vector(*n[6:9])
    size = sqrt(dot(u, u) + TINY)
    return -(n[9] + n[10] * size) * u - n[11] * size * dot(u, normal) * normal


def resist_turning(s: Values, w: Values, n: Values, signals: Values) -> Values:
    return -n[0] * w
