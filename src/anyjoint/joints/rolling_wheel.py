"""A wheel that rolls without slipping along a planar curve [GL Fig. 5c]."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.geometry.check import POSITIVE, positive
from anyjoint.geometry.curves import Circle, Curve, Line, as_curve, constant
from anyjoint.scalar import Scalar, derivative, is_number
from anyjoint.spatial import Pose

from .joint import Coordinate, Joint, parameter

LINE = Line()
SIDES = {"left": 1, "right": -1}


@frozen
class RollingWheel(Joint):
    """A wheel of the given radius on a curve in the X-Y plane, Q = C(s) Trans_y(d r) Rot_z(-d L(s) / r); q = (s).

    C has its x axis along the curve, L is the arc length, d = 1 on the left of the curve and -1 on its right: on the
    left of a Circle is inside it. The contact point of the wheel has no velocity; nothing slips, by construction.
    """

    radius: float = parameter((0.1, 0.5), POSITIVE)
    path: Any = LINE
    side: str = "left"

    def __post_init__(self) -> None:
        positive("RollingWheel", radius=self.radius)
        if self.side not in SIDES:
            raise InputError(f"RollingWheel(side={self.side!r}): expected 'left' or 'right' of the curve")
        path = as_curve(self.path)
        if not isinstance(path, (Line, Circle)):
            path = constant(path)  # its arc length is a table
        object.__setattr__(self, "path", path)
        check_planar(path)
        if isinstance(path, Circle) and self.side == "left":
            check_fits(self.radius, path.radius)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        lo, hi = self.path.domain
        defined = self.path.defined if isinstance(self.path, (Line, Circle)) else self.path.tabulated
        return (Coordinate("s", domain=(lo, hi), neutral=(lo + hi) / 2, unit="", defined=defined),)

    def pose(self, q: Sequence[Scalar]) -> Pose:
        d = SIDES[self.side]
        contact: Pose = self.path.in_plane(q[0])
        turned = self.path.arc_length(q[0]) / self.radius  # [GL section 5], measured in the moving frame
        return contact @ Pose.translation(0, d * self.radius, 0) @ Pose.rotation_z(-d * turned)

    def singularity(self, q: Sequence[float]) -> str | None:
        s = float(q[0])
        x, y, _ = (float(component) for component in self.path.velocity(s))
        xx, yy, _ = (float(c) for c in derivative(lambda t: list(self.path.velocity(t)), s))
        speed = math.hypot(x, y)
        if speed < 1e-9:
            return f"the path of the wheel stands still at s = {s:.6g}; reparametrise it"
        gap = 1 - SIDES[self.side] * self.radius * (x * yy - y * xx) / speed**3
        if gap > 1e-9:
            return None
        return (
            f"the path bends as tightly as the wheel (radius {self.radius:.6g}) at s = {s:.6g}, where it gets stuck; "
            "use a smaller wheel, the other side, or a smoother path"
        )


def check_fits(wheel: Scalar, ring: Scalar) -> None:
    """Refuse a wheel too large for the circle that it should roll inside."""
    if is_number(wheel) and is_number(ring) and not wheel < ring:
        raise InputError(
            f"RollingWheel(radius={wheel}) inside a circle of radius {ring}: the wheel must be the smaller; "
            'make it smaller or roll outside with side="right"'
        )


def check_planar(path: Curve) -> None:
    """Refuse curves that leave the X-Y plane."""
    lo, hi = path.domain
    for s in np.linspace(lo, hi, 9):
        z = path.point(float(s))[2]
        if is_number(z) and abs(z) > 1e-12:
            raise InputError(
                f"RollingWheel: the path {path.name} must lie in the X-Y plane, but z = {z:.3g} at s = {s:.6g}; "
                "tilt the plane with the body's placement instead"
            )
