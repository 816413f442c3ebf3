"""What forces of an .osim hold on to: frames of bodies, and paths through points and around obstacles."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from anyjoint.forces import ConditionalPoint, MovingPoint, WrapEllipsoid
from anyjoint.forces.path import crowded
from anyjoint.frozen import frozen
from anyjoint.geometry.functions import Bounded, Composed, Constant
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from ..markup import Element
from .coordinates import Places
from .frames import ZERO, end, shared_frames
from .functions import read_function
from .joints import CLAMPED
from .values import Values, last_name, objects
from .wraps import WrapSpec, obstacle, read_wraps

EDGE = 1e-5  # OpenSim's tolerance where points come and go
ALONG = ("x", "y", "z")
BY_THUMB = "OpenSim takes a plane by a rule of thumb, so that its length is another"
ROUGH = "the length that OpenSim gives is then not that of its own points"


class Lacking(Exception):
    """Something of a force that has no counterpart here: what it does or has."""

    def __str__(self) -> str:
        return f"it {super().__str__()}"


@frozen(eq=False)
class Location:
    """Where a moving point is in the frame of its body: three functions, each of some of the coordinates."""

    functions: tuple[Any, Any, Any]
    arguments: tuple[tuple[int, ...], ...]
    places: tuple[Any, ...]
    frame: Pose

    def __call__(self, *q: Scalar) -> Any:
        made = []
        for function, place, own in zip(self.functions, self.places, self.arguments, strict=True):
            made.append(function(place.value(*(q[k] for k in own))))
        return self.frame.act(made)


def path_of(element: Element) -> Element | None:
    """The path of a force, as versions 3 and 4 have it."""
    for tag in ("GeometryPath", "path"):
        found = element.find(tag)
        if found is not None and tag == "path":
            found = found.find("GeometryPath") or (found if found.find("PathPointSet") else None)
        if found is not None:
            return found
    return None


class Attachments:
    """Reads frames and paths of a model's forces; those that need what is not there raise `Lacking`."""

    def __init__(self, model: Element, bodies: Collection[str], places: Places, values: Values) -> None:
        self.bodies, self.places, self.values = {*bodies, "ground"}, places, values
        self.shared, self.wraps = shared_frames(model), read_wraps(model, values)
        # Beyond the range of their coordinate, which need not be clamped, points stay where they are at its end.
        ranged = {x.attributes.get("name", ""): x for x in reversed([x for x in model.walk() if x.tag == "Coordinate"])}
        self.ranges = {name: values.numbers(x, "range", CLAMPED, 2) for name, x in ranged.items()}
        self.touching = {x.attributes.get("name", ""): x for x in objects(model, "ContactGeometrySet")}

    def path(self, element: Element) -> list[Any]:
        """The points and obstacles of what pulls along a path."""
        path = path_of(element)
        if path is None:
            raise Lacking("has no path")
        points = objects(path, "PathPointSet")
        if len(points) < 2:
            raise Lacking("has fewer than two points")
        items: list[list[Any]] = [[] if (item := self._point(point)) is None else [item] for point in points]
        crowds: list[list[Any]] = [[] for _ in points]  # obstacles on each segment
        for wrap in objects(path, "PathWrapSet"):
            found = self._wrap(wrap, len(points))
            if found is None:
                continue
            spec, first, last = found
            if first >= last:
                self._tell(element, f"is to go around {spec.title} where it has no segment, so it never does")
                continue
            met = obstacle(spec, last - first, self.values)
            if isinstance(met, str):
                raise Lacking(met)
            for segment in range(first, last):
                crowds[segment].append(met)
                if lack := crowded(crowds[segment]):
                    raise Lacking(f"goes around {spec.title} between points {segment + 1} and {segment + 2}, {lack}")
            if not all(items[first : last + 1]):
                raise Lacking("has a point that a locked coordinate takes away, beside an obstacle")
            items[first].append(met)
            if isinstance(met, WrapEllipsoid):
                self._tell(element, f"goes around {spec.title} in the plane where that is shortest; {BY_THUMB}")
        if any(len(crowd) > 1 for crowd in crowds):
            self._tell(element, f"may go around two obstacles between the same points; {ROUGH}")
        return [item for group in items for item in group]

    def frame(self, element: Element, socket: str) -> tuple[str | None, Pose]:
        """The body that a socket leads to, None for the ground, and the frame in it."""
        body, frame = end(element, socket, self.shared, self.values)
        body = body or last_name(self.values.text(element, "body"))
        if body not in self.bodies:
            raise Lacking(f"has a point on {body!r}, which is no body of the file")
        return None if body == "ground" else body, frame

    def _tell(self, element: Element, what: str) -> None:
        """Something that OpenSim does otherwise."""
        name = element.attributes.get("name", element.tag)
        self.values.report.warn(element.line, "wrap", f"muscle {name!r} {what}")

    def _wrap(self, wrap: Element, count: int) -> tuple[WrapSpec, int, int] | None:
        """An obstacle, and the first and last point between which it may be met."""
        name = last_name(self.values.text(wrap, "wrap_object"))
        if name not in self.wraps:
            raise Lacking(f"goes around {name!r}, which is no obstacle of the file")
        spec = self.wraps[name]
        if spec.body not in self.bodies:
            raise Lacking(f"goes around {spec.title}, which is no body of the file")
        if not self.values.true(spec.element, "active", True):
            return None
        first, last = (int(x) for x in self.values.numbers(wrap, "range", (-1.0, -1.0), 2))
        return spec, max(first, 1) - 1, min(last if last >= 1 else count, count) - 1

    def _point(self, point: Element) -> Any:
        owner, frame = self.frame(point, "parent_frame")
        if point.tag == "MovingPathPoint":
            return self._moving(point, owner, frame)
        here = tuple(float(x) for x in frame.act(self.values.numbers(point, "location", ZERO, 3)))
        if point.tag == "PathPoint":
            return owner, here
        if point.tag != "ConditionalPathPoint":
            raise Lacking(f"has a <{point.tag}>, which has no counterpart")
        return self._conditional(point, owner, here)

    def _named(self, point: Element, prefix: str) -> str:
        tags = (f"socket_{prefix}coordinate", f"{prefix}coordinate", f"{prefix}coordinate_name")
        return last_name(self.values.text(point, *tags))

    def _coordinate(self, point: Element, prefix: str = "") -> Any:
        name = self._named(point, prefix)
        place = self.places.find(name)
        if place is None:
            raise Lacking(f"has a point that depends on {name!r}, which is no coordinate of the file")
        return place

    def _conditional(self, point: Element, body: str | None, here: tuple[float, ...]) -> Any:
        place = self._coordinate(point)
        low, high = self.values.numbers(point, "range", (0.0, 0.0), 2)
        if not place.coordinates:  # locked: there for good, or never
            return (body, here) if low - EDGE <= place.value() <= high + EDGE else None
        if len(place.coordinates) > 1:
            raise Lacking("has a point that comes and goes with a coordinate that follows several others")
        function = None if place.own else place.function
        return ConditionalPoint(body, here, place.coordinates[0], (low - EDGE, high + EDGE), function)

    def _moving(self, point: Element, body: str | None, frame: Pose) -> Any:
        functions, places = [], []
        for axis in ALONG:
            holder = point.find(f"{axis}_location")
            if holder is None or not holder.children:
                raise Lacking(f"has a moving point without a function along {axis}")
            function, place = read_function(holder.children[0], self.values), self._coordinate(point, f"{axis}_")
            low, high = self.ranges.get(self._named(point, f"{axis}_"), CLAMPED)
            bounded = place.coordinates and low < high and not isinstance(function, Constant)
            functions.append(Composed(function, Bounded(low, high)) if bounded else function)
            places.append(place)
        used = list(dict.fromkeys(pair for place in places for pair in place.coordinates))
        arguments = tuple(tuple(used.index(pair) for pair in place.coordinates) for place in places)
        location = Location((functions[0], functions[1], functions[2]), arguments, tuple(places), frame)
        if not used:
            return body, tuple(float(x) for x in location())
        return MovingPoint(body, location, tuple(used))
