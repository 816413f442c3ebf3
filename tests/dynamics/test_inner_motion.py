"""The inner motion of a tree against dense matrices: what its joints do beside its first one."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.dynamics.inner_motion import INNER_MOTION, LINK_ENERGY
from dynamics.test_algorithms import by_floats


@pytest.mark.parametrize("first", [joints.FreeQuaternion(), joints.SphericalQuaternion(), joints.Revolute("y")])
def test_inner_motion_is_what_the_first_joint_does_not_feel(first):
    solid, place = aj.Inertia.box(1.0, 0.1, 0.2, 0.3), aj.Pose.translation(0.1, 0.2, 0.3) @ aj.Pose.rotation_x(0.4)
    mech = aj.Mechanism("arm")
    for k, joint in enumerate((first, joints.SphericalQuaternion(), joints.Universal(), joints.FreeQuaternion())):
        armature = {"armature": 0.1} if k in (1, 2) else {}
        mech.add_body(f"body {k}", mech.bodies[-1] if k else None, joint, place, solid, **armature)
    model, rng = mech.compile(), np.random.default_rng(0)
    q, v, a = (rng.normal(size=n) for n in (model.nq, model.nv, model.nv))
    M, n = model.mass_matrix(q), first.nv
    u = v.copy()
    u[:n] -= np.linalg.solve(M[:n, :n], M[:n] @ v)
    power, inner, work = np.split(by_floats(INNER_MOTION, mech, {"q": q, "v": v, "qdd": a}), [4, 4 + model.nv])
    assert inner == pytest.approx(M @ u, abs=1e-13)
    assert work.sum() == pytest.approx(u @ M @ u)
    felt = 0.1 * (v * a)[n : n + 5].sum()  # by joints alone
    assert power.sum() == pytest.approx(v @ (M @ a + model.bias_forces(q, v)) - felt)
    kinetic, fallen = (by_floats(LINK_ENERGY, mech, {"q": q, "v": x}).sum() for x in (v, 0 * v))
    assert kinetic - fallen == pytest.approx(model.energy(q, v)[0] - 0.05 * (v[n : n + 5] ** 2).sum())
