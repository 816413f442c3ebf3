"""States of MuJoCo as states of the mechanism that was made of its model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anyjoint.mechanism import Mechanism
from anyjoint.scalar.array import Floats

from .joints import FREE, MjcfJoint


def state(
    mech: Mechanism, joints: Sequence[MjcfJoint], bodies: Mapping[str, str], qpos: Any, qvel: Any
) -> tuple[Floats, Floats]:
    """(q, v) of the mechanism.

    Only a free body differs: MuJoCo has the position before the quaternion and the linear velocity, along the world's
    axes, before the angular one along the body's.
    """
    q, v = mech.neutral.copy(), np.zeros(mech.nv)
    for joint in joints:
        body = mech[bodies[joint.name]]
        here, rate = qpos[joint.q : joint.q + body.joint.nq], qvel[joint.v : joint.v + body.joint.nv]
        if joint.type == FREE:
            q[body.q] = [*here[3:7], *here[:3]]
            R = np.asarray(body.joint.pose([float(x) for x in q[body.q]]).matrix, dtype=float)[:3, :3]
            v[body.v] = [*rate[3:], *(R.T @ rate[:3])]
        else:
            q[body.q], v[body.v] = here, rate
    return q, v
