"""The moving part of a joint: what is left of it between constant poses, which the plan takes over."""

from __future__ import annotations

from typing import Any

import numpy as np

from anyjoint.joints import Joint
from anyjoint.joints.prismatic import Prismatic
from anyjoint.joints.product_rule import factor_entries
from anyjoint.joints.revolute import Revolute
from anyjoint.scalar.dual import Dual
from anyjoint.spatial import Pose

from .rigid import Array, axis_frame

HINGE, SLIDER, GENERAL, FIXED = "hinge", "slider", "general", "fixed"
Core = tuple[int, int, int]  # constant factors stripped: leading and trailing of leg A, leading of leg B


def moving_part(joint: Joint) -> tuple[str, Core, Array, Array]:
    """Kind of a joint, the constant factors around its moving part (counts), and their poses (lead, tail)."""
    if isinstance(joint, (Revolute, Prismatic)):
        Q = np.eye(4)
        Q[:3, :3] = axis_frame(joint.axis)
        return (HINGE if isinstance(joint, Revolute) else SLIDER), (0, 0, 0), Q, Q.T
    if type(joint).motion is not Joint.motion:
        return GENERAL, (0, 0, 0), np.eye(4), np.eye(4)
    A, B = joint.legs([Dual(_somewhere(c), 1.0, 1) for c in joint.coordinates])
    constant = [_is_constant(f) for f in A.factors]
    lead = constant.index(False) if False in constant else 0
    tail = constant[::-1].index(False) if False in constant and not B.factors else 0
    constant_B = [_is_constant(f) for f in B.factors]
    lead_B = constant_B.index(False) if False in constant_B else 0
    stop = len(A.factors) - tail
    after = Pose(A.factors[stop:]) if not B.factors else Pose(B.factors[:lead_B]).inverse()
    return GENERAL, (lead, tail, lead_B), _matrix(Pose(A.factors[:lead])), _matrix(after)


def stripped_legs(joint: Joint, core: Core) -> Any:
    """The joint's legs without the constant factors that the plan has taken over."""
    lead, tail, lead_B = core

    def legs(q: Any) -> tuple[Pose, Pose]:
        A, B = joint.legs(q)
        return Pose(A.factors[lead : len(A.factors) - tail]), Pose(B.factors[lead_B:])

    return legs


def _somewhere(c: Any) -> float:
    """A generic value inside a coordinate's domain; neutral ones may be special, such as a surface's pole."""
    low, high = c.domain
    room = high - c.neutral if high > c.neutral else low - c.neutral
    return float(c.neutral + 0.137 * min(1.0, max(-1.0, room)))


def _is_constant(factor: Any) -> bool:
    return not any(isinstance(x, Dual) for x in factor_entries(factor))


def _matrix(pose: Pose) -> Array:
    return np.asarray(pose.matrix, dtype=float)
