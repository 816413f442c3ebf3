"""An MJCF as a mechanism, made of what MuJoCo has compiled; bodies, joints and coordinates keep MuJoCo's order.

A body with several joints hangs on a chain of massless bodies, one for each joint but the last, called like the joints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anyjoint import joints
from anyjoint.errors import ModelError
from anyjoint.forces import Wrench
from anyjoint.joints import Joint
from anyjoint.mechanism import Inertia, Mechanism, Source
from anyjoint.mechanism.inertia import inertia_problems
from anyjoint.spatial import Pose

from ..finish import finished
from ..follow import Felt, Line, chained, coupled
from ..markup import Element
from ..request import Request
from .actuators import Actuators
from .built import Built
from .compiled import Lines, MjModel, Names, compiled
from .contacts import add_contacts
from .equality import add_rows, followers, loops, tell_limits
from .flags import disabled, switch_off
from .fluid import read_fluid
from .joints import MjcfJoint, read_joints
from .scan import scan
from .sensors import Sensors
from .shapes import Geoms, pose_of
from .state import state
from .tendons import Tendons
from .unsupported import check_features

# mjtIntegrator; those that are implicit in velocities are linearly implicit here.
INTEGRATORS = {0: "semi-implicit-euler", 1: "rk4", 2: "implicit-euler", 3: "implicit-euler"}


def read_mjcf(root: Element, request: Request) -> Mechanism:
    """Look, let MuJoCo compile, name what is not supported, build."""
    seen = scan(root, request)
    request.report.check()
    m = compiled(request)
    try:
        names = Names(m)
    except UnicodeDecodeError as error:
        what = f"MuJoCo takes names for UTF-8, and {error.object!r} is none; save the file as such"
        request.report.error(root.line, "encoding", what)
        request.report.check()

    def line(kind: str, name: str) -> int:
        return seen.lines.get((kind, name), 0)

    switch_off(m, names, request, line)
    joints = read_joints(m, names)
    check_features(m, joints, names, request, line)
    following = followers(m, joints, names, request, line)
    tell_limits(following, joints, request, line)
    if m.nbody == 1:
        request.report.error(root.line, "empty", "there is no <body> beside the world, so that nothing could move")
    if request.base != "fixed":
        request.report.error(root.line, "base", "an MJCF says itself how bodies stand; give them a <freejoint/> there")
    request.report.check()
    return _Builder(m, names, joints, following, request, root.attributes.get("model") or "mujoco").build(line)


class _Builder:
    """The mechanism of one compiled model."""

    def __init__(
        self,
        m: MjModel,
        names: Names,
        joints: Sequence[MjcfJoint],
        following: Mapping[str, tuple[str, Line]],
        request: Request,
        title: str,
    ) -> None:
        self.m, self.names, self.joints, self.following, self.request = m, names, joints, following, request
        self.mech = Mechanism(title, [float(x) for x in m.opt.gravity])
        self.bodies: dict[str, str] = {}  # joint: the body that moves by it
        self.last: dict[int, str | None] = {0: None}  # MuJoCo's body: ours
        self.collisions: dict[str, tuple[Any, ...]] = {}
        self.geoms = Geoms(m, request.meshes == "view")
        self.felt = self._felt()

    def build(self, line: Lines) -> Mechanism:
        m, mech = self.m, self.mech
        self._name_bodies()
        for k in range(1, m.nbody):
            self._add(k, line)
        for loop in loops(m, self.names, self.request, line):
            first, second = (self.last[k] or mech.ground for k in loop.bodies)
            try:
                mech.add_loop(first, second, joints.Spherical() if loop.ball else None, loop.frames, loop.name)
            except ModelError as error:
                self.request.report.error(line("equality", loop.name), "equality", str(error))
        scenery, _ = self.geoms.shapes(0)
        mech.draw(*scenery)
        self._add_sites_of_the_world(line)
        told = self.names, self.request, line
        built = Built(m, self.joints, self.bodies, self.last, self.following, *told)
        tendons = Tendons(built)
        add_rows(mech, built, tendons)
        actuators, sensors = Actuators(mech, built, tendons).made, Sensors(built, tendons).made
        if self.request.contacts != "skip" and "contact" not in disabled(m):
            add_contacts(mech, m, self.last, *told)
        named = [*self.bodies, *(body.name for body in mech.bodies)]  # those between are called like joints
        lines = {name: line("body", name) or line("joint", name) for name in named}
        starts = {}
        for k in range(m.nkey):
            key = self.names.of("key", k)
            self._tell_led(m.key_qpos[k], m.key_qvel[k], line("key", key), f"key frame {key!r}")
            starts[key] = self._state(m.key_qpos[k], m.key_qvel[k])
        mech.start = next(iter(starts.values()), self._state(m.qpos0, np.zeros(m.nv)))
        return finished(
            mech,
            self.request,
            lines,
            Source(
                self.request.report.file,
                "MJCF",
                joints=self.bodies,
                chained=chained(self.following, {j.name: j.joint(limited=False) for j in self.joints}, self.bodies),
                starts=starts,
                collisions=self.collisions,
                actuators=actuators,
                forces=(*self._compensation(), *tendons.forces(), *read_fluid(m, self.last)),
                tendons=tendons.named(),
                sensors=sensors,
                settings={
                    "dt": float(m.opt.timestep),
                    "method": INTEGRATORS.get(int(m.opt.integrator), "semi-implicit-euler")
                    if not mech.contacts
                    else "time-stepping",
                },
            ),
        )

    def _felt(self) -> dict[str, Felt]:
        total = {joint.name: joint.felt for joint in self.joints}
        for joint in self.joints:
            if joint.name in self.following:
                leader, line = self.following[joint.name]
                total[leader] = total[leader] + joint.felt.reflected(line)
        return total

    def _name_bodies(self) -> None:
        """The last joint of a body moves the body itself unless its anchor is elsewhere; others move a body between."""
        m, taken = self.m, {"ground"}
        for k in range(1, m.nbody):
            self.last[k] = _unique(self.names.of("body", k), taken)
        for k in range(1, m.nbody):
            own = self._own(k)
            for joint in own:
                moves_body = joint is own[-1] and not any(joint.anchor)
                self.bodies[joint.name] = str(self.last[k]) if moves_body else _unique(joint.name, taken)

    def _own(self, k: int) -> Sequence[MjcfJoint]:
        start = int(self.m.body_jntadr[k])
        return self.joints[start : start + int(self.m.body_jntnum[k])] if start >= 0 else ()

    def _add(self, k: int, line: Lines) -> None:
        m, own = self.m, self._own(k)
        name, parent = str(self.last[k]), self.last[int(m.body_parentid[k])]
        seen, touching = self.geoms.shapes(k)
        if touching:
            self.collisions[name] = tuple(touching)
        body: dict[str, Any] = {"inertia": self._inertia(k, line), "shape": seen, "frames": self._sites(k)}
        here = pose_of(m.body_pos[k], m.body_quat[k])
        for joint in own:
            moved = self.bodies[joint.name]
            before = Pose() if joint.type == 0 else here @ joint.placement()
            options = self._drive(joint) | (body if moved == name else {})
            self.mech.add_body(moved, parent, self._joint(joint), before, **options)
            parent, here = moved, joint.back()
        if parent != name or not own:
            self.mech.add_body(name, parent, None, here, **body)

    def _joint(self, joint: MjcfJoint) -> Joint:
        if joint.name in self.following:
            leader, line = self.following[joint.name]
            return coupled(joint.joint(limited=False), line, self.bodies[leader])
        return joint.joint()

    def _drive(self, joint: MjcfJoint) -> dict[str, Any]:
        """Springs, dampers and limits of a joint that has coordinates of its own."""
        if joint.name in self.following:
            return {}
        felt = self.felt[joint.name]
        rest = (felt.rest,) if joint.single else joint.rest
        return {
            "stiffness": felt.stiffness, "damping": felt.damping, "armature": felt.armature, "rest": rest,
            "friction": felt.friction, "effort": joint.effort,
        }  # fmt: skip

    def _inertia(self, k: int, line: Lines) -> Inertia:
        m, name = self.m, self.names.of("body", k)
        R = np.asarray(pose_of((0, 0, 0), m.body_iquat[k]).matrix, dtype=float)[:3, :3]
        mass, com, tensor = float(m.body_mass[k]), m.body_ipos[k].astype(float), R @ np.diag(m.body_inertia[k]) @ R.T
        problems = inertia_problems(mass, com, tensor)
        for problem in problems:
            self.request.report.refuse(line("body", name), "inertia", f"body {name!r}: {problem}")
        return Inertia(mass, com, tensor, physical=not problems)

    def _sites(self, k: int) -> dict[str, Pose]:
        m = self.m
        on = np.flatnonzero(m.site_bodyid == k)
        return {self.names.of("site", int(s)): pose_of(m.site_pos[s], m.site_quat[s]) for s in on}

    def _add_sites_of_the_world(self, line: Lines) -> None:
        """As frames; one that a body is called like gets another name, since add_frame keeps those apart."""
        mech, m = self.mech, self.m
        for name, pose in self._sites(0).items():
            called = name
            if name in mech or name == mech.ground.name:
                taken = {mech.ground.name, *self.bodies.values(), *(self.names.of("site", s) for s in range(m.nsite))}
                called = _unique(name, taken | {body.name for body in mech.bodies})
                what = f"site {name!r} of the world is called {called!r} here, since a body has its name"
                self.request.report.warn(line("site", name), "name", what)
            mech.add_frame(called, mech.ground, pose)

    def _compensation(self) -> tuple[Wrench, ...]:
        """Gravity compensation as forces at centres of mass."""
        m, made = self.m, []
        for k in np.flatnonzero(m.body_gravcomp):
            weight = m.body_gravcomp[k] * m.body_mass[k] * np.array(self.mech.gravity)
            made.append(Wrench(self.last[int(k)], force=tuple(-weight), point=tuple(m.body_ipos[k])))
        return tuple(made)

    def _tell_led(self, qpos: Any, qvel: Any, line: int, where: str) -> None:
        """Warn of joints that a state has elsewhere than where those take them that they follow."""
        found = {joint.name: joint for joint in self.joints}
        for name, (leader, way) in self.following.items():
            own, lead = found[name], found[leader]
            there = qpos[own.q], qvel[own.v]
            here = way.slope * qpos[lead.q] + way.intercept, way.slope * qvel[lead.v]
            if not np.allclose(here, there, rtol=1e-6, atol=1e-6):
                at, led = (f"at {x:g}" + (f" with the speed {v:g}" if v else "") for x, v in (there, here))
                what = f"{where}: joint {name!r} starts {led}, where {leader!r} takes it, and not {at}"
                self.request.report.warn(line, "start", what)

    def _state(self, qpos: Any, qvel: Any) -> Any:
        return state(self.mech, [j for j in self.joints if j.name not in self.following], self.bodies, qpos, qvel)


def _unique(name: str, taken: set[str]) -> str:
    """A name that no other body has."""
    made, k = name, 1
    while made in taken:
        k += 1
        made = f"{name} {k}"
    taken.add(made)
    return made
