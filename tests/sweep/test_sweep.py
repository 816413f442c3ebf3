"""Sweeps: every run is the run that `simulate` gives, whoever runs it and whatever the others do."""

import copy
import inspect

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from anyjoint.simulate.request import make_request
from anyjoint.sweep.sweep import chunk_size
from tests.sweep.models import SPACE, alone, double_pendulum, four_bar, last_angle, pendulum, swept, wild


@pytest.mark.filterwarnings("ignore:.*compiling again")
def test_every_run_is_that_of_simulate():
    model = double_pendulum()
    space = {
        "lower/mass": aj.log_normal(1, 0.2),
        "upper/com": aj.normal([0, 0, -1], 0.1),
        "gravity": aj.choice([(0, 0, -9.81), (0, 0, -1.62)]),
        "q0": aj.uniform(-1, 1),
        "v0/lower/angle": aj.normal(0, 1),
        "tau/upper/angle": aj.uniform(-1, 1),
    }
    result = swept(model, space=space, n=9, measure="final")
    assert result.ok.all()
    assert result.values.shape == (9, 4)
    for k in range(9):
        sample = result.sample(k)
        sample["v0"] = [0.0, sample.pop("v0/lower/angle")]
        sample["tau"] = [sample.pop("tau/upper/angle"), 0.0]
        traj = alone(model, sample)
        # Other code for the same formulas: numbers in rows, and several runs at once.
        assert result.values[k] == pytest.approx(np.concatenate([traj.q[-1], traj.v[-1]]), rel=1e-11, abs=1e-11)


def test_a_run_does_not_depend_on_its_neighbours():
    model = double_pendulum()
    space = {"upper/mass": aj.uniform(1, 2), "q0": aj.uniform(-2, 2)}
    given = {"measure": "final", "duration": 0.2, "seed": 3}
    many, few = (aj.sweep(model, space, n, **given) for n in (1050, 17))  # chunks of 32, of 16 and of one
    assert np.array_equal(many.values[:17], few.values)
    rows = {name: values[16:17] for name, values in few.samples.items()}
    assert np.array_equal(aj.sweep(model, rows, **given).values[0], few.values[16])


def test_seeds_and_designs_draw_other_runs():
    found = [swept(seed=s, design=d).samples["rod/mass"] for s, d in ((7, "random"), (8, "random"), (7, "sobol"))]
    assert len({x.tobytes() for x in found}) == 3
    assert all((x >= 1).all() and (x <= 2).all() for x in found)


def test_grids_make_all_combinations():
    result = swept(space={"rod/mass": aj.grid([1, 2, 3]), "q0": aj.grid([[0.1], [0.2]])}, n=None)
    pairs = zip(result.samples["rod/mass"], result.samples["q0"][:, 0], strict=True)
    assert list(pairs) == [(1, 0.1), (1, 0.2), (2, 0.1), (2, 0.2), (3, 0.1), (3, 0.2)]
    mixed = swept(space={"rod/mass": aj.grid([1, 2]), "q0": aj.uniform(0, 1)}, n=6)
    assert list(mixed.samples["rod/mass"]) == [1, 2] * 3
    assert len(np.unique(mixed.samples["q0"])) == 6


def test_rows_are_taken_as_they_are():
    masses = [1.0, 1.5, 2.0]
    result = swept(space={"rod/mass": masses, "q0": np.array([[0.1], [0.2], [0.3]])}, n=None)
    assert result.n == 3
    assert list(result.samples["rod/mass"]) == masses
    places = [aj.Pose.translation(0, 0, k) for k in range(3)]
    model = double_pendulum()
    rows = aj.sweep(model, {"lower/placement": places}, duration=0.01, q0=[0.3, 0.2])
    chosen = aj.sweep(model, {"lower/placement": aj.grid(places)}, duration=0.01, q0=[0.3, 0.2])
    assert np.array_equal(rows.values, chosen.values)
    assert len(np.unique(rows.values[:, 0])) == 3


def test_correlated_parameters_stand_under_a_tuple():
    group = ("upper/mass", "lower/mass")
    normal = aj.normal([1, 1], covariance=[[0.01, 0.0099], [0.0099, 0.01]])
    samples = aj.sweep(double_pendulum(), {group: normal}, 500, duration=1e-3).samples
    assert np.corrcoef(samples["upper/mass"], samples["lower/mass"])[0, 1] == pytest.approx(0.99, abs=0.01)


def test_inputs_over_time_serve_all_runs():
    push = np.linspace(0, 1, 6)[:, None]
    model = pendulum()
    result = swept(model, n=3, tau=push, measure="final")
    for k, sample in enumerate(map(result.sample, range(3))):
        assert result.values[k, 0] == pytest.approx(alone(model, sample, tau=push).q[-1, 0], rel=1e-11)


