"""Signed distances, what contacts are against: half spaces, solids, height fields and functions of one's own."""

from .box import Box
from .capsule import Capsule
from .cylinder import Cylinder
from .distance import Distance, as_distance, distance
from .half_space import HalfSpace
from .height_field import HeightField
from .sphere import Sphere

__all__ = [
    "Box", "Capsule", "Cylinder", "Distance", "HalfSpace", "HeightField", "Sphere", "as_distance", "distance",
]  # fmt: skip
