"""Pinocchio's answers for a URDF in the coordinates of a loaded mechanism, joint by joint name.

Joints that mimic others follow them in Pinocchio, too; where it refuses those that come before their leader, they move
on their own there, and are taken along.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin

from anyjoint.mechanism import Mechanism

from .answer import Answer, Floats

SWAPPED = np.block([[np.zeros((3, 3)), np.eye(3)], [np.eye(3), np.zeros((3, 3))]])


def opened(path: Path, mech: Mechanism) -> Oracle:
    """The oracle of a file, its meshes left out."""
    text = re.sub(rb"<!--.*?-->", b"", path.read_bytes(), flags=re.DOTALL)
    for tag in (b"visual", b"collision"):
        text = re.sub(rb"<%s\b[^>]*?/>|<%s\b.*?</%s>" % (tag, tag, tag), b"", text, flags=re.DOTALL)
    return Oracle(text.decode("utf8", "replace"), mech)


class Oracle:
    """A URDF in Pinocchio; its velocities are S^T times ours."""

    def __init__(self, text: str, mech: Any) -> None:
        self.mech, self.led = mech, dict[str, tuple[str, float, float]]()
        try:
            self.model = pin.buildModelFromXML(text, mimic=True)
        except ValueError as error:
            if "mimic" not in str(error):
                raise
            self.model = pin.buildModelFromXML(text)
            self.led = {name: line for name, line in _followers(text).items() if line[0] in self.model.names}
        self.model.damping[:] = 0  # ours is part of the joint, and compared apart
        self.data, self.size = self.model.createData(), 1.0
        self.notes = list[str]()
        if self.model.nv - len(self.led) != mech.nv:
            raise ValueError(f"it counts {self.model.nv - len(self.led)} velocities where we have {mech.nv}")

    def state(self, random: np.random.Generator) -> tuple[Floats, Floats, Floats]:
        """(q, v, a) of ours at random; keeps the same in Pinocchio's order."""
        mech = self.mech
        q, v, a = mech.neutral.copy(), *random.normal(size=(2, mech.nv))
        self.q, self.S = pin.neutral(self.model).copy(), np.zeros((mech.nv, self.model.nv))
        for name, kind in list(zip(self.model.names, self.model.joints, strict=True))[1:]:
            if kind.nv == 0 or name in self.led or kind.shortname().startswith("JointModelMimic"):
                continue
            body, at, rate = mech[mech.source.joints[name]], kind.idx_q, kind.idx_v
            if kind.nv == 1:
                x = random.uniform(-1, 1)
                q[body.q], self.S[body.v.start, rate] = x, 1
                self._turn(kind, x)
            elif kind.nv == 6:  # a quaternion first in ours, last in theirs; angular velocities first in ours
                turn, p = random.normal(size=4), random.normal(size=3)
                turn /= np.linalg.norm(turn)
                q[body.q], self.q[at : at + 7] = [*turn, *p], [*p, *turn[1:], turn[0]]
                self.S[body.v, rate : rate + 6] = SWAPPED
            else:
                raise ValueError("planar joints have other velocities there")
        for name in self.led:
            leader, ratio, offset = self._lead(name)
            body, kind = mech[mech.source.joints[leader]], self.model.joints[self.model.getJointId(name)]
            self.S[body.v.start, kind.idx_v] = ratio
            self._turn(kind, ratio * float(q[body.q.start]) + offset)
        return q, v, a

    def _turn(self, kind: Any, x: float) -> None:
        self.q[kind.idx_q : kind.idx_q + kind.nq] = [x] if kind.nq == 1 else [np.cos(x), np.sin(x)]

    def _lead(self, name: str) -> tuple[str, float, float]:
        """The joint at the head of a chain of followers, and the line by which the last one follows it."""
        leader, ratio, offset = self.led[name]
        if leader not in self.led:
            return leader, ratio, offset
        first, inner, shift = self._lead(leader)
        return first, ratio * inner, ratio * shift + offset

    def answers(self, model: Any, random: np.random.Generator) -> Iterator[Answer]:
        """Ours and theirs at a random state: mass matrix, gravity, inverse and forward dynamics without damping."""
        q, v, a = self.state(random)
        M = self.mass_matrix()
        self.size = np.abs(M).max()
        yield "mass matrix", model.mass_matrix(q), M
        yield "gravity", model.gravity_forces(q), self.gravity_forces()
        tau = self.inverse_dynamics(v, a)
        yield "inverse dynamics", model.inverse_dynamics(q, v, a) + model.passive_forces(q, v), tau
        if model.is_regular and not self.mimics:
            # As forces: how far accelerations may differ is a matter of the mass matrix, some of which are nearly
            # singular (up to 1e10); both engines are then as far from the accelerations that tau was made of.
            passive = model.passive_forces(q, v)
            ours, theirs = model.forward_dynamics(q, v, tau - passive), self.forward_dynamics(v, tau)
            yield "forward dynamics", M @ ours, M @ theirs

    def mass_matrix(self) -> Floats:
        M = pin.crba(self.model, self.data, self.q)
        return self.S @ (np.triu(M) + np.triu(M, 1).T) @ self.S.T

    def gravity_forces(self) -> Floats:
        return self.S @ pin.computeGeneralizedGravity(self.model, self.data, self.q)

    def inverse_dynamics(self, v: Floats, a: Floats) -> Floats:
        return self.S @ pin.rnea(self.model, self.data, self.q, self.S.T @ v, self.S.T @ a)

    @property
    def mimics(self) -> bool:
        """Whether joints follow others, which Pinocchio's forward dynamics does not take."""
        return bool(self.led) or any(kind.shortname().startswith("JointModelMimic") for kind in self.model.joints)

    def forward_dynamics(self, v: Floats, tau: Floats) -> Floats:
        return self.S @ pin.aba(self.model, self.data, self.q, self.S.T @ v, self.S.T @ tau)

    def link_pose(self, name: str) -> Floats:
        pin.framesForwardKinematics(self.model, self.data, self.q)
        return self.data.oMf[self.model.getFrameId(name)].homogeneous


def _followers(text: str) -> dict[str, tuple[str, float, float]]:
    """By name, joints that mimic another: which one, how many times as far, from where on."""
    found = dict[str, tuple[str, float, float]]()
    for joint in ElementTree.fromstring(text).iter("joint"):
        for mimic in joint.findall("mimic"):
            line = float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0))
            found[joint.get("name", "")] = mimic.get("joint", ""), *line
    return found
