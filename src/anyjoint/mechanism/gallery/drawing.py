"""Mechanisms with loops as one draws them: every body where it is at the start, with world axes and coordinates 0.

Drawn like this, a loop is closed by naming the point where two bodies meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.constraints import Constraint
from anyjoint.joints import Joint, Revolute, Spherical
from anyjoint.mechanism import Body, Inertia, Mechanism, shapes
from anyjoint.spatial import Pose

Point = Sequence[float] | np.ndarray[Any, np.dtype[Any]]
HINGE = Revolute((0, 1, 0))


def xyz(point: Point) -> tuple[float, float, float]:
    """A point as three plain numbers."""
    x, y, z = (float(t) for t in point)
    return x, y, z


class Drawing:
    """A mechanism drawn in the world; `origins` are where the bodies' frames are at the start."""

    def __init__(self, name: str, idea: str, gravity: Sequence[float] = (0.0, 0.0, -9.81)) -> None:
        self.mech = Mechanism(name, gravity=gravity, description=idea)
        self.origins: dict[str, np.ndarray[Any, Any]] = {self.mech.ground.name: np.zeros(3)}

    def body(
        self, name: str, at: Point, joint: Joint = HINGE, parent: str | None = None, *, inertia: Inertia, shape: Any
    ) -> Body:
        """A body whose frame is at a point of the world, where its joint is; inertia and shapes in that frame."""
        origin = np.asarray(at, dtype=float)
        place = origin - self.origins[parent or self.mech.ground.name]
        self.origins[name] = origin
        return self.mech.add_body(name, parent, joint, Pose.translation(*map(float, place)), inertia, shape)

    def bar(
        self, name: str, start: Point, end: Point, parent: str | None = None, *, color: str, mass: float = 1.0,
        radius: float = 0.02, joint: Joint = HINGE, off: float | Sequence[float] = 0.0,
    ) -> Body:  # fmt: skip
        """A round bar from its joint to another point, drawn once or more, `off` along y, so that bars pass by."""
        along = np.subtract(end, start)
        tip = tuple(float(x) for x in along)
        rod = Inertia.cylinder(mass, radius, float(np.linalg.norm(along))).moved(shapes.between((0, 0, 0), tip))
        offs = off if isinstance(off, Sequence) else (off,)
        look = [shapes.rod((0, y, 0), (tip[0], tip[1] + y, tip[2]), radius, color) for y in offs]
        return self.body(name, start, joint, parent, inertia=rod, shape=look)

    def meet(self, a: str, b: str, at: Point, joint: Joint = HINGE, name: str | None = None) -> Constraint:
        """Close a loop at a point of the world."""
        ends = tuple(tuple(float(x) for x in np.subtract(at, self.origins[body])) for body in (a, b))
        return self.mech.add_loop(a, b, joint, at=ends, name=name)

    def tie(self, a: str, at_a: Point, b: str, at_b: Point, compliance: float) -> Constraint:
        """A spring between two points of the world, as a loop that gives way."""
        ends = xyz(np.subtract(at_a, self.origins[a])), xyz(np.subtract(at_b, self.origins[b]))
        return self.mech.add_loop(a, b, Spherical(), at=ends, compliance=compliance)

    def pins(self, *points: Point, radius: float = 0.03, length: float = 0.16, color: str) -> None:
        """Draw where the ground holds bars, across the plane of a linkage."""
        half = length / 2
        self.mech.draw(*(shapes.rod((x, y - half, z), (x, y + half, z), radius, color) for x, y, z in points))

    def rest(self) -> Mechanism:
        """The mechanism, at rest as it was drawn."""
        self.mech.set_start(self.mech.neutral.tolist())
        return self.mech
