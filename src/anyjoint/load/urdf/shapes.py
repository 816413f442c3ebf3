"""What links of a URDF look like: primitives, meshes, materials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anyjoint.errors import InputError
from anyjoint.mechanism import shapes
from anyjoint.mechanism.shapes import Shape
from anyjoint.spatial import Pose

from ..markup import Element
from ..meshes import Meshes
from ..numbers import NumberReader
from .origin import origin

Look = dict[str, Any]  # color and opacity
SOLIDS: dict[str, tuple[Callable[..., Shape], tuple[str, ...]]] = {
    "sphere": (shapes.Sphere, ("radius",)),
    "cylinder": (shapes.Cylinder, ("radius", "length")),
    "capsule": (shapes.Capsule, ("radius", "length")),
}


class Looks:
    """Reads visuals and collisions, with the materials that the whole file shares."""

    def __init__(self, root: Element, numbers: NumberReader, meshes: Meshes) -> None:
        self.numbers, self.meshes = numbers, meshes
        self.materials: dict[str, Look] = {}
        # A material is described once, at the top or in the first link that uses it, and named elsewhere.
        visuals = [visual for link in root.all("link") for visual in link.all("visual")]
        for element in [*root.all("material"), *(m for visual in visuals for m in visual.all("material"))]:
            if look := self._described(element):
                self.materials.setdefault(element.attributes.get("name", ""), look)

    def shapes(self, link: Element, tag: str) -> tuple[Shape, ...]:
        """The shapes of all visuals, or of all collisions, in the link's frame."""
        found = (self._shape(element) for element in link.all(tag))
        return tuple(shape for shape in found if shape is not None)

    def _shape(self, element: Element) -> Shape | None:
        pose, geometry = origin(element, self.numbers), element.find("geometry")
        if geometry is None or not geometry.children:
            self.numbers.report.warn(element.line, "geometry", f"<{element.tag}> has no geometry; not shown")
            return None
        return self._solid(geometry.children[0], pose, self._look(element.find("material")))

    def _solid(self, element: Element, pose: Pose, look: Look) -> Shape | None:
        numbers = self.numbers
        if element.tag == "mesh":
            scale = numbers.vector(element, "scale", (1.0, 1.0, 1.0))
            return self.meshes.shape(element.line, element.attributes.get("filename", ""), scale, pose, **look)
        try:
            if element.tag == "box":
                return shapes.Box(*numbers.vector(element, "size", (0.0, 0.0, 0.0)), pose=pose, **look)
            if element.tag in SOLIDS:
                kind, sizes = SOLIDS[element.tag]
                return kind(*(numbers.attribute(element, name, 0.0) for name in sizes), pose=pose, **look)
        except InputError as error:
            numbers.report.warn(element.line, "geometry", f"<{element.tag}> is not shown: {error}")
        return None

    def _look(self, material: Element | None) -> Look:
        """Colour and opacity of a visual; a described material goes before one that is only named."""
        if material is None:
            return {}
        return self._described(material) or self.materials.get(material.attributes.get("name", ""), {})

    def _described(self, material: Element) -> Look:
        color = material.find("color")
        if color is None:
            return {}
        r, g, b, a = (min(max(x, 0.0), 1.0) for x in self.numbers.vector(color, "rgba", (0.7, 0.7, 0.7, 1.0)))
        look: Look = {"color": "#" + "".join(f"{round(255 * x):02x}" for x in (r, g, b))}
        return look if a in (0.0, 1.0) else look | {"opacity": a}  # some writers leave alpha at 0 by mistake
