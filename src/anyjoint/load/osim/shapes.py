"""What bodies of an .osim look like: bones as meshes, and a few solids."""

from __future__ import annotations

from typing import Any

from anyjoint.errors import InputError
from anyjoint.mechanism import shapes
from anyjoint.mechanism.shapes import Shape
from anyjoint.spatial import Pose

from ..markup import Element
from ..meshes import Meshes
from ..paths import PathRefused
from .values import Values

ONES = (1.0, 1.0, 1.0)
UPRIGHT = Pose.rotation_x(-1.5707963267948966)  # cylinders stand along y there, along z here


class Geometry:
    """Reads the geometry of bodies; meshes that are nowhere are told together."""

    def __init__(self, values: Values, meshes: Meshes) -> None:
        self.values, self.meshes = values, meshes
        self.missing: list[str] = []

    def shapes(self, body: Element) -> list[Shape]:
        """The shapes attached to a body's own frame."""
        new, old = body.find("attached_geometry"), body.find("VisibleObject")
        found = [self._shape(child) for child in new.children] if new is not None else []
        if old is not None:
            found += [self._mesh(x, "geometry_file", {}) for x in old.walk() if x.tag == "DisplayGeometry"]
        return [shape for shape in found if shape is not None]

    def tell(self, line: int) -> None:
        """One warning for all meshes that were not found."""
        if self.missing:
            names = ", ".join(self.missing[:3]) + (", ..." if len(self.missing) > 3 else "")
            where = "beside the model nor in its folder Geometry; say where they are: packages={'Geometry': FOLDER}"
            what = f"{len(self.missing)} meshes are not shown ({names}): they are neither {where}"
            self.values.report.warn(line, "mesh", what)

    def _shape(self, element: Element) -> Shape | None:
        values, appearance = self.values, element.find("Appearance")
        look = self._look(appearance) if appearance is not None else {}
        if appearance is not None and not values.true(appearance, "visible", True):
            return None
        if element.tag == "Mesh":
            return self._mesh(element, "mesh_file", look)
        try:
            if element.tag == "Sphere":
                return shapes.Sphere(values.number(element, "radius", 1.0), **look)
            if element.tag == "Brick":
                half = values.numbers(element, "half_lengths", (0.5, 0.5, 0.5), 3)
                return shapes.Box(*(2 * x for x in half), **look)
            if element.tag == "Ellipsoid":
                return shapes.Ellipsoid(*values.numbers(element, "radii", ONES, 3), **look)
            if element.tag == "Cylinder":
                radius, half_height = (values.number(element, tag, 1.0) for tag in ("radius", "half_height"))
                return shapes.Cylinder(radius, 2 * half_height, pose=UPRIGHT, **look)
        except InputError as error:
            values.report.warn(element.line, "geometry", f"<{element.tag}> is not shown: {error}")
        return None

    def _mesh(self, element: Element, tag: str, look: dict[str, Any]) -> Shape | None:
        file = self.values.text(element, tag)
        if not file or not self.meshes.wanted:
            return None
        place = self._find(file)
        if place is None:
            self.missing.append(file)
            return None
        scale = self.values.numbers(element, "scale_factors", ONES, 3)
        return self.meshes.shape(element.line, place, scale, Pose(), **look)

    def _find(self, file: str) -> str | None:
        """How the paths of the model call a mesh: it may lie beside the model, or in a folder of geometry."""
        packages = [f"package://{name}/{file}" for name in self.meshes.paths.packages]
        for reference in (file, f"Geometry/{file}", *packages):
            try:
                self.meshes.paths.find(reference)
            except PathRefused:
                continue
            return reference
        return None

    def _look(self, appearance: Element) -> dict[str, Any]:
        r, g, b = (min(max(x, 0.0), 1.0) for x in self.values.numbers(appearance, "color", ONES, 3))
        opacity = self.values.number(appearance, "opacity", 1.0)
        look: dict[str, Any] = {"color": "#" + "".join(f"{round(255 * x):02x}" for x in (r, g, b))}
        return look | {"opacity": opacity} if 0 < opacity < 1 else look
