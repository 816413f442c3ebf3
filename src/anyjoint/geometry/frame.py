"""Building blocks of frames: known rotations, normalised vectors, rotations about z by a known sine and cosine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from anyjoint.errors import SingularityError
from anyjoint.scalar import Scalar, atan2, derivative, plain, sqrt
from anyjoint.spatial import Matrix, Pose, Rotation, Turn, Vector, as_matrix, dot, vector

# Columns (y, z, x): an outward x axis becomes the normal of a surface frame [p0, n x p0, n].
OUTWARD_X = Pose((Turn(as_matrix([[0, 0, 1], [1, 0, 0], [0, 1, 0]])),))
# A quarter turn about z: columns (y, -x, z).
QUARTER_Z = Pose((Turn(as_matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]])),))
# Half a turn about x: opposes normals and keeps the first axis (psi = 0 in [PAK section 6]).
FLIP = Pose((Turn(as_matrix([[1, 0, 0], [0, -1, 0], [0, 0, -1]])),))


Edge = tuple[Scalar, Scalar]


@dataclass(frozen=True)
class FrameTurn(Turn):
    """The rotation of a frame made from derivatives, which breaks down where they vanish or are parallel.

    `edges` tells, when asked, how near that is: pairs as `edge` makes them.
    """

    edges: Callable[[], list[Edge]]

    def inverse(self) -> Self:
        return replace(self, R=self.R.T)


@dataclass(frozen=True)
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


def from_axes(x: Any, y: Any, z: Any, origin: Any) -> Pose:
    """A pose from its three axes and its origin; trusted to be a rotation."""
    return Pose.translation(*origin) @ Pose((Turn(rotation(x, y, z)),))


def framed(x: Any, y: Any, z: Any, origin: Any, edges: Callable[[], list[Edge]]) -> Pose:
    """The same where the axes come from derivatives."""
    return Pose.translation(*origin) @ Pose((FrameTurn(rotation(x, y, z), edges),))


def rotation(x: Any, y: Any, z: Any) -> Matrix:
    """The rotation matrix with these columns."""
    return as_matrix([[x[i], y[i], z[i]] for i in range(3)])


def edge(f: Callable[..., Any], *at: Scalar) -> Edge:
    """How near a vector f of some parameters is to vanishing: |f|^2, and |df|^2 times the parameters' own size.

    Where the first is less than a rounding of the second, f vanishes about the root of a rounding away (1.5e-8 of the
    parameters), and the derivatives of its direction, made of |df| / |f|, have lost half of their digits.
    """
    value: Scalar = dot(*[list(f(*at))] * 2)
    change: Scalar = 0
    for k, x in enumerate(at):
        partial = derivative(_along(f, at, k), x)
        change = change + dot(partial, partial)
    return value, (1 + dot(at, at)) * change


def _along(f: Callable[..., Any], at: tuple[Scalar, ...], k: int) -> Callable[[Scalar], list[Scalar]]:
    return lambda x: list(f(*at[:k], x, *at[k + 1 :]))


def vanishes(f: Callable[..., Any], *at: float) -> bool:
    """Whether a vector vanishes at plain parameters, or so near that it makes no difference."""
    value, change = edge(f, *at)
    return bool(value <= np.finfo(float).eps * change)
