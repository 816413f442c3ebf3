"""Loops: two bodies of the tree joined once more, by rows that leave only the closing joint's motion free.

Rows are seen in the first body's axes. There they are constant: a hinge asks that a point of one body stay at a point
of the other and that their relative spin be along the axis. Rows on directions are not the derivatives of the errors
beside them but equal to them wherever the loop is closed, at a fraction of the operations. A soft loop is not closed:
its rows are derivatives everywhere, else it would make energy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.joints import Joint
from anyjoint.scalar import Scalar
from anyjoint.spatial import Matrix, Pose, Vector, cross, dot, frame_about, zeros

from .constraint import Constraint
from .rows import Rows, Touched


@frozen
class Closing:
    """Which motions a closing joint blocks, in its own frame: shifts along axes, turns about axes, or a cross."""

    shifts: tuple[int, ...]
    turns: tuple[int, ...]
    slides: bool = False  # whether the two origins may lie apart
    tilts: bool = False  # whether the two frames may be turned against each other
    cross: bool = False  # whether x of the first body stays perpendicular to y of the second
    turn: Pose = field(default_factory=Pose)  # of the closing frame, such that the joint's axis is z

    @property
    def names(self) -> tuple[str, ...]:
        """What each row blocks."""
        axes = [f"shift {'xyz'[k]}" for k in self.shifts] + [f"turn {'xyz'[k]}" for k in self.turns]
        return (*axes, *(["cross"] if self.cross else []))


ALL, ACROSS = (0, 1, 2), (0, 1)
Pairs = list[tuple[float, Vector, Vector]]  # (weight, direction of the first body, direction of the second)


def closing(joint: Joint) -> Closing | None:
    """The rows of a closing joint; None for a joint that has none of its own."""
    from anyjoint.joints import (  # kinds that a robot without loops need not load
        Composite,
        Fixed,
        FreePlanar,
        Planar,
        Prismatic,
        Revolute,
        Spherical,
        SphericalQuaternion,
        Translational,
        Universal,
    )

    match joint:
        case Fixed():
            return Closing(ALL, ALL)
        case Revolute():
            return Closing(ALL, ACROSS, turn=_to_z(joint.axis))
        case Spherical() | SphericalQuaternion():
            return Closing(ALL, ())
        case Prismatic():
            return Closing(ACROSS, ALL, slides=True, turn=_to_z(joint.axis))
        case Planar():
            return Closing((2,), ALL, slides=True)
        case FreePlanar():
            return Closing((2,), ACROSS, slides=True)
        case Translational():
            return Closing((), ALL)
        case Universal():
            return Closing(ALL, (), cross=True)
        case Composite(joints=(Revolute(axis=a), Prismatic(axis=b)) | (Prismatic(axis=a), Revolute(axis=b))):
            return Closing(ACROSS, ACROSS, slides=True, turn=_to_z(a)) if tuple(a) == tuple(b) else None
    return None


def _to_z(axis: Any) -> Pose:
    """The closing frame with its z along the axis; the body's own where that is so already."""
    along = [float(x) for x in axis]
    return Pose() if along[:2] == [0.0, 0.0] else Pose.from_rotation(frame_about(along))


