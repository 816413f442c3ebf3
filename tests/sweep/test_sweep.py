"""Sweeps: every run is the run that `simulate` gives, whoever runs it and whatever the others do."""

import copy
import inspect
import io
import signal

import numpy as np
import pytest
from rich.console import Console

import anyjoint as aj
from anyjoint import gallery, joints
from anyjoint.errors import InputError
from anyjoint.simulate import Trajectory
from anyjoint.simulate.request import make_request
from anyjoint.sweep.progress import RunProgress
from anyjoint.sweep.sweep import chunk_size
from tests.sweep.models import SPACE, double_pendulum, four_bar, last_angle, pendulum, swept, wild


def alone(model, sample, **options):
    """A run by `simulate`, with the parameters of a sample set."""
    own = copy.copy(model)
    own.parameters.set({name: value for name, value in sample.items() if name not in ("q0", "v0", "tau")})
    states = {name: sample.get(name) for name in ("q0", "v0", "tau")}
    return own.simulate(**{**states, "duration": 0.05, "dt": 1e-3, **options})


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


# -- measures -------------------------------------------------------------------------------------------------------


def test_named_measures_are_what_they_say():
    model = double_pendulum()
    space = {"upper/mass": aj.uniform(1, 2), "q0": aj.uniform(-2, 2)}
    given = {"space": space, "n": 5, "duration": 0.3, "dt": 1e-2}
    names = ["final", "extremes", "energy_drift", "trajectory", ("trajectory", 4)]
    with pytest.raises(InputError, match="two are called 'trajectory'"):
        swept(model, measure=names, **given)
    result = swept(model, measure=names[:4], **given)
    few = swept(model, measure=("trajectory", 4), **given)
    assert few["trajectory"].shape == (5, 4, 4)
    assert few["trajectory/t"][0] == pytest.approx([0, 0.1, 0.2, 0.3])
    for k in range(5):
        traj = result.run(k)
        states = np.concatenate([traj.q, traj.v], axis=1)
        assert np.array_equal(result["final"][k], states[-1])
        assert np.array_equal(result["extremes/min"][k], states.min(axis=0))
        assert np.array_equal(result["extremes/max"][k], states.max(axis=0))
        assert np.array_equal(result["trajectory"][k], states)
        assert np.array_equal(few["trajectory"][k], states[[0, 10, 20, 30]])
        # Energies near 1e-8 of their size are rounding errors, which depend on the order of sums.
        assert result["energy_drift"][k] == pytest.approx(traj.balance_error(), rel=1e-3, abs=1e-13)
    assert result.labels["final"][3] == "final lower/angle'"


def test_the_time_of_an_event_is_that_of_a_run_with_events():
    model = pendulum()
    low = aj.Event(lambda t, q, v: q[0], direction=-1, name="low")
    result = swept(model, space={"rod/mass": aj.uniform(1, 2), "q0": aj.uniform(0.5, 1)}, n=4, duration=1, measure=low)
    for k in range(4):
        traj = alone(model, result.sample(k), duration=1, events=[low])
        # A cubic between two samples against a shorter step: both of fourth order in dt = 1e-3.
        assert result["low"][k] == pytest.approx(traj.events[0].time, abs=1e-11)
    never = swept(model, n=2, measure=aj.Event(lambda t, q, v: 9.0, name="never"))
    assert never.ok.all()
    assert np.isnan(never["never"]).all()


def test_own_measures_may_give_arrays_and_names():
    def several(traj):
        return {"start": traj.q[0], "passes": traj.q[-1, 0] > 0}

    result = swept(measure={"a": several, "b": lambda traj: traj.v[-1, 0]}, n=6)
    assert {name: column.shape for name, column in result.columns.items()} == {
        "a/start": (6, 1),
        "a/passes": (6,),
        "b": (6,),
    }
    assert np.array_equal(result["a/start"], result.samples["q0"])
    assert result.values.shape == (6, 3)


def test_measures_see_the_parameters_of_their_run():
    """Energy of the run at its start: the mass of each counts."""
    result = swept(n=6, measure=lambda traj: sum(traj.energy())[0])
    q, mass = result.samples["q0"][:, 0], result.samples["rod/mass"]
    assert result.values == pytest.approx(-9.81 * 0.5 * mass * np.cos(q), rel=1e-12)


