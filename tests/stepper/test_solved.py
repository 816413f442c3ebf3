"""Steps that solve equations: orders, stiffness, what they keep, and how they are chosen."""


import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints
from tests.constraints.kinds import KINDS
from tests.stepper.stiff import elastic, looped, other_forces, stiff_pendulum, tree

SOLVING = {"bdf1": 1, "bdf2": 2, "implicit-midpoint": 2}


def swinging():
    """Two rods, the second on a spring, and a third that a stiff servo holds."""
    mech = aj.Mechanism("swinging")
    rod = aj.Inertia(1.0, (0, 0, -0.5), np.diag([0.02, 0.02, 0.001]))
    body, below = None, aj.Pose()
    for k, springs in enumerate(({"damping": 0.1}, {"stiffness": 20.0}, {})):
        body = mech.add_body(f"rod {k}", body, joints.Revolute((0, 1, 0)), below, rod, **springs)
        below = aj.Pose.translation(0, 0, -1)
    return mech


def ends(mech, method, counts, acting=(), duration=0.5, **options):
    model = mech.compile()
    q, v = mech.start
    return [model.simulate(q, v, duration, dt=duration / n, method=method, forces=acting, **options) for n in counts]


@pytest.mark.parametrize(("method", "order"), [("implicit-euler", 1), *SOLVING.items()])
def test_orders(method, order):
    """Errors fall with the power of the step that the method promises: fitted over steps that are short enough."""
    mech, counts = swinging(), np.array([800, 1600, 3200])
    spring = forces.Spring("rod 2", (0, 0, -1), None, (1, 0, -2), 5.0, 0.1, 0.5)
    acting = [forces.Servo("rod 2", 0.1, 50.0, 1.0), spring]
    mech.set_start([0.4, 0.3, 0.1], [0.3, -0.2, 0.1])
    exact = mech.compile().simulate(
        *mech.start, 0.5, dt=0.5, method="dopri5", rtol=1e-12, atol=1e-12, forces=acting
    )
    errors = [np.abs(run.q[-1] - exact.q[-1]).max() for run in ends(mech, method, counts, acting)]
    assert -np.polyfit(np.log(counts), np.log(errors), 1)[0] == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize("method", SOLVING)
def test_orders_with_loops(method):
    mech, counts = looped(), np.array([100, 200, 400])
    exact = mech.compile().simulate(*mech.start, 0.5, dt=0.5, method="dopri5", rtol=1e-11, atol=1e-11)
    errors = [np.abs(run.q[-1] - exact.q[-1]).max() for run in ends(mech, method, counts)]
    assert -np.polyfit(np.log(counts), np.log(errors), 1)[0] == pytest.approx(SOLVING[method], abs=0.25)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_orders_with_every_kind_of_constraint(kind):
    """Loops, rods, edges, rolling joints and wheels, shared coordinates, soft rows and motions that are given."""
    mech, guess = KINDS[kind]()
    model, counts = mech.compile(), np.array([400, 800, 1600])
    q, v = model.assemble(guess, 0.7 * np.cos(np.arange(mech.nv)))
    exact = model.simulate(q, v, 0.4, dt=0.4, method="dopri5", rtol=1e-11, atol=1e-11)
    place = model.body_poses(exact.q[-1])
    for method, order in {"implicit-euler": 1, **SOLVING}.items():
        runs = [model.simulate(q, v, 0.4, dt=0.4 / n, method=method) for n in counts]
        errors = [np.abs(model.body_poses(run.q[-1]) - place).max() for run in runs]
        assert -np.polyfit(np.log(counts), np.log(errors), 1)[0] == pytest.approx(order, abs=0.25), method
    free = {"method": "adaptive-bdf2", "dt": 0.4}
    errors = []
    for tolerance in (1e-4, 1e-6):
        run = model.simulate(q, v, 0.4, rtol=tolerance, atol=tolerance, **free)
        errors.append(np.abs(model.body_poses(run.q[-1]) - place).max())
    assert errors[1] < 0.1 * errors[0] < 0.1  # they fall as the tolerance to the power 2 / 3


