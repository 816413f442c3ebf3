"""Joints: one file each; every one is a function from coordinates to a pose."""

import importlib
import re
from typing import TYPE_CHECKING, Any

from .function import FunctionJoint, joint
from .joint import Coordinate, Joint, parameter
from .product_rule import Motion
from .rechart import rechart

if TYPE_CHECKING:
    from .composite import Composite
    from .contact import Contact
    from .coupled import Coupled
    from .curve_curve import CurveCurve
    from .euler_angles import EulerAngles
    from .fixed import Fixed
    from .four_bar import FourBar
    from .free import Free
    from .free_planar import FreePlanar
    from .free_quaternion import FreeQuaternion
    from .function_based import FunctionBased, Term
    from .helical import Helical
    from .on_curve import OnCurve
    from .on_surface import OnSurface
    from .planar import Planar
    from .prismatic import Prismatic
    from .revolute import Revolute
    from .rolling import Rolling
    from .rolling_wheel import RollingWheel
    from .spherical import Spherical
    from .spherical_quaternion import SphericalQuaternion
    from .spline_curve import SplineCurve
    from .spline_surface import SplineSurface
    from .surface_surface import SurfaceSurface
    from .translational import Translational
    from .universal import Universal

__all__ = [
    "Composite", "Contact", "Coordinate", "Coupled", "CurveCurve", "EulerAngles", "Fixed", "FourBar", "Free",
    "FreePlanar", "FreeQuaternion", "FunctionBased", "FunctionJoint", "Helical", "Joint", "Motion", "OnCurve",
    "OnSurface", "Planar", "Prismatic", "Revolute", "Rolling", "RollingWheel", "Spherical", "SphericalQuaternion",
    "SplineCurve", "SplineSurface", "SurfaceSurface", "Term", "Translational", "Universal", "joint", "parameter",
    "rechart",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Joints are loaded when they are first used, from the file of their name: most robots have few kinds."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    file = {"Term": "function_based"}.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    globals()[name] = getattr(importlib.import_module(f"{__name__}.{file}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
