"""Three turns about axes that ride along, one after the other [LJ eq. 52]; leaving gimbal lock [SG section 6]."""

import math
from collections.abc import Sequence

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, absolute, atan2, less, select, sincos, sqrt
from anyjoint.spatial import Matrix, Pose, QuarterTurn, Vector, cross, dot, vector

from .joint import Coordinate, Joint, nearest_of

TURNS = {"x": Pose.rotation_x, "y": Pose.rotation_y, "z": Pose.rotation_z}
LEAVE = 0.5  # sine of the angle between the first and the third axis below which another order is better
AWAY = 4 * math.pi  # what the second angle has on top in the other order, so that it tells which one it is
BETWEEN = 2 * math.pi


@frozen
class EulerAngles(Joint):
    """A ball joint in Euler angles, Q = Rot_a(q0) Rot_b(q1) Rot_c(q2) for `order="abc"` [LJ eq. 52]; q = the angles.

    Twelve orders: "xyz", "zyx" and so on, locked where the second angle is a quarter turn; "zxz", "zyz" and so on,
    locked where it is zero or half a turn. `switch=True` goes on in another order before that, as from "zyx" to "zyz",
    and back: the second angle is then 4 pi larger. joints.Spherical has no lock at all.
    """

    order: str = "xyz"
    switch: bool = False

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
        turn = Coordinate(names[1], domain=about, neutral=middle, period=2 * math.pi, wrap=self.switch)
        first, last = (Coordinate(names[k], period=2 * math.pi, wrap=self.switch) for k in (0, 2))
        return first, turn, last

    @property
    def axes(self) -> tuple[int, int, int]:
        """Numbers of the first axis, of the second, and of the one that is neither."""
        a, b = ("xyz".index(letter) for letter in self.order[:2])
        return a, b, 3 - a - b

    @property
    def hand(self) -> int:
        """1 where these axes are right-handed, else -1: angles about them then count the other way."""
        a, b, _ = self.axes
        return 1 if (b - a) % 3 == 1 else -1

    @property
    def lock(self) -> str:
        """Gimbal lock."""
        return (
            "its first and third axis nearly coincide (gimbal lock); use a ball joint without one,"
            f" joints.SphericalQuaternion(), or EulerAngles({self.order!r}, switch=True), which goes round it"
        )

    def pose(self, q: Sequence[Scalar]) -> Pose:
        first, second, third = (TURNS[letter](angle) for letter, angle in zip(self.order, q, strict=True))
        if not self.switch:
            return first @ second @ third
        # In the other order, a quarter turn about the second axis swaps the third one for the first, or back.
        sign = -self.hand if self.order[2] == self.order[0] else self.hand
        swap = Pose((QuarterTurn.about(self.axes[1], less(q[1], BETWEEN), sign),))
        return first @ second @ swap @ third @ swap.inverse()

    def chart(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]] | None:
        """The same rotation and angular velocity in the other order, where this one comes near its lock."""
        if not self.switch:
            return None
        here = less(q[1], BETWEEN)
        s, c = sincos(q[1])
        twice = self.order[0] == self.order[2]
        lock = select(here, s if twice else c, c if twice else s)
        leave = less(absolute(lock), LEAVE)
        R = self.pose(q).R
        own, other = self._angles(R, double=twice), self._angles(R, double=not twice)
        there = [select(here, x, y) for x, y in zip(other, own, strict=True)]
        there[1] = there[1] + select(here, AWAY, 0.0)
        new_q = [select(leave, x, y) for x, y in zip(there, q, strict=True)]
        omega = self.jacobian(q)[:3] @ v
        rates = solved(self.jacobian(new_q)[:3], omega)
        return new_q, [select(leave, x, y) for x, y in zip(rates, v, strict=True)]

    def nearest(self, q: Sequence[Scalar], to: Sequence[Scalar]) -> Sequence[Scalar]:
        """Each rotation has two sets of angles, in each of two orders if they switch."""
        twice, here, there = self.order[0] == self.order[2], bool(q[1] < BETWEEN), bool(to[1] < BETWEEN)
        own = list(q)
        if here != there:
            own = self._angles(self.pose(q).R, double=twice if there else not twice)
            own[1] = own[1] + (0.0 if there else AWAY)
        middle = AWAY * (not there) + (0.0 if twice == there else math.pi / 2)
        other = [own[0] + math.pi, 2 * middle - own[1], own[2] + math.pi]
        found = nearest_of(self.coordinates, [own, other], to)
        return found if self.switch or found != nearest_of(self.coordinates, [own], to) else q

    def speeds(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        """The rates of the angles; among orders, which have others, the angular velocity in the body."""
        return list(self.jacobian(q)[:3] @ vector(*v)) if self.switch else v

    @property
    def speeds_are_velocities(self) -> bool:
        return not self.switch

    def _angles(self, R: Matrix, *, double: bool) -> list[Scalar]:
        """The angles of a rotation in the order abc, or aba (`double`), of this joint's axes."""
        M = R[list(self.axes)][:, list(self.axes)]
        if double:
            found = [atan2(M[1, 0], -M[2, 0]), atan2(_length(M[0, 1], M[0, 2]), M[0, 0]), atan2(M[0, 1], M[0, 2])]
        else:
            found = [atan2(-M[1, 2], M[2, 2]), atan2(M[0, 2], _length(M[0, 0], M[0, 1])), atan2(-M[0, 1], M[0, 0])]
        return [self.hand * angle for angle in found]

    def barriers(self, q: Sequence[Scalar]) -> list[Scalar]:
        return [] if self.switch else super().barriers(q)  # orders change before a motion gets there

    def singularity(self, q: Sequence[float]) -> str | None:
        found = self.stuck(q)
        return f"{found}; joints.Spherical() has no such place, and switch=True passes it by" if found else None


def solved(S: Matrix, omega: Vector) -> list[Scalar]:
    """v with S v = omega, by Cramer's rule."""
    a, b, c = (S[:, k] for k in range(3))
    whole = dot(a, cross(b, c))
    return [dot(omega, cross(b, c)) / whole, dot(omega, cross(c, a)) / whole, dot(omega, cross(a, b)) / whole]


def _length(x: Scalar, y: Scalar) -> Scalar:
    return sqrt(x * x + y * y)
