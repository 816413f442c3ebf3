"""Joints of a compiled MJCF: type, axis, anchor, reference, limits, and what their coordinates feel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anyjoint import joints
from anyjoint.frozen import frozen
from anyjoint.joints import Joint
from anyjoint.spatial import Pose

from ..follow import Felt
from .compiled import MjModel, Names

FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
NOWHERE = (0.0, 0.0, 0.0)


@frozen
class MjcfJoint:
    """A joint as MuJoCo has compiled it; coordinates and velocities begin at `q` and `v` in qpos and qvel."""

    name: str
    type: int
    body: int
    axis: tuple[float, ...]
    anchor: tuple[float, ...]
    reference: float
    limits: tuple[float, float]
    felt: Felt
    rest: tuple[float, ...]  # springs relax there, as our coordinates
    effort: float
    q: int
    v: int

    @property
    def single(self) -> bool:
        """Whether it turns or slides by one coordinate."""
        return self.type in (HINGE, SLIDE)

    def joint(self, limited: bool = True) -> Joint:
        """The joint of a mechanism that moves like this one."""
        limits = self.limits if limited else (-math.inf, math.inf)
        if self.type == HINGE:
            return joints.Revolute(self.axis, limits)
        if self.type == SLIDE:
            return joints.Prismatic(self.axis, limits)
        return joints.SphericalQuaternion() if self.type == BALL else joints.FreeQuaternion()

    def placement(self) -> Pose:
        """The joint's frame in the frame before it: at the anchor, and such that the reference means no motion."""
        here = Pose.translation(*self.anchor) if any(self.anchor) else Pose()
        if self.reference == 0:
            return here
        if self.type == HINGE:
            return here @ Pose.rotation(self.axis, -self.reference)
        return here @ Pose.translation(*(-self.reference * x for x in self.axis))

    def back(self) -> Pose:
        """From the anchor back to the origin of the body."""
        return Pose.translation(*(-x for x in self.anchor)) if any(self.anchor) else Pose()


def read_joints(m: MjModel, names: Names) -> list[MjcfJoint]:
    """All joints, in MuJoCo's order."""
    return [_read(m, k, names) for k in range(m.njnt)]


def _read(m: MjModel, k: int, names: Names) -> MjcfJoint:
    kind, q, v = int(m.jnt_type[k]), int(m.jnt_qposadr[k]), int(m.jnt_dofadr[k])
    single = kind in (HINGE, SLIDE)
    # A slider has no anchor, and a free body none either: both would cancel.
    anchor = _floats(m.jnt_pos[k]) if kind in (HINGE, BALL) else NOWHERE
    limited = single and bool(m.jnt_limited[k])
    low, high = held_within(m.jnt_range[k], 0.0 if crowded(m, k) else float(m.jnt_margin[k]))
    forced = bool(m.jnt_actfrclimited[k])
    rest = m.qpos_spring[q : q + {FREE: 7, BALL: 4}.get(kind, 1)]
    ours = (*rest[3:7], *rest[:3]) if kind == FREE else rest
    felt = Felt(
        float(m.jnt_stiffness[k]),
        float(m.dof_damping[v]),
        float(m.dof_armature[v]),
        float(m.dof_frictionloss[v]),
        float(rest[0]) if single else 0.0,
    )
    return MjcfJoint(
        names.of("joint", k),
        kind,
        int(m.jnt_bodyid[k]),
        _floats(m.jnt_axis[k]),
        anchor,
        float(m.qpos0[q]) if single else 0.0,
        (low, high) if limited else (-math.inf, math.inf),
        felt,
        _floats(ours),
        float(np.abs(m.jnt_actfrcrange[k]).max()) if forced else math.inf,
        q,
        v,
    )


def crowded(m: MjModel, k: int) -> bool:
    """Whether the margins of both limits of a joint leave no room between them."""
    low, high = m.jnt_range[k]
    return bool(m.jnt_limited[k] and high - low <= 2 * m.jnt_margin[k])


def held_within(ends: Any, margin: float) -> tuple[float, float]:
    """Where limits push back: before the ends of a range, by a margin."""
    low, high = (float(x) for x in ends)
    return (low + margin, high - margin) if low + margin <= high - margin else ((low + high) / 2,) * 2


def _floats(values: Any) -> tuple[float, ...]:
    return tuple(float(x) for x in values)
