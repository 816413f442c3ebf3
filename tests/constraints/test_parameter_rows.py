"""One row of parameters per state with constraints: the same as setting them one after the other."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.errors import InputError
from tests.constraints.mechanisms import four_bar, rods

B = 3
ROWS = {
    "crank/mass": [1.0, 2.0, 0.5],
    "crank/armature": [0.0, 1.0, 0.02],
    "crank/damping": [0.0, 1.0, 0.3],
    "gravity": [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, -9.81, 0.1]],
    "rocker/placement": [aj.Pose.translation(x, 0, 0) @ aj.Pose.rotation_z(a) for x, a in ((1.5, 0), (1, 0.1), (2, 1))],
}
CASES = [(name,) for name in ROWS] + [tuple(ROWS)]
SOLID = ("crank/mass", "crank/armature", "crank/damping", "gravity")  # which leave the start on its constraints
ANSWERS = {
    "accelerations": lambda model, q, v, **more: model.forward_dynamics(q, v, [1.0, 0.2, 0.3], **more),
    "errors": lambda model, q, v, **more: np.concatenate(model.constraint_errors(q, v, **more), axis=-1),
    "forces": lambda model, q, v, **more: model.constraint_forces(q, v, **more)["pin"],
    "rows": lambda model, q, v, **more: model.constraint_jacobian(q, **more),
    "step": lambda model, q, v, **more: np.concatenate(model.step(q, v, dt=1e-3, **more), axis=-1),
}


def one_by_one(model, names, call):
    """Answers with the parameters set row by row."""
    found = []
    for k in range(B):
        model.parameters.set({name: ROWS[name][k] for name in names})
        found.append(call(model))
    return np.array(found)


@pytest.mark.filterwarnings("ignore:.*compiling again")
@pytest.mark.parametrize("form", ["straight", pytest.param("kernels", marks=pytest.mark.slow)])
@pytest.mark.parametrize("names", CASES, ids="+".join)
def test_as_if_set(names, form):
    mech, q, v = four_bar()
    model, rows = mech.compile(form=form), {name: ROWS[name] for name in names}
    together = {what: ask(model, q, v, parameters=rows) for what, ask in ANSWERS.items()}
    for what, ask in ANSWERS.items():
        expected = one_by_one(model, names, lambda m, ask=ask: ask(m, q, v))
        # the same programs but for numbers that one of them has built in: rounding, through a redundant loop
        np.testing.assert_allclose(together[what], expected, rtol=1e-9, atol=1e-9, err_msg=what)


def test_actuated():
    mech, q, v = four_bar()
    model, rows = mech.compile(), {"crank/mass": ROWS["crank/mass"]}
    a = model.forward_dynamics(q, v, parameters=rows)
    tau = model.inverse_dynamics(q, v, a, actuated=["crank"], parameters=rows)
    np.testing.assert_allclose(tau, 0.0, atol=1e-9)  # nothing pushes, whatever the mass


@pytest.mark.filterwarnings("ignore:.*compiling again")
def test_time():
    mech, q, v = rods()
    model = mech.compile()
    a = model.forward_dynamics(q, v, t=0.7, parameters={"a/mass": ROWS["crank/mass"]})
    for k, mass in enumerate(ROWS["crank/mass"]):
        model.parameters["a/mass"] = mass
        np.testing.assert_allclose(a[k], model.forward_dynamics(q, v, t=0.7), rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore:.*compiling again")
@pytest.mark.parametrize("stabilise", ["project", ("baumgarte", 10.0, 10.0)])
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_runs(method, stabilise):
    mech, q, v = four_bar()
    model = mech.compile()
    run = {"duration": 0.1, "dt": 0.01, "method": method, "stabilise": stabilise, "tau": [1, 0, 0]}
    rows = {name: ROWS[name] for name in SOLID}
    traj = model.simulate(np.tile(q, (B, 1)), np.tile(v, (B, 1)), parameters=rows, **run)
    assert traj.status.ok
    for k in range(B):
        model.parameters.set({name: ROWS[name][k] for name in SOLID})
        alone = model.simulate(q, v, **run)
        np.testing.assert_allclose(traj.q[:, k], alone.q, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(traj.work()[:, k], alone.work(), rtol=1e-6, atol=1e-8)  # each its own dampers


def test_start_off_the_constraints_of_a_row():
    mech, q, _ = four_bar()
    model = mech.compile()
    with pytest.raises(InputError, match="off the constraints"):
        model.simulate(np.tile(q, (B, 1)), parameters={"rocker/placement": ROWS["rocker/placement"]})


@pytest.mark.parametrize("form", ["straight", "kernels"])
def test_vary(form, recwarn):
    """Gravity that varies stays out of corrections, which know no weight."""
    mech, q, v = four_bar()
    model = mech.compile(form=form, vary=["gravity", "crank/mass", "crank/armature"])
    plain = mech.compile(form=form)
    names = ("forward_dynamics", "position_correction", "velocity_correction")
    code = {name: model.program(name) for name in names}
    off = q + [0.01, 0.02, -0.01]
    np.testing.assert_allclose(model.position_correction(off), plain.position_correction(off), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.velocity_correction(q, v), plain.velocity_correction(q, v), atol=1e-12)
    model.parameters.set({"gravity": (0, 0, 0), "crank/mass": 1.0, "crank/armature": 0.0})
    assert not recwarn.list
    assert all(model.program(name) is code[name] for name in names)
    fresh = model.mechanism.compile(form=form)
    np.testing.assert_allclose(model.forward_dynamics(q, v), fresh.forward_dynamics(q, v), rtol=1e-9, atol=1e-9)


def test_numbers_that_rates_have_built_in():
    mech = aj.Mechanism("ball", gravity=(0, 0, -9.81))
    rolling = joints.Rolling(aj.surfaces.Sphere(0.5), aj.surfaces.Plane())
    mech.add_body("ball", joint=rolling, inertia=aj.Inertia.sphere(1.0, 0.5))
    model = mech.compile()
    name = next(name for name in model.parameters if "/joint/" in name)
    rows = {name: np.full(B, 1.1 * model.parameters[name])}
    q, v = np.tile(mech.neutral, (B, 1)), np.zeros((B, mech.nv))
    for call in (model.step, lambda *state, **rows: model.simulate(*state, duration=0.1, **rows)):
        with pytest.raises(InputError, match="built into the rates"):
            call(q, v, parameters=rows)


@pytest.mark.filterwarnings("ignore:.*compiling again")
def test_energy_of_soft_rows():
    """Each trajectory stores energy in rows where its own parameters place them."""
    mech = aj.Mechanism("soft", gravity=(0, 0, -9.81))
    mech.add_body("rod", joint=joints.Revolute((0, 1, 0)), inertia=aj.Inertia.sphere(1.0, 0.1))
    mech.add_loop("rod", None, joint=joints.Spherical(), at=((0, 0, 1), (0, 0, 1)), compliance=1.0)
    model, rows = mech.compile(), {"rod/placement": [aj.Pose.translation(0, 0, z) for z in (0.0, 0.1, 0.2)]}
    traj = model.simulate(np.full((B, 1), 0.1), duration=0.2, parameters=rows)
    assert traj.balance_error() < 1e-8  # 4th order in steps of a millisecond
    for k in range(B):
        model.parameters["rod/placement"] = rows["rod/placement"][k]
        alone = model.simulate([0.1], duration=0.2)
        np.testing.assert_allclose(sum(traj.energy())[:, k], sum(alone.energy()), rtol=1e-9)
