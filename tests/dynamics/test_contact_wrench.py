"""Figure 2 of Pai, Ascher & Kry: a patch on a smooth plate is pushed along the normal and in no other way."""

import numpy as np
import pytest

from bench.paper_contact import measure, mechanism

MASS, COM = 2.0, np.array([0.0, 0.0, 0.25])


@pytest.fixture(scope="module")
def patch():
    """The gallery's mechanism, its model and a run of one second."""
    mech = mechanism()
    model = mech.compile()
    return mech, model, model.simulate(*mech.start, duration=1.0, dt=1e-3, method="rk4", save_every=4)


def test_the_wrench_is_purely_normal_and_pushes(patch):
    """Neither a tangential force nor any couple about the contact point, at any time [PAK eq. 13, 14]."""
    _, model, run = patch
    slip = measure(model, run)
    assert (slip.wrench[:, 5] < -0.1 * MASS * 9.81).all()  # along the shell's outward normal: negative pushes
    assert slip.tangential < 2e-12


def test_the_centre_of_mass_moves_up_and_down_only(patch):
    """To the error of rk4 at 1 ms; the energy tells how large that is."""
    _, model, run = patch
    slip = measure(model, run)
    assert np.ptp(slip.centre[:, :2], axis=0).max() < 1e-8
    assert np.ptp(slip.centre[:, 2]) > 0.05
    assert np.ptp(slip.energy) < 1e-8


def test_block_elimination_gives_the_same_accelerations_and_wrench(patch):
    """(I M 0; 0 I H; H^T 0 0)(f, -phidot, qdd) = (b, -a, 0) and its eliminated form, by hand [PAK eq. 13, 14]."""
    mech, model, run = patch
    q, v = run.q[100], run.v[100]
    qdd = model.forward_dynamics(q, v)
    M, H = mech.bodies[0].inertia.spatial(), model.body_jacobian(q, "shell")
    zero = np.zeros(5)
    rate = model.jacobian_rate_times(q, v, v)[0]  # Hdot qdot
    phi = H @ v
    pose = model.body_poses(q)[0]
    weight = pose[:3, :3].T @ np.array(mech.gravity) * MASS
    external = np.concatenate([np.cross(COM, weight), weight])
    w, u = phi[:3], phi[3:]
    momentum = M @ phi
    gyroscopic = np.concatenate([np.cross(w, momentum[:3]) + np.cross(u, momentum[3:]), np.cross(w, momentum[3:])])
    b = gyroscopic - external
    big = np.block([
        [np.eye(6), M, np.zeros((6, 5))], [np.zeros((6, 6)), np.eye(6), H], [H.T, np.zeros((5, 6)), np.zeros((5, 5))],
    ])  # fmt: skip
    f, minus_phidot, found = np.split(np.linalg.solve(big, np.concatenate([b, -rate, zero])), [6, 12])
    r = H.T @ (external - gyroscopic - M @ rate)
    assert np.allclose(found, qdd, rtol=0, atol=1e-9 * np.abs(qdd).max())
    assert np.allclose(np.linalg.solve(H.T @ M @ H, r), qdd, rtol=0, atol=1e-9 * np.abs(qdd).max())
    assert np.allclose(f, model.joint_wrenches(q, v, qdd)[0], rtol=0, atol=1e-10)
    assert np.allclose(-minus_phidot, H @ qdd + rate, atol=1e-10)
