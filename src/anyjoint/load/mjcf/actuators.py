"""Actuators of a compiled MJCF as drives of ours, by what they act on: joints, tendons, sites and cranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anyjoint.errors import InputError
from anyjoint.forces import FLV, Actuator, Displacement, Drum, Muscle, SliderCrank, Thruster
from anyjoint.mechanism import Mechanism
from anyjoint.spatial import Pose

from ..follow import Line
from .built import Built
from .drive import LEAST, MjcfDrive, read_drives
from .joints import BALL, MjcfJoint
from .shapes import pose_of
from .tendons import Tendons

JOINT, JOINT_IN_PARENT, CRANK, TENDON, SITE = range(5)  # mjtTrn
ON_JOINT = (JOINT, JOINT_IN_PARENT)
WRAP_JOINT = 1  # mjtWrap
Drive = Actuator | Thruster | Muscle


class Actuators:
    """Reads the actuators of a model into `made`, by name; those without a counterpart are told."""

    def __init__(self, mech: Mechanism, of: Built, tendons: Tendons) -> None:
        self.mech, self.m, self.joints, self.bodies, self.last = mech, of.m, of.joints, of.moved, of.last
        self.following, self.tendons, self.report, self.line = of.following, tendons, of.request.report, of.line
        self.drives, self.made = read_drives(of.m, of.names), dict[str, Drive]()
        for drive in self.drives:
            made = drive.lacking or self._made(drive)
            if isinstance(made, str):
                what = f"needs {made}, which has no counterpart; the coordinates are free of it"
                self.report.warn(of.line("actuator", drive.name), "actuator", f"actuator {drive.name!r} {what}")
            else:
                self.made[drive.name] = made
        for k, joint in enumerate(of.joints):
            if joint.single and of.m.jnt_actfrclimited[k]:
                self._limit(k, joint, [drive for drive in self.drives if self._may_act(drive, k)])

    def _made(self, drive: MjcfDrive) -> Drive | str:
        """A drive of ours, or what is lacking."""
        kind, on = drive.transmission, drive.on
        if on < 0 or kind not in (*ON_JOINT, CRANK, TENDON, SITE):
            return "a transmission other than a joint, a tendon, a site or a crank"
        if kind == TENDON and on not in self.tendons.paths:
            return "a tendon that is left out"
        if drive.muscle:
            return self._muscle(drive)
        if kind == TENDON:
            return Actuator(gear=drive.gear[0], path=self.tendons.paths[on], **drive.options())
        if kind == SITE:
            return self._between(drive) if drive.other >= 0 else self._thruster(drive)
        if kind == CRANK:
            return self._crank(drive)
        return self._coordinate(drive) if self.joints[on].single else self._turned(drive)

    def _coordinate(self, drive: MjcfDrive) -> Actuator:
        body, way = self._led(self.joints[drive.on])
        gear = drive.gear[0]
        return Actuator(body, gear=gear * way.slope, **drive.options(gear * way.intercept))

    def _led(self, joint: MjcfJoint) -> tuple[str, Line]:
        """The body whose coordinate a joint goes by, and how."""
        leader, way = self.following.get(joint.name, (joint.name, Line(1.0)))
        return self.bodies[leader], way

    def _turned(self, drive: MjcfDrive) -> Actuator:
        """On a ball, or on a free body, whose length MuJoCo says to be 0."""
        joint, in_parent = self.joints[drive.on], drive.transmission == JOINT_IN_PARENT
        body = self.mech[self.bodies[joint.name]]
        if joint.type == BALL:
            parent = self.mech.bodies[body.parent].name if body.parent >= 0 else None
            torque, made = drive.gear[:3], Displacement(body.name, parent, at=body.placement)
        else:
            torque, made = drive.gear[3:6], Displacement(body.name, force=drive.gear[:3])
            drive = _without_length(drive)
        made = replace(made, torque=torque) if in_parent else replace(made, own_torque=torque)
        return Actuator(along=made, **drive.options(), period=drive.period(torque) if joint.type == BALL else math.inf)

    def _site(self, site: int) -> tuple[str | None, Pose]:
        return self.last[int(self.m.site_bodyid[site])], pose_of(self.m.site_pos[site], self.m.site_quat[site])

    def _thruster(self, drive: MjcfDrive) -> Thruster | Actuator | str:
        """The gear is a force and a torque in the site's axes, and the length is 0."""
        (body, pose), drive = self._site(drive.on), _without_length(drive)
        force, torque = drive.gear[:3], drive.gear[3:6]
        if body is None:
            return "a site that moves"
        if drive.moved:
            made = Displacement(body, pose=pose, own_force=force, own_torque=torque)
            return Actuator(along=made, **drive.options())
        R = np.asarray(pose.R, dtype=float)
        force, torque = (tuple(float(x) for x in R @ axis) for axis in (force, torque))
        point = tuple(float(x) for x in pose.p)
        return Thruster(body, 0.0, force, torque, point, drive.gain[0], drive.bias[0], **drive.ranges())

    def _between(self, drive: MjcfDrive) -> Actuator | str:
        """The gear is a force and a torque in the axes of the reference."""
        (body, pose), (reference, at) = self._site(drive.on), self._site(drive.other)
        if body == reference:
            return "two sites that move apart"
        force, torque = drive.gear[:3], drive.gear[3:6]
        made = Displacement(body, reference, pose, at, force, torque)
        return Actuator(along=made, **drive.options(), period=math.inf if any(force) else drive.period(torque))

    def _crank(self, drive: MjcfDrive) -> Actuator:
        (crank, pin), (body, origin) = self._site(drive.on), self._site(drive.other)
        axis = tuple(float(x) for x in origin.R[:, 2])
        made = SliderCrank(body, tuple(origin.p), axis, crank, tuple(pin.p), drive.rod)
        return Actuator(gear=drive.gear[0], along=made, **drive.options())

    def _muscle(self, drive: MjcfDrive) -> Muscle | str:
        """Its curves by the length of our path, which is the actuator's but for the gear of a tendon."""
        low, high, force, scale, *curve, first, last, acceleration = drive.muscle
        gear = drive.gear[0]
        if drive.transmission == TENDON:
            if not gear > 0:
                return "a muscle that pushes"
            path = self.tendons.paths[drive.on]
        elif drive.transmission in ON_JOINT and self.joints[drive.on].single:
            body, way = self._led(self.joints[drive.on])
            path, gear = [Drum(body, gear * way.slope, zero=-way.intercept / way.slope)], 1.0
        else:
            return "a muscle along something else than a hinge, a slider or a tendon"
        unit = (last - first) / max(high - low, LEAST)
        peak = force if force >= 0 else scale / max(acceleration, LEAST)
        try:
            return Muscle(path, FLV(gear * peak, unit / gear, (first - low * unit) / gear, *curve), lag=drive.lag)
        except InputError as lack:
            return f"what it must not be ({lack})"

    def _may_act(self, drive: MjcfDrive, joint: int) -> bool:
        """Whether an actuator may act on a joint; sites and what else there is may act on all."""
        m, index = self.m, drive.on
        if drive.transmission in ON_JOINT:
            return index == joint
        if drive.transmission == TENDON and index >= 0:
            along = slice(int(m.tendon_adr[index]), int(m.tendon_adr[index] + m.tendon_num[index]))
            wound = m.wrap_type[along] == WRAP_JOINT
            return bool(not wound.all() or joint in m.wrap_objid[along])
        return True

    def _limit(self, k: int, joint: MjcfJoint, acting: Sequence[MjcfDrive]) -> None:
        """Keep what drives do to a joint within its actuatorfrcrange: of one by its effort, of several it is told."""
        m, made = self.m, [self.made[drive.name] for drive in acting if drive.name in self.made]
        ends, lifted = m.jnt_actfrcrange[k], m.jnt_actgravcomp[k] and np.any(m.body_gravcomp)
        if not (made or lifted):
            return
        if not lifted and len(acting) == 1 and isinstance(made[0], Actuator) and made[0].body is not None:
            (gear, *_), name = acting[0].gear, acting[0].name
            if gear:
                low, high = sorted(float(x) / gear for x in ends)
                least, most = (min(max(x, low), high) for x in made[0].effort_range)
                self.made[name] = replace(made[0], effort_range=(least, most))
            return
        what = f"what drives together do to it (actuatorfrcrange, {ends[0]:g} to {ends[1]:g}) is not kept"
        who = ", ".join([*(drive.name for drive in acting), *(["compensation of gravity"] if lifted else [])])
        sentence = f"joint {joint.name!r}: {what}; {who} may act on it"
        self.report.warn(self.line("joint", joint.name), "limit", sentence)


def _without_length(drive: MjcfDrive) -> MjcfDrive:
    """The same where the length is 0."""
    (a, _, c), (d, _, f) = drive.gain, drive.bias
    return replace(drive, gain=(a, 0.0, c), bias=(d, 0.0, f))
