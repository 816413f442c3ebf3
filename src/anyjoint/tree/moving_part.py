"""The moving part of a joint: what is left of it between constant poses, which the plan takes over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from anyjoint.joints import Joint
from anyjoint.joints.parameters import bind
from anyjoint.joints.prismatic import Prismatic
from anyjoint.joints.product_rule import Legs, factor_entries
from anyjoint.joints.revolute import Revolute
from anyjoint.mechanism.probing import depends, expressions, variables
from anyjoint.scalar import Scalar, known
from anyjoint.spatial import Factor, Pose

from .rigid import Array, axis_poses

HINGE, SLIDER, GENERAL, FIXED = "hinge", "slider", "general", "fixed"
Core = tuple[int, int, int]  # constant factors stripped: leading and trailing of leg A, leading of leg B


Part = tuple[str, Core, Array, Array]  # the kind of a joint, its core, and the poses (lead, tail) around that


def moving_parts(joints: Iterable[Joint]) -> dict[int, Part]:
    """Moving parts of joints, each of which may be there many times, by the joint's id."""
    found = {id(joint): joint for joint in joints}
    along = [joint for joint in found.values() if isinstance(joint, (Revolute, Prismatic))]
    turns = axis_poses([joint.axis for joint in along])  # together: there may be thousands
    parts: dict[int, Part] = {
        id(joint): (HINGE if isinstance(joint, Revolute) else SLIDER, (0, 0, 0), Q, Q.T)
        for joint, Q in zip(along, turns, strict=True)
    }
    return parts | {key: _general_part(joint) for key, joint in found.items() if key not in parts}


def _general_part(joint: Joint) -> Part:
    if type(joint).motion is not Joint.motion:
        return GENERAL, (0, 0, 0), np.eye(4), np.eye(4)
    # Numbers cannot tell: a step or a branch is flat almost everywhere, and what a parameter of 0 hides may show later.
    q = expressions(joint)
    p = variables(joint, q)
    A, B = bind(joint, p).legs(q) if p else joint.legs(q)
    constant = [_is_constant(f, q) for f in A.factors]
    lead = constant.index(False) if False in constant else 0
    tail = constant[::-1].index(False) if False in constant and not B.factors else 0
    constant_B = [_is_constant(f, q) for f in B.factors]
    lead_B = constant_B.index(False) if False in constant_B else 0
    stop = len(A.factors) - tail
    if p:
        A, B = joint.legs(q)
    after = Pose(A.factors[stop:]) if not B.factors else Pose(B.factors[:lead_B]).inverse()
    return GENERAL, (lead, tail, lead_B), _matrix(Pose(A.factors[:lead])), _matrix(after)


def stripped_legs(joint: Joint, core: Core) -> Legs:
    """The joint's legs without the constant factors that the plan has taken over."""
    lead, tail, lead_B = core

    def legs(q: Sequence[Scalar]) -> tuple[Pose, Pose]:
        A, B = joint.legs(q)
        return Pose(A.factors[lead : len(A.factors) - tail]), Pose(B.factors[lead_B:])

    return legs


def _is_constant(factor: Factor, q: list[Scalar]) -> bool:
    """Whether a factor depends on no coordinate, whatever the joint's parameters are."""
    return not depends(list(factor_entries(factor)), q)


def _matrix(pose: Pose) -> Array:
    return np.array([[known(x) for x in row] for row in pose.matrix], dtype=float)
