"""Constraints: what joints of the tree cannot say. Loops, rolling, functions of one's own; one file each."""

from .constraint import Constraint
from .function import ConstraintFunction, FunctionConstraint, constraint, velocity_constraint
from .loop import Loop
from .push import Push
from .resistance import Begun, Resistance, Rub, Stop
from .rows import Rows, Standing, Touched
from .touch import Touch

__all__ = [
    "Begun", "Constraint", "ConstraintFunction", "FunctionConstraint", "Loop", "Push", "Resistance", "Rows", "Rub",
    "Standing", "Stop", "Touch", "Touched", "constraint", "velocity_constraint",
]  # fmt: skip
