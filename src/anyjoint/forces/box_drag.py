"""Resistance of a fluid to a box, along and about each of its axes: what MuJoCo takes for bodies in a medium."""

from __future__ import annotations

import math
from dataclasses import field

import numpy as np

from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar, absolute
from anyjoint.spatial import Pose, Twist, vector

from .force import Values, Vector3, check_number, check_pose, checked_vector, moving_index

POINT, AXES, WIND = slice(0, 3), slice(3, 12), slice(12, 15)  # of the numbers; then what grows with speed, its square


@frozen
class BoxDrag:
    """Resists a box of full extents `size`, at `pose` on a body, in a fluid that flows with the velocity `wind`.

    Pressure grows with the square of the speed: -density/2 A |u| u along each axis of the box, where A is the face that
    it meets, and -density/64 x (y^4 + z^4) |w| w about it. Friction is that of a ball of the box's mean extent d:
    -3 pi d viscosity u, and -pi d^3 viscosity w.
    """

    body: Where
    size: Vector3
    density: float = 0.0
    viscosity: float = 0.0
    pose: Pose = field(default_factory=Pose)
    wind: Vector3 = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for name in ("density", "viscosity"):
            check_number("BoxDrag", name, getattr(self, name), least=0.0)
        for name in ("size", "wind"):
            object.__setattr__(self, name, checked_vector("BoxDrag", name, getattr(self, name)))
        check_pose("BoxDrag", "pose", self.pose)
        if min(self.size) <= 0:
            raise InputError(f"BoxDrag: size={self.size}; expected three lengths that are positive")

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        (x, y, z), d = self.size, sum(self.size) / 3
        slow = [3 * math.pi * d * self.viscosity] * 3 + [math.pi * d**3 * self.viscosity] * 3
        faces = [y * z / 2, z * x / 2, x * y / 2]
        turned = [x * (y**4 + z**4) / 64, y * (z**4 + x**4) / 64, z * (x**4 + y**4) / 64]
        axes = np.asarray(self.pose.R, dtype=float).ravel().tolist()
        place = *(float(x) for x in self.pose.p), *axes, *self.wind
        numbers = *place, *slow, *(self.density * x for x in (*faces, *turned))
        body = (moving_index(mechanism, self.body, "BoxDrag"),)
        return [
            Push(what="BoxDrag", measure=motion, effort=resist, bodies=body, numbers=numbers, velocity=True, seen=wind)
        ]


def motion(pose: Pose, twist: Twist, n: Values) -> list[Scalar]:
    """Velocity and angular velocity of the box, in its axes."""
    R = n[AXES].reshape(3, 3)
    return [*(R.T @ twist.at(n[POINT])), *(R.T @ twist.angular)]


def wind(pose: Pose, n: Values) -> Values:
    """The velocity of the fluid, in the axes of the box."""
    return n[AXES].reshape(3, 3).T @ (pose.R.T @ vector(*n[WIND]))


def resist(flow: Values, speed: Values, n: Values, signals: Values) -> list[Scalar]:
    u = [*(speed[:3] - flow), *speed[3:]]
    return [-(slow + fast * absolute(x)) * x for x, slow, fast in zip(u, n[15:21], n[21:27], strict=True)]
