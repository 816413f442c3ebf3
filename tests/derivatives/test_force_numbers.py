"""Gradients and tangents of runs by the numbers of their forces, against differences of runs."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints
from derivatives.support import close

GIVEN = {
    "forces/0/stiffness": 30.0, "forces/0/damping": 0.5, "forces/0/length": 0.2, "forces/0/point_a": (0.1, 0.0, -0.5),
    "forces/1/stiffness": 1.0, "forces/1/target": 0.0, "forces/3/linear": 0.7,
}  # fmt: skip
STATE = [0.3, 0.5], [0.1, -0.2]
WEIGHTS = np.array([1.0, -0.5]), np.array([0.2, 0.3])


def acting(changes=()):
    """A spring, a servo whose numbers are 0 and 1, the same spring again, and drag."""
    x = GIVEN | dict(changes)
    numbers = {name: x[f"forces/0/{name}"] for name in ("stiffness", "damping", "length")}
    spring = forces.Spring("b", x["forces/0/point_a"], None, (0.6, 0.0, 0.1), **numbers)
    again = forces.Spring("b", GIVEN["forces/0/point_a"], None, (0.6, 0.0, 0.1), 30.0, 0.5, 0.2)
    servo = forces.Servo("a", stiffness=x["forces/1/stiffness"], damping=0.3, target=x["forces/1/target"])
    return [spring, servo, again, forces.Drag("b", linear=x["forces/3/linear"])]


@pytest.fixture(scope="module")
def model():
    mech, rod = aj.Mechanism("two", gravity=(0, 0, -9.81)), aj.Inertia.box(1.0, 0.05, 0.05, 1.0)
    mech.add_body("a", joint=joints.Revolute((0, 1, 0)), inertia=rod)
    mech.add_body("b", "a", joints.Revolute((0, 1, 0)), aj.Pose.translation(0, 0, -0.5), rod)
    return mech.compile()


def value(traj):
    return float(traj.q[-1] @ WEIGHTS[0] + traj.v[-1] @ WEIGHTS[1])


@pytest.mark.parametrize("method", ["rk4", pytest.param("semi-implicit-euler", marks=pytest.mark.slow)])
def test_by_every_number(model, method):
    options = {"duration": 0.1, "dt": 5e-3, "method": method}
    traj = model.simulate(*STATE, forces=acting(), gradient=True, **options)
    names = (*GIVEN, "b/mass", "q0")
    found = traj.gradient(dq=WEIGHTS[0], dv=WEIGHTS[1], wrt=names)
    close(found["b/mass"], traj.gradient(dq=WEIGHTS[0], dv=WEIGHTS[1], wrt=("b/mass",))["b/mass"], 1e-14)
    rng = np.random.default_rng(1)
    for name, old in GIVEN.items():
        d = rng.uniform(0.5, 1.0, size=np.shape(old))

        def run(e, name=name, old=old, d=d):
            return value(model.simulate(*STATE, forces=acting({name: np.add(old, e * d).tolist()}), **options))

        h = 1e-3
        expected = (-25 * run(0) + 48 * run(h) - 36 * run(2 * h) + 16 * run(3 * h) - 3 * run(4 * h)) / (12 * h)
        close(np.sum(found[name] * d), expected, 1e-7)
        dq, dv = traj.tangent({name: d})
        close(dq[-1] @ WEIGHTS[0] + dv[-1] @ WEIGHTS[1], np.sum(found[name] * d), 1e-12)


@pytest.mark.slow
def test_through_steps_of_their_own_choice(model):
    options = {"duration": 0.1, "method": "dopri5", "rtol": 1e-9, "atol": 1e-9}
    traj = model.simulate(*STATE, forces=acting(), gradient=True, **options)
    found = traj.gradient(dq=WEIGHTS[0], dv=WEIGHTS[1], wrt=("forces/0/stiffness",))["forces/0/stiffness"]
    run = lambda e: value(model.simulate(*STATE, forces=acting({"forces/0/stiffness": 30 + e}), **options))  # noqa: E731
    close(found, (8 * (run(0.1) - run(-0.1)) - (run(0.2) - run(-0.2))) / 1.2, 1e-5)


REFUSED = {
    "forces/0/stifness": "did you mean 'forces/0/stiffness'",
    "forces/9/stiffness": "did you mean 'forces/",
    "forces/0/body_a": "is neither",
    "forces/4/damping": "another formula",
    "forces/1/limit": "is neither",
    "forces/3/normal": "no number of the force itself",
}


@pytest.mark.parametrize("name", REFUSED)
def test_names_that_mean_nothing(model, name):
    plain = forces.Spring("b", (0, 0, 0.1), None, (0, 0, 0), stiffness=2.0)
    traj = model.simulate(*STATE, forces=[*acting(), plain], duration=0.01, dt=5e-3, gradient=True)
    with pytest.raises(aj.InputError, match=REFUSED[name]):
        traj.gradient(dq=[1.0, 0.0], wrt=(name,))


def test_a_small_number_beside_a_large_one(model):
    """What bends is told from what is straight by its own size: contacts have stiffnesses of 1e9 and small radii."""
    balls = forces.HuntCrossley("a", (0, 0, 0.1), 0.01, "b", (0, 0, 0), other_radius=0.02, stiffness=1e9)
    traj = model.simulate(*STATE, forces=[balls], duration=0.01, dt=5e-3, gradient=True)
    with pytest.raises(aj.InputError, match="no number of the force itself"):
        traj.gradient(dq=[1.0, 0.0], wrt=("forces/0/radius",))


def slope(run, h=1e-3):
    """One-sided, of fourth order: numbers that are 0 may not be negative."""
    return (-25 * run(0) + 48 * run(h) - 36 * run(2 * h) + 16 * run(3 * h) - 3 * run(4 * h)) / (12 * h)


SOLVING = ("implicit-euler", "bdf2", "implicit-midpoint", "time-stepping", "adaptive-bdf2")


@pytest.mark.parametrize("method", [SOLVING[0], *(pytest.param(x, marks=pytest.mark.slow) for x in SOLVING[1:])])
def test_steps_that_solve_equations(model, method):
    """Forces are a part of the equations; those by numbers alone are the same as beside a mass and a placement."""
    chosen = method == "adaptive-bdf2"
    options = {"rtol": 1e-8, "atol": 1e-8} if chosen else {"dt": 5e-3}
    options |= {"duration": 0.05, "method": method}
    given = {"forces/0/point_a": (0.1, 0.02, -0.5)}  # out of the plane, where slopes are smooth
    traj = model.simulate(*STATE, forces=acting(given), gradient=True, **options)
    names = ("forces/0/point_a", "forces/1/stiffness", "forces/1/target")  # 1 and 0 are built in elsewhere
    found = traj.gradient(dq=WEIGHTS[0], dv=WEIGHTS[1], wrt=names)
    beside = traj.gradient(dq=WEIGHTS[0], dv=WEIGHTS[1], wrt=(*names, "b/mass", "b/placement"))
    for name in names:
        old = (GIVEN | given)[name]
        d = np.full(np.shape(old), 0.7)
        changed = lambda e: acting(given | {name: np.add(old, e * d).tolist()})  # noqa: B023, E731
        expected = slope(lambda e: value(model.simulate(*STATE, forces=changed(e), **options)))  # noqa: B023
        close(np.sum(found[name] * d), expected, 1e-5 if chosen else 1e-8)  # chosen lengths are taken as they are
        close(beside[name], found[name], 1e-11)
        dq, dv = traj.tangent({name: d, "b/placement": np.zeros(6)})
        close(dq[-1] @ WEIGHTS[0] + dv[-1] @ WEIGHTS[1], np.sum(found[name] * d), 1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["rk4", "implicit-euler"])
def test_many_forces_and_parameters_that_move(model, method):
    """Forces by kernels have their numbers elsewhere."""
    options = {"duration": 0.05, "dt": 5e-3, "method": method}

    def springs(count, stiffness=5.0, length=0.3):
        own = {3: (stiffness, 0.1, length)}
        return [
            forces.Spring("b", (0.1, 0.01 * k, -0.5), None, (0.6, 0.3, 0.1), *own.get(k, (2.0, 0.1, 0.3)))
            for k in range(count)
        ]

    names = {"forces/3/stiffness": "stiffness", "forces/3/length": "length"}
    for count, more in ((30, ()), (4, ("b/placement", "b/mass"))):
        traj = model.simulate(*STATE, forces=springs(count), gradient=True, **options)
        found = traj.gradient(dq=WEIGHTS[0], dv=WEIGHTS[1], wrt=(*names, *more))
        for name, part in names.items():
            moved = lambda e: springs(count, **{part: 5.0 + e if part == "stiffness" else 0.3 + e})  # noqa: B023, E731
            close(found[name], slope(lambda e: value(model.simulate(*STATE, forces=moved(e), **options))), 1e-8)  # noqa: B023
            dq, dv = traj.tangent({name: 1.0} | ({"b/placement": np.zeros(6)} if more else {}))
            close(dq[-1] @ WEIGHTS[0] + dv[-1] @ WEIGHTS[1], found[name], 1e-12)


def test_in_a_plane_of_symmetry(model):
    """Implicit steps take sizes of slopes, which have corners there: across it, the mean of either side counts."""
    traj = model.simulate(*STATE, forces=acting(), duration=0.02, dt=5e-3, gradient=True, method="implicit-euler")
    found = traj.gradient(dq=WEIGHTS[0], dv=WEIGHTS[1], wrt=("forces/0/point_a",))["forces/0/point_a"]
    assert found[1] == 0
    assert abs(found[0]) > 0.1


def test_steps_do_not_see_the_frames_of_links():
    """Derivatives by parameters are traced in bodies' own frames, runs in others: both are the same steps."""
    mech, rod = aj.Mechanism("skew", gravity=(0, 0, -9.81)), aj.Inertia.box(1.0, 0.05, 0.05, 1.0)
    mech.add_body("a", joint=joints.Revolute((0.6, 0.8, 0.3)), inertia=rod)
    mech.add_body("b", "a", joints.Revolute((0.2, 0.8, 0.5)), aj.Pose.translation(0.1, 0.2, -0.5), rod)
    spring = [forces.Spring("a", (0.1, 0.02, -0.5), None, (0.6, 0.0, 0.3), 20.0, 0.1, 0.9)]
    traj = mech.compile().simulate(
        *STATE, duration=0.05, dt=5e-3, method="implicit-euler", forces=spring, gradient=True
    )
    found = traj.gradient(dq=WEIGHTS[0], dv=WEIGHTS[1], wrt=("a/mass", "q0"))
    close(found["q0"], traj.gradient(dq=WEIGHTS[0], dv=WEIGHTS[1], wrt=("q0",))["q0"], 1e-12)


