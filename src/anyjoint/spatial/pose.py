"""Pose: a rigid motion as a product of factors, over any scalar; it maps child coordinates to parent coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from anyjoint.errors import InputError
from anyjoint.scalar import Scalar, is_number, reals, sincos, sqrt

from .algebra import Matrix, Vector, cross, vector, zeros
from .direction import at_unit_length, frame_about
from .factor import Factor, Rotation, Translation, Turn, as_matrix
from .inertia import BlockInertia
from .rotation import rotation_problem

Axis = Any  # three numbers, or a name: "x", "-z" ...
NAMED_AXES = {
    sign + name: tuple(float(f"{sign}1") if i == k else 0.0 for i in range(3))
    for sign in ("", "-")
    for k, name in enumerate("xyz")
}
AXIS_NAMES = ", ".join(map(repr, NAMED_AXES))


class Pose:
    """A rigid motion: a product of elementary rotations, translations and general rotations; compose with `@`.

    >>> import anyjoint as aj
    >>> pose = aj.Pose.translation(0, 0, 1) @ aj.Pose.rotation_z(aj.acos(0.0))
    >>> [round(float(x), 12) for x in pose.act((1, 0, 0))]  # a point of the child, in the parent
    [0.0, 1.0, 1.0]
    """

    __slots__ = ("__dict__", "factors")
    factors: tuple[Factor, ...]

    def __init__(self, factors: Sequence[Factor] = ()) -> None:
        self.factors = tuple(factors)

    # -- making poses -------------------------------------------------------------------------------------------------

    @staticmethod
    def identity() -> Pose:
        """The pose that moves nothing."""
        return Pose()

    @staticmethod
    def translation(x: Scalar, y: Scalar, z: Scalar) -> Pose:
        """A shift by (x, y, z)."""
        return Pose((Translation((_finite(x, "translation"), _finite(y, "translation"), _finite(z, "translation"))),))

    @staticmethod
    def rotation_x(angle: Scalar) -> Pose:
        """A rotation about x."""
        return Pose((Rotation(0, _finite(angle, "angle")),))

    @staticmethod
    def rotation_y(angle: Scalar) -> Pose:
        """A rotation about y."""
        return Pose((Rotation(1, _finite(angle, "angle")),))

    @staticmethod
    def rotation_z(angle: Scalar) -> Pose:
        """A rotation about z."""
        return Pose((Rotation(2, _finite(angle, "angle")),))

    @staticmethod
    def rotation(axis: Axis, angle: Scalar) -> Pose:
        """A rotation about any axis through the origin; a constant axis is turned to z, so its twist stays constant."""
        angle = _finite(angle, "angle")
        if not isinstance(axis, str) and not all(is_number(_finite(x, "axis")) for x in axis):
            return Pose((Turn(_rodrigues(axis, angle)),))
        unit = unit_axis(axis)
        for k in range(3):
            if abs(unit[k]) == 1.0:
                return Pose((Rotation(k, angle if unit[k] > 0 else -angle),))
        Q = as_matrix(frame_about(unit))
        return Pose((Turn(Q), Rotation(2, angle), Turn(Q.T)))

    @staticmethod
    def quaternion(w: Scalar, x: Scalar, y: Scalar, z: Scalar) -> Pose:
        """A rotation by a quaternion of any length but zero."""
        for value in (w, x, y, z):
            _finite(value, "quaternion")
        n = w * w + x * x + y * y + z * z
        if is_number(n) and not np.real(n) > 0:
            raise InputError(
                f"quaternion ({w}, {x}, {y}, {z}) has no direction; give four numbers that are not all zero"
            )
        s = 2 / n
        R = [
            [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
        ]
        return Pose((Turn(as_matrix(R)),))

    @staticmethod
    def rpy(roll: Scalar, pitch: Scalar, yaw: Scalar) -> Pose:
        """Roll, pitch, yaw as URDF has them: Rot_z(yaw) Rot_y(pitch) Rot_x(roll)."""
        return Pose.rotation_z(yaw) @ Pose.rotation_y(pitch) @ Pose.rotation_x(roll)

    @staticmethod
    def from_rotation(R: Matrix | Sequence[Sequence[Scalar]], p: Sequence[Scalar] = (0, 0, 0)) -> Pose:
        """From a 3x3 rotation (its columns are the child's axes) and an origin."""
        matrix = as_matrix(R)
        if matrix.shape != (3, 3):
            raise InputError(f"a rotation needs a 3x3 matrix, got shape {matrix.shape}")
        if all(is_number(x) for x in matrix.ravel()):
            _check_rotation(matrix)
        return Pose.translation(*p) @ Pose((Turn(matrix),))

    @staticmethod
    def from_matrix(T: Matrix | Sequence[Sequence[Scalar]]) -> Pose:
        """From a homogeneous 4x4 matrix."""
        matrix = as_matrix(T)
        if matrix.shape != (4, 4):
            raise InputError(f"a pose needs a 4x4 matrix, got shape {matrix.shape}")
        last = matrix[3]
        if all(is_number(x) for x in last) and not np.array_equal(last.astype(float), [0.0, 0.0, 0.0, 1.0]):
            raise InputError(f"the last row of a pose is (0, 0, 0, 1), got {tuple(last)}")
        return Pose.from_rotation(matrix[:3, :3], tuple(matrix[:3, 3]))

    # -- using poses --------------------------------------------------------------------------------------------------

    def __matmul__(self, other: Pose) -> Pose:
        if not isinstance(other, Pose):
            raise InputError(
                f"a pose is composed with a pose, got {type(other).__name__}; use pose.act(point) for points"
            )
        return Pose(self.factors + other.factors)

    def __mul__(self, other: object) -> NoReturn:
        raise InputError("poses are composed with @, as in a @ b; use pose.act(point) for points")

    def inverse(self) -> Pose:
        """The pose that undoes this one."""
        return Pose([factor.inverse() for factor in reversed(self.factors)])

    def behind(self, R: Matrix, p: Vector) -> tuple[Matrix, Vector]:
        """The frame behind this pose of a frame (R, p): factors are passed one at a time, which is cheapest."""
        for factor in self.factors:
            if isinstance(factor, Translation):
                p = p + R @ vector(*factor.p)
            else:
                R = R @ factor.matrix()
        return R, p

    def before(self, R: Matrix, p: Vector, weight: Scalar = 1) -> tuple[Matrix, Vector]:
        """A frame (R, p) of the child, in the parent; with a weight 0 what is nothing stays nothing."""
        for factor in reversed(self.factors):
            if isinstance(factor, Translation):
                p = p + vector(*factor.p) * weight
            else:
                turn = factor.matrix()
                R, p = turn @ R, turn @ p
        return R, p

    @cached_property
    def _frame(self) -> tuple[Matrix, Vector]:
        return self.behind(as_matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), zeros(3))

    @property
    def R(self) -> Matrix:
        """The 3x3 rotation."""
        return self._frame[0]

    @property
    def p(self) -> Vector:
        """The child's origin in the parent."""
        return self._frame[1]

    @cached_property
    def matrix(self) -> Matrix:
        """The 4x4 matrix, of floats where all entries are numbers."""
        exact = _float_matrix(self.factors)
        if exact is not None:
            return exact
        T = zeros(4, 4)
        T[:3, :3], T[:3, 3], T[3, 3] = self.R, self.p, 1
        if all(is_number(x) for x in T.ravel()):
            return T.astype(complex if any(isinstance(x, (complex, np.complexfloating)) for x in T.ravel()) else float)
        return T

    def act(self, point: Sequence[Scalar]) -> Vector:
        """A point of the child, in the parent."""
        return self.R @ vector(*point) + self.p

    # -- what passes through a pose -----------------------------------------------------------------------------------

    def motion(self, v: Vector) -> Vector:
        """A twist of the parent side seen from the child, Ad(G^-1) v [SG eq. 2; RM eq. 6]."""
        for factor in self.factors:
            v = factor.motion(v)
        return v

    def turn(self, x: Vector) -> Vector:
        """A direction of the parent side, in the child's axes."""
        for factor in self.factors:
            x = factor.turn(x)
        return x

    def spin(self, w: Vector) -> tuple[Vector, Vector]:
        """The parent's angular velocity in the child's axes, and the centripetal acceleration of the child's origin."""
        g = zeros(3)
        for factor in self.factors:
            if isinstance(factor, Translation):
                g = g + centripetal(w, factor.p)
            else:
                w, g = factor.turn(w), factor.turn(g)
        return w, g

    def force(self, f: Vector) -> Vector:
        """A wrench of the child side seen from the parent, Ad(G^-1)^T f [SG eq. 14]."""
        for factor in reversed(self.factors):
            f = factor.force(f)
        return f

    def inertia(self, J: BlockInertia) -> BlockInertia:
        """An inertia of the child side seen from the parent, Ad(G^-1)^T J Ad(G^-1) [SG eq. 27]."""
        for factor in reversed(self.factors):
            J = factor.inertia(J)
        return J

    def __repr__(self) -> str:
        return f"Pose(R={[list(row) for row in self.R]}, p={list(self.p)})"