@frozen(eq=False, kw_only=True)
class Loop(Constraint):
    """A closing joint between two bodies; multipliers are its reactions in the axes of the first body's frame."""

    closing: Closing

    @property
    def alike(self) -> tuple[int, ...]:
        """Shifts are one vector, turns another."""
        closing = self.closing
        return (*[0 for _ in closing.shifts], *[1 for _ in closing.turns], *([2] if closing.cross else []))

    @property
    def relative(self) -> bool:
        """Two bodies that are joined may move together."""
        return True

    def rows(self, bodies: Sequence[Touched], q: Sequence[Scalar], qd: Sequence[Scalar], t: Scalar) -> Rows:
        """In the axes of the first link; C takes directions from the second link to the first."""
        a, b = bodies
        C = a.R.T @ b.R
        d = a.R.T @ (b.p - a.p) + C @ b.X.p - a.X.p
        error, rate, gamma = [], [], []
        K: tuple[list[Vector], list[Vector]] = [], []

        def row(value: Scalar, on_a: Vector, on_b: Vector, rest: Scalar) -> None:
            error.append(value)
            K[0].append(on_a)
            K[1].append(on_b)
            rate.append(dot(on_a, _twist(a)) + dot(on_b, _twist(b)))
            gamma.append(rest)

        if self.closing.shifts:
            x, fall = self._shift(a, b, C, d)
            for k in self.closing.shifts:
                e = a.X.R[:, k]
                f = C.T @ e
                row(dot(e, d), -_screw(x, e), _screw(b.X.p, f), dot(e, fall))
        slip, spun = C @ b.w - a.w, cross(a.w, C @ b.w)
        for turn, pairs in zip((*self.closing.turns, None), self._turned(a, b, C), strict=False):
            plain = turn is not None and not self.closing.tilts
            axis, rest = (a.X.R[:, turn], 0) if plain else _turning(pairs, slip)
            value = sum(w * dot(x, y) for w, x, y in pairs)
            row(value, _screw(None, -axis), _screw(None, C.T @ axis), rest - dot(axis, spun))
        return Rows(error, rate, [_columns(K[0]), _columns(K[1])], [], gamma)

    def _shift(self, a: Touched, b: Touched, C: Matrix, d: Vector) -> tuple[Vector, Vector]:
        """The point of the first link that shifts are measured at, and their acceleration by velocities alone."""
        x = a.X.p + d if self.closing.slides else a.X.p
        fall = C @ cross(b.w, cross(b.w, b.X.p)) - cross(a.w, cross(a.w, x))
        if self.closing.slides:
            drift = C @ (b.u + cross(b.w, b.X.p)) - a.u - cross(a.w, x)
            fall = fall - 2 * cross(a.w, drift)
        return x, fall

    def _turned(self, a: Touched, b: Touched, C: Matrix) -> Iterator[Pairs]:
        """Small angles by which the second closing frame is turned, seen from the first, then the cross.

        Each is a sum of products of directions.
        """
        x, y = a.X.R.T, [C @ e for e in b.X.R.T]
        if self.closing.turns == ACROSS:
            yield [(-1, x[1], y[2])]
            yield [(1, x[0], y[2])]
        elif self.closing.turns:
            for i, j in ((1, 2), (2, 0), (0, 1)):
                yield [(0.5, x[j], y[i]), (-0.5, x[i], y[j])]
        if self.closing.cross:
            yield [(1, x[0], y[1])]


def _turning(pairs: Pairs, slip: Vector) -> tuple[Vector, Scalar]:
    """The axis about which a sum of products of directions changes, and its acceleration by relative spin alone."""
    axis = sum((w * cross(y, x) for w, x, y in pairs), zeros(3))
    return axis, sum(w * dot(slip, cross(cross(slip, y), x)) for w, x, y in pairs)


def make_loop(name: str, bodies: tuple[int, int], at: tuple[Pose, Pose], joint: Joint, compliance: float) -> Loop:
    """The loop of a closing joint that has rows of its own."""
    rows = closing(joint)
    if rows is None:
        raise InputError(f"loop {name!r}: {type(joint).__name__} has no rows of its own")
    if compliance:
        rows = replace(rows, slides=True, tilts=True)  # wherever the loop gives way, it is not closed
    frames = tuple(frame @ rows.turn for frame in at)
    return Loop(name=name, bodies=bodies, frames=frames, compliance=compliance, row_names=rows.names, closing=rows)


def _twist(body: Touched) -> Vector:
    return np.concatenate([body.w, body.u])


def _screw(point: Vector | None, direction: Vector) -> Vector:
    """A force along a direction through a point; a couple about the direction without one."""
    if point is None:
        return np.concatenate([direction, zeros(3)])
    return np.concatenate([cross(point, direction), direction])


def _columns(vectors: Sequence[Vector]) -> Matrix:
    return np.stack(vectors, axis=1) if vectors else zeros(6, 0)
