"""What every shape has: a colour, a pose, and an inertia if it is a solid."""

from __future__ import annotations

import math
from dataclasses import field, fields

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import is_real
from anyjoint.spatial import Pose

from ..inertia import Inertia
from .color import check_color


@frozen(eq=False)
class Shape:
    """Base of all shapes.

    `color` is a CSS name or #rrggbb, `pose` places the shape in the body's frame, `opacity` 1 hides what is behind.
    """

    color: str | None = field(default=None, kw_only=True)
    pose: Pose | None = field(default=None, kw_only=True)
    opacity: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        kind = type(self).__name__
        if self.color is not None:
            check_color(self.color, kind)
        if self.pose is not None and not isinstance(self.pose, Pose):
            raise InputError(f"{kind}: pose must be a Pose, got {type(self.pose).__name__}")
        for size in fields(self):
            value = getattr(self, size.name)
            if size.type == "float" and not (is_real(value) and 0 < value < math.inf):
                raise InputError(f"{kind}: {size.name} = {value!r} must be positive and finite")
        if self.opacity > 1:
            raise InputError(f"{kind}: opacity = {self.opacity} must be at most 1, which hides what is behind")

    def inertia(self, mass: float | None = None, *, density: float | None = None) -> Inertia:
        """The solid's inertia in the body's frame; give `mass` or `density`."""
        if (density is None) == (mass is None):
            raise InputError(f"{type(self).__name__}.inertia: give either mass= or density=")
        made = self._inertia(float(mass) if mass is not None else float(density or 0.0) * self.volume)
        return made if self.pose is None else made.moved(self.pose)

    @property
    def volume(self) -> float:
        """The solid's volume."""
        raise InputError(f"{type(self).__name__} has no volume; make the inertia by hand, e.g. aj.Inertia.box(...)")

    def _inertia(self, mass: float) -> Inertia:
        raise InputError(f"{type(self).__name__} is not a solid; make the inertia by hand, e.g. aj.Inertia.box(...)")