def centripetal(w: Vector, p: Sequence[Scalar]) -> Vector:
    """w x (w x p)."""
    return cross(w, cross(w, p))


def unit_axis(axis: Axis, where: str = "axis") -> tuple[float, float, float]:
    """A constant axis at unit length, also by its name such as "-z"; refuses zero, NaN and wrong sizes."""
    try:
        a = reals(NAMED_AXES.get(axis, axis) if isinstance(axis, str) else axis)
    except (TypeError, ValueError):
        a = np.zeros(0)
    if a.shape != (3,) or not np.isfinite(a).all():
        raise InputError(f"{where} {axis!r}: expected three finite numbers such as (0, 0, 1), or one of {AXIS_NAMES}")
    if float(np.linalg.norm(a)) < 1e-12:
        raise InputError(f"{where} {tuple(a.tolist())} has no direction; give three numbers such as (0, 0, 1)")
    x, y, z = at_unit_length(a.tolist())
    return x, y, z


def _float_matrix(factors: Sequence[Factor]) -> Matrix | None:
    """The 4x4 matrix of factors that are all floats, by plain arithmetic; None for other scalars."""
    rows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
    for factor in factors:
        numbers: Any = factor.R.ravel().tolist() if isinstance(factor, Turn) else ()
        numbers = factor.sincos if isinstance(factor, Rotation) else getattr(factor, "p", numbers)
        if not all(isinstance(x, (int, float)) for x in numbers):
            return None
        if isinstance(factor, Rotation):
            (s, c), (i, j) = numbers, factor.plane
            for row in rows:
                row[i], row[j] = row[i] * c + row[j] * s, row[j] * c - row[i] * s
        elif isinstance(factor, Translation):
            x, y, z = numbers
            for row in rows:
                row[3] += row[0] * x + row[1] * y + row[2] * z
        else:
            R = numbers
            rows = [[a * R[j] + b * R[j + 3] + c * R[j + 6] for j in range(3)] + [d] for a, b, c, d in rows]
    return np.array([*rows, [0.0, 0.0, 0.0, 1.0]])


