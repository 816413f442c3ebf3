"""Shapes of bodies: what the viewer draws, and what a solid's inertia is made of."""

from .compound import Group, Mesh, Tube
from .revolve import revolved
from .shape import Shape
from .sketch import between, curve, grid_faces, net, rod, shade, surface
from .solids import Box, Capsule, Cylinder, Ellipsoid, Sphere, Torus

__all__ = [
    "Box", "Capsule", "Cylinder", "Ellipsoid", "Group", "Mesh", "Shape", "Sphere", "Torus", "Tube", "between", "curve",
    "grid_faces", "net", "revolved", "rod", "shade", "surface",
]  # fmt: skip