# -- failures -------------------------------------------------------------------------------------------------------


def test_a_run_that_fails_is_a_row_with_a_reason():
    """Some runs blow up; the others are what they are without them."""
    model = double_pendulum()
    speeds, angles = np.where(np.arange(50) % 7 == 3, 1e200, 1.0), np.linspace([-1, 1], [1, 1], 50)
    given = {"duration": 0.05, "dt": 1e-3, "measure": "final"}
    result = aj.sweep(model, {**wild(speeds), "q0": angles}, **given)
    assert sorted(result.failures) == list(range(3, 50, 7))
    assert all("blew up" in reason for reason in result.failures.values())
    assert np.array_equal(np.isnan(result.values).any(axis=1), ~result.ok)
    assert result.status[3] == result.failures[3]
    assert result.status[4] == "ok"
    good = np.flatnonzero(result.ok)
    clean = aj.sweep(model, {**wild(speeds[good]), "q0": angles[good]}, **given)
    assert np.array_equal(clean.values, result.values[good])
    assert not result.run(3).status.ok
    assert result.statistics.failed == 7


def test_parameters_that_cannot_be_are_rows_with_a_reason():
    masses = np.linspace(1, 2, 20)
    masses[[4, 11]] = -1.0
    result = swept(space={"rod/mass": masses}, n=None)
    assert sorted(result.failures) == [4, 11]
    assert "negative" in result.failures[4] or "positive" in result.failures[4]
    with pytest.raises(aj.AnyjointError, match="run 4 of the sweep could not begin"):
        result.run(4)


