"""A Frenet frame turns over at an inflection: a run ends there instead of going on with another mechanism."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import curves, joints
from anyjoint.errors import SingularityError

METHODS = ["semi-implicit-euler", "rk4", "dopri5"]
OFFSET = aj.Inertia(mass=1.0, com=(0.05, 0.2, 0.1), tensor=np.diag([0.02, 0.03, 0.025]).tolist())


def sine(s):
    return s, 0 * s, aj.sin(s)


@aj.joint(dof=1, names=["s"])
def own(q):
    return curves.curve(sine).frenet(q[0])


@aj.joint(dof=1, names=["s"])
def own_inverse(q):
    return curves.curve(sine).frenet(q[0]).inverse()


FLIPPING = {
    "OnCurve": joints.OnCurve(sine),
    "with spin": joints.OnCurve(sine, spin=True),
    "a user's joint": own,
    "in a row": joints.Composite(joints.OnCurve(sine), joints.Revolute("x")),
    "the child's curve": joints.CurveCurve(curves.Circle(3.0), sine),
    "inverted": own_inverse,
}


def rider(joint, gravity=(0, 0, -9.81)):
    mech = aj.Mechanism("track", gravity=gravity)
    mech.add_body("car", joint=joint, inertia=OFFSET)
    return mech.compile()


def energies(traj):
    return np.sum(traj.energy(), axis=0)


@pytest.mark.parametrize("name", FLIPPING)
@pytest.mark.parametrize("method", METHODS)
def test_a_run_stops_at_an_inflection(name, method):
    joint = FLIPPING[name]
    model = rider(joint, gravity=(0, 0, 0))
    moving = 1 if name == "the child's curve" else 0
    q, v = np.full(joint.nq, 0.1), np.zeros(joint.nv)
    q[moving], v[moving] = 0.5, -1.0
    traj = model.simulate(q, v, 2.0, dt=1e-3, method=method)
    assert not traj.status.ok
    for words in ("body 'car'", "inflection of the curve sine", 'frame="transport"', 'frame="fixed-up"'):
        assert words in traj.status.reason
    assert 0 < traj.q[-1, moving] < 0.01  # the last state before, a few steps of 1e-3 away at most
    drift = 1e-2 if method == "semi-implicit-euler" else 1e-6
    assert np.abs(energies(traj) - energies(traj)[0]).max() < drift


@pytest.mark.parametrize("options", [{"save_every": 50}, {"tau": lambda t, q, v: 0 * v}], ids=["sparse", "python"])
def test_it_is_seen_between_samples_and_by_steps_in_python(options):
    model = rider(joints.OnCurve(sine))
    traj = model.simulate([1.0], [0.0], 3.0, dt=1e-3, **options)
    assert "inflection" in traj.status.reason
    assert 0 < traj.q[-1, 0] < 0.01


def test_a_batch_names_the_trajectory():
    traj = rider(joints.OnCurve(sine), (0, 0, 0)).simulate([[1.0], [1.0]], [[0.1], [-1.0]], 3.0)
    assert "trajectory 1" in traj.status.reason
    assert "inflection" in traj.status.reason


def test_a_follower_flips_too():
    mech = aj.Mechanism("pair", gravity=(0, 0, 0))
    mech.add_body("lead", joint=joints.Revolute("y"), inertia=OFFSET)
    mech.add_body("car", joint=joints.Coupled(joints.OnCurve(sine), lambda q: q[0] + 1, "lead"), inertia=OFFSET)
    traj = mech.compile().simulate([0.0], [-1.0], 3.0)
    assert "body 'car' reached an inflection" in traj.status.reason
    assert traj.q[-1, 0] == pytest.approx(-1.0, abs=0.01)


@pytest.mark.parametrize("options", [{"frame": "transport"}, {"frame": "rotation-minimising"}, {"frame": "fixed-up"}])
def test_other_frames_pass_and_keep_the_energy(options):
    track = curves.curve(sine, domain=(-4.0, 4.0))
    traj = rider(joints.OnCurve(track, **options)).simulate([1.0], [0.0], 1.3, dt=1e-3)
    assert traj.status.ok
    assert traj.q[-1, 0] < -1.0  # it has passed s = 0
    assert np.abs(energies(traj) - energies(traj)[0]).max() < 1e-5


def knot(s):
    r = 1.0 + 0.35 * aj.cos(5 * s)
    return r * aj.cos(2 * s), 0.35 * aj.sin(5 * s), r * aj.sin(2 * s)


@pytest.mark.parametrize("wrap", [False, True])
def test_a_frame_that_only_twists_fast_is_no_inflection(wrap):
    """Steps so long that the binormal turns by more than a right angle in one of them."""
    turn = 2 * math.pi
    joint = joints.OnCurve(curves.curve(knot, domain=(0.0, turn), period=turn), wrap=wrap)
    traj = rider(joint, (0, 0, 0)).simulate([0.3], [3.0], 10.0, dt=0.1, method="semi-implicit-euler")
    assert traj.status.ok
    b = np.array([curves.curve(knot).frenet(float(s)).matrix[:3, 2] for s in traj.q[:, 0]], float)
    assert ((b[1:] * b[:-1]).sum(axis=1) < 0).any()


def test_curvature_that_touches_zero_does_not_flip():
    joint = joints.OnCurve(lambda s: (s, s**4, 0 * s))
    traj = rider(joint, (0, 0, 0)).simulate([0.501], [-1.0], 1.0, dt=1e-2)
    assert traj.status.ok
    assert traj.q[-1, 0] < -0.3


def test_a_straight_stretch_stops_too():
    bow = [(5 + math.sin(t), 1 - math.cos(t), 0.0) for t in np.arange(1.0, 6.0, 0.5)]
    points = [(-2, 2, 0), (-1, 0.5, 0), *((k, 0.0, 0.0) for k in range(6)), *bow]
    joint = joints.OnCurve(curves.BSpline(points), frame="frenet")  # in a plane it does not twist
    traj = rider(joint, (0, 0, 0)).simulate([0.2], [1.0], 5.0, dt=1e-3)
    assert "curvature of BSpline vanishes" in traj.status.reason
    assert 0.5 < traj.q[-1, 0] < 3.5


@pytest.mark.parametrize("name", ["OnCurve", "a user's joint"])
def test_at_the_inflection_itself_nothing_is_returned(name):
    model = rider(FLIPPING[name])
    for call in (model.body_poses, model.mass_matrix, lambda q: model.forward_dynamics(q, [1.0])):
        with pytest.raises(SingularityError, match=r"'car'.*curvature of sine vanishes"):
            call([0.0])
    with pytest.raises(SingularityError, match="curvature of sine vanishes"):
        model.mechanism.poses([0.0])


def test_every_frame_is_watched_once_for_equal_joints():
    from anyjoint.simulate.inflection import frenet_watches

    mech = aj.Mechanism("many")
    ride = joints.OnCurve(sine)
    for k in range(3):
        mech.add_body(f"car {k}", joint=ride, inertia=OFFSET)
    watches = frenet_watches(mech)
    assert [w.body for w in watches] == ["car 0", "car 1", "car 2"]
    assert len({id(w.bend) for w in watches}) == 1
