"""Two curves that slide along each other, their frames aligned."""

import math
from collections.abc import Sequence
from typing import Any

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.geometry.curves import as_curve, constant
from anyjoint.scalar import Scalar
from anyjoint.spatial import Axis, Pose, Turn, as_matrix, unit_axis

from .curve_frame import check_frame, curve_coordinate, curve_frame, known_frame
from .joint import Coordinate, Joint

MEETINGS = {
    "outside": Pose((Turn(as_matrix([[-1, 0, 0], [0, -1, 0], [0, 0, 1]])),)),
    "inside": Pose(),
}


@frozen
class CurveCurve(Joint):
    """Two curves touching with common tangent, Q = C1(s1) M C2(s2)^-1; q = (s1, s2), and an angle about it if `spin`.

    `meet="outside"` reverses tangent and normal (two round discs side by side), `meet="inside"` aligns them (a disc in
    a ring; equal curvatures are singular).
    """

    curve1: Any
    curve2: Any
    frame: str = "frenet"
    spin: bool = False
    meet: str = "outside"
    up: Axis = (0.0, 0.0, 1.0)
    wrap: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "up", unit_axis(self.up, "CurveCurve up"))
        object.__setattr__(self, "frame", known_frame("CurveCurve", self.frame))
        if self.meet not in MEETINGS:
            raise InputError(f"CurveCurve(meet={self.meet!r}): expected 'outside' or 'inside'")
        for name in ("curve1", "curve2"):
            curve = as_curve(getattr(self, name))
            check_frame("CurveCurve", curve, self.frame, self.up)
            object.__setattr__(self, name, constant(curve) if self.frame == "rotation-minimising" else curve)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        curves = {"s1": self.curve1, "s2": self.curve2}
        along = tuple(curve_coordinate(curve, self.frame, name, self.wrap) for name, curve in curves.items())
        return (*along, Coordinate("spin", period=2 * math.pi, wrap=self.wrap)) if self.spin else along

    def legs(self, q: Sequence[Scalar]) -> tuple[Pose, Pose]:
        A = curve_frame(self.curve1, self.frame, self.up, q[0]) @ MEETINGS[self.meet]
        if self.spin:
            A = A @ Pose.rotation_x(q[2])
        return A, curve_frame(self.curve2, self.frame, self.up, q[1])

    def singularity(self, q: Sequence[float]) -> str | None:
        first: str | None = self.curve1.singularity(float(q[0]), self.frame, self.up)
        return first or self.curve2.singularity(float(q[1]), self.frame, self.up) or self.stuck(q)
