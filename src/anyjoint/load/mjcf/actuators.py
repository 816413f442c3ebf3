"""Actuators of a compiled MJCF: motors, position and velocity servos, general ones without dynamics of their own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from anyjoint.forces import Actuator

from ..follow import Line
from ..request import Request
from .compiled import Names
from .joints import MjcfJoint

ON_JOINT = (0, 1)  # mjtTrn: joint, joint in parent
FIXED, AFFINE = 0, 1  # mjtGain
NO_BIAS, AFFINE_BIAS = 0, 1  # mjtBias
NO_DYNAMICS = 0  # mjtDyn


def read_actuators(
    m: Any,
    joints: Sequence[MjcfJoint],
    bodies: Mapping[str, str],
    following: Mapping[str, tuple[str, Line]],
    names: Names,
    request: Request,
    line: Any,
) -> dict[str, Actuator]:
    """All actuators by name; those without a counterpart are told."""
    found = {}
    for k in range(m.nactuator if hasattr(m, "nactuator") else m.nu):
        name = names.of("actuator", k)
        lacking = _lacking(m, k, joints)
        if lacking:
            message = f"actuator {name!r} needs {lacking}, which is not supported yet; the coordinates are free of it"
            request.report.warn(line(name), "actuator", message)
            continue
        joint = joints[m.actuator_trnid[k][0]]
        found[name] = _actuator(m, k, joint, bodies, following)
    return found


def _lacking(m: Any, k: int, joints: Sequence[MjcfJoint]) -> str | None:
    """What an actuator has that ours have not."""
    if m.actuator_trntype[k] not in ON_JOINT or m.actuator_trnid[k][0] < 0:
        return "a transmission other than a joint"
    if not joints[m.actuator_trnid[k][0]].single:
        return "a transmission to a ball or a free body"
    if m.actuator_dyntype[k] != NO_DYNAMICS:
        return "an activation of its own (filter, integrator, muscle)"
    if m.actuator_gaintype[k] not in (FIXED, AFFINE) or m.actuator_biastype[k] not in (NO_BIAS, AFFINE_BIAS):
        return "a gain or bias other than affine (muscle, motor with dynamics)"
    if m.actuator_gaintype[k] == AFFINE and any(m.actuator_gainprm[k][1:3]):
        return "a gain that depends on the length"
    return None


def _actuator(
    m: Any, k: int, joint: MjcfJoint, bodies: Mapping[str, str], following: Mapping[str, tuple[str, Line]]
) -> Actuator:
    leader, way = following.get(joint.name, (joint.name, Line(1.0)))
    gear = float(m.actuator_gear[k][0])
    bias = [float(x) for x in m.actuator_biasprm[k][:3]] if m.actuator_biastype[k] == AFFINE_BIAS else [0.0] * 3
    bias[0] += bias[1] * gear * way.intercept
    return Actuator(
        bodies[leader],
        gain=float(m.actuator_gainprm[k][0]),
        bias=bias,
        gear=gear * way.slope,
        control_range=_range(m.actuator_ctrllimited, m.actuator_ctrlrange, k),
        effort_range=_range(m.actuator_forcelimited, m.actuator_forcerange, k),
    )


def _range(limited: Any, ranges: Any, k: int) -> tuple[float, float]:
    low, high = (float(x) for x in ranges[k])
    return (low, high) if limited[k] and low <= high else (-math.inf, math.inf)
