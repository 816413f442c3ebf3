"""Constraints: what joints of the tree cannot say. Loops, rolling, functions of one's own; one file each."""

from .constraint import Constraint
from .function import ConstraintFunction, FunctionConstraint, constraint, velocity_constraint
from .loop import Loop
from .push import Push
from .rows import Rows, Standing, Touched

__all__ = [
    "Constraint", "ConstraintFunction", "FunctionConstraint", "Loop", "Push", "Rows", "Standing", "Touched",
    "constraint", "velocity_constraint",
]  # fmt: skip
