"""A straight line."""

from collections.abc import Sequence

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Axis, Pose, Turn, Vector, as_matrix, at_unit_length, unit_axis, vector

from ..check import EVERYWHERE, nested, table
from ..frame import known_rotation
from .curve import Curve


@frozen
class Line(Curve):
    """origin + s direction; the direction is taken at unit length, so s is the distance."""

    direction: Axis = (1.0, 0.0, 0.0)
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    domain: tuple[float, float] = (-1.0, 1.0)

    @property
    def tabulated(self) -> tuple[float, float]:
        return EVERYWHERE  # closed forms, no tables

    def __post_init__(self) -> None:
        object.__setattr__(self, "direction", unit_axis(self.direction, "Line direction"))
        object.__setattr__(self, "origin", nested(table("Line origin", self.origin, (3,))))

    def point(self, s: Scalar) -> Vector:
        return vector(*[o + s * d if d else o for o, d in zip(self.origin, self.direction, strict=True)])

    def velocity(self, s: Scalar) -> Vector:
        return vector(*self.direction)

    def frenet(self, s: Scalar) -> Pose:
        raise InputError(
            'Line: a straight line has no Frenet frame; use frame="fixed-up" or frame="transport" (rotation minimising)'
        )

    def rotation_minimising(self, s: Scalar) -> Pose:
        """A constant frame that slides."""
        return _slid(_sharp(super().rotation_minimising(0.0)), s)

    def fixed_up(self, s: Scalar, up: Sequence[float] = (0.0, 0.0, 1.0)) -> Pose:
        return _slid(_sharp(super().fixed_up(0.0, up)), s)

    def in_plane(self, s: Scalar) -> Pose:
        start = Pose.translation(*self.origin) @ known_rotation(2, self.direction[1], self.direction[0])
        return _slid(start, s)

    def arc_length(self, s: Scalar) -> Scalar:
        return s


def _slid(start: Pose, s: Scalar) -> Pose:
    """A frame at the start of a line, moved along its own x axis, which is the direction: its twist is constant."""
    return start @ Pose.translation(s, 0, 0)


def _sharp(frame: Pose) -> Pose:
    """A frame of floats with its axes at unit length to the last bit."""
    columns = [at_unit_length(column) for column in np.asarray(frame.R, dtype=float).T]
    return Pose.translation(*frame.p) @ Pose((Turn(as_matrix(np.transpose(columns).tolist())),))
