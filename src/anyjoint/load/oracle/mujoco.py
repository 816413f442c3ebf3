"""MuJoCo's answers for an MJCF in the coordinates of a loaded mechanism, joint by joint name."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from anyjoint import joints
from anyjoint.forces import DryFriction, Tendon, Tether
from anyjoint.forces.program import trace_forces
from anyjoint.mechanism import Body, Mechanism

from ..mjcf.compiled import Names
from .answer import Answer, Floats


def opened(path: Path, mech: Mechanism) -> Oracle:
    """The oracle of a file."""
    return Oracle(path, mech)


class Oracle:
    """A model in MuJoCo without contacts, limits and drives; its velocities are B times ours."""

    def __init__(self, path: Path, mech: Any) -> None:
        self.model, self.mech = mujoco.MjModel.from_xml_path(str(path)), mech
        self.names = Names(self.model)
        bits = mujoco.mjtDisableBit
        self.model.opt.disableflags |= bits.mjDSBL_CONSTRAINT | bits.mjDSBL_ACTUATION
        self.data, self.size = mujoco.MjData(self.model), 1.0
        self.notes = list[str]()

    def state(self, random: np.random.Generator) -> tuple[Floats, Floats]:
        """(q, v) of ours at random; MuJoCo goes to the same state."""
        m, mech = self.model, self.mech
        q, v = mech.neutral.copy(), random.normal(size=mech.nv)
        start = m.qpos0 + random.uniform(-0.5, 0.5, m.nq)
        for k, body in self._joints():
            at = m.jnt_qposadr[k]
            if body.joint.nv == 6:  # position first in MuJoCo
                q[body.q] = [*_unit(start[at + 3 : at + 7]), *start[at : at + 3]]
            elif not isinstance(body.joint, joints.Coupled):
                own = start[at : at + body.joint.nq]
                q[body.q] = _unit(own) if len(own) == 4 else own
        self.go(q, v)
        return q, v

    def _joints(self) -> Iterator[tuple[int, Body]]:
        for k in range(self.model.njnt):
            yield k, self.mech[self.mech.source.joints[self.names.of("joint", k)]]

    def go(self, q: Floats, v: Floats) -> None:
        """Take MuJoCo to a state of ours."""
        m, mech = self.model, self.mech
        qpos, self.B, self.drift = np.zeros(m.nq), np.zeros((m.nv, mech.nv)), np.zeros(m.nv)
        for k, body in self._joints():
            at, rate, n = m.jnt_qposadr[k], m.jnt_dofadr[k], body.joint.nv
            if isinstance(body.joint, joints.Coupled):
                leader = mech[body.joint.source]
                (qpos[at],), (ahead,) = (body.joint.inner_coordinates([q[leader.q.start] + x]) for x in (0.0, 1.0))
                self.B[rate, leader.v.start] = ahead - qpos[at]  # followers go by straight lines
            elif n == 6:  # MuJoCo's linear velocity is along the world's axes
                R = body.joint.pose(q[body.q].tolist()).matrix[:3, :3].astype(float)
                w, u = np.split(v[body.v], 2)
                qpos[at : at + 7] = [*q[body.q][4:], *q[body.q][:4]]
                self.B[rate : rate + 3, body.v.start + 3 : body.v.stop] = R
                self.B[rate + 3 : rate + 6, body.v.start : body.v.start + 3] = np.eye(3)
                self.drift[rate : rate + 3] = R @ np.cross(w, u)
            else:
                qpos[at : at + body.joint.nq] = q[body.q]
                self.B[rate : rate + n, body.v] = np.eye(n)
        self.data.qpos[:], self.data.qvel[:] = qpos, self.B @ v
        mujoco.mj_forward(self.model, self.data)

    def answers(self, model: Any, random: np.random.Generator) -> Iterator[Answer]:
        """Ours and theirs at a random state: mass matrix, all forces but those of drives and constraints, tendons."""
        q, v = self.state(random)
        M, bias = self.mass_matrix(), self.bias_forces()
        self.size = np.abs(M).max()
        yield "mass matrix", model.mass_matrix(q), M
        yield "bias forces", model.bias_forces(q, v) - self.others(q, v), bias
        tendons = list(self.mech.source.tendons.values())
        if tendons and len(tendons) == self.model.ntendon:
            # Those that must stay on a side of a geom may pass on the other one in MuJoCo, which loading warns of.
            plain = [k for k, path in enumerate(tendons) if not any(getattr(item, "side", None) for item in path)]
            if plain:
                lengths = model.path_length(q, [Tendon(tendons[k]) for k in plain])
                yield "tendons", lengths, self.data.ten_length[plain]

    def others(self, q: Floats, v: Floats) -> Floats:
        """Generalized forces of tendons, fluids and gravity compensation, which mechanisms keep apart.

        Limits and dry friction of tendons are constraints in MuJoCo, and left out of its forces.
        """
        acting = [push for push in self.mech.source.forces if not isinstance(push, (Tether, DryFriction))]
        return trace_forces(self.mech, acting).torque(0.0, q, v)

    def mass_matrix(self) -> Floats:
        self.M = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, self.M)
        return self.B.T @ self.M @ self.B

    def bias_forces(self) -> Floats:
        """Gravity, velocity products, springs and dampers."""
        self.mass_matrix()
        m, data = self.model, self.data
        driven = np.where(m.jnt_actgravcomp[m.dof_jntid], data.qfrc_gravcomp, 0.0)  # what drives compensate of gravity
        return self.B.T @ (data.qfrc_bias - data.qfrc_passive - driven + self.M @ self.drift)

    def constrained(self, q: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """M, forces, rows J and errors of equalities at q and at rest, in our velocities."""
        m = copy.copy(self.model)
        bits = mujoco.mjtDisableBit
        other = bits.mjDSBL_CONTACT | bits.mjDSBL_LIMIT | bits.mjDSBL_FRICTIONLOSS | bits.mjDSBL_ACTUATION
        m.opt.disableflags = int(other)
        m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        data = mujoco.MjData(m)
        self.go(q, np.zeros(self.mech.nv))
        data.qpos[:] = self.data.qpos
        mujoco.mj_forward(m, data)
        J = np.array(data.efc_J).reshape(data.nefc, m.nv)
        return self.mass_matrix(), -self.bias_forces(), J @ self.B, np.array(data.efc_pos)

    def pose(self, body: str) -> Floats:
        """The pose of a body of MuJoCo, by name."""
        k = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, body)
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = self.data.xmat[k].reshape(3, 3), self.data.xpos[k]
        return T

    def actuator_forces(self, controls: Any) -> Floats:
        """Generalized forces of the drives, in our velocities."""
        m = mujoco.MjModel.__copy__(self.model)
        m.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
        data = mujoco.MjData(m)
        data.qpos[:], data.qvel[:], data.ctrl[:] = self.data.qpos, self.data.qvel, controls
        mujoco.mj_forward(m, data)
        return self.B.T @ data.qfrc_actuator


def _unit(x: Floats) -> Floats:
    return x / np.linalg.norm(x)
