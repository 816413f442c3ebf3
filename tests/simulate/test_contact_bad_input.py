"""What contacts refuse, and what they say."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints, surfaces
from tests.simulate.contacts import ball_on_plane, free

PAIR = (surfaces.Plane(), surfaces.Sphere(0.1))
SOLID = aj.Inertia.sphere(0.5, 0.1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"friction": -0.1}, "friction=-0.1; expected a finite number that is not negative"),
        ({"friction": math.inf}, "friction=inf"),
        ({"friction": "rough"}, "friction='rough'"),
        ({"restitution": 1.1}, "restitution=1.1; expected a number from 0"),
        ({"restitution": -0.5}, "restitution=-0.5"),
        ({"restitution": math.nan}, "restitution=nan"),
        ({"start": "gliding"}, "start='gliding' is no mode; did you mean 'sliding'"),
        ({"surfaces": (surfaces.Plane(),)}, "expected two, that of the parent and its own"),
        ({"surfaces": surfaces.Plane()}, "expected two, that of the parent and its own"),
        ({"surfaces": (surfaces.Plane(), 3.0)}, "3.0 is no surface"),
        ({"surfaces": (surfaces.Plane(), surfaces.Plane())}, "touch along a line or over an area"),
        ({"inertia": aj.Inertia.point(1.0)}, "it may fly, so it needs mass and extent"),
        ({"inertia": None}, "it may fly, so it needs mass and extent"),
    ],
)
def test_descriptions(given, words):
    mech = aj.Mechanism("bad")
    with pytest.raises(aj.ModelError, match="contact body 'ball'") as error:
        mech.add_contact_body("ball", **{"surfaces": PAIR, "inertia": SOLID} | given)
    assert words in str(error.value)


def test_options_by_name():
    with pytest.raises(aj.InputError, match="did you mean 'friction'"):
        aj.Mechanism("bad").add_contact_body("ball", surfaces=PAIR, inertia=SOLID, fricton=0.1)


def test_nothing_follows_coordinates_that_change():
    mech = ball_on_plane(start="sliding")
    mech.add_body("hand", joint=joints.Coupled(joints.Revolute(), 2.0, "ball"), inertia=SOLID)
    with pytest.raises(aj.ModelError, match="whose coordinates change with its contact"):
        mech.compile()

    @aj.constraint
    def still(x):
        return x[0]

    with pytest.raises(aj.ModelError, match="changes with the contact of 'ball'; name the body"):
        ball_on_plane(start="sliding").add_constraint(still, coordinates=("ball/psi",))


@pytest.fixture(scope="module")
def model():
    return ball_on_plane().compile()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"hold": 2, "tau": lambda t, q, v: np.zeros(6)}, "do not go with contacts"),
        ({"stabilise": ("baumgarte", 1.0, 1.0)}, None),
        ({"method": "euler"}, "method='euler' is unknown"),
        ({"tau": np.zeros(5)}, "tau has shape"),
    ],
)
def test_options_of_a_run(model, options, words):
    if words is None:  # without constraints there is nothing to stabilise
        assert model.simulate(*free(1.0), duration=0.01, **options).status.ok
        return
    with pytest.raises(aj.InputError, match=words):
        model.simulate(*free(1.0), duration=0.01, **options)


def test_batches_are_refused(model):
    q, v = free(1.0)
    with pytest.raises(aj.InputError, match="changes its own with its modes; simulate the states one by one"):
        model.simulate(np.tile(q, (3, 1)), np.tile(v, (3, 1)), duration=0.1)


def test_a_start_that_is_no_place_is_refused(model):
    with pytest.raises(aj.AnyjointError, match="has no length"):
        model.simulate(np.zeros(7), np.zeros(6), duration=0.1)


def test_a_start_inside_the_parent_is_refused(model):
    with pytest.raises(aj.InputError, match=r"'ball' begins inside its parent, by 0\.05 m"):
        model.simulate(*free(0.05), duration=0.1)


def beside(**how):
    """A ball that flies, and an arm beside it."""
    mech, solid = ball_on_plane(restitution=0.5), aj.Inertia.point(1.0, (0, 0, -1))
    limits = {"limits": how.pop("limits")} if "limits" in how else {}
    mech.add_body("arm", None, joints.Revolute((0, 1, 0), **limits), aj.Pose.translation(3, 0, 2), solid, **how)
    return mech


def started(model, angle, rate=0.0, **options):
    q, v = free(0.5)
    return model.simulate([*q, angle], [*v, rate], duration=0.01, **options)


def test_what_cannot_be_followed_beside_contacts_is_told():
    rough, stiff, stopped = (
        beside(**how).compile() for how in ({"friction": 0.5}, {"stiffness": 1e8}, {"limits": (-0.2, 0.6)})
    )
    assert "rk4 does not feel the dry friction of 'arm'" in started(rough, 0.1).status.note
    said = started(rough, 0.1, method="auto").status.note
    assert "method 'rk4' was chosen: the quickest motion" in said
    assert "dry friction of 'arm'" in said
    quick = started(stiff, 1e-3, method="auto")
    assert "method 'dopri5' was chosen: the quickest motion at the start, 1e+04 per second" in quick.status.note
    assert np.abs(quick.q[:, -1]).max() < 1.001e-3
    gone = started(stopped, 0.5, -300.0)
    assert not gone.status.ok
    assert "the stop of arm/angle gave way" in gone.status.reason
    assert gone.t[-1] == gone.status.time < 0.01
    with pytest.raises(aj.InputError, match=r"arm/angle = 0\.7 is outside"):
        started(stopped, 0.7)


def test_two_ways_to_touch_do_not_go_together():
    mech = beside()
    mech.add_contact("arm", (0, 0, -1))
    model = mech.compile()
    for method in ("rk4", "time-stepping", "auto"):
        with pytest.raises(aj.InputError, match=r"contacts \('arm-ground'.* changes modes \('ball'"):
            started(model, 0.1, method=method)


@aj.constraint
def held(ball):
    return [*ball.p - np.array([0, 0, 1]), *(ball.R[i, j] - ball.R[j, i] for i, j in ((0, 1), (0, 2), (1, 2)))]


def test_constraints_beside_contacts():
    """Mobility 0, starts off the constraints, and how well these hold."""
    mech = ball_on_plane()
    mech.add_constraint(held, bodies="ball")
    model = mech.compile()
    with pytest.raises(aj.InputError, match=r"leave nothing to move at the start: 6 rows .*mobility 0"):
        model.simulate(*free(1.0), duration=0.1)
    mech = ball_on_plane()
    mech.add_constraint(aj.constraint(lambda ball: ball.p[0] - 0.5 * ball.p[2]), bodies="ball", name="chute")
    model = mech.compile()
    with pytest.raises(aj.InputError, match=r"off the constraints: positions miss 'chute' by 0\.5"):
        model.simulate(*free(1.0), duration=0.1)
    traj = model.simulate(*model.assemble(*free(1.0)), duration=0.1)
    assert 0 <= traj.status.drift < 1e-12


def test_what_is_not_followed_says_why(model):
    with pytest.raises(aj.InputError, match="'bdf2': contacts that open and close are followed by dopri5, rk4, semi"):
        model.simulate(*free(1.0), duration=0.1, method="bdf2")
    with pytest.raises(aj.InputError, match="not differentiated; add the body with the joint of one mode"):
        model.simulate(*free(1.0), duration=0.1, gradient=True)


def test_short_numbers_are_refused():
    single = ball_on_plane().compile(dtype="float32")
    with pytest.raises(aj.InputError, match="contacts need float64"):
        single.simulate(*free(1.0), duration=0.1)


def test_what_cannot_follow_modes_says_so(model, tmp_path):
    for call in (
        lambda: model.export("c", tmp_path),
        lambda: model.to_html(tmp_path / "live.html"),
        lambda: model.step(*free(1.0)),
    ):
        with pytest.raises(aj.InputError, match="contacts of 'ball' open and close, which only simulate follows"):
            call()
    assert model.to_html(tmp_path / "still.html", live=False, q0=free(1.0)[0]).exists()


def test_unknown_modes(model):
    with pytest.raises(aj.InputError, match="'bell' is no contact body"):
        model.in_modes({"bell": "flight"})
    with pytest.raises(aj.InputError, match="'gliding' of 'ball' is no mode"):
        model.in_modes({"ball": "gliding"})
