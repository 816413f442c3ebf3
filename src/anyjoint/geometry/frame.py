"""Building blocks of frames: known rotations, normalised vectors, rotations about z by a known sine and cosine."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np

from anyjoint.errors import SingularityError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, atan2, derivative, plain, sqrt
from anyjoint.spatial import Matrix, Pose, Rotation, Turn, Vector, as_matrix, dot, vector

# Columns (y, z, x): an outward x axis becomes the normal of a surface frame [p0, n x p0, n].
OUTWARD_X = Pose((Turn(as_matrix([[0, 0, 1], [1, 0, 0], [0, 1, 0]])),))
# A quarter turn about z: columns (y, -x, z).
QUARTER_Z = Pose((Turn(as_matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]])),))
# Half a turn about x: opposes normals and keeps the first axis (psi = 0 in [PAK section 6]).
FLIP = Pose((Turn(as_matrix([[1, 0, 0], [0, -1, 0], [0, 0, -1]])),))


@frozen
class FrameTurn(Turn):
    """The rotation of a frame made from derivatives, which breaks down where they vanish or are parallel.

    `edges` are the vectors that must not vanish.
    """

    edges: tuple[Vector, ...]

    def inverse(self) -> Self:
        return replace(self, R=self.R.T)


@frozen
class FrenetTurn(FrameTurn):
    """The rotation of a Frenet frame, which turns over where its `bend` f' x f'' passes zero."""

    bend: Vector
    curve: str


def place(**parameters: Scalar) -> str:
    """Where something happens, such as " at s = 0.3"; nothing if the parameters are not plain numbers."""
    values = {name: plain(x) for name, x in parameters.items()}
    if any(value is None for value in values.values()):
        return ""
    return " at " + ", ".join(f"{name} = {value:.6g}" for name, value in values.items())


def unit(a: Any, trouble: str = "a vector of no length has no direction") -> Vector:
    """A vector at unit length; `trouble` says what is wrong if plain numbers show that it has none."""
    square = dot(a, a)
    if plain(square) == 0:
        raise SingularityError(trouble)
    length = sqrt(square)
    return vector(*[x / length for x in a])


def known_rotation(axis: int, sine: Scalar, cosine: Scalar) -> Pose:
    """A rotation about coordinate axis 0, 1 or 2 by the angle with this sine and cosine.

    Only the derivative of the angle is ever needed in generated code, so the arc tangent itself costs nothing there.
    """
    factor = Rotation(axis, atan2(sine, cosine))
    factor.__dict__["sincos"] = (sine, cosine)
    return Pose((factor,))


def framed(x: Any, y: Any, z: Any, origin: Any, *edges: Vector) -> Pose:
    """A pose from its axes, which come from derivatives: vectors that must not vanish."""
    return Pose.translation(*origin) @ Pose((FrameTurn(rotation(x, y, z), edges),))


def rotation(x: Any, y: Any, z: Any) -> Matrix:
    """The rotation matrix with these columns."""
    return as_matrix([[x[i], y[i], z[i]] for i in range(3)])


def vanishes(f: Callable[..., Any], *at: float) -> bool:
    """Whether a vector f of plain parameters vanishes, or so near that it makes no difference.

    Where |f| is less than half of the digits of |df|, times the parameters' own size, f vanishes 1.5e-8 of the
    parameters away, and the derivatives of its direction, made of |df| / |f|, have lost half of their digits.
    """
    value = np.array(f(*at), dtype=float)
    partials = [derivative(_along(f, at, k), x) for k, x in enumerate(at)]
    change = np.linalg.norm(np.array(partials, dtype=float)) * math.hypot(1.0, *at)
    return bool(np.linalg.norm(value) <= np.finfo(float).eps ** 0.5 * change)


def _along(f: Callable[..., Any], at: tuple[Scalar, ...], k: int) -> Callable[[Scalar], list[Scalar]]:
    return lambda x: list(f(*at[:k], x, *at[k + 1 :]))
