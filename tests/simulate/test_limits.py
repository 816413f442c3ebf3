"""Limits that joints declare hold in a simulation."""

import math
import re

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints
from anyjoint.errors import InputError, ModelError
from anyjoint.stepper import STEPPERS
from anyjoint.view import dynamics_script
from tests.export.generated import node


def pendulum(**options):
    """A rod on a hinge that may swing by half a radian to each side."""
    mech = aj.Mechanism("pendulum")
    solid = aj.Inertia(2.0, com=(0, 0, -0.5), tensor=np.diag([0.2, 0.2, 0.01]).tolist())
    mech.add_body("rod", joint=joints.Revolute((0, 1, 0), limits=(-0.5, 0.5), **options), inertia=solid)
    return mech


@pytest.mark.parametrize("method", ["semi-implicit-euler", "rk4", "dopri5"])
@pytest.mark.parametrize("dt", [1e-3, 1 / 60])
def test_declared_limits_hold_without_asking(method, dt):
    model = pendulum().compile()
    traj = model.simulate([0.0], [4.0], 3.0, dt=dt, method=method)
    assert traj.status.ok
    pace = 0.5 / (1e-3 if method == "dopri5" else dt)
    assert np.abs(traj.q).max() < 0.5 + 4.0 / pace  # a stop gives way by at most v / its pace
    assert np.abs(traj.q[-1]) < 0.5
    free = model.simulate([0.0], [4.0], 3.0, dt=dt, method=method, limits=False)
    assert np.abs(free.q).max() > 0.7


def test_a_stop_takes_energy_and_never_gives_it():
    traj = pendulum().compile().simulate([0.0], [4.0], 2.0, dt=1e-4)
    total = sum(traj.energy())
    assert np.diff(total).max() < 1e-9
    assert traj.balance_error() < 1e-9  # between the stops


def test_a_rebound_has_the_stated_speed():
    """Without gravity: damping of half the critical one, and no pull, gives back a third of the speed."""
    mech = pendulum()
    mech.gravity = (0, 0, 0)
    traj = mech.compile().simulate([0.0], [1.0], 1.0, dt=1e-4, method="dopri5", rtol=1e-9)
    assert -traj.v[-1, 0] == pytest.approx(np.exp(-np.pi / (3 * np.sqrt(3)) * 2), rel=2e-3)


def test_what_the_user_brings_takes_their_place():
    model = pendulum().compile()
    soft = model.simulate([0.0], [4.0], 1.0, forces=[forces.Limits(50.0)])
    assert np.abs(soft.q).max() > 0.6
    one_each = model.simulate([0.0], [4.0], 1.0, forces=[forces.Limits((50.0,), (0.0,))])
    assert np.array_equal(soft.q, one_each.q)
    with pytest.raises(aj.InputError, match="2 numbers for 1 coordinates"):
        model.simulate([0.0], [4.0], 1.0, forces=[forces.Limits((50.0, 1.0))])


def test_a_start_outside_is_refused():
    model = pendulum().compile()
    with pytest.raises(aj.InputError, match=r"rod/angle = 0.7 is outside \(-0.5, 0.5\).*limits=False"):
        model.simulate([0.7], [0.0], 1.0)
    with pytest.raises(aj.InputError, match=r"rod/angle = -0.6"):
        model.simulate([[0.1], [-0.6]], [[0.0], [0.0]], 1.0)
    assert model.simulate([0.7], [0.0], 0.1, limits=False).status.ok
    with pytest.raises(aj.InputError, match="limits=3; expected True or False"):
        model.simulate([0.1], [0.0], 1.0, limits=3)


def test_limits_and_whole_turns_exclude_each_other():
    with pytest.raises(aj.ModelError, match="'angle' has limits, so it takes no turns off; use wrap=False"):
        pendulum(wrap=True).compile()


def test_batches_have_stops():
    model = pendulum().compile()
    v0 = np.array([[4.0], [-3.0], [0.1]])
    many = model.simulate(np.zeros((3, 1)), v0, 1.0)
    for k in range(3):
        one = model.simulate([0.0], v0[k], 1.0)
        assert many.q[:, k] == pytest.approx(one.q, abs=1e-12)


@pytest.mark.parametrize("ball_first", [True, False])
def test_a_stop_beside_a_quaternion_pushes_its_own_coordinate(ball_first):
    """Such a joint has more coordinates than velocities, so a coordinate's place is not that of its velocity."""
    ball, slide = joints.SphericalQuaternion(), joints.Prismatic(axis=(1, 0, 0), limits=(-0.2, 0.2))
    mech = aj.Mechanism("one", gravity=(0, 0, 0))
    composite = joints.Composite(ball, slide) if ball_first else joints.Composite(slide, ball)
    mech.add_body("body", joint=composite, inertia=aj.Inertia.box(1.0, 0.2, 0.1, 0.3))
    mech.add_body("after", joint=joints.Prismatic(axis=(0, 1, 0)), inertia=aj.Inertia.sphere(1.0, 0.1))
    v = np.zeros(5)
    v[3 if ball_first else 0] = 1.0
    traj = mech.compile().simulate(mech.neutral, v, duration=1.0)
    assert traj.status.ok
    assert 0.2 < traj.q[:, 4 if ball_first else 0].max() < 0.21
    assert np.abs(traj.q[:, 5]).max() == 0.0  # the body after it feels nothing


