"""Every force: what it gives to one body it takes from the others, and steps of every method feel it."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.forces.program import trace_forces
from anyjoint.stepper import STEPPERS
from forces.test_laws import CONSERVATIVE, OTHERS
from stepper.test_implicit import tree

FORCES = CONSERVATIVE | OTHERS
# They pull at the ground, or along coordinates.
GROUNDED = ("Cable around a cylinder", "Tendon", "Tether", "Custom", "SoftStop", "SoftStop far behind")
BETWEEN = [*(name for name in CONSERVATIVE if name not in GROUNDED), "Muscle"]


@pytest.mark.parametrize("name", BETWEEN)
def test_action_is_reaction(name):
    """On free bodies, all wrenches together are none: forces, and torques about the origin."""
    mech, rng = aj.Mechanism("loose", gravity=(0, 0, 0)), np.random.default_rng(4)
    for body in ("base", "arm", "hand", "other", "beside", "finger"):
        mech.add_body(body, joint=joints.FreeQuaternion(), inertia=aj.Inertia.sphere(1.0, 0.1))
    turns = rng.normal(size=(6, 4))
    q = np.hstack([turns / np.linalg.norm(turns, axis=1)[:, None], rng.uniform(-1, 1, (6, 3))])
    wrenches = trace_forces(mech, [FORCES[name]]).torque(0.3, q.ravel(), rng.normal(size=36)).reshape(6, 6)
    total, size = np.zeros(6), np.abs(wrenches).max()
    for pose, wrench in zip(mech.poses(q.ravel().tolist()), wrenches, strict=True):
        T = np.array(pose.matrix, float)
        torque, force = T[:3, :3] @ wrench[:3], T[:3, :3] @ wrench[3:]
        total += [*(torque + np.cross(T[:3, 3], force)), *force]
    assert size > 1e-3
    assert np.abs(total).max() < 1e-11 * size


@pytest.mark.slow
def test_work_is_the_integral_of_power():
    """Of all that is not conservative, together: by the run, by Simpson's rule, and as the change of energy."""
    mech = tree()
    acting, (q, v), model = list(OTHERS.values()), mech.start, mech.compile()
    tight = {"method": "dopri5", "rtol": 1e-11, "atol": 1e-11, "limits": False}
    h = 5e-4
    traj = model.simulate(q, v, duration=80 * h, dt=h, forces=acting, **tight)
    program, still = trace_forces(mech, acting), np.zeros(len(v))
    power = [
        (program.at_state(t, q, v) + model.passive_forces(q, v) - model.passive_forces(q, still)) @ v
        for t, q, v in zip(traj.t, traj.q, traj.v, strict=True)
    ]
    weights = np.tile([4.0, 2.0], len(power) // 2)[: len(power) - 2]
    wanted = h / 3 * (power[0] + power[-1] + weights @ power[1:-1])
    assert abs(wanted) > 1.0
    assert traj.work()[-1] == pytest.approx(wanted, rel=5e-4)  # Simpson does not see corners of forces
    assert np.abs(traj.energy_balance()).max() < 1e-7 * np.abs(traj.work()).max()


@pytest.mark.slow
@pytest.mark.parametrize("method", [name for name, stepper in STEPPERS.items() if not stepper.chooses])
def test_steps_of_every_method_feel_all_forces(method):
    """In batches, and as steps get short all go to the explicit accelerations."""
    mech, h = tree(), 1e-6
    acting, (q, v) = list(FORCES.values()), mech.start
    model = mech.compile()
    wanted = model.forward_dynamics(q, v, trace_forces(mech, acting).torque(0.0, q, v))
    traj = model.simulate(
        np.array([q, q]), np.array([v, v]), duration=3 * h, dt=h, method=method, forces=acting, limits=False
    )
    assert traj.status.ok
    assert np.array_equal(traj.v[:, 0], traj.v[:, 1])
    assert (traj.v[-1, 0] - v) / (3 * h) == pytest.approx(wanted, rel=2e-2, abs=1e-2 * np.abs(wanted).max())
