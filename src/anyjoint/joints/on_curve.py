"""A bead on a wire: the child's frame rides along a curve of the parent [GL section 5]."""

import math
from collections.abc import Sequence
from typing import Any

from anyjoint.frozen import frozen
from anyjoint.geometry.curves import as_curve, constant
from anyjoint.scalar import Scalar
from anyjoint.spatial import Axis, Pose, unit_axis

from .curve_frame import check_frame, curve_coordinate, curve_frame, known_frame
from .joint import Coordinate, Joint


@frozen
class OnCurve(Joint):
    """Riding along a curve, Q = C(s), x axis along the tangent; `spin=True` adds Rot_x(angle) about it [GL A_path].

    `frame`: "frenet" [tangent, principal normal, binormal], "fixed-up" (third axis nearest to `up`) or "transport",
    also called "rotation-minimising" (no turning about the tangent). A Frenet frame flips at an inflection, so a
    simulation stops there; the other two pass. "auto" is "frenet", but "transport" on curves with fewer than
    three continuous derivatives, such as cubic splines, where a Frenet frame would turn by jumps.
    """

    curve: Any
    frame: str = "auto"
    spin: bool = False
    up: Axis = (0.0, 0.0, 1.0)
    wrap: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "curve", as_curve(self.curve))
        object.__setattr__(self, "up", unit_axis(self.up, "OnCurve up"))
        default = "frenet" if self.curve.continuity >= 3 else "transport"
        frame = known_frame("OnCurve", default if self.frame == "auto" else self.frame)
        object.__setattr__(self, "frame", frame)
        check_frame("OnCurve", self.curve, frame, self.up)
        if self.frame == "rotation-minimising":
            object.__setattr__(self, "curve", constant(self.curve))

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        spin = (Coordinate("spin", period=2 * math.pi, wrap=self.wrap),) if self.spin else ()
        return (curve_coordinate(self.curve, self.frame, "s", self.wrap), *spin)

    def pose(self, q: Sequence[Scalar]) -> Pose:
        pose = curve_frame(self.curve, self.frame, self.up, q[0])
        return pose @ Pose.rotation_x(q[1]) if self.spin else pose

    def ranks(self, q: Sequence[Scalar]) -> list[Scalar]:
        return []  # sliding and spinning differ wherever there is a tangent

    def singularity(self, q: Sequence[float]) -> str | None:
        found: str | None = self.curve.singularity(float(q[0]), self.frame, self.up)
        return found
