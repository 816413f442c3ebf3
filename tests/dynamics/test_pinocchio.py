"""Pinocchio on random trees of hinges, sliders and balls: mass matrix, bias, forward and inverse dynamics."""

import numpy as np
import pinocchio as pin
import pytest

from anyjoint import joints
from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.dynamics.newton_euler import NEWTON_EULER
from anyjoint.mechanism import gallery
from dynamics.support import State, close

KINDS = {
    "hinge": joints.Revolute((1, 2, 3)),
    "hinge z": joints.Revolute((0, 0, 1)),
    "slider": joints.Prismatic((0, 1, 1)),
    "ball": joints.SphericalQuaternion(),
}


def depth_first(mech, root):
    for child in mech.children(root):
        yield child
        yield from depth_first(mech, child)


def pinocchio_model(mech):
    """The same tree in Pinocchio; its quaternions are (x, y, z, w)."""
    model = pin.Model()
    model.gravity = pin.Motion(np.array(mech.gravity), np.zeros(3))
    ids = {-1: 0}
    for body in depth_first(mech, mech.ground):  # Pinocchio wants every subtree in one piece
        T = body.placement.matrix.astype(float)
        kind = type(body.joint).__name__
        axis = np.array(getattr(body.joint, "axis", (0, 0, 1)), dtype=float)
        joint = {
            "Revolute": lambda axis=axis: pin.JointModelRevoluteUnaligned(axis),
            "Prismatic": lambda axis=axis: pin.JointModelPrismaticUnaligned(axis),
            "SphericalQuaternion": lambda: pin.JointModelSpherical(),
        }[kind]()
        j = model.addJoint(ids[body.parent], joint, pin.SE3(T[:3, :3], T[:3, 3]), body.name)
        ids[body.index] = j
        inertia = pin.Inertia(body.inertia.mass, np.array(body.inertia.com), np.array(body.inertia.tensor))
        model.appendBodyToJoint(j, inertia, pin.SE3.Identity())
    return model, ids


def gather(mech, model, ids, q, v):
    """Our rows in Pinocchio's layout, and where each of our velocities is in it."""
    pq, index = np.zeros(model.nq), np.zeros(mech.nv, dtype=int)
    for body in mech.bodies:
        j, own = ids[body.index], q[body.q]
        at = model.idx_qs[j]
        pq[at : at + len(own)] = np.roll(own, -1) if len(own) == 4 else own
        index[body.v] = model.idx_vs[j] + np.arange(body.joint.nv)
    pv = np.zeros(model.nv)
    pv[index] = v
    return pq, pv, index


@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_pinocchio(seed):
    mech = gallery.random_tree(seed, n=3 + 2 * seed, kinds=KINDS)
    state = State(mech)
    model, ids = pinocchio_model(mech)
    data = model.createData()
    pq, pv, index = gather(mech, model, ids, state.q, state.v)
    rng = np.random.default_rng(seed)
    tau, a = rng.normal(size=(2, mech.nv))
    full, full_a = np.zeros(mech.nv), np.zeros(mech.nv)
    full[index], full_a[index] = tau, a

    M = pin.crba(model, data, pq)
    M = np.triu(M) + np.triu(M, 1).T
    assert close(state.mass_matrix(), M[np.ix_(index, index)], 1e-11)
    assert close(state.row(NEWTON_EULER, qdd=a), pin.rnea(model, data, pq, pv, full_a)[index], 1e-10)
    assert close(state.row(ARTICULATED_BODY, tau=tau), pin.aba(model, data, pq, pv, full)[index], 1e-10)