@pytest.mark.parametrize("method", ["bdf1", "bdf2"])
@pytest.mark.parametrize("dt", [0.01, 1.0])
def test_very_stiff_pendulums_come_to_rest(method, dt):
    """k = 1e10: damped out at any length of the steps; BDF2 takes off two thirds with each (its parasitic root)."""
    traj = stiff_pendulum(1e10).compile().simulate([0.3], [0.0], 40 * dt, dt=dt, method=method)
    assert traj.status.ok
    assert np.abs(traj.q[-5:]).max() < 1e-9


def test_the_midpoint_rule_keeps_energy_and_angular_momentum():
    """Of a pendulum over many swings: the error of the energy stays, and falls with the square of the step."""
    mech = stiff_pendulum(0.0)
    mech.set_start([2.0], [0.0])
    drifts = []
    for n in (1000, 2000):
        (run,) = ends(mech, "implicit-midpoint", [n], duration=40.0)
        energy = sum(run.energy())
        drifts.append(np.abs(energy - energy[0]).max())
    assert drifts[0] / drifts[1] == pytest.approx(4.0, abs=0.5)
    assert drifts[1] < 0.01


@pytest.mark.parametrize(("method", "form"), [("bdf2", "straight"), ("implicit-midpoint", "kernels")])
def test_every_form_solves_the_same_steps(method, form):
    """Quaternions, springs between bodies, servos: machine code against Python."""
    mech = tree()
    model = mech.compile(form=form)
    options = {"duration": 8e-3, "dt": 2e-3, "method": method, "forces": elastic()[2:3] + other_forces()[1:6]}
    q, v = mech.start
    made = model.simulate(np.stack([q, q]), np.stack([v, 2 * v]), **options)
    alone = model.simulate(q, v, tau=lambda t, q, v: np.zeros(len(v)), **options)
    assert made.status.ok
    assert made.q[:, 0] == pytest.approx(alone.q, rel=1e-9, abs=1e-9)
    assert made.work()[:, 0] == pytest.approx(alone.work(), rel=1e-6, abs=1e-7)


def test_charts_that_change():
    """A top that turns over and over in rotation vectors: BDF2 begins anew where coordinates jump."""
    ended = []
    for joint in (joints.Spherical(), joints.SphericalQuaternion()):
        mech = aj.Mechanism("top")
        mech.add_body("top", None, joint, inertia=aj.Inertia(1.0, (0, 0, 0.3), np.diag([0.1, 0.2, 0.15])))
        model = mech.compile()
        traj = model.simulate(mech.neutral, [6.0, 0.5, 4.0], 1.5, dt=1e-3, method="bdf2")
        assert traj.status.ok
        ended.append(model.body_poses(traj.q[-1])[0])
    assert ended[0] == pytest.approx(ended[1], abs=2e-3)


def test_steps_that_are_not_solved_in_time_end_the_run(monkeypatch):
    """Numbers that are finite but do not solve the equations are no answer."""
    monkeypatch.setattr("anyjoint.stepper.newton.MOST", 1)
    mech = swinging()
    run = mech.compile().simulate([0.4, 2.3, -0.1], [3.0, -2.0, 1.0], duration=0.1, dt=0.05, method="bdf1")
    assert not run.status.ok
    assert "could not be solved" in run.status.reason


def test_steps_that_cannot_be_solved_end_the_run():
    """Steps of a second, where rods swing round several times: no balance is found, and the status says so."""
    mech = swinging()
    mech.set_start([0.4, 2.3, -0.1], [30.0, -20.0, 10.0])
    (run,) = ends(mech, "bdf1", [4], duration=40.0)
    assert not run.status.ok
    assert "could not be solved" in run.status.reason
    assert "shorter step" in run.status.reason
    assert np.isfinite(run.q).all()


def test_what_looks_back_is_no_single_step():
    mech = swinging()
    with pytest.raises(aj.InputError, match="method='bdf2' looks back at steps before"):
        mech.compile().step(np.zeros(3), np.zeros(3), method="bdf2")


