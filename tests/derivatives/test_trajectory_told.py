"""What gradients and tangents of runs tell and refuse: growth, stops, unknown slopes, changed models, bad questions."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from derivatives.models import pendulum
from derivatives.support import close


@pytest.mark.filterwarnings("ignore:.*compiling again")
def test_parameters_that_changed_since_the_run():
    """Steps with other masses are other steps; the same numbers once more are no change."""
    model = pendulum()
    traj = model.simulate([0.5], [0.0], duration=0.1, gradient=True)
    before = traj.gradient(dq=[1.0])["q0"]
    for name, value in (("bob/com", (0.0, 0.0, -2.0)), ("gravity", (0.0, 0.0, -1.6))):
        old = model.parameters[name]
        model.parameters.set({name: value})
        for ask in (lambda: traj.gradient(dq=[1.0]), lambda: traj.tangent({"q0": [1.0]})):
            with pytest.raises(aj.AnyjointError, match="simulate again"):
                ask()
        model.parameters.set({name: old})
    close(traj.gradient(dq=[1.0])["q0"], before, 1e-15)


@pytest.mark.parametrize(
    ("direction", "message"),
    [
        (["q0"], "changes by name"),
        ({"q0": "far"}, "expected finite numbers"),
        ({"q0": [np.nan]}, "expected finite numbers"),
        ({"q0": np.ones((4, 1))}, r"\(4, 1\); expected finite numbers \(1,\)"),
        ({"tau": [1.0]}, r"expected finite numbers \(3, 1\)"),
        ({"bob/mass": [1.0, 2.0]}, "one change of each"),
    ],
)
def test_bad_directions(direction, message):
    traj = pendulum().simulate([0.5], [0.0], duration=0.01, tau=np.ones((3, 1)), gradient=True)
    with pytest.raises(aj.AnyjointError, match=message):
        traj.tangent(direction)


def test_an_exploding_adjoint_is_said():
    model = gallery.revolute_chain(3).compile()
    traj = model.simulate(np.ones(3), 5 * np.ones(3), duration=30.0, dt=2e-3, gradient=True)
    with pytest.warns(UserWarning, match="chaotic or stiff"):
        assert traj.gradient(dq=np.ones(3)).growth > 1e10


def test_an_impact_on_a_stop_is_said():
    mech = aj.Mechanism("door", gravity=(0, 0, -9.81))
    hinge = joints.Revolute(axis=(0, 1, 0), limits=(-0.2, 0.6))
    mech.add_body("door", joint=hinge, inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    traj = mech.compile().simulate([0.3], [-2.0], duration=0.4, dt=2e-3, gradient=True)
    for ask in (lambda: traj.gradient(dq=[1.0]), lambda: traj.tangent({"q0": [1.0]})):
        with pytest.warns(UserWarning, match="the run met a limit of a joint"):
            ask()


def _door(force, method, dt=1e-3, dq=0.0):
    """A door that hits a stop and comes back: its last angle, and the run."""
    mech = aj.Mechanism("door")
    hinge = joints.Revolute(axis=(0, 1, 0), limits=(-0.2, 0.6))
    mech.add_body("door", joint=hinge, inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    limits = isinstance(force, aj.forces.Limits)
    run = mech.compile().simulate(
        [0.3 + dq], [-2.0], duration=0.5, dt=dt, method=method, forces=[force], limits=limits, gradient=True
    )
    return run.q[-1, 0], run


BENDS, JUMPS = aj.forces.Limits(1000.0), aj.forces.Limits(1000.0, 5.0)
SMOOTH = aj.forces.SoftStop("door", (-0.2, 0.6), 1000.0, 5.0)


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
@pytest.mark.parametrize(
    ("force", "dt", "message"),
    [(JUMPS, 1e-3, "a force jumps at t = 0.2"), (BENDS, 1e-2, "a force bends within a step"), (SMOOTH, 1e-3, None)],
)
def test_forces_that_switch_are_said(force, dt, message, method, recwarn):
    """Derivatives of steps leave out when a force switches; differences of runs over many steps do not."""
    traj = _door(force, method, dt)[1]
    slope = traj.gradient(dq=[1.0], wrt=("q0",))["q0"][0]
    told = [str(x.message) for x in recwarn]
    if message:
        assert len(told) == 1
        assert message in told[0]
        with pytest.warns(UserWarning, match="far from that of the motion"):
            traj.tangent({"q0": [1.0]})
    else:
        assert not told
        h = 1e-2
        far, near = (_door(force, method, dt, s * h)[0] - _door(force, method, dt, -s * h)[0] for s in (2, 1))
        close(slope, (8 * near - far) / (12 * h), 2e-3)


def test_switches_of_time_are_none():
    """A force that a clock switches off does so whatever the state is; few samples and batches are looked at, too."""
    model = pendulum()
    push = aj.forces.Motor("bob", command=lambda t: 2.0 if t < 0.05 else 0.0, stall_torque=5.0, no_load_speed=50.0)
    traj = model.simulate([0.5], [0.0], duration=0.1, dt=1e-3, forces=[push], gradient=True)
    slope = traj.gradient(dq=[1.0])["q0"]
    few = model.simulate([[0.5], [0.4]], [[0.0]] * 2, duration=0.1, dt=1e-3, forces=[push], gradient=True, save_every=7)
    close(few.gradient(dq=[[1.0], [1.0]])["q0"][0], slope, 1e-12)


def test_runs_that_cannot_be_stretched():
    model, end = pendulum(), aj.Event(lambda t, q, v: q[0] + 9, terminal=True)
    for options, message in (({"method": "dopri5"}, "chooses its steps"), ({"events": [end]}, "an event may end")):
        traj = model.simulate([0.5], [0.0], duration=0.1, gradient=True, **options)
        with pytest.raises(aj.AnyjointError, match=message):
            traj.gradient(dq=[1.0], wrt=("duration",))


@pytest.mark.parametrize(
    ("options", "ask", "message"),
    [
        ({"gradient": False}, {"dq": [1.0]}, "gradient=True"),
        ({"gradient": "yes"}, {}, "gradient='yes'; expected True or False"),
        ({}, {"dq": [1.0], "raw": 1}, "raw=1; expected True or False"),
        ({"tau": lambda t, q, v: -q}, {"dq": [1.0]}, "Python function, whose derivative is not known"),
        ({}, {}, "give dq or dv"),
        ({"memory": -1}, {"dq": [1.0]}, "memory=-1; expected bytes"),
        ({"memory": "much"}, {"dq": [1.0]}, "memory='much'; expected bytes"),
        ({}, {"dq": [1.0, 2.0]}, "shape"),
        ({}, {"dq": [np.nan]}, "finite"),
        ({}, {"dq": [1.0], "wrt": ("bob/mas",)}, "did you mean 'bob/mass'"),
        ({"events": [aj.Event(lambda t, q, v: float(q[0]), terminal=True, name="low")]}, {"dq": [1.0]},
         "'low', whose function cannot be differentiated"),
    ],
)  # fmt: skip
def test_what_is_refused(options, ask, message):
    with pytest.raises(aj.AnyjointError, match=message):
        pendulum().simulate([0.5], [0.0], **({"duration": 1.0, "gradient": True} | options)).gradient(**ask)


def test_rates_that_are_not_finite_are_told():
    """The slope of a root at 0 is infinite: gradients said so, tangents were NaN."""
    mech = aj.Mechanism("slider")
    mech.add_body("slider", joint=aj.joints.Prismatic((1, 0, 0)), inertia=aj.Inertia.point(1.0))
    root = aj.forces.Custom(
        lambda q, n: q[0], lambda s, rate, n, signals: -aj.sqrt(aj.maximum(s[0], 0.0)), coordinates=[("slider", 0)]
    )
    run = mech.compile().simulate([0.0], [0.0], duration=0.05, dt=0.01, forces=[root], gradient=True)
    with pytest.raises(aj.SingularityError, match="tangent: rates are not finite"):
        run.tangent({"q0": [1.0]})
    with pytest.raises(aj.SingularityError, match="gradient: the adjoint is not finite"):
        run.gradient(dq=[1.0])