@pytest.mark.filterwarnings("ignore:overflow")
def test_adaptive_steps_and_single_precision():
    model = double_pendulum()
    space = {**wild([1.0, 1e200, 2.0]), "upper/mass": [1.0, 1.5, 2.0]}
    given = {"space": space, "n": None, "q0": [0.3, 1.0], "measure": "final", "duration": 0.2}
    result = swept(model, method="dopri5", **given)
    assert list(result.ok) == [True, False, True]
    for k in (0, 2):
        sample = {"upper/mass": result.samples["upper/mass"][k], "v0": [result.samples["v0/upper/angle"][k], 0.0]}
        traj = alone(model, {**sample, "q0": [0.3, 1.0]}, duration=0.2, method="dopri5")
        # Steps are chosen by tolerances of 1e-8, which rounding may turn over.
        assert result.values[k] == pytest.approx(np.concatenate([traj.q[-1], traj.v[-1]]), abs=1e-7)
    single = swept(model.mechanism.compile(dtype="float32"), **{**given, "method": "rk4"})
    assert single.values[0] == pytest.approx(result.values[0], abs=1e-4)  # some 1e-7 in each of 200 steps


def test_motions_given_over_time_may_have_other_parameters():
    mech = aj.Mechanism("shaken")
    base = mech.add_body("base", joint=joints.Prismatic(axis=(1, 0, 0)), inertia=aj.Inertia.sphere(1.0, 0.1))
    place = aj.Inertia.point(1.0, (0, 0, -1)) + aj.Inertia.sphere(0.1, 0.1)
    mech.add_body("bob", base, joints.Revolute(axis=(0, 1, 0)), inertia=place)
    mech.prescribe("base", lambda t: 0.1 * aj.sin(5 * t))
    result = swept(mech.compile(), space={"bob/mass": aj.uniform(1, 2)}, n=3, measure="final", duration=0.3)
    assert result.ok.all(), result.failures
    assert result.values[:, 0] == pytest.approx(0.1 * np.sin(1.5), abs=1e-9)  # projection after every step


def test_loops_are_closed_for_every_run():
    """The length of a bar varies: each run begins on its own constraints and stays there."""
    model, q0 = four_bar()
    rods = [aj.Pose.translation(x, 0, 0) for x in np.linspace(1.15, 1.25, 5)]
    result = aj.sweep(model, {"rocker/placement": rods}, q0=q0, duration=0.2, measure="trajectory")
    assert result.ok.all(), result.failures
    own = copy.copy(model)
    for k, rod in enumerate(rods):
        own.parameters["rocker/placement"] = rod
        position, _ = own.constraint_errors(result["trajectory"][k][:, :3], result["trajectory"][k][:, 3:])
        assert np.abs(position).max() < 1e-9  # projection after every step


def test_starts_on_constraints_do_not_depend_on_neighbours():
    """Some lengths take more corrections than others."""
    model, q0 = four_bar()
    rods = [aj.Pose.translation(x, 0, 0) for x in np.linspace(1.1, 1.3, 9)]
    given = {"q0": q0, "duration": 0.02}
    result = aj.sweep(model, {"rocker/placement": rods}, **given)
    for k in (2, 4, 6):
        single = aj.sweep(model, {"rocker/placement": rods[k : k + 1]}, **given)
        assert np.array_equal(single.values[0], result.values[k])
        assert np.array_equal(result.run(k).q[-1], result.values[k, :3])


def test_a_method_is_chosen_once_for_all_runs():
    mech = aj.Mechanism("stiff")
    mech.add_body("mass", joint=joints.Prismatic(axis=(1, 0, 0)), inertia=aj.Inertia.sphere(1.0, 0.1), stiffness=1e9)
    model = mech.compile()
    given = {"space": {"mass/mass": aj.uniform(1, 2), "q0": aj.uniform(0, 1)}, "measure": "final", "n": 4}
    chosen, told = (swept(model, method=method, **given) for method in ("auto", "bdf2"))
    assert chosen.ok.all(), chosen.failures
    assert np.array_equal(chosen.values, told.values)


def test_chunks_keep_memory_bounded():
    mech = gallery.revolute_chain(20)
    long = make_request(mech.compile(), None, None, 1000.0, 1e-3, "rk4", 1e-8, 1e-10, None, (), (), None, 1)
    assert chunk_size(long, 1, 10**6) == 2  # a run alone has 328 MB
    assert chunk_size(long, 1000, 10**6) == 16
    assert chunk_size(long, 10**4, 10**6) == 240
    assert chunk_size(long, 10**6, 10**6) == 1024
    assert chunk_size(long, 10**6, 10**3) == 16


def test_the_sweep_is_a_function_whoever_imports_the_folder_first():
    import sys

    folder = sys.modules["anyjoint.sweep"]
    assert inspect.isfunction(aj.sweep)
    for either in (folder, aj.sweep):
        assert either(pendulum(), SPACE, 2, duration=1e-3, measure=last_angle).values.shape == (2,)
