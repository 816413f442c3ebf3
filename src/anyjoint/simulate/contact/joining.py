"""A touching body seen as a free one: its pose, twist and acceleration by those of its contact joint, compiled."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.codegen import compile_function
from anyjoint.frozen import frozen
from anyjoint.joints import Rolling
from anyjoint.mechanism import Body
from anyjoint.scalar.array import Floats
from anyjoint.stepper.physics import joint_key, joint_variables
from anyjoint.symbolic import Graph

from ..kept import kept

if TYPE_CHECKING:
    from anyjoint.model import Model


@frozen
class Joined:
    """A contact at one state: the body's pose in the joint frame, its twist S v with dS/dt v = c, and frame 2c on it.

    All in the body's frame; R and p place the contact frame there, its z axis is the body's own outward normal.
    """

    turn: Floats
    place: Floats
    S: Floats
    c: Floats
    R: Floats
    p: Floats

    @property
    def coordinates(self) -> Floats:
        """Coordinates of the free body: quaternion, then position."""
        return np.array([*quaternion(self.turn.tolist()), *self.place])


@frozen
class Frame:
    """A contact frame on a body: velocities and forces of the contact point in its axes, the normal separating."""

    R: Floats
    p: Floats

    def velocity(self, twist: Floats) -> Floats:
        """Of the body's point: along the tangents, then the speed of separation."""
        slip = self.R.T @ (twist[3:] + np.cross(twist[:3], self.p))
        return np.array([slip[0], slip[1], -slip[2]])

    def force(self, wrench: Floats) -> Floats:
        """Friction along the tangents, then the normal force, which pushes the body away."""
        f = self.R.T @ wrench[3:]
        return np.array([f[0], f[1], -f[2]])

    def wrench(self, force: Floats) -> Floats:
        """The wrench on the body of such a force."""
        f = self.R @ np.array([force[0], force[1], -force[2]])
        return np.concatenate([np.cross(self.p, f), f])

    def rates(self, twist: Floats) -> Floats:
        """Velocities of a joint that rolls and slips: angular, then slip."""
        return np.concatenate([self.R.T @ twist[:3], self.velocity(twist)[:2]])


class Joining:
    """The compiled map from a contact joint's (q, v) to its `Joined`."""

    def __init__(self, joint: Rolling) -> None:
        q, v = joint_variables(Graph(), joint)
        piece, B = joint.motion(q, v).piece(v), joint.legs(q)[1]
        parts = [piece.pose.R, piece.pose.p, piece.S, piece.c, B.R, B.p]
        self.shapes = [(3, 3), (3,), (6, joint.nv), (6,), (3, 3), (3,)]
        self.ends = np.cumsum([np.prod(shape) for shape in self.shapes])[:-1]
        self.code = compile_function([np.array(q), np.array(v)], [x for part in parts for x in np.ravel(part)])

    def __call__(self, q: Floats, v: Floats) -> Joined:
        return self._touch(self.code(q, v))

    def all(self, q: Floats, v: Floats) -> list[Joined]:
        """Of many states."""
        return [self._touch(row) for row in self.code(q, v)]

    def _touch(self, row: Floats) -> Joined:
        parts = np.split(row, self.ends)
        return Joined(*(part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)))


def quaternion(R: Sequence[Sequence[float]]) -> list[float]:
    """(w, x, y, z) of one rotation, by the largest of the four: `quaternions`, for batches, takes 20 times as long."""
    diagonal = [R[k][k] for k in range(3)]
    trace = sum(diagonal)
    k = max(range(3), key=lambda i: diagonal[i])
    if trace >= diagonal[k]:
        row = [1 + trace, R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]]
    else:
        i, j = (k + 1) % 3, (k + 2) % 3
        row = [R[j][i] - R[i][j], 0.0, 0.0, 0.0]
        row[1 + k], row[1 + i], row[1 + j] = 1 + 2 * R[k][k] - trace, R[i][k] + R[k][i], R[j][k] + R[k][j]
    size = math.sqrt(sum(x * x for x in row))
    return [x / size for x in row]


def joining(model: Model, body: Body) -> Joining:
    """The map of a body's joint; equal joints of a model share it."""
    key: Hashable = ("joining", joint_key(body.joint))
    return kept(model, key, lambda: Joining(body.joint))  # type: ignore[arg-type]