@pytest.mark.parametrize(("stiffness", "dt", "method"), [(1.0, 1e-3, "rk4"), (1e8, 1e-3, "bdf2"), (1e8, 1e-6, "rk4")])
def test_the_method_is_chosen_by_stiffness(stiffness, dt, method):
    """sqrt(k / J) dt is 0.002, 19 and 0.019; the estimate is good to some percent, and the status says it."""
    model = stiff_pendulum(stiffness).compile()
    traj = model.simulate([0.1], [0.0], 10 * dt, dt=dt, method="auto")
    assert traj.method == method
    assert f"method {method!r} was chosen" in traj.status.note
    assert f"steps of {dt:g} s" in str(traj.status)
    rate = float(traj.status.note.split("start, ")[1].split(" per")[0])
    assert rate == pytest.approx(np.sqrt((stiffness + 0.5 * 9.81) / 0.27), rel=0.3)


def test_stiff_forces_and_dampers_count_too():
    mech = stiff_pendulum(0.0)
    spring = forces.Spring("rod", (0, 0, -1), None, (0.5, 0, -1), 1e7, 0.0, 0.5)
    for acting, method in (([], "rk4"), ([spring], "bdf2"), ([forces.Drag("rod", 1e6, point=(0, 0, -1))], "bdf2")):
        assert mech.compile().simulate([0.0], [0.0], 0.01, method="auto", forces=acting).method == method


def test_adaptive_bdf2_takes_steps_by_tolerance():
    """Errors fall with the square of the number of steps; samples lie on Hermite's cubics between them."""
    mech = swinging()
    mech.set_start([0.4, 0.3, 0.1], [0.3, -0.2, 0.1])
    model, spring = mech.compile(), forces.Spring("rod 2", (0, 0, -1), None, (1, 0, -2), 5.0, 0.1, 0.5)
    fine = {"duration": 1.0, "dt": 0.05, "forces": [spring]}
    exact = model.simulate(*mech.start, method="dopri5", rtol=1e-12, atol=1e-12, **fine)
    counts, errors = [], []
    for tolerance in (1e-5, 1e-6, 1e-7):
        traj = model.simulate(*mech.start, method="adaptive-bdf2", rtol=tolerance, atol=tolerance, **fine)
        assert traj.status.ok
        counts.append(traj.steps)
        errors.append(np.abs(traj.q - exact.q).max())
    assert -np.polyfit(np.log(counts), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.25)
    assert traj.work() == pytest.approx(exact.work(), abs=1e-4)


def test_adaptive_bdf2_is_not_held_up_by_stiffness():
    """A spring of 1e8 at rest and a slow swing: as many steps as without it, lane by lane in a batch."""
    counts = []
    for stiffness in (0.0, 1e8):
        mech = swinging()
        below = aj.Pose.translation(0, 0, -1)
        rod = aj.Inertia(1.0, (0, 0, -0.5), np.diag([0.02, 0.02, 0.001]))
        springs = {"stiffness": stiffness, "damping": stiffness / 1e3}
        mech.add_body("tip", "rod 2", joints.Revolute((0, 1, 0)), below, rod, **springs)
        model = mech.compile()
        q, v = np.zeros((3, 4)), np.zeros((3, 4))
        q[:, 0] = [0.1, 0.2, 0.3]
        traj = model.simulate(q, v, 1.0, dt=0.1, method="adaptive-bdf2", rtol=1e-4, atol=1e-4)
        assert traj.status.ok
        counts.append(traj.steps)
    assert counts[1] < 1.5 * counts[0]


def test_adaptive_bdf2_asks_no_functions():
    model = swinging().compile()
    with pytest.raises(aj.InputError, match="use 'bdf2'"):
        model.simulate([0.1, 0, 0], [0, 0, 0], 0.1, method="adaptive-bdf2", tau=lambda t, q, v: np.zeros(3))
    with pytest.raises(aj.InputError, match="make one at least"):
        model.simulate([0.1, 0, 0], [0, 0, 0], 0.1, method="adaptive-bdf2", rtol=1e-12, atol=1e-12)


