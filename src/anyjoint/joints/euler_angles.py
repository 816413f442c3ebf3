"""Three turns about axes that ride along, one after the other [LJ eq. 52]."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from anyjoint.errors import InputError
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .joint import Coordinate, Joint

TURNS = {"x": Pose.rotation_x, "y": Pose.rotation_y, "z": Pose.rotation_z}


@dataclass(frozen=True)
class EulerAngles(Joint):
    """A ball joint in Euler angles, Q = Rot_a(q0) Rot_b(q1) Rot_c(q2) for `order="abc"` [LJ eq. 52]; q = the angles.

    Twelve orders: "xyz", "zyx" and so on, locked where the second angle is a quarter turn; "zxz", "zyz" and so on,
    locked where it is zero or half a turn. Where a motion may get there, take joints.Spherical.
    """

    order: str = "xyz"

    def __post_init__(self) -> None:
        letters = list(self.order) if isinstance(self.order, str) else []
        turning = all(a != b for a, b in zip(letters[1:], letters[:-1], strict=True)) if letters else False
        if len(letters) != 3 or not set(letters) <= set(TURNS) or not turning:
            raise InputError(
                f"EulerAngles(order={self.order!r}): expected three of the letters x, y, z, neighbours different, such "
                'as "xyz", "zyx" or "zxz"'
            )

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        twice = self.order[0] == self.order[2]
        names = [letter + str(k + 1) if twice else letter for k, letter in enumerate(self.order)]
        middle = math.pi / 2 if twice else 0.0
        about = (middle - 1.5, middle + 1.5)  # short of where the first axis meets the third
        return tuple(
            Coordinate(name, domain=about, neutral=middle, period=2 * math.pi)
            if k == 1
            else Coordinate(name, period=2 * math.pi)
            for k, name in enumerate(names)
        )

    def pose(self, q: Sequence[Scalar]) -> Pose:
        first, second, third = (TURNS[letter](angle) for letter, angle in zip(self.order, q, strict=True))
        return first @ second @ third

    def singularity(self, q: Sequence[float]) -> str | None:
        found = self.stuck(q)
        return f"{found}; joints.Spherical() has no such place" if found else None
