"""A round rim that rolls on a plane, for bodies that other joints have placed already: wheels of vehicles.

The rim touches where it is lowest, which is a formula of its shape and of how the plane lies, so no contact coordinates
are needed. The material point there stands still on the plane: one row keeps the rim on the plane, two keep it from
slipping [GL section 5]. For any surface on any surface, as a joint, see joints.Rolling.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anyjoint.errors import ModelError
from anyjoint.geometry.curves import Circle
from anyjoint.geometry.surfaces import Ellipsoid, Plane, Sphere, Torus
from anyjoint.scalar import Scalar, sqrt
from anyjoint.spatial import Pose, Twist, Vector, cross, dot, vector

from .function import ConstraintFunction

Lowest = Callable[[Vector], Vector]


def lowest_point(rim: Any, where: str) -> Lowest:
    """The point of a rim that lies furthest against a normal, both in the rim's own frame."""
    match rim:
        case Sphere(radius=r):
            return lambda n: -r * n
        case Circle(radius=R):
            return lambda n: -R * _level(n)
        case Torus(R=R, r=r):
            return lambda n: -R * _level(n) - r * n
        case Ellipsoid(a=a, b=b, c=c):
            return lambda n: _on_ellipsoid(n, (a, b, c))
    raise ModelError(
        f"{where}: {rim!r} is no rim; give curves.Circle(radius), or surfaces.Torus, Sphere or Ellipsoid "
        "(for other surfaces, joints.Rolling is a joint between any two)"
    )


def _level(n: Vector) -> Vector:
    """A direction without its part along z, at unit length."""
    level: Vector = vector(n[0], n[1], 0) / sqrt(n[0] * n[0] + n[1] * n[1])
    return level


def _on_ellipsoid(n: Vector, axes: tuple[Scalar, Scalar, Scalar]) -> Vector:
    pulled = vector(*(a * a * x for a, x in zip(axes, n, strict=True)))
    lowest: Vector = -pulled / sqrt(dot(pulled, n))
    return lowest


def rolling_rows(
    rim: Any, plane: Any, at: Pose, place: Pose, where: str
) -> tuple[ConstraintFunction, ConstraintFunction]:
    """Functions of a wheel and, if the plane is not the ground's, its body: that they touch, and how fast they slip."""
    lowest = lowest_point(rim, where)
    if not isinstance(plane, Plane):
        raise ModelError(f"{where}: on={plane!r}; expected surfaces.Plane(), placed with place=aj.Pose...")

    def contact(wheel: Pose, base: Pose) -> tuple[Pose, Vector, Vector]:
        """The plane, the normal seen from the rim's frame, and the point of contact on the wheel."""
        road, ring = base @ place, wheel @ at
        n = ring.R.T @ road.R[:, 2]
        return road, n, at.act(list(lowest(n)))

    def touches(wheel: Pose, base: Pose = Pose()) -> Scalar:  # noqa: B008  # an immutable value
        road, _, point = contact(wheel, base)
        return dot(road.R[:, 2], wheel.act(list(point)) - road.p)

    def slips(wheel: Pose, spin: Twist, base: Pose = Pose(), carried: Twist | None = None) -> list[Scalar]:  # noqa: B008
        road, _, point = contact(wheel, base)
        speed = wheel.R @ spin.at(list(point))
        if carried is not None:
            arm = base.R.T @ (wheel.act(list(point)) - base.p)
            speed = speed - base.R @ (carried.linear + cross(carried.angular, arm))
        return [dot(road.R[:, 0], speed), dot(road.R[:, 1], speed)]

    return ConstraintFunction(touches, False), ConstraintFunction(slips, True)
