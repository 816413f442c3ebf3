"""Joints: one file each; every one is a function from coordinates to a pose."""

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
from .function import FunctionJoint, joint
from .function_based import FunctionBased, Term
from .helical import Helical
from .joint import Coordinate, Joint, parameter
from .on_curve import OnCurve
from .on_surface import OnSurface
from .planar import Planar
from .prismatic import Prismatic
from .product_rule import Motion
from .rechart import rechart
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