def test_starts_beyond_limits_and_runs_against_stops():
    mech = aj.Mechanism("limited")
    hinge = joints.Revolute(axis=(0, 1, 0), limits=(-1, 1))
    mech.add_body("rod", joint=hinge, inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    model = mech.compile()
    angles = np.linspace(-1.5, 1.5, 7)[:, None]
    result = swept(model, space={"q0": angles}, n=None)
    assert sorted(result.failures) == [0, 6]
    assert "beyond limits" in result.failures[0]
    free = swept(model, space={"q0": angles}, n=None, limits=False)
    assert free.ok.all()
    hard = swept(model, space={"v0": [[0.0], [1e5], [0.1]]}, n=None)
    assert sorted(hard.failures) == [1]
    assert "gave way" in hard.failures[1]


def test_runs_that_leave_the_model_end_by_themselves():
    """Beads on a wire with ends: the fast ones come there, each at its own time."""

    @aj.joint(dof=1, domain=[(-1.0, 1.0)], defined=[(-1.0, 1.0)])
    def wire(q):
        return aj.Pose.translation(q[0], 0, 0)

    mech = aj.Mechanism("beads", gravity=(0, 0, 0))
    mech.add_body("bead", joint=wire, inertia=aj.Inertia.sphere(1.0, 0.1))
    model, q0, speeds = mech.compile(), [0.0], np.array([0.0, 1.0, 2.5, 0.3])
    result = aj.sweep(model, {"v0": speeds[:, None]}, q0=q0, duration=2.0, dt=1e-2)
    for k in range(4):
        traj = model.simulate(q0, speeds[k : k + 1], duration=2.0, dt=1e-2)
        if traj.status.ok:
            assert result.values[k] == pytest.approx([*traj.q[-1], *traj.v[-1]], rel=1e-12, abs=1e-12)
        else:
            assert result.failures[k] == traj.status.reason
    assert list(result.ok) == [True, False, False, True]


def test_a_measure_that_fails_in_some_runs_marks_those_alone():
    def picky(traj):
        if traj.q[0, 0] > 0.9:
            raise ValueError("too far")
        return traj.q[-1, 0]

    result = swept(space={"q0": np.linspace(0, 1, 21)[:, None]}, n=None, measure=picky)
    assert sorted(result.failures) == [19, 20]
    assert "'picky' raised ValueError: too far" in result.failures[20]


def test_many_runs_that_all_fail_are_said_at_once():
    with pytest.raises(aj.AnyjointError, match=r"none of 64 runs .* The first says: the motion blew up"):
        swept(double_pendulum(), space=wild([1e200] * 100), n=None, q0=[0.0, 1.0])


def test_all_runs_may_fail():
    result = swept(double_pendulum(), space={**wild([1e200, 1e200]), "q0": [[0.0, 1.0]] * 2}, n=None)
    assert not result.ok.any()
    assert np.isnan(result.values).all()


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


def test_loops_that_come_apart_are_failures():
    model, q0 = four_bar()
    speeds = {"v0/crank/angle": [0.01, 30.0]}
    result = aj.sweep(model, speeds, q0=q0, duration=0.5, dt=0.01, stabilise=None)
    assert list(result.ok) == [True, False], result.status
    assert "the mechanism came apart: " in result.failures[1]


# -- statistics -----------------------------------------------------------------------------------------------------


def test_statistics_are_those_of_the_rows():
    rows = swept(n=100, measure="final")
    only = swept(n=100, measure="final", rows=False)
    for result in (rows, only):
        of = result.statistics.columns["final"]
        values = rows.values
        assert of.mean == pytest.approx(values.mean(axis=0), rel=1e-13)
        assert of.std == pytest.approx(values.std(axis=0, ddof=1), rel=1e-12)
        assert np.array_equal(of.min, values.min(axis=0))
        assert np.array_equal(of.first_max, values.argmax(axis=0))
    assert only.extreme("final") == rows.extreme("final")
    for name in ("values", "ok", "status"):
        with pytest.raises(InputError, match="kept statistics only"):
            getattr(only, name)
    assert "100 runs, 0 failed" in str(only.statistics)


def test_statistics_leave_failed_runs_out():
    result = swept(double_pendulum(), space=wild([0.1, 1e200, 0.3, 0.2]), n=None, rows=False, q0=[0.0, 1.0])
    of = result.statistics.columns["last_angle"]
    assert of.count == 3
    assert result.statistics.failed == 1
    assert of.first_max == 2


# -- results --------------------------------------------------------------------------------------------------------


def test_the_worst_run_comes_again_bit_for_bit(tmp_path):
    result = swept(double_pendulum(), space={"upper/mass": aj.uniform(1, 2), "q0": aj.uniform(-3, 3)},
                   duration=0.5, measure=["energy_drift", "final"])  # fmt: skip
    k = result.extreme("energy_drift")
    assert k == int(np.argmax(result["energy_drift"]))
    traj = result.worst("energy_drift")
    assert isinstance(traj, Trajectory)
    assert np.array_equal(np.concatenate([traj.q[-1], traj.v[-1]]), result["final"][k])
    assert traj.model.parameters["upper/mass"] == result.samples["upper/mass"][k]
    assert result.model.parameters["upper/mass"] == pytest.approx(1.1)  # the sweep's own model is untouched
    assert traj.to_html(tmp_path / "worst.html").stat().st_size > 10_000
    label = "final lower/angle"
    assert result.extreme(label) == int(np.argmax(np.abs(result["final"][:, 1])))
    with pytest.raises(InputError, match="did you mean 'energy_drift'"):
        result.worst("energy drift")
    with pytest.raises(InputError, match="runs 0 to 39"):
        result.run(40)
    with pytest.raises(InputError, match="no column"):
        _ = result["finale"]


def test_tables_for_other_programs():
    com = aj.normal([0, 0, -1], 0.01)
    space = {"upper/mass": aj.uniform(1, 2), "upper/com": com, **wild([0.1, 1e200])}
    result = swept(double_pendulum(), space=space, n=2, measure="final", q0=[0.0, 1.0])
    frame = result.to_pandas()
    ends = [f"final {name}{prime}" for prime in ("", "'") for name in ("upper/angle", "lower/angle")]
    vector = [f"upper/com[{k}]" for k in range(3)]
    assert list(frame.columns) == ["upper/mass", *vector, "v0/upper/angle", *ends, "status"]
    assert frame["status"][0] == "ok"
    assert "blew up" in frame["status"][1]
    data = result.to_xarray()
    assert np.array_equal(data["final"].values, result.values, equal_nan=True)
    assert data["final"].dims[0] == "run"
    assert np.array_equal(data.coords["upper/mass"].values, result.samples["upper/mass"])


def test_ctrl_c_keeps_what_is_done():
    calls = []

    def progress(fraction):
        calls.append(fraction)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)

    result = swept(n=200, progress=progress)
    assert not result.complete
    assert 32 <= result.ok.sum() < 200
    assert set(result.status) == {"ok", "not run"}
    assert np.array_equal(np.isnan(result.values), ~result.ok)
    assert "done" in repr(result)
    assert np.array_equal(result.values[result.ok], swept(n=200).values[result.ok])