def _finite(x: Scalar, what: str) -> Scalar:
    """A scalar; one inside an array without axes is taken out."""
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x.item()
    if isinstance(x, (bool, np.bool_)):
        raise InputError(f"{what} must be a number, got {x!r}")
    if is_number(x) and not np.isfinite(x):
        raise InputError(f"{what} must be finite, got {x}")
    if x is None or isinstance(x, (str, bytes, list, tuple)) or (isinstance(x, np.ndarray) and x.size == 1):
        raise InputError(f"{what} must be a number, got {x!r}; of coordinates q, take one such as q[0]")
    return x


def _rodrigues(axis: Sequence[Scalar], angle: Scalar) -> Matrix:
    length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
    a = [x / length for x in axis]
    s, c = sincos(angle)
    K = [[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]]
    return as_matrix([[(c if i == j else 0) + s * K[i][j] + (1 - c) * a[i] * a[j] for j in range(3)] for i in range(3)])


def _check_rotation(R: Matrix) -> None:
    if any(isinstance(x, (complex, np.complexfloating)) for x in R.ravel()):
        return
    M = R.astype(float)
    problem = rotation_problem(M)
    if problem:
        raise InputError(f"not a rotation ({problem}): {M.tolist()}")


def pose_of_rows(numbers: Sequence[Scalar]) -> Pose:
    """A pose as programs keep it, by the rows of [R p]."""
    T = vector(*numbers).reshape(3, 4)
    return Pose((Translation(tuple(T[:, 3])), Turn(T[:, :3])))