def rope(n):
    """Links on hinges with springs and dampers."""
    mech, body = aj.Mechanism("rope"), None
    link = aj.Inertia(0.1, (0, 0, -0.05), np.diag([1e-4, 1e-4, 1e-6]))
    for k in range(n):
        below = aj.Pose.translation(0, 0, -0.1 if k else 0.0)
        body = mech.add_body(f"link {k}", body, joints.Revolute((0, 1, 0)), below, link, stiffness=1e4, damping=10.0)
    return mech.compile(form="kernels")


def test_ropes_are_linear():
    """Operations grow with the links alone, and are at most half as many again as those of explicit accelerations."""
    counts = {n: rope(n).op_count("implicit_acceleration").total for n in (100, 200, 1000)}
    assert (counts[1000] - counts[200]) / (counts[200] - counts[100]) == pytest.approx(8.0, rel=0.01)
    assert counts[1000] <= 1.5 * rope(1000).op_count("forward_dynamics").total


def test_a_stiff_rope_of_a_thousand_links_swings():
    """At a hundred times the step that explicit steps could take; kinetic energy stays that of a fall."""
    model = rope(1000)
    traj = model.simulate(np.full(1000, 1e-3), np.zeros(1000), 0.05, dt=5e-3, method="implicit-euler")
    energy = sum(traj.energy())
    assert traj.status.ok
    assert (np.diff(energy) <= 1e-9 * abs(energy[0])).all()
    assert np.abs(traj.v[-1]).max() > 1e-4


@pytest.mark.parametrize(("method", "bound"), [("implicit-euler", 6e-4), ("bdf2", 2e-6), ("implicit-midpoint", 4e-8)])
def test_rolling(method, bound):
    """A ball on a slope, three velocities and five coordinates: errors of the method's order at steps of 1 ms."""
    mech = aj.Mechanism("roll")
    rolling = joints.Rolling(aj.surfaces.Plane(), aj.surfaces.Sphere(0.3))
    mech.add_body("ball", None, rolling, aj.Pose.rotation_x(0.1), aj.Inertia.sphere(1.0, 0.3))
    model, q, v = mech.compile(), mech.neutral + 0.1, [0.3, 0.2, 0.1]
    ended = [model.simulate(q, v, 0.5, method=name).q[-1] for name in (method, "rk4")]
    assert np.abs(np.subtract(*(model.body_poses(x) for x in ended))).max() < bound


@pytest.mark.parametrize("method", SOLVING)
def test_equations_are_solved_in_short_numbers(method):
    mech = swinging()
    mech.set_start([0.4, 0.3, 0.1], [0.3, -0.2, 0.1])
    models = (mech.compile(dtype=x) for x in ("float32", "float64"))
    short, long = (model.simulate(*mech.start, 0.5, dt=2e-3, method=method) for model in models)
    assert short.status.ok
    assert short.q == pytest.approx(long.q, abs=1e-5)


def test_a_force_with_corners_is_solved_in_python_as_in_machine_code():
    """A strong servo that is cut off at both ends: whole steps of Newton's method go to and fro over the rest."""
    mech = aj.Mechanism("slider", gravity=(0, 0, 0))
    mech.add_body("block", None, joints.Prismatic(), inertia=aj.Inertia.point(1.0))
    servo = [forces.Servo("block", 0.0, 1e6, limit=100.0)]
    model, run = mech.compile(), {"duration": 0.02, "dt": 0.01, "method": "bdf1", "forces": servo}
    compiled = model.simulate([5e-3], [0.0], **run)
    in_python = model.simulate([5e-3], [0.0], **run, tau=lambda t, q, v: 0 * v)
    assert compiled.status.ok
    assert in_python.status.ok
    assert compiled.q[1, 0] == pytest.approx(5e-3 / 101, rel=1e-9)
    assert np.allclose(in_python.q, compiled.q, rtol=1e-9, atol=1e-15)
