"""Rigid motions, twists, wrenches and inertias over any scalar."""

from .algebra import (
    Matrix,
    Scalars,
    Vector,
    ad,
    ad_dual,
    cross,
    dot,
    dot_in_pairs,
    minus_dot,
    minus_sum,
    plus_dot,
    skew,
    vector,
    zeros,
)
from .direction import at_unit_length, frame_about
from .factor import Factor, Rotation, Translation, Turn, as_matrix
from .inertia import BlockInertia, rigid
from .pose import Axis, Pose, pose_of_rows, unit_axis
from .quarter_turn import QuarterTurn
from .rotation import rotation_problem
from .twist import Twist

__all__ = [
    "Axis", "BlockInertia", "Factor", "Matrix", "Pose", "QuarterTurn", "Rotation", "Scalars", "Translation", "Turn",
    "Twist", "Vector", "ad", "ad_dual", "as_matrix", "at_unit_length", "cross", "dot", "dot_in_pairs",
    "frame_about", "minus_dot", "minus_sum", "plus_dot", "pose_of_rows", "rigid", "rotation_problem", "skew",
    "unit_axis", "vector", "zeros",
]  # fmt: skip
