"""Actuators of a compiled MJCF: motors, servos and general ones, and what their activations lag by."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.forces import FLV, Actuator, Drum, Filter, Integrator, Muscle, MuscleLag, Thruster
from anyjoint.forces.path import Item

from ..follow import Line
from ..request import Request
from .compiled import Lines, MjModel, Names
from .joints import MjcfJoint
from .shapes import pose_of
from .tendons import Tendons

ON_JOINT, ON_TENDON, ON_SITE = (0, 1), 3, 4  # mjtTrn: joint, joint in parent; tendon; site
FIXED, AFFINE, MUSCLE_GAIN = 0, 1, 2  # mjtGain
NO_BIAS, AFFINE_BIAS, MUSCLE_BIAS = 0, 1, 2  # mjtBias
NO_DYNAMICS, INTEGRATOR, FILTER, EXACT_FILTER, MUSCLE_DYNAMICS = range(5)  # mjtDyn
WRAP_JOINT = 1  # mjtWrap
LEAST = 1e-15  # mjMINVAL
Drive = Actuator | Thruster | Muscle


def read_actuators(
    m: MjModel,
    joints: Sequence[MjcfJoint],
    bodies: Mapping[str, str],
    following: Mapping[str, tuple[str, Line]],
    names: Names,
    request: Request,
    line: Lines,
    tendons: Tendons,
    last: Mapping[int, str | None],
) -> dict[str, Drive]:
    """All actuators by name; those without a counterpart are told."""
    found: dict[str, Drive] = {}
    count = m.nactuator if hasattr(m, "nactuator") else m.nu
    for k in range(count):
        name = names.of("actuator", k)
        lacking = _lacking(m, k, joints, tendons)
        if lacking:
            message = f"actuator {name!r} needs {lacking}, which has no counterpart; the coordinates are free of it"
            request.report.warn(line("actuator", name), "actuator", message)
            continue
        index, kind = int(m.actuator_trnid[k][0]), int(m.actuator_trntype[k])
        if _is_muscle(m, k):
            try:
                found[name] = _muscle(m, k, joints, bodies, following, tendons)
            except InputError as lack:
                request.report.warn(line("actuator", name), "actuator", f"actuator {name!r} is left out: {lack}")
        elif kind == ON_TENDON:
            found[name] = _along(m, k, tendons.paths[index])
        elif kind == ON_SITE:
            found[name] = _thruster(m, k, index, last)
        else:
            found[name] = _actuator(m, k, joints[index], bodies, following)
    for k, joint in enumerate(joints):
        if joint.single and m.jnt_actfrclimited[k]:
            acting = [i for i in range(count) if _may_act(m, i, k)]
            _limit([names.of("actuator", i) for i in acting], found, m, acting, k, joint, request, line)
    return found


def _may_act(m: MjModel, k: int, joint: int) -> bool:
    """Whether an actuator may act on a joint; sites and what else there is may act on all."""
    kind, index = int(m.actuator_trntype[k]), int(m.actuator_trnid[k][0])
    if kind in ON_JOINT:
        return index == joint
    if kind == ON_TENDON and index >= 0:
        along = slice(int(m.tendon_adr[index]), int(m.tendon_adr[index] + m.tendon_num[index]))
        wound = m.wrap_type[along] == WRAP_JOINT
        return bool(not wound.all() or joint in m.wrap_objid[along])
    return True


def _limit(
    drives: list[str], found: dict[str, Drive], m: MjModel, acting: list[int], k: int, joint: MjcfJoint,
    request: Request, line: Lines,
) -> None:  # fmt: skip
    """Keep what drives do to a joint within its actuatorfrcrange: of one drive by its effort, of several it is told."""
    made, ends = [found[name] for name in drives if name in found], m.jnt_actfrcrange[k]
    if not made:
        return
    lifted = m.jnt_actgravcomp[k] and np.any(m.body_gravcomp)
    if len(acting) == 1 and isinstance(made[0], Actuator) and made[0].path is None and not lifted:
        gear = float(m.actuator_gear[acting[0]][0])
        if gear:
            low, high = sorted(float(x) / gear for x in ends)
            least, most = (min(max(x, low), high) for x in made[0].effort_range)
            found[drives[0]] = replace(made[0], effort_range=(least, most))
        return
    what = f"what drives together do to it (actuatorfrcrange, {ends[0]:g} to {ends[1]:g}) is not kept"
    sentence = f"joint {joint.name!r}: {what}; {', '.join(drives)} may act on it"
    request.report.warn(line("joint", joint.name), "limit", sentence)


def _lacking(m: MjModel, k: int, joints: Sequence[MjcfJoint], tendons: Tendons) -> str | None:
    """What an actuator has that ours have not."""
    kind, index = int(m.actuator_trntype[k]), int(m.actuator_trnid[k][0])
    if kind not in (*ON_JOINT, ON_TENDON, ON_SITE) or index < 0:
        return "a transmission other than a joint, a tendon or a site"
    if kind in ON_JOINT and not joints[index].single:
        return "a transmission to a ball or a free body"
    if kind == ON_TENDON and index not in tendons.paths:
        return "a tendon that is left out"
    if kind == ON_SITE and (m.actuator_trnid[k][1] >= 0 or np.any(m.actuator_biasprm[k][1:3]) or _sloped(m, k)):
        return "a site with a reference or with a force that depends on motion"
    if _is_muscle(m, k):
        return _lacking_muscle(m, k)
    if getattr(m, "actuator_delay", np.zeros(m.nu))[k]:
        return "a delay"
    if m.actuator_dyntype[k] > MUSCLE_DYNAMICS:
        return "an activation by other equations than a filter, an integrator or a muscle"
    if m.actuator_gaintype[k] not in (FIXED, AFFINE) or m.actuator_biastype[k] not in (NO_BIAS, AFFINE_BIAS):
        return "a gain or bias other than affine (muscle, motor with dynamics)"
    return None


def _is_muscle(m: MjModel, k: int) -> bool:
    kinds = int(m.actuator_dyntype[k]), int(m.actuator_gaintype[k]), int(m.actuator_biastype[k])
    return kinds == (MUSCLE_DYNAMICS, MUSCLE_GAIN, MUSCLE_BIAS)


def _lacking_muscle(m: MjModel, k: int) -> str | None:
    """What a muscle has that ours have not."""
    if m.actuator_trntype[k] == ON_SITE:
        return "a muscle at a site"
    if m.actuator_trntype[k] == ON_TENDON and not m.actuator_gear[k][0] > 0:
        return "a muscle that pushes"
    if np.any(m.actuator_gainprm[k][:9] != m.actuator_biasprm[k][:9]) or m.actuator_forcelimited[k]:
        return "a muscle whose passive force has numbers of its own, or with a limited force"
    for limited, ends in ((m.actuator_ctrllimited, m.actuator_ctrlrange), (m.actuator_actlimited, m.actuator_actrange)):
        low, high = _range(limited, ends, k)
        if low > 0 or high < 1:
            return "a muscle whose control or activation is kept within less than 0 to 1"
    shortest, longest = m.actuator_gainprm[k][4:6]
    return None if shortest < 1 < longest else "a muscle that does not pull at its optimal length"


def _muscle(
    m: MjModel, k: int, joints: Sequence[MjcfJoint], bodies: Mapping[str, str],
    following: Mapping[str, tuple[str, Line]], tendons: Tendons,
) -> Muscle:  # fmt: skip
    """Its curves by the length of our path, which is the actuator's but for the gear of a tendon."""
    index, gear = int(m.actuator_trnid[k][0]), float(m.actuator_gear[k][0])
    low, high, force, scale, *curve = (float(x) for x in m.actuator_gainprm[k][:9])
    if m.actuator_trntype[k] == ON_TENDON:
        path = tendons.paths[index]
    else:
        leader, way = following.get(joints[index].name, (joints[index].name, Line(1.0)))
        path, gear = [Drum(bodies[leader], gear * way.slope, zero=-way.intercept / way.slope)], 1.0
    first, last = (float(x) for x in m.actuator_lengthrange[k])
    unit = (last - first) / max(high - low, LEAST)
    peak = force if force >= 0 else scale / max(float(m.actuator_acc0[k]), LEAST)
    return Muscle(path, FLV(gear * peak, unit / gear, (first - low * unit) / gear, *curve), lag=_lag(m, k))