@pytest.mark.parametrize("limits", [("a", 1), (1,), 3, None, (-1, 1, 2), (True, 2), (math.nan, 1), (1, -1)])
@pytest.mark.parametrize("kind", ["hinge", "function"])
def test_limits_that_are_no_pair_are_refused(limits, kind):
    mech = aj.Mechanism("one")
    if kind == "hinge":
        joint = joints.Revolute(axis="y", limits=limits)
    else:
        joint = aj.joint(dof=1, limits=[limits])(lambda q: aj.Pose.rotation_y(q[0]))
    mech.add_body("arm", joint=joint, inertia=aj.Inertia.box(1.0, 0.2, 0.1, 0.3))
    with pytest.raises(ModelError, match=r"body 'arm', coordinate .*limits.*expected a pair"):
        mech.compile()


@pytest.mark.parametrize("options", [{"limits": 3}, {"domain": [3]}, {"defined": (0, 1)}, {"names": "q"}])
def test_options_of_a_joint_function_are_lists(options):
    with pytest.raises(InputError, match="expected a"):
        aj.joint(dof=1, **options)(lambda q: aj.Pose.rotation_y(q[0]))


@pytest.mark.parametrize("save_every", [1, 3, 10, 25])
def test_a_stop_met_between_samples_is_no_imbalance(save_every):
    """A stop holds a body for some six steps: between samples nothing is seen of it but the lost speed."""
    mech = pendulum()
    traj = mech.compile().simulate([0.0], [4.0], 3.0, save_every=save_every)
    kinetic, potential = traj.energy()
    assert np.ptp(kinetic + potential) > 1.0  # joules, which the stops took
    assert np.abs(traj.energy_balance()).max() < 1e-4


def test_limits_of_a_follower_are_refused_because_its_leader_decides():
    mech = pendulum()
    follower = joints.Coupled(joints.Revolute((0, 1, 0), limits=(-0.1, 0.1)), 2.0, "rod")
    mech.add_body("follower", joint=follower, inertia=aj.Inertia.sphere(1.0, 0.1))
    with pytest.raises(ModelError, match=r"body 'follower': limits \(-0.1, 0.1\) .* give limits to 'rod'"):
        mech.compile()


def test_a_stop_that_gives_way_ends_the_run():
    """Five stops hit at once by a fast chain are too much for them; the run says so instead of going on."""
    mech = aj.Mechanism("whip")
    solid = aj.Inertia(1.0, com=(0, 0, -0.5), tensor=np.diag([0.1, 0.1, 0.01]).tolist())
    for k in range(5):
        place = aj.Pose.translation(0, 0, -1) if k else aj.Pose()
        hinge = joints.Revolute((0, 1, 0), limits=(-0.1, 0.1))
        mech.add_body(f"rod {k}", mech.bodies[-1] if k else None, hinge, place, solid)
    traj = mech.compile().simulate(np.zeros(5), np.full(5, 20.0), 0.2, dt=1e-3)
    assert not traj.status.ok
    assert "gave way" in traj.status.reason
    assert "outside (-0.1, 0.1)" in traj.status.reason
    assert np.abs(traj.q).max() < 0.1 + 0.25 * 0.2 + 1e-9


def whip(n):
    """Rods in a row that lie level and may bend by a tenth of a radian at each hinge."""
    mech = aj.Mechanism("whip")
    solid = aj.Inertia(1.0, com=(0.5, 0, 0), tensor=np.diag([0.01, 0.09, 0.09]).tolist())
    for k in range(n):
        hinge = joints.Revolute((0, 1, 0), limits=(-0.1, 0.1))
        place = aj.Pose.translation(1.0 if k else 0.0, 0, 0)
        mech.add_body(f"rod {k}", mech.bodies[-1] if k else None, hinge, place, solid)
    return mech.compile()


@pytest.mark.parametrize("n", [5, 10, *(pytest.param(n, marks=pytest.mark.slow) for n in (20, 40))])
def test_many_stops_at_once_hold_a_falling_chain(n):
    """All stops together carry what hangs on them: steps that adapt themselves make them as hard as that needs."""
    traj = whip(n).simulate(np.zeros(n), np.zeros(n), 2.0, method="dopri5", dt=1e-2)
    assert traj.status.ok
    assert np.abs(traj.q).max() < 0.1 + 0.25 * 0.2
    total = sum(traj.energy())
    assert (total - np.minimum.accumulate(total)).max() < 1e-5 * np.ptp(total)  # stops give no energy


