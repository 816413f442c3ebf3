"""Several constraints at once in all that a model does: batches, float32, parameters, callbacks, steppers."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints


def crank_slider():
    """A crank, a rod and a slider that a hinge closes; a spring, a damper, and a mass that follows the crank."""
    rod = aj.Inertia(mass=1.0, com=(0.5, 0, 0), tensor=np.diag([1e-3, 1 / 12, 1 / 12]).tolist())
    mech = aj.Mechanism("crank slider", gravity=(0, -9.81, 0))
    mech.add_body("crank", joint=joints.Revolute((0, 0, 1)), inertia=rod, damping=0.1)
    mech.add_body("rod", "crank", joints.Revolute((0, 0, 1)), aj.Pose.translation(1, 0, 0), rod)
    block = aj.Inertia.box(2.0, 0.1, 0.1, 0.1)
    mech.add_body("slider", joint=joints.Prismatic((1, 0, 0)), inertia=block, stiffness=3.0)
    mech.add_loop("rod", "slider", joint=joints.Revolute((0, 0, 1)), at=((2, 0, 0), (0, 0, 0)), name="pin")
    geared = joints.Coupled(joints.Revolute((0, 0, 1)), -2.0, "crank", offset=0.3)
    mech.add_body("gear", joint=geared, placement=aj.Pose.translation(0, 1, 0), inertia=rod)
    return mech


def start(mech):
    """A state on the constraint."""
    return mech.compile().assemble([0.7, -1.0, 2.3], [1.0, 0.0, 0.0], hold=("crank",))


def test_batches_threads_and_floats():
    mech = crank_slider()
    model, (q, v) = mech.compile(), start(mech)
    want = model.forward_dynamics(q, v, [0.1, 0.2, 0.3])
    dense = mech.compile(algorithm="composite-rigid-body")
    assert want == pytest.approx(dense.forward_dynamics(q, v, [0.1, 0.2, 0.3]), rel=1e-11)
    rows = [np.tile(x, (9, 1)) for x in (q, v, np.array([0.1, 0.2, 0.3]))]
    assert model.forward_dynamics(*rows, threads=2) == pytest.approx(np.tile(want, (9, 1)), rel=1e-13)
    short = mech.compile(dtype="float32")
    assert short.forward_dynamics(q, v, [0.1, 0.2, 0.3]) == pytest.approx(want, rel=2e-4)


def test_parameters_change_without_compiling():
    mech = crank_slider()
    model, (q, v) = mech.compile(), start(mech)
    model.parameters["rod/mass"] = 1.7
    other = crank_slider()
    other.replace_body(model.mechanism["rod"])
    assert model.forward_dynamics(q, v) == pytest.approx(other.compile().forward_dynamics(q, v), rel=1e-12)


@pytest.mark.parametrize("method", ["rk4", "semi-implicit-euler", "dopri5"])
def test_every_way_to_step_agrees(method):
    """Compiled and with a callback; and the energy that dampers take is all that is lost."""
    mech = crank_slider()
    model, (q, v) = mech.compile(), start(mech)
    options = {"duration": 0.5, "dt": 1e-3, "method": method}
    compiled = model.simulate(q, v, **options)
    asked = model.simulate(q, v, tau=lambda t, q, v: np.zeros(3), **options)
    assert compiled.status.ok
    assert compiled.status.drift < 1e-9
    assert asked.q[-1] == pytest.approx(compiled.q[-1], rel=1e-8, abs=1e-9)
    if method != "dopri5":
        q1, v1 = model.step(q, v, dt=1e-3, method=method)
        assert np.concatenate([q1, v1]) == pytest.approx(np.concatenate([compiled.q[1], compiled.v[1]]), rel=1e-12)


@pytest.mark.parametrize(("how", "left"), [("project", 1e-12), (("baumgarte", 20.0, 20.0), 1e-8), (None, 1e-5)])
def test_an_error_at_the_start_goes_away_or_stays(how, left):
    """Half a micrometre: projection takes it away at once, Baumgarte's feedback by exp(-20 t), nothing else does."""
    mech = crank_slider()
    model, (q, v) = mech.compile(), start(mech)
    traj = model.simulate(q + [0.0, 0.0, 5e-7], v, duration=1.0, dt=1e-3, stabilise=how)
    error = np.abs(model.constraint_errors(traj.q[-1], traj.v[-1])[0]).max()
    assert left / 100 < max(error, left / 10) <= left
    assert (error > 1e-7) == (how is None)
