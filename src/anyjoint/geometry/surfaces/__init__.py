"""Surfaces: one file each; wherever a surface is wanted, a plain function of (u, v) will do."""

from ..subdivision import subdivide
from .atlas import Atlas, atlas
from .bezier import Bezier
from .bspline import BSpline
from .catmull_clark import CatmullClark
from .cylinder import Cylinder
from .ellipsoid import Ellipsoid
from .function import FunctionSurface, as_surface, surface
from .inside import Inside
from .nurbs import NURBS
from .plane import Plane
from .quilt import Quilt
from .sphere import Sphere
from .surface import Surface
from .torus import Torus

__all__ = [
    "NURBS", "Atlas", "BSpline", "Bezier", "CatmullClark", "Cylinder", "Ellipsoid", "FunctionSurface", "Inside",
    "Plane", "Quilt", "Sphere", "Surface", "Torus", "as_surface", "atlas", "subdivide", "surface",
]  # fmt: skip
