"""Joints: one file each; every one is a function from coordinates to a pose."""

from .composite import Composite
from .contact import Contact
from .fixed import Fixed
from .free import Free
from .free_planar import FreePlanar
from .free_quaternion import FreeQuaternion
from .function import FunctionJoint, joint
from .helical import Helical
from .joint import Coordinate, Joint, parameter
from .on_curve import OnCurve
from .on_surface import OnSurface
from .planar import Planar
from .prismatic import Prismatic
from .product_rule import Motion
from .revolute import Revolute
from .spherical import Spherical
from .spherical_quaternion import SphericalQuaternion
from .surface_surface import SurfaceSurface
from .translational import Translational
from .universal import Universal

__all__ = [
    "Composite", "Contact", "Coordinate", "Fixed", "Free", "FreePlanar", "FreeQuaternion", "FunctionJoint", "Helical", "Joint", "Motion",
    "OnCurve", "OnSurface", "Planar", "Prismatic", "Revolute", "Spherical", "SphericalQuaternion", "SurfaceSurface", "Translational",
    "Universal", "joint", "parameter",
]  # fmt: skip
