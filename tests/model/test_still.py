"""A model without moving joints answers everything."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import shapes

FORMULATIONS = (
    "auto", "recursive", "articulated-body", "modified-articulated-body", "composite-rigid-body", "lagrangian",
    "augmented", "redmax", "recursive-mixed",
)  # fmt: skip
NONE = np.zeros(0)


def rock() -> aj.Mechanism:
    mech = aj.Mechanism("rock")
    mech.add_body("low", inertia=aj.Inertia.sphere(1.0, 0.1), shape=shapes.Sphere(0.1))
    up = aj.Pose.translation(0, 0, 1)
    mech.add_body("high", parent="low", placement=up, inertia=aj.Inertia.sphere(2.0, 0.1))
    return mech


@pytest.mark.parametrize("batch", [(), (3,)])
@pytest.mark.parametrize("algorithm", FORMULATIONS)
def test_dynamics(algorithm, batch):
    model, n = rock().compile(algorithm=algorithm), np.zeros((*batch, 0))
    for result in (
        model.forward_dynamics(n, n),
        model.forward_dynamics(n, n, n),
        model.forward_dynamics(n, n, wrenches=np.ones((2, 6))),
        model.inverse_dynamics(n, n, n),
        model.inverse_dynamics(n, n, n, algorithm="lagrangian"),
        model.bias_forces(n, n),
        model.gravity_forces(n),
        model.generalized_forces(n, np.ones((2, 6))),
        *model.hybrid_dynamics(n, n, n, n, []),
    ):
        assert result.shape == (*batch, 0)
    assert model.mass_matrix(n).shape == (*batch, 0, 0)


@pytest.mark.parametrize("batch", [(), (3,)])
def test_kinematics(batch):
    model, n = rock().compile(), np.zeros((*batch, 0))
    poses = model.body_poses(n)
    assert np.array_equal(poses, np.broadcast_to(poses.reshape(-1, 2, 4, 4)[0], (*batch, 2, 4, 4)))
    assert poses[..., 1, 2, 3].flat[0] == 1.0
    assert model.body_jacobian(n, "high").shape == (*batch, 6, 0)
    for twists in (model.body_twists(n, n), model.jacobian_rate_times(n, n, n)):
        assert np.array_equal(twists, np.zeros((*batch, 2, 6)))
    held = model.joint_wrenches(n, n, n)[..., 0, :]  # the lower weld carries both
    assert held == pytest.approx(np.broadcast_to([0, 0, 0, 0, 0, 3 * 9.81], held.shape))
    assert np.array_equal(model.momentum(n, n), np.zeros((*batch, 6)))
    kinetic, potential = model.energy(n, n)
    assert np.shape(kinetic) == np.shape(potential) == batch
    assert np.allclose(model.center_of_mass(n), [0, 0, 2 / 3], atol=1e-15)
    assert model.center_of_mass(n).shape == (*batch, 3)


def test_nothing_has_no_centre():
    mech = aj.Mechanism("air")
    mech.add_body("air")
    with pytest.raises(aj.InputError, match="nothing in 'air' has mass"):
        mech.compile().center_of_mass(NONE)


def test_cartesian():
    at = rock().compile().cartesian(NONE)
    assert at.J_v.shape == at.J_w.shape == (2, 3, 0)
    assert all(np.array_equal(x, np.zeros((2, 3))) for x in at.velocities(NONE))
    assert all(np.array_equal(x, np.zeros((2, 3))) for x in at.forces(NONE))
    assert at.generalized_forces(np.ones((2, 3)), np.ones((2, 3))).shape == (0,)
    assert at.generalized_velocities(np.zeros((2, 3)), np.zeros((2, 3)))[0].shape == (0,)
    assert all(x.shape == (2, 3, 0) for x in at.jacobian_rates(NONE))


def test_questions_and_sources():
    model = rock().compile()
    assert rock().check() == []
    assert model.op_count().total == 0
    assert model.formulation == "none"
    assert "rock" in str(model.report())
    assert all(model.source(language) for language in ("c", "js", "llvm", "latex"))
    assert model.blocks(NONE, NONE) == []
    model.parameters["low/mass"] = 3.0
    assert np.allclose(model.center_of_mass(NONE), [0, 0, 2 / 5])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", ["rk4", "semi-implicit-euler", "dopri5"])
def test_a_run(method, tmp_path):
    model = rock().compile()
    traj = model.simulate(duration=0.1, method=method)
    assert traj.status.ok
    assert traj.q.shape == (101, 0)
    assert all(np.array_equal(e, np.zeros(101)) for e in traj.energy())
    assert np.array_equal(traj.work(), np.zeros(101))
    assert np.array_equal(traj.energy_balance(), np.zeros(101))
    assert traj.balance_error() == 0.0
    assert traj.momentum().shape == (101, 6)
    assert traj.accelerations().shape == (101, 0)
    assert traj.resample([0.05]).q.shape == (1, 0)
    assert traj.to_html(tmp_path / "run.html").exists()
    traj.plot(tmp_path / "run.png")
    assert aj.Trajectory.load(traj.save(tmp_path / "run.npz"), model).q.shape == (101, 0)
    assert traj.save(tmp_path / "run.csv").read_text().startswith("t\n0.0\n")
    assert "<iframe" in str(traj._repr_html_())
    assert model.simulate(np.zeros((3, 0)), duration=0.1, method=method).q.shape == (101, 3, 0)


@pytest.mark.filterwarnings("error")
def test_pages(tmp_path):
    model = rock().compile()
    assert model.to_html(tmp_path / "live.html").exists()
    assert model.to_html(tmp_path / "still.html", live=False).exists()
