"""Sensors of a compiled MJCF as functions of a model and its state, where models answer what they measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anyjoint.mechanism.sensor import Sensor

from ..follow import Line
from ..request import Request
from .compiled import Lines, MjModel, Names, mujoco
from .joints import MjcfJoint
from .shapes import pose_of
from .tendons import Tendons

# What a sensor of MuJoCo measures, as ours call it.
ON_JOINT = {"JOINTPOS": "coordinate", "JOINTVEL": "rate", "BALLQUAT": "coordinates", "BALLANGVEL": "velocities"}
ON_TENDON = {"TENDONPOS": "length", "TENDONVEL": "length rate"}
ON_FRAME = {
    "FRAMEPOS": "position", "FRAMEQUAT": "quaternion", "FRAMEXAXIS": "x axis", "FRAMEYAXIS": "y axis",
    "FRAMEZAXIS": "z axis", "FRAMELINVEL": "linear velocity", "FRAMEANGVEL": "angular velocity", "GYRO": "gyro",
    "VELOCIMETER": "velocimeter",
}  # fmt: skip
ON_ALL = {"E_POTENTIAL": "potential energy", "E_KINETIC": "kinetic energy"}
OBJECTS = ("body", "xbody", "site")


def read_sensors(
    m: MjModel,
    joints: Sequence[MjcfJoint],
    moved: Mapping[str, str],
    last: Mapping[int, str | None],
    following: Mapping[str, tuple[str, Line]],
    tendons: Tendons,
    names: Names,
    request: Request,
    line: Lines,
) -> dict[str, Sensor]:
    """All sensors by name; those without a counterpart are told."""
    library, found = mujoco(), dict[str, Sensor]()
    kinds = {int(getattr(library.mjtSensor, name)): name.removeprefix("mjSENS_") for name in dir(library.mjtSensor)
             if name.startswith("mjSENS_")}  # fmt: skip
    types = {int(getattr(library.mjtObj, f"mjOBJ_{name.upper()}")): name for name in OBJECTS}
    for k in range(m.nsensor):
        name, kind, index = names.of("sensor", k), kinds.get(int(m.sensor_type[k]), "?"), int(m.sensor_objid[k])
        made: Sensor | None = None
        if kind in ON_JOINT:
            leader, way = following.get(joints[index].name, (joints[index].name, Line(1.0)))
            made = Sensor(ON_JOINT[kind], moved[leader], scale=way.slope, offset=way.intercept)
        elif kind in ON_TENDON and index in tendons.paths:
            made = Sensor(ON_TENDON[kind], tuple(tendons.paths[index]))
        elif kind in ON_FRAME and types.get(int(m.sensor_objtype[k])) and int(m.sensor_refid[k]) < 0:
            made = Sensor(ON_FRAME[kind], _frame(m, types[int(m.sensor_objtype[k])], index, last))
        elif kind in ON_ALL:
            made = Sensor(ON_ALL[kind])
        if made is None:
            what = f"sensor {name!r} ({kind.lower().replace('_', ' ')}) has no counterpart; not read"
            request.report.note(line("sensor", name), "sensor", what)
            continue
        found[name] = made
        for what in ("cutoff", "delay", "interval"):
            if np.any(getattr(m, f"sensor_{what}", np.zeros(m.nsensor))[k]):
                sentence = f"sensor {name!r}: its {what} has no counterpart; it measures without"
                request.report.warn(line("sensor", name), "sensor", sentence)
    return found


def _frame(m: MjModel, kind: str, index: int, last: Mapping[int, str | None]) -> tuple[str | None, Any]:
    """A body and the pose of a frame on it; of a "body" it is the inertial one."""
    if kind == "site":
        return last[int(m.site_bodyid[index])], pose_of(m.site_pos[index], m.site_quat[index])
    if kind == "body":
        return last[index], pose_of(m.body_ipos[index], m.body_iquat[index])
    return last[index], pose_of((0, 0, 0), (1, 0, 0, 0))
