"""Constraints of an .osim on points: rods of constant length, points that stay on a line."""

from __future__ import annotations

from collections.abc import Collection

from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, sqrt
from anyjoint.spatial import Pose, Vector, dot, unit_axis, vector
from anyjoint.spatial.direction import frame_about

from ..markup import Element
from .frames import ZERO, end, shared_frames
from .values import Values, objects

# By kind: the sockets of the two bodies, as versions 4 and 3 call them.
SOCKETS = {
    "ConstantDistanceConstraint": (("body_1", "body_2"), ("location_body_1", "location_body_2")),
    "PointOnLineConstraint": (("line_body", "follower_body"), ("point_on_line", "point_on_follower")),
}
NEEDED = {"ConstantDistanceConstraint": "constant_distance", "PointOnLineConstraint": "line_direction_vec"}


@frozen
class RowSpec:
    """A function of two bodies' poses that has to be zero."""

    name: str
    line: int
    bodies: tuple[str, str]
    function: Rod | OnLine

    def points_nowhere(self, mech: Mechanism) -> bool:
        """Whether it is a rod whose ends meet at the start."""
        assert mech.start is not None
        poses = dict(zip([body.name for body in mech.bodies], mech.poses(mech.start[0].tolist()), strict=True))
        first, second = (poses.get(name, Pose()) for name in self.bodies)
        return isinstance(self.function, Rod) and not self.function.line(first, second).any()


@frozen
class Rod:
    """Two points stay at a distance."""

    points: tuple[tuple[float, ...], tuple[float, ...]]
    length: float

    def line(self, first: Pose, second: Pose) -> Vector:
        """From the one point to the other."""
        return second.act(self.points[1]) - first.act(self.points[0])

    def __call__(self, first: Pose, second: Pose) -> Scalar:
        line = self.line(first, second)
        return sqrt(dot(line, line)) - self.length


@frozen
class OnLine:
    """A point of the second body stays on a line of the first, which goes through a point of it."""

    points: tuple[tuple[float, ...], tuple[float, ...]]
    direction: tuple[float, float, float]

    def __call__(self, first: Pose, second: Pose) -> list[Scalar]:
        across = frame_about(unit_axis(self.direction))
        away = first.R.T @ (second.act(self.points[1]) - first.act(self.points[0]))
        return [dot(vector(*across[:, k]), away) for k in range(2)]


def read_rows(model: Element, bodies: Collection[str], values: Values) -> list[RowSpec]:
    """All such constraints that are enforced; what names no body is reported."""
    shared, found = shared_frames(model), list[RowSpec]()
    for element in objects(model, "ConstraintSet"):
        off = values.true(element, "isDisabled") or not values.true(element, "isEnforced", True)
        if element.tag not in SOCKETS or off:
            continue
        name, (sockets, places) = element.attributes.get("name") or element.tag, SOCKETS[element.tag]
        ends = [end(element, socket, shared, values) for socket in sockets]
        unknown = [x for x, _ in ends if x not in bodies and x != "ground"]
        if unknown:
            values.report.error(element.line, "reference", f"constraint {name!r}: there is no body {unknown[0]!r}")
            continue
        needed = NEEDED[element.tag]
        if not values.text(element, needed):
            values.report.error(element.line, "reference", f"constraint {name!r} has no <{needed}>")
            continue
        a, b = (
            tuple(float(x) for x in pose.act(values.numbers(element, tag, ZERO, 3)))
            for (_, pose), tag in zip(ends, places, strict=True)
        )
        if element.tag == "ConstantDistanceConstraint":
            length = values.number(element, needed, 1.0)
            if length <= 0:
                what = f"<{needed}> {length:g} is no length above 0; points that meet are a <PointConstraint>"
                values.report.error(element.line, "number", f"constraint {name!r}: {what}")
                continue
            function: Rod | OnLine = Rod((a, b), length)
        else:
            x, y, z = values.numbers(element, "line_direction_vec", (0.0, 0.0, 1.0), 3)
            if not any((x, y, z)):
                values.report.error(element.line, "axis", f"constraint {name!r}: its line has no direction")
                continue
            turned = ends[0][1].R @ vector(x, y, z)
            function = OnLine((a, b), (float(turned[0]), float(turned[1]), float(turned[2])))
        found.append(RowSpec(name, element.line, (ends[0][0], ends[1][0]), function))
    return found