def _lag(m: MjModel, k: int) -> Filter | Integrator | MuscleLag | None:
    """How the activation follows the control; it begins at 0, as MuJoCo's does, or at the nearest that may be."""
    kind, numbers = int(m.actuator_dyntype[k]), [float(x) for x in m.actuator_dynprm[k][:3]]
    within = _range(m.actuator_actlimited, m.actuator_actrange, k)
    start = min(max(0.0, within[0]), within[1])
    if kind == INTEGRATOR:
        return Integrator(start, within)
    if kind in (FILTER, EXACT_FILTER):
        return Filter(max(numbers[0], LEAST), start, within)
    rise, fall, smooth = numbers
    return MuscleLag(max(rise, LEAST), max(fall, LEAST), max(smooth, 0.0)) if kind == MUSCLE_DYNAMICS else None


def _sloped(m: MjModel, k: int) -> bool:
    """Whether the gain depends on the length or its rate."""
    return bool(m.actuator_gaintype[k] == AFFINE and np.any(m.actuator_gainprm[k][1:3]))


def _gain(m: MjModel, k: int, offset: float = 0.0) -> float | tuple[float, ...]:
    """The gain, where our length is shorter by `offset`."""
    a, b, c = (float(x) for x in m.actuator_gainprm[k][:3])
    return (a + b * offset, b, c) if _sloped(m, k) else a


