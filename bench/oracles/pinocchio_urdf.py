"""Pinocchio's answers for a URDF in the coordinates of a loaded mechanism, joint by joint name."""

import re

import numpy as np
import pinocchio as pin

SWAPPED = np.block([[np.zeros((3, 3)), np.eye(3)], [np.eye(3), np.zeros((3, 3))]])


def opened(path, mech):
    """The oracle of a file, its meshes left out."""
    text = re.sub(rb"<!--.*?-->", b"", path.read_bytes(), flags=re.DOTALL)
    for tag in (b"visual", b"collision"):
        text = re.sub(rb"<%s\b[^>]*?/>|<%s\b.*?</%s>" % (tag, tag, tag), b"", text, flags=re.DOTALL)
    return Oracle(text.decode("utf8", "replace"), mech)


class Oracle:
    """A URDF in Pinocchio; its velocities are S^T times ours."""

    def __init__(self, text, mech):
        self.model, self.mech = pin.buildModelFromXML(text, mimic=True), mech
        self.model.damping[:] = 0  # ours is part of the joint, and compared apart
        self.data = self.model.createData()
        assert self.model.nv == mech.nv

    def state(self, random):
        """(q, v, a) of ours at random; keeps the same in Pinocchio's order."""
        mech = self.mech
        q, v, a = mech.neutral.copy(), *random.normal(size=(2, mech.nv))
        self.q, self.S = pin.neutral(self.model).copy(), np.zeros((mech.nv, mech.nv))
        for name, kind in list(zip(self.model.names, self.model.joints, strict=True))[1:]:
            if kind.nv == 0 or kind.shortname().startswith("JointModelMimic"):
                continue
            body, at, rate = mech[mech.source.joints[name]], kind.idx_q, kind.idx_v
            if kind.nv == 1:
                x = random.uniform(-1, 1)
                q[body.q], self.S[body.v.start, rate] = x, 1
                self.q[at : at + kind.nq] = [x] if kind.nq == 1 else [np.cos(x), np.sin(x)]
            elif kind.nv == 6:  # a quaternion first in ours, last in theirs; angular velocities first in ours
                turn, p = random.normal(size=4), random.normal(size=3)
                turn /= np.linalg.norm(turn)
                q[body.q], self.q[at : at + 7] = [*turn, *p], [*p, *turn[1:], turn[0]]
                self.S[body.v, rate : rate + 6] = SWAPPED
            else:
                raise ValueError("planar joints have other velocities there")
        return q, v, a

    def answers(self, model, random):
        """Pairs (ours, theirs) at a random state: mass matrix, gravity, inverse dynamics without damping."""
        q, v, a = self.state(random)
        M = self.mass_matrix()
        self.size = np.abs(M).max()
        yield model.mass_matrix(q), M
        yield model.gravity_forces(q), self.gravity_forces()
        tau = self.inverse_dynamics(v, a)
        yield model.inverse_dynamics(q, v, a) + model.passive_forces(q, v), tau
        if model.is_regular and not self.mimics:
            # As forces: how far accelerations may differ is a matter of the mass matrix, some of which are nearly
            # singular (up to 1e10); both engines are then as far from the accelerations that tau was made of.
            passive = model.passive_forces(q, v)
            yield M @ model.forward_dynamics(q, v, tau - passive), M @ self.forward_dynamics(v, tau)

    def mass_matrix(self):
        M = pin.crba(self.model, self.data, self.q)
        return self.S @ (np.triu(M) + np.triu(M, 1).T) @ self.S.T

    def gravity_forces(self):
        return self.S @ pin.computeGeneralizedGravity(self.model, self.data, self.q)

    def inverse_dynamics(self, v, a):
        return self.S @ pin.rnea(self.model, self.data, self.q, self.S.T @ v, self.S.T @ a)

    @property
    def mimics(self):
        """Whether joints follow others, which Pinocchio's forward dynamics does not take."""
        return any(kind.shortname().startswith("JointModelMimic") for kind in self.model.joints)

    def forward_dynamics(self, v, tau):
        return self.S @ pin.aba(self.model, self.data, self.q, self.S.T @ v, self.S.T @ tau)

    def link_pose(self, name):
        pin.framesForwardKinematics(self.model, self.data, self.q)
        return self.data.oMf[self.model.getFrameId(name)].homogeneous
