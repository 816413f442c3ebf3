"""Curves: one file each; wherever a curve is wanted, a plain function of one parameter will do."""

from .bezier import Bezier
from .bspline import BSpline
from .circle import Circle
from .curve import ALIASES, FRAMES, Curve
from .ellipse import Ellipse
from .function import FunctionCurve, as_curve, constant, curve
from .helix import Helix
from .line import Line
from .nurbs import NURBS

__all__ = [
    "ALIASES", "FRAMES", "NURBS", "BSpline", "Bezier", "Circle", "Curve", "Ellipse", "FunctionCurve", "Helix",
    "Line", "as_curve", "constant", "curve",
]  # fmt: skip
