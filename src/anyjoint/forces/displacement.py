"""How far a frame is from another one, along and about axes: what a drive can act along."""

from __future__ import annotations

from dataclasses import field
from math import comb

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.joints.exponential import horner
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar, atan2, less, select, sqrt
from anyjoint.spatial import Matrix, Pose, Twist, Vector, cross, dot, vector

from .bushing import FRAME, framed
from .force import Values, Vector3, body_index, check_pose, checked_vector
from .path import Path

VECTORS = ("force", "torque", "own_force", "own_torque")
NEAR = 1 / 64  # of the squared sine of an angle, below which a series serves
ARCSINE = tuple(comb(2 * k, k) / (4**k * (2 * k + 1)) for k in range(9))  # asin(s)/s by powers of s^2


@frozen
class Displacement:
    """The place of a frame of `body` in a frame of `reference` (None: the ground), by one number.

    A unit of effort is `force` and `torque` along the axes of the reference, and `own_force` and `own_torque` along
    those of the frame itself. The length is their product with the shift and the rotation vector, which must stay below
    half a turn. Both bodies feel the force where their frames are; the body that carries both feels none of it.
    """

    body: Where
    reference: Where = None
    pose: Pose = field(default_factory=Pose)
    at: Pose = field(default_factory=Pose)
    force: Vector3 = (0.0, 0.0, 0.0)
    torque: Vector3 = (0.0, 0.0, 0.0)
    own_force: Vector3 = (0.0, 0.0, 0.0)
    own_torque: Vector3 = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for name in ("pose", "at"):
            check_pose("Displacement", name, getattr(self, name))
        for name in VECTORS:
            object.__setattr__(self, name, checked_vector("Displacement", name, getattr(self, name)))

    def read(self, mechanism: Mechanism) -> Path:
        """Its speed and its length as measures."""
        body, reference = (body_index(mechanism, x, "Displacement") for x in (self.body, self.reference))
        frames = [x for frame in (self.pose, self.at) for x in (*frame.R.ravel(), *frame.p)]
        numbers = *frames, *(x for name in VECTORS for x in getattr(self, name))
        bodies = body, reference, _carrier(mechanism, body, reference)
        return Path(speed, bodies, (), tuple(float(x) for x in numbers), seen=length)


def _carrier(mechanism: Mechanism, body: int, other: int) -> int:
    """The last body that carries both, -1 for the ground."""
    while body != other:  # parents come first
        body, other = (mechanism.bodies[max(body, other)].parent, min(body, other))
    return body


def speed(a: Pose, va: Twist, r: Pose, vr: Twist, c: Pose, vc: Twist, n: Values) -> Scalar:
    """Along the force and about the torque; the carrier moves along with each end."""
    first, second = _frames(a, r, n)
    force, torque = _axes(first.R, second.R, n)
    apart = _at(a, va, first.p) - _at(c, vc, first.p) + _at(c, vc, second.p) - _at(r, vr, second.p)
    return dot(force, apart) + dot(torque, a.R @ va.angular - r.R @ vr.angular)


def length(a: Pose, r: Pose, c: Pose, n: Values) -> Scalar:
    """Shifts and angles, in the axes that go with them."""
    first, second = _frames(a, r, n)
    force, torque = _axes(first.R, second.R, n)
    turn = second.R @ rotation_vector(second.R.T @ first.R)  # the same in both frames
    return dot(force, first.p - second.p) + dot(torque, turn)


def _frames(a: Pose, r: Pose, n: Values) -> tuple[Pose, Pose]:
    return a @ framed(n[:FRAME]), r @ framed(n[FRAME : 2 * FRAME])


def _axes(own: Matrix, reference: Matrix, n: Values) -> tuple[Vector, Vector]:
    """Force and torque of a unit of effort, along the world's axes."""
    n = n[2 * FRAME :]
    return reference @ n[:3] + own @ n[6:9], reference @ n[3:6] + own @ n[9:12]


def _at(body: Pose, twist: Twist, point: Vector) -> Vector:
    """The velocity of a body where a point of the world is."""
    return body.R @ twist.linear + cross(body.R @ twist.angular, point - body.p)


def rotation_vector(R: Matrix) -> Vector:
    """The logarithm of a rotation by less than half a turn, which divides by 0 there."""
    w = vector(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) / 2
    cosine, square = (R[0, 0] + R[1, 1] + R[2, 2] - 1) / 2, dot(w, w)
    small = less(select(less(cosine, 0.0), 1.0, square), NEAR)
    sine = sqrt(select(small, 1.0, square))  # a harmless number below, so that no slope is a NaN
    return np.asarray(w * select(small, horner(ARCSINE, square), atan2(sine, cosine) / sine))
