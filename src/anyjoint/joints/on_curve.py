"""A bead on a wire: the child's frame rides along a curve of the parent [GL section 5]."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anyjoint.geometry.curves import as_curve
from anyjoint.geometry.transport import Reference
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, unit_axis

from .curve_frame import check_frame, curve_frame
from .joint import Coordinate, Joint


@dataclass(frozen=True)
class OnCurve(Joint):
    """Riding along a curve, Q = C(s), x axis along the tangent; `spin=True` adds Rot_x(angle) about it [GL A_path].

    `frame`: "frenet" [tangent, principal normal, binormal], "fixed-up" (third axis nearest to `up`) or
    "rotation-minimising" (no turning about the tangent); the last two do not flip at inflections.
    """

    curve: Any
    frame: str = "frenet"
    spin: bool = False
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    wrap: bool = False
    reference: Reference | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "curve", as_curve(self.curve))
        object.__setattr__(self, "up", unit_axis(self.up, "OnCurve up"))
        check_frame("OnCurve", self.curve, self.frame, self.up)
        # The transported axis is made from plain numbers once, so that it survives when parameters become variables.
        if self.frame == "rotation-minimising" and self.reference is None:
            object.__setattr__(self, "reference", self.curve.reference)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        spin = (Coordinate("spin", period=2 * math.pi, wrap=self.wrap),) if self.spin else ()
        curve = self.curve
        wrap = self.wrap and curve.period is not None
        middle = (curve.domain[0] + curve.domain[1]) / 2
        return (Coordinate("s", domain=curve.domain, period=curve.period, neutral=middle, wrap=wrap, unit=""), *spin)

    def pose(self, q: Sequence[Scalar]) -> Pose:
        pose = curve_frame(self.curve, self.frame, self.up, self.reference, q[0])
        return pose @ Pose.rotation_x(q[1]) if self.spin else pose

    def singularity(self, q: Sequence[float]) -> str | None:
        found: str | None = self.curve.singularity(float(q[0]), self.frame, self.up)
        return found