@pytest.mark.parametrize("method", ["rk4", pytest.param("implicit-euler", marks=pytest.mark.slow)])
def test_forces_that_differ_in_numbers_share_their_code_and_nothing_else(model, method):
    """Runs and gradients in any order are those of a model that never saw the others."""
    options = {"duration": 0.05, "dt": 5e-3, "method": method}
    stiff = [acting({"forces/0/stiffness": k})[:1] for k in (30.0, 45.0)]
    runs = [model.simulate(*STATE, forces=given, gradient=True, memory=500, **options) for given in stiff]
    by_hand = [model.simulate(*STATE, forces=given, tau=lambda t, q, v: 0 * v, **options) for given in stiff]
    assert runs[0].run.forces.code is runs[1].run.forces.code
    for k in (1, 0):
        fresh = model.mechanism.compile().simulate(*STATE, forces=stiff[k], gradient=True, memory=500, **options)
        assert np.array_equal(runs[k].q, fresh.q)
        close(by_hand[k].q[-1], fresh.q[-1], 1e-12)
        found, expected = (
            x.gradient(dq=WEIGHTS[0], dv=WEIGHTS[1], wrt=("forces/0/stiffness", "b/mass")) for x in (runs[k], fresh)
        )
        for name, value in expected.items():
            close(found[name], value, 1e-14)


def test_by_two_ends_of_a_range(model):
    """Neither may go beyond the other, so that steps between them are short."""
    stop = lambda low: [forces.SoftStop("a", limits=(low, 0.25), stiffness=50.0, transition=0.4)]  # noqa: E731
    options = {"q0": [0.15, 0.5], "v0": [0.1, 0.2], "duration": 0.05, "dt": 5e-3}
    traj = model.simulate(forces=stop(0.2), gradient=True, **options)
    found = traj.gradient(dq=WEIGHTS[0], dv=WEIGHTS[1], wrt=("forces/0/limits",))["forces/0/limits"]
    assert found[0] < -1e-2
    close(found[0], slope(lambda e: value(model.simulate(forces=stop(0.2 + e), **options))), 1e-6)
