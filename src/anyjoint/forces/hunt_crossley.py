"""A ball that presses into a ball or a half space: Hertz's force, with Hunt and Crossley's loss and with friction."""

from __future__ import annotations

import numpy as np

from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar, less, maximum, minimum, select, sqrt
from anyjoint.spatial import Pose, Twist, Vector, cross, dot, unit_axis, vector

from .force import Values, Vector3, body_index, check_number, checked_vector

TINY = 1e-30
NUMBERS = ("stiffness", "dissipation", "static", "dynamic", "viscous")


@frozen
class HuntCrossley:
    """A ball of body a meets what is at `point` of body b: a ball of `other_radius`, or a half space with a `normal`.

    Pushes with 4/3 stiffness sqrt(radius) depth^(3/2) (1 + 3/2 dissipation * rate of the depth), and never pulls.
    Friction is up to that times `static` at speeds of about `slow`, `dynamic` beyond and, by the speed, `viscous`.
    Both feel it at one place between their surfaces, at a `share` of the depth from that of the ball.
    """

    body_a: Where
    center: Vector3
    radius: float
    body_b: Where = None
    point: Vector3 = (0.0, 0.0, 0.0)
    other_radius: float | None = None
    normal: Vector3 | None = None
    stiffness: float = 1e6
    dissipation: float = 0.0
    static: float = 0.0
    dynamic: float = 0.0
    viscous: float = 0.0
    slow: float = 0.01
    share: float = 0.5

    def __post_init__(self) -> None:
        for name in ("center", "point"):
            object.__setattr__(self, name, checked_vector("HuntCrossley", name, getattr(self, name)))
        if (self.normal is None) == (self.other_radius is None):
            raise InputError("HuntCrossley: give other_radius, for a ball, or normal, for a half space")
        if self.normal is not None:
            normal = unit_axis(checked_vector("HuntCrossley", "normal", self.normal), "HuntCrossley: normal")
            object.__setattr__(self, "normal", normal)
        for name in ("radius", "slow", *(() if self.normal else ("other_radius",))):
            check_number("HuntCrossley", name, getattr(self, name), least=1e-12)
        for name in (*NUMBERS, "share"):
            check_number("HuntCrossley", name, getattr(self, name), least=0.0)

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        bodies = tuple(body_index(mechanism, body, "HuntCrossley") for body in (self.body_a, self.body_b))
        r, R = float(self.radius), self.other_radius
        about = self.normal if R is None else (float(R), r * R / (r + R))
        numbers = *self.center, *self.point, r, self.share, *(getattr(self, x) for x in NUMBERS), self.slow
        numbers = *(float(x) for x in numbers), *(about or ())
        speed, seen = (slip_on_plane, on_plane) if R is None else (slip_on_ball, on_ball)
        return [
            Push(what="HuntCrossley", measure=speed, effort=pushed, bodies=bodies, numbers=numbers, velocity=True,
                 seen=seen)
        ]  # fmt: skip


def met_plane(a: Pose, b: Pose, n: Values) -> tuple[Scalar, Vector, Vector]:
    """Depth, normal towards the ball, and the place where both feel it, in the world."""
    center, normal = a.act(n[:3]), b.R @ vector(*n[14:17])
    depth = n[6] - dot(normal, center - b.act(n[3:6]))
    return depth, normal, center - normal * (n[6] - depth * n[7])


def met_ball(a: Pose, b: Pose, n: Values) -> tuple[Scalar, Vector, Vector]:
    """The same of two balls; where their centres meet there is no normal."""
    center, away = a.act(n[:3]), a.act(n[:3]) - b.act(n[3:6])
    distance = sqrt(dot(away, away) + TINY)
    depth, normal = n[6] + n[14] - distance, away / distance
    return depth, normal, center - normal * (n[6] - depth * n[7])


def slip_on_plane(a: Pose, va: Twist, b: Pose, vb: Twist, n: Values) -> Vector:
    return slip(met_plane(a, b, n)[2], a, va, b, vb)


def slip_on_ball(a: Pose, va: Twist, b: Pose, vb: Twist, n: Values) -> Vector:
    return slip(met_ball(a, b, n)[2], a, va, b, vb)


def slip(place: Vector, a: Pose, va: Twist, b: Pose, vb: Twist) -> Vector:
    """The velocity of a where it touches b, as b sees it, along the world's axes."""
    first, second = (
        x.R @ v.linear + cross(x.R @ v.angular, place - x.p) for x, v in ((a, va), (b, vb))
    )
    return np.asarray(first - second)


def on_plane(a: Pose, b: Pose, n: Values) -> Vector:
    depth, normal, _ = met_plane(a, b, n)
    return vector(depth, *normal, n[6])


def on_ball(a: Pose, b: Pose, n: Values) -> Vector:
    depth, normal, _ = met_ball(a, b, n)
    return vector(depth, *normal, n[15])


def pushed(s: Values, rate: Values, n: Values, signals: Values) -> Values:
    """The force on the ball: s is the depth, the normal, and the radius that counts."""
    stiffness, dissipation, static, dynamic, viscous, slow = n[8:14]
    depth, normal, touching = s[0], vector(*s[1:4]), less(0.0, s[0])
    deep = select(touching, depth, 1.0)  # a harmless number beyond, so that no slope is a NaN
    hertz = 4 / 3 * stiffness * sqrt(s[4] * deep) * deep
    away = dot(normal, rate)
    load = select(touching, maximum(hertz * (1 - 1.5 * dissipation * away), 0.0), 0.0)
    slip = vector(*rate) - normal * away
    speed = sqrt(maximum(dot(slip, slip), TINY))
    often = speed / slow
    # Of the force along the slip by its speed, which has a limit at rest.
    rub = minimum(1 / slow, 1 / speed) * (dynamic + 2 * (static - dynamic) / (1 + often * often)) + viscous
    return list((normal - slip * rub) * load)