def _bias(m: MjModel, k: int, offset: float = 0.0) -> tuple[float, ...]:
    """The bias, where our length is shorter by `offset`."""
    a, b, c = (float(x) for x in m.actuator_biasprm[k][:3]) if m.actuator_biastype[k] == AFFINE_BIAS else (0.0,) * 3
    return a + b * offset, b, c


def _told(m: MjModel, k: int) -> dict[str, Any]:
    """Ranges and lag."""
    return {
        "lag": _lag(m, k),
        "control_range": _range(m.actuator_ctrllimited, m.actuator_ctrlrange, k),
        "effort_range": _range(m.actuator_forcelimited, m.actuator_forcerange, k),
    }


def _along(m: MjModel, k: int, path: list[Item]) -> Actuator:
    gear = float(m.actuator_gear[k][0])
    return Actuator(gain=_gain(m, k), bias=_bias(m, k), gear=gear, path=path, **_told(m, k))


def _thruster(m: MjModel, k: int, site: int, last: Mapping[int, str | None]) -> Thruster:
    """The gear is a force and a torque in the site's axes."""
    R = np.asarray(pose_of(m.site_pos[site], m.site_quat[site]).R, dtype=float)
    force, torque = (tuple(float(x) for x in R @ m.actuator_gear[k][part]) for part in (slice(3), slice(3, 6)))
    gain, bias = float(m.actuator_gainprm[k][0]), _bias(m, k)[0]
    point = tuple(float(x) for x in m.site_pos[site])
    return Thruster(last[int(m.site_bodyid[site])], 0.0, force, torque, point, gain, bias, **_told(m, k))


def _actuator(
    m: MjModel, k: int, joint: MjcfJoint, bodies: Mapping[str, str], following: Mapping[str, tuple[str, Line]]
) -> Actuator:
    leader, way = following.get(joint.name, (joint.name, Line(1.0)))
    gear = float(m.actuator_gear[k][0])
    offset = gear * way.intercept
    gain, bias = _gain(m, k, offset), _bias(m, k, offset)
    return Actuator(bodies[leader], gain=gain, bias=bias, gear=gear * way.slope, **_told(m, k))


def _range(limited: Any, ranges: Any, k: int) -> tuple[float, float]:
    low, high = (float(x) for x in ranges[k])
    return (low, high) if limited[k] and low <= high else (-math.inf, math.inf)