def test_a_bar_tells_how_many_runs_and_how_fast():
    bar = RunProgress(True, "sweeping", 2000)
    bar.show(0.25)
    bar.show(0.5)
    console = Console(record=True, width=140, file=io.StringIO())
    console.print(bar._bar.get_renderable())
    bar.close()
    assert "1,000 of 2,000" in (text := console.export_text())
    assert "runs/s" in text


# -- bad input ------------------------------------------------------------------------------------------------------


def varying(traj):
    return traj.q[: 3 + int(10 * abs(traj.q[0, 0])), 0]


def failing(traj):
    raise RuntimeError("no luck")


MASS, ANY = {"rod/mass": aj.uniform(1, 2)}, aj.uniform(0, 1)
BAD = {
    "unknown parameter": ({"space": {"rod/mas": aj.uniform(1, 2)}}, "did you mean 'rod/mass'"),
    "unknown coordinate": ({"space": {"q0/rod/angel": aj.uniform(1, 2)}}, "did you mean 'q0/rod/angle'"),
    "nothing like it": ({"space": {"zzzzzzzzz": aj.uniform(1, 2)}}, "list\\(model.parameters\\)"),
    "nothing": ({"space": {}}, "says nothing to vary"),
    "no mapping": ({"space": "rod/mass"}, "expected names with distributions"),
    "negative mass": ({"space": {"rod/mass": aj.uniform(-1, 2)}}, "'rod/mass' leaves its domain: it reaches -1"),
    "wide normal": ({"space": {"rod/mass": aj.normal(1, 0.5)}}, "leaves its domain.*log_normal"),
    "bad choice": ({"space": {"rod/mass": aj.choice([1, -3])}}, "reaches -3"),
    "bad grid": ({"space": {"rod/mass": aj.grid([1, -3])}, "n": None}, "reaches -3"),
    "no runs": ({"n": 0}, "n=0; expected a whole number of runs"),
    "negative runs": ({"n": -5}, "n=-5"),
    "half a run": ({"n": 1.5}, "n=1.5"),
    "no n": ({"n": None}, "say how many runs"),
    "measure raises": ({"measure": failing}, "'failing' raised RuntimeError: no luck"),
    "measure varies": ({"measure": varying}, "'varying' returned shape \\(\\d+,\\) for one run and shape \\(\\d+,\\)"),
    "measure is text": ({"measure": lambda traj: "far"}, "returned 'far'; expected a number"),
    "measure unknown": ({"measure": "finale"}, "did you mean 'final'"),
    "measure is a number": ({"measure": 3}, "expected one of 'final'"),
    "measure empty": ({"measure": []}, "measure is empty"),
    "one sample": ({"measure": ("trajectory", 1)}, "at least 2 samples"),
    "twice": ({"space": {**MASS, ("rod/mass", "v0/rod/angle"): aj.normal([1, 1], 0.1)}}, "varied twice"),
    "whole and entry": ({"space": {"q0": ANY, "q0/rod/angle": ANY}}, "as a whole and in an entry"),
    "shape": ({"space": {"rod/com": aj.uniform([0, 0], [1, 1])}}, "shape \\(3,\\), its distribution \\(2,\\)"),
    "choice for a vector": ({"space": {"rod/com": aj.choice([1, 2])}}, "values of that shape"),
    "vectors together": ({"space": {("rod/com", "rod/mass"): aj.normal([1, 1], 1)}}, "each must be a single number"),
    "pose by numbers": ({"space": {"rod/placement": aj.uniform(0, 1)}}, "a choice, grid or list of poses"),
    "pose rows": ({"space": {"rod/placement": [1, 2]}, "n": None}, "give a list of poses"),
    "mass by poses": ({"space": {"rod/mass": aj.choice([aj.Pose.identity()])}}, "expected numbers"),
    "rows of text": ({"space": {"rod/mass": "heavy"}}, "expected a distribution"),
    "rows of nan": ({"space": {"rod/mass": [1, np.nan]}, "n": None}, "NaN or infinity"),
    "rows of another shape": ({"space": {"rod/com": [1, 2]}, "n": None}, "expected \\(runs, 3\\)"),
    "rows that disagree": ({"space": {"rod/mass": [1, 2], "q0": [[1.0]]}, "n": None}, "different numbers of runs"),
    "rows and n": ({"space": {"rod/mass": [1, 2]}, "n": 3}, "n=3, but rows for 2"),
    "grid and n": ({"space": {"rod/mass": aj.grid([1, 2])}, "n": 3}, "give a multiple"),
    "a function drives": ({"tau": lambda t, q, v: [0.0]}, "tau is a function"),
    "tau varies and moves": ({"space": {"tau": aj.uniform(0, 1)}, "tau": np.zeros((5, 1))}, "tau must be constant"),
    "many starts": ({"q0": [[0.1], [0.2]], "space": MASS}, "under 'q0' in the space"),
    "executor": ({"executor": "four"}, "expected None \\(threads"),
    "design": ({"design": "sobel"}, "did you mean 'sobol'"),
    "seed": ({"seed": 1.5}, "seed=1.5"),
    "method": ({"method": "rk5"}, "did you mean 'rk4'"),
    "dt": ({"dt": -1}, "dt=-1"),
    "option": ({"durations": 1}, "did you mean 'duration'"),
    "limits": ({"limits": 3}, "limits=3"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused(case, the_pendulum):
    options, words = BAD[case]
    with pytest.raises(InputError, match=words):
        swept(the_pendulum, **options)


@pytest.fixture(scope="module")
def the_pendulum():
    return pendulum()


def test_distributions_keep_to_limits_and_to_what_joints_allow():
    mech = aj.Mechanism("limited")
    solid = aj.Inertia.box(1.0, 0.1, 0.2, 0.3)
    hinge = mech.add_body("rod", joint=joints.Revolute(axis=(0, 1, 0), limits=(-1, 1)), inertia=solid)
    mech.add_body("bead", hinge, joints.OnCurve(aj.curves.Circle(1.0)), inertia=solid)
    model = mech.compile()
    for space, words in (
        ({"q0/rod/angle": aj.uniform(-2, 0)}, r"reaches -2.*limits of rod/angle are \(-1, 1\)"),
        ({"q0": aj.normal([0, 0], 0.5)}, "leaves its domain"),
        ({"bead/joint/curve.radius": aj.uniform(-1, 1)}, "reaches -1.*curve.radius"),
        ({"rod/tensor": aj.choice([np.diag([1, 1, 5]).tolist()])}, "leaves its domain"),
    ):
        with pytest.raises(InputError, match=words):
            aj.sweep(model, space, 10, duration=0.01)
    free = aj.sweep(model, {"q0/rod/angle": aj.uniform(-2, 0)}, 10, duration=0.01, limits=False)
    assert free.ok.all()


def test_chunks_keep_memory_bounded():
    mech = gallery.revolute_chain(20)
    long = make_request(mech.compile(), None, None, 1000.0, 1e-3, "rk4", 1e-8, 1e-10, None, (), (), None, 1)
    assert chunk_size(long, 1, 10**6) == 2  # a run alone has 328 MB
    assert chunk_size(long, 1000, 10**6) == 16
    assert chunk_size(long, 10**4, 10**6) == 240
    assert chunk_size(long, 10**6, 10**6) == 1024
    assert chunk_size(long, 10**6, 10**3) == 16


def test_a_mechanism_is_no_model():
    with pytest.raises(InputError, match="compile a mechanism first"):
        aj.sweep(aj.Mechanism("x"), SPACE, 4)


def test_the_sweep_is_a_function_whoever_imports_the_folder_first():
    import sys

    folder = sys.modules["anyjoint.sweep"]
    assert inspect.isfunction(aj.sweep)
    for either in (folder, aj.sweep):
        assert either(pendulum(), SPACE, 2, duration=1e-3, measure=last_angle).values.shape == (2,)
