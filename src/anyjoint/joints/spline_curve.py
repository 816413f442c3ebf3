"""A joint through control frames: cumulative cubic B-spline on SE(3) [RM section 5.2, alg. 4]."""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.geometry.piecewise import Grid, pick
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, Translation, Turn, as_matrix, cross, dot, vector, zeros

from . import exponential
from .condense import condensed
from .joint import Coordinate, Joint
from .logarithm import logarithm
from .product_rule import Motion, Piece, product


@frozen
class SplineCurve(Joint):
    """Along control frames C_i, Q = C_1 exp(D_2 B_2(t)) exp(D_3 B_3(t)) exp(D_4 B_4(t)) [RM eq. 59].

    D_i = log(C_{i-1}^-1 C_i) are the control differences, B_i the cumulative cubic basis functions [RM eq. 57].
    Four consecutive frames rule each piece, one unit of q per piece; `closed=True` joins the end to the start.
    """

    frames: Any
    closed: bool = False

    def __post_init__(self) -> None:
        frames = tuple(f if isinstance(f, Pose) else Pose.from_matrix(f) for f in self.frames)
        if len(frames) < 4:
            raise InputError(f"SplineCurve: {len(frames)} control frames given, at least 4 are needed")
        kept = tuple(tuple(tuple(float(x) for x in row) for row in frame.matrix) for frame in frames)
        object.__setattr__(self, "frames", kept)

    @property
    def count(self) -> int:
        """Number of pieces."""
        return len(self.frames) if self.closed else len(self.frames) - 3

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        n = float(self.count)
        if self.closed:
            return (Coordinate("s", domain=(0.0, n), period=n, neutral=n / 2, unit=""),)
        return (Coordinate("s", domain=(0.0, n), neutral=n / 2, unit="", defined=(0.0, n)),)

    @cached_property
    def tables(self) -> Any:
        """For each piece: the first frame (3 x 4 numbers) and three control differences (6 numbers each)."""
        matrices = [np.array(frame) for frame in self.frames]
        rows = []
        for i in range(self.count):
            window = [matrices[(i + k) % len(matrices)] for k in range(4)]
            steps = [logarithm(np.linalg.inv(a) @ b) for a, b in pairwise(window)]
            rows.append([*window[0][:3].ravel(), *np.concatenate(steps)])
        return tuple(tuple(float(row[k]) for row in rows) for k in range(30))

    def pieces(self, s: Scalar) -> tuple[Pose, list[Scalar], Scalar]:
        """The piece at s: its first frame, its three control differences, and where in the piece s lies."""
        index, t = Grid(0, 1, self.count, self.closed).locate(s)
        numbers = [pick(table, index) for table in self.tables]
        T = as_matrix(numbers[:12]).reshape(3, 4)
        first = Pose((Translation((T[0, 3], T[1, 3], T[2, 3])), Turn(T[:, :3])))
        return first, [vector(*numbers[12 + 6 * k : 18 + 6 * k]) for k in range(3)], t

    def pose(self, q: Sequence[Scalar]) -> Pose:
        first, steps, t = self.pieces(q[0])
        for step, (B, _, _) in zip(steps, cumulative_basis(t), strict=True):
            first = first @ exponential_pose(step, B)
        return first

    def motion(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
        """[RM alg. 4] by the product rule: each exponential has the twist D_i B_i' in its own frame."""
        first, steps, t = self.pieces(q[0])
        pieces = [Piece(first, zeros(6, 1), zeros(6))]
        for step, (B, slope, bend) in zip(steps, cumulative_basis(t), strict=True):
            pieces.append(Piece(exponential_pose(step, B), (step * slope).reshape(6, 1), step * (bend * v[0] * v[0])))
        whole = product(pieces, v)
        return Motion(condensed(whole.pose), Pose(), whole.S, zeros(6, 1), whole.c)


def cumulative_basis(t: Scalar) -> list[tuple[Scalar, Scalar, Scalar]]:
    """The cumulative cubic basis functions 2, 3, 4 with their first two derivatives [RM eq. 55-58]."""
    return [
        ((5 + t * (3 + t * (-3 + t))) / 6, (1 + t * (-2 + t)) / 2, t - 1),
        ((1 + t * (3 + t * (3 - 2 * t))) / 6, (1 + t * (2 - 2 * t)) / 2, 1 - 2 * t),
        (t * t * t / 6, t * t / 2, t),
    ]


def exponential_pose(twist: Sequence[Scalar], share: Scalar) -> Pose:
    """exp(twist share) on SE(3), accurate for small rotations."""
    w, u = vector(*twist[:3]) * share, vector(*twist[3:]) * share
    k = exponential.coefficients(dot(w, w))
    shift = u + cross(w, u) * k.b + cross(w, cross(w, u)) * k.c
    return Pose((Translation((shift[0], shift[1], shift[2])), Turn(exponential.rotation_matrix(w, k))))
