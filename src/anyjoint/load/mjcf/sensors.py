"""Sensors of a compiled MJCF as functions of a model and its state, where models answer what they measure."""

from __future__ import annotations

import numpy as np

from anyjoint.mechanism.sensor import Sensor
from anyjoint.spatial import Pose

from ..follow import Felt, Line
from .actuators import ON_JOINT as ON_JOINTS
from .actuators import TENDON
from .built import Built
from .compiled import mujoco
from .drive import MjcfDrive, read_drives
from .shapes import pose_of
from .tendons import Tendons
from .welded import welded

# What a sensor of MuJoCo measures, as ours call it.
ON_JOINT = {"JOINTPOS": "coordinate", "JOINTVEL": "rate", "BALLQUAT": "coordinates", "BALLANGVEL": "velocities"}
ON_TENDON = {"TENDONPOS": "length", "TENDONVEL": "length rate"}
ON_FRAME = {
    "FRAMEPOS": "position", "FRAMEQUAT": "quaternion", "FRAMEXAXIS": "x axis", "FRAMEYAXIS": "y axis",
    "FRAMEZAXIS": "z axis", "FRAMELINVEL": "linear velocity", "FRAMEANGVEL": "angular velocity", "GYRO": "gyro",
    "VELOCIMETER": "velocimeter", "ACCELEROMETER": "accelerometer", "FRAMELINACC": "linear acceleration",
    "FRAMEANGACC": "angular acceleration",
}  # fmt: skip
ON_DRIVE = {"ACTUATORPOS": ("coordinate", "length"), "ACTUATORVEL": ("rate", "length rate")}
ON_SUBTREE = {
    "SUBTREECOM": "carried center", "SUBTREELINVEL": "carried velocity", "SUBTREEANGMOM": "carried momentum",
}  # fmt: skip
OBJECTS = ("body", "xbody", "site", "geom", "camera")
FIXED_CAMERA = 0  # mjtCamLight
Frame = tuple[str | None, Pose]


class Sensors:
    """Reads the sensors of a model into `made`, by name; those without a counterpart are told."""

    def __init__(self, of: Built, tendons: Tendons) -> None:
        m, names, report = of.m, of.names, of.request.report
        self.m, self.joints, self.moved, self.last = m, of.joints, of.moved, of.last
        self.following, self.tendons, self.drives = of.following, tendons, read_drives(m, names)
        library, self.made = mujoco(), dict[str, Sensor]()
        self.types = {int(getattr(library.mjtObj, f"mjOBJ_{name.upper()}")): name for name in OBJECTS}
        kinds = {int(getattr(library.mjtSensor, name)): name.removeprefix("mjSENS_") for name in dir(library.mjtSensor)
                 if name.startswith("mjSENS_")}  # fmt: skip
        for k in range(m.nsensor):
            name, kind = names.of("sensor", k), kinds.get(int(m.sensor_type[k]), "?")
            made = self._made(k, kind)
            if made is None:
                what = f"sensor {name!r} ({kind.lower().replace('_', ' ')}) has no counterpart; not read"
                report.note(of.line("sensor", name), "sensor", what)
                continue
            self.made[name] = made
            for what in ("cutoff", "delay", "interval"):
                if np.any(getattr(m, f"sensor_{what}", np.zeros(m.nsensor))[k]):
                    sentence = f"sensor {name!r}: its {what} has no counterpart; it measures without"
                    report.warn(of.line("sensor", name), "sensor", sentence)

    def _made(self, k: int, kind: str) -> Sensor | None:
        """A sensor of ours, or None."""
        m, index = self.m, int(self.m.sensor_objid[k])
        if kind in ON_JOINT:
            return self._joint(ON_JOINT[kind], index)
        if kind in ON_TENDON and index in self.tendons.paths:
            return Sensor(ON_TENDON[kind], tuple(self.tendons.paths[index]))
        if kind in ON_DRIVE:
            return self._drive(*ON_DRIVE[kind], self.drives[index])
        if kind in ON_FRAME:
            frame = self._frame(int(m.sensor_objtype[k]), index)
            seen = int(m.sensor_refid[k])
            reference = self._frame(int(m.sensor_reftype[k]), seen) if seen >= 0 else None
            lacking = frame is None or (seen >= 0 and reference is None)
            return None if lacking else Sensor(ON_FRAME[kind], frame, reference=reference)
        if kind in ON_SUBTREE and m.body_subtreemass[index] > 0:
            return Sensor(ON_SUBTREE[kind], self.last[index])
        if kind == "E_POTENTIAL" and not np.any(m.tendon_stiffness):  # what their springs store, models do not know
            return Sensor("potential energy", offset=self._weight_of_still_bodies() + self._strain())
        return Sensor("kinetic energy") if kind == "E_KINETIC" else None

    def _weight_of_still_bodies(self) -> float:
        """Their potential energy, which counts in MuJoCo."""
        m, library = self.m, mujoco()
        data, still = library.MjData(m), welded(m) == 0
        library.mj_kinematics(m, data)
        return float(-m.body_mass[still] @ data.xipos[still] @ m.opt.gravity)

    def _strain(self) -> float:
        """What springs of joints that follow each other hold where they balance; those of models hold nothing there."""
        felt = {joint.name: joint.felt for joint in self.joints}
        groups = {leader: [(felt[leader], Line(1.0))] for leader, _ in self.following.values()}
        for name, (leader, way) in self.following.items():
            groups[leader].append((felt[name], way))
        total = 0.0
        for group in groups.values():
            rest = sum((own.reflected(way) for own, way in group), Felt()).rest
            total += sum(own.stiffness * (way.slope * rest + way.intercept - own.rest) ** 2 / 2 for own, way in group)
        return total

    def _joint(self, kind: str, index: int, gear: float = 1.0) -> Sensor:
        leader, way = self.following.get(self.joints[index].name, (self.joints[index].name, Line(1.0)))
        return Sensor(kind, self.moved[leader], scale=gear * way.slope, offset=gear * way.intercept)

    def _drive(self, coordinate: str, length: str, drive: MjcfDrive) -> Sensor | None:
        """The length of what a drive acts along, or its rate."""
        if drive.transmission in ON_JOINTS and self.joints[drive.on].single:
            return self._joint(coordinate, drive.on, drive.gear[0])
        if drive.transmission == TENDON and drive.on in self.tendons.paths:
            return Sensor(length, tuple(self.tendons.paths[drive.on]), scale=drive.gear[0])
        return None

    def _frame(self, kind: int, index: int) -> Frame | None:
        """A body and the pose of a frame on it; of a "body" it is the inertial one."""
        m, name = self.m, self.types.get(kind)
        if name == "site":
            return self.last[int(m.site_bodyid[index])], pose_of(m.site_pos[index], m.site_quat[index])
        if name == "geom":
            return self.last[int(m.geom_bodyid[index])], pose_of(m.geom_pos[index], m.geom_quat[index])
        if name == "camera" and m.cam_mode[index] == FIXED_CAMERA:
            return self.last[int(m.cam_bodyid[index])], pose_of(m.cam_pos[index], m.cam_quat[index])
        if name == "body":
            return self.last[index], pose_of(m.body_ipos[index], m.body_iquat[index])
        return (self.last[index], Pose()) if name == "xbody" else None
