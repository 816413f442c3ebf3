"""The coupler or the rocker of a planar four-bar linkage, in closed form."""

import math
from collections.abc import Sequence

from anyjoint.errors import InputError, SingularityError
from anyjoint.frozen import frozen
from anyjoint.geometry.check import POSITIVE, positive
from anyjoint.geometry.frame import known_rotation
from anyjoint.scalar import Scalar, cos, is_number, plain, sin, sqrt
from anyjoint.spatial import Pose

from .joint import Coordinate, Joint, parameter

STRETCHED = 1e-9  # of the diagonal's square, below which too few digits of the triangle are left


@frozen
class FourBar(Joint):
    """A four-bar linkage in the X-Y plane; q = (crank angle). Crank pivot at the origin, rocker pivot at (ground, 0).

    The coupler starts at A = crank (cos q, sin q); with e = (ground, 0) - A and g = (coupler^2 + |e|^2 - rocker^2) /
    (2 coupler) it points along (g e +- h e_perp) / |e|^2, h^2 = |e|^2 - g^2. `branch` (+1 or -1) picks the assembly,
    `body` which link the child is: "coupler" (frame at A, x along it) or "rocker" (frame at its pivot, x along it).
    """

    ground: float = parameter((1.5, 1.8), POSITIVE, default=1.6)
    crank: float = parameter((0.4, 0.6), POSITIVE, default=0.5)
    coupler: float = parameter((1.3, 1.5), POSITIVE, default=1.4)
    rocker: float = parameter((0.9, 1.1), POSITIVE, default=1.0)
    branch: int = 1
    body: str = "coupler"

    def __post_init__(self) -> None:
        positive("FourBar", ground=self.ground, crank=self.crank, coupler=self.coupler, rocker=self.rocker)
        if self.branch not in (1, -1) or self.body not in ("coupler", "rocker"):
            given = f"branch={self.branch!r}, body={self.body!r}"
            raise InputError(f"FourBar({given}): branch is 1 or -1, body is 'coupler' or 'rocker'")
        if all(is_number(x) for x in (self.ground, self.crank, self.coupler, self.rocker)):
            self.range()

    def range(self) -> tuple[float, float]:
        """Crank angles at which the linkage closes."""
        g, a, b, c = self.ground, self.crank, self.coupler, self.rocker
        # The free diagonal |e| must lie between |b - c| and b + c.
        low, high = ((g * g + a * a - reach**2) / (2 * g * a) for reach in (b + c, abs(b - c)))
        if low >= 1 or high <= -1:
            raise InputError(
                f"FourBar(ground={g}, crank={a}, coupler={b}, rocker={c}): these links never close; "
                "each must be shorter than the other three together"
            )
        start = math.acos(min(high, 1.0)) if high < 1 else -math.pi
        end = math.acos(max(low, -1.0)) if low > -1 else math.pi
        if start < 0:
            return (-end, end)
        return (start, end) if low > -1 else (start, 2 * math.pi - start)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        numbers = all(is_number(x) for x in (self.ground, self.crank, self.coupler, self.rocker))
        lo, hi = self.range() if numbers else (-math.pi, math.pi)
        period = 2 * math.pi if hi - lo > 6.28 else None
        return (Coordinate("crank", domain=(lo, hi), neutral=(lo + hi) / 2, period=period),)

    def _triangle(self, q: Sequence[Scalar]) -> tuple[Scalar, Scalar, Scalar]:
        """|e|^2, g and |e|^2 - g^2, which is negative where the linkage does not close."""
        ex, ey = self.ground - self.crank * cos(q[0]), self.crank * sin(q[0])
        square = ex * ex + ey * ey
        g = (square + (self.coupler * self.coupler - self.rocker * self.rocker)) / (2 * self.coupler)
        return square, g, square - g * g

    def pose(self, q: Sequence[Scalar]) -> Pose:
        x, y = self.crank * cos(q[0]), self.crank * sin(q[0])
        ex, ey = self.ground - x, -y
        square, g, left = self._triangle(q)
        value, at = plain(left), plain(q[0])
        if value is not None and at is not None and value <= 0:
            raise SingularityError(self.singularity([at]) or "")
        h = self.branch * sqrt(left)
        c, s = (g * ex - h * ey) / square, (g * ey + h * ex) / square
        if self.body == "coupler":
            return Pose.translation(x, y, 0) @ known_rotation(2, s, c)
        rx, ry = (self.coupler * c - ex) / self.rocker, (self.coupler * s - ey) / self.rocker
        return Pose.translation(self.ground, 0, 0) @ known_rotation(2, ry, rx)

    def edges(self, q: Sequence[Scalar]) -> list[Scalar]:
        square, _, left = self._triangle(q)
        return [left / square]

    def singularity(self, q: Sequence[float]) -> str | None:
        a = float(q[0])
        square = self.ground**2 + self.crank**2 - 2 * self.ground * self.crank * math.cos(a)
        g = (square + self.coupler**2 - self.rocker**2) / (2 * self.coupler)
        if square - g * g > STRETCHED * square:
            return None
        lo, hi = self.range()
        return (
            f"the four-bar linkage is stretched out or does not close at crank angle {a:.6g}; "
            f"keep the crank inside ({lo:.6g}, {hi:.6g}), or drive it from another link"
        )
