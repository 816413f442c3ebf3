"""What the user describes: bodies in a tree, their joints, inertias and shapes, and the rules that they must keep."""

from . import shapes
from .assemble import assemble
from .body import Body, Ground
from .checks import Problem
from .frame import Frame
from .inertia import Inertia
from .mechanism import Mechanism
from .source import Source

__all__ = ["Body", "Frame", "Ground", "Inertia", "Mechanism", "Problem", "Source", "assemble", "shapes"]