@pytest.mark.parametrize("method", ["semi-implicit-euler", "rk4"])
@pytest.mark.parametrize("n", [5, 10])
def test_fixed_steps_hold_it_or_say_which_would(n, method):
    model, dt = whip(n), 1 / 60
    traj = model.simulate(np.zeros(n), np.zeros(n), 2.0, dt=dt, method=method)
    assert not traj.status.ok
    words = r"gave way.*use dt = (\S+) s or less, which holds its weight, or method=.dopri5."
    found = re.search(words, traj.status.reason)
    assert found
    traj = model.simulate(np.zeros(n), np.zeros(n), 2.0, dt=float(found[1]), method=method)
    assert traj.status.ok
    total = sum(traj.energy())
    gained = (0.2 if method == "semi-implicit-euler" else 1e-4) * n  # of 12 n joules that fall
    assert (total - np.minimum.accumulate(total)).max() < gained


@pytest.mark.parametrize("method", STEPPERS)
@pytest.mark.parametrize("dt", [1e-3, 0.01])
def test_limits_hold_in_every_method(method, dt):
    """A rod that is thrown against its stop: it goes no further than stops as hard as the steps can follow let it."""
    mech = aj.Mechanism("limit")
    rod = aj.Inertia(1.0, (0, 0, -0.5), np.diag([0.02, 0.02, 0.001]))
    mech.add_body("rod", None, joints.Revolute((0, 1, 0), limits=(-0.5, 0.5)), inertia=rod)
    traj = mech.compile().simulate([0.4], [3.0], 2.0, dt=dt, method=method)
    assert traj.status.ok
    assert np.abs(traj.q).max() < 0.5 + max(3.0 * dt, 0.003)
    assert np.abs(traj.q).max() > 0.49


def test_a_single_state_has_a_balance():
    """Of a run of no length, which pages of a still pose are made of."""
    mech = aj.Mechanism("still")
    mech.add_body("bob", joint=joints.Revolute("y", (-1, 1)), inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    run = mech.compile().simulate([0.3], duration=0.0)
    assert np.array_equal(run.energy_balance(), [0.0])


@pytest.mark.parametrize("method", ["rk4", "implicit-euler", "bdf1", "time-stepping"])
def test_limits_hold_in_live_pages(method, tmp_path):
    """Steps of pages are those of runs, also at stops; without them, or with the user's own, too."""
    model, dt, steps = pendulum().compile(), 2e-3, 80

    def paged(forces=(), limits=True):
        text = dynamics_script(model, STEPPERS[method], forces, dt, limits)
        how = f"{{ gravity: {list(model.mechanism.gravity)}, damping: 0 }}"
        script = f"""const d = makeDynamics(), q = Float64Array.of(0.4), v = Float64Array.of(3.0);
for (let k = 0; k < {steps}; k++) d.step(q, v, {how}, {dt});
console.log(JSON.stringify([...q, ...v]));"""
        return node(text + script, tmp_path)

    def run(**given):
        traj = model.simulate([0.4], [3.0], steps * dt, dt=dt, method=method, **given)
        return [*traj.q[-1], *traj.v[-1]]

    assert paged() == pytest.approx(run(), abs=1e-10)
    assert paged()[0] < 0.5 < paged(limits=False)[0]
    assert paged(limits=False) == pytest.approx(run(limits=False), abs=1e-10)
    soft = [forces.Limits(50.0)]
    assert paged(soft) == pytest.approx(run(forces=soft), abs=1e-10)


@pytest.mark.parametrize("damping", [0.0, 1e-200])
def test_many_limits_hold_in_live_pages(damping, tmp_path):
    """Where there are more than a few, forces are kernels; so are they where a page adds forces of its own."""
    model, dt, steps = whip(20), 1e-3, 150
    traj = model.simulate(np.zeros(20), np.zeros(20), steps * dt, dt=dt)
    assert np.abs(traj.q[-1]).max() > 0.1
    how = f"{{ gravity: {list(model.mechanism.gravity)}, damping: {damping} }}"
    script = f"""const d = makeDynamics(), q = new Float64Array(20), v = new Float64Array(20);
for (let k = 0; k < {steps}; k++) d.step(q, v, {how}, {dt});
console.log(JSON.stringify([...q, ...v]));"""
    found = node(dynamics_script(model, dt=dt) + script, tmp_path)
    assert found == pytest.approx([*traj.q[-1], *traj.v[-1]], abs=1e-8)


def test_a_page_begins_within_limits(tmp_path):
    model = pendulum().compile()
    with pytest.raises(aj.InputError, match=r"rod/angle = 0\.7 is outside"):
        model.to_html(tmp_path / "page.html", q0=[0.7])
    with pytest.raises(aj.InputError, match="limits=3; expected True or False"):
        model.to_html(tmp_path / "page.html", limits=3)
    for live in (True, False):
        assert model.to_html(tmp_path / "page.html", live=live, q0=[0.7], limits=False).exists()
