"""Stores: interrupted, damaged and continued ones equal an uninterrupted one to the bit; others are refused."""

import json
import pickle
import warnings

import numpy as np
import pytest
import xarray

import anyjoint as aj
from anyjoint.errors import AnyjointError, InputError
from tests.sweep.models import SPACE, double_pendulum, four_bar, last_angle, pendulum, swept, wild

NAMES = ["run", "run.zarr"]


@pytest.fixture(scope="module")
def model():
    return pendulum()


def count_runs():
    """A measure that counts its calls."""
    calls = []

    def value(traj):
        calls.append(1)
        return traj.q[-1]

    return value, calls


def files_of(store):
    """Everything in a store, by name."""
    return {path.relative_to(store).as_posix(): path.read_bytes() for path in store.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", NAMES)
def test_a_rerun_takes_all_from_the_store(name, tmp_path, model):
    measure, calls = count_runs()
    plain = swept(model, measure=measure)
    calls.clear()
    first = swept(model, measure=measure, store=tmp_path / name)
    assert len(calls) >= 40
    calls.clear()
    again = swept(model, measure=measure, store=tmp_path / name)
    assert len(calls) <= 4  # two runs are tried, to see that the sweep is the same
    for result in (first, again):
        assert np.array_equal(result.values, plain.values)
        assert result.statistics.columns["value"].mean == plain.statistics.columns["value"].mean


@pytest.mark.parametrize("name", NAMES)
def test_an_interrupted_sweep_goes_on_to_the_same_bits(name, tmp_path):
    def interrupt(fraction):
        if fraction > 0.3:
            raise KeyboardInterrupt

    model = double_pendulum()
    speeds = wild(np.where(np.arange(100) % 9, 0.1, 1e200))
    given = {"space": {"lower/mass": aj.uniform(1, 2), **speeds}, "n": 100, "q0": [0.0, 1.0]}
    part = swept(model, store=tmp_path / name, progress=interrupt, **given)
    assert not part.complete
    whole = swept(model, store=tmp_path / name, **given)
    plain = swept(model, store=tmp_path / f"plain-{name}", **given)
    assert files_of(tmp_path / name) == files_of(tmp_path / f"plain-{name}")
    assert whole.complete
    assert np.array_equal(whole.values, plain.values, equal_nan=True)
    assert whole.status == plain.status
    assert sorted(whole.failures) == list(range(0, 100, 9))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_a_damaged_chunk_is_found_and_made_again(name, damage, tmp_path, model):
    plain = swept(model, store=tmp_path / name).values
    chunks = tmp_path / name
    pattern = "last_angle/c/1" if name.endswith("zarr") else "chunk-000001.npz"
    file = chunks / pattern
    data = bytearray(file.read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    elif damage == "cut":
        file.write_bytes(data[: len(data) // 2])
    else:
        file.unlink()
    assert np.array_equal(swept(model, store=tmp_path / name).values, plain)
    file_again = file.read_bytes()
    assert len(file_again) == len(data)


@pytest.mark.parametrize("name", NAMES)
def test_a_chunk_of_another_place_is_not_taken(name, tmp_path, model):
    plain = swept(model, store=tmp_path / name, n=48).values
    pattern = "last_angle/c/{}" if name.endswith("zarr") else "chunk-00000{}.npz"
    one, other = (tmp_path / name / pattern.format(k) for k in (0, 1))
    other.write_bytes(one.read_bytes())
    assert np.array_equal(swept(model, store=tmp_path / name, n=48).values, plain)


OTHERS = {
    "seed": ({"seed": 8}, "another seed: it has 7, this one 8"),
    "n": ({"n": 41}, "another n"),
    "design": ({"design": "sobol"}, "another design"),
    "space": ({"space": {**SPACE, "rod/mass": aj.uniform(1, 3)}}, "another choice of what varies"),
    "dt": ({"dt": 2e-3}, "another options"),
    "measure": ({"measure": lambda traj: traj.q[-1, 0]}, "another measure"),
    "start": ({"v0": [0.1]}, "another start"),
}


@pytest.mark.parametrize("case", OTHERS)
def test_the_store_of_another_sweep_is_refused(case, tmp_path, model):
    swept(model, store=tmp_path / "run")
    change, words = OTHERS[case]
    with pytest.raises(InputError, match=words):
        swept(model, store=tmp_path / "run", **change)


def test_the_store_of_another_model_or_function_is_refused(tmp_path, model):
    swept(model, store=tmp_path / "run")
    other = pendulum()
    other.parameters["rod/com"] = (0, 0, -0.6)
    with pytest.raises(InputError, match="another model"):
        swept(other, store=tmp_path / "run")

    def value(traj):
        return traj.q[-1, 0]

    swept(model, measure={"last_angle": value}, store=tmp_path / "run")  # the same by another function
    with pytest.raises(InputError, match="runs that were tried give other numbers"):
        swept(model, measure={"last_angle": lambda traj: traj.v[-1, 0]}, store=tmp_path / "run")


def test_other_programs_read_the_zarr(tmp_path, model):
    result = swept(model, store=tmp_path / "run.zarr", measure=["final", ("trajectory", 3)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing in the group that zarr does not know
        data = xarray.open_zarr(tmp_path / "run.zarr", consolidated=False)
    assert np.array_equal(data["final"], result["final"])
    assert data["trajectory"].dims == ("run", "trajectory 0", "trajectory 1")
    assert np.array_equal(data["sample.rod.mass"], result.samples["rod/mass"])
    assert data["ok"].all()


def test_rows_come_from_the_store_when_they_are_asked_for(tmp_path, model):
    result = swept(model, store=tmp_path / "run", measure=["final", ("trajectory", 5)])
    assert result.keeper.columns is None
    assert result["trajectory"].shape == (40, 5, 2)
    assert np.array_equal(result["trajectory"][:, -1], result["final"])


@pytest.mark.parametrize("store", [None, *NAMES])
def test_results_travel(store, tmp_path, model):
    result = swept(model, store=store and tmp_path / store, design="latin-hypercube", n=20)
    other = pickle.loads(pickle.dumps(result))  # noqa: S301 (our own)
    assert np.array_equal(other.values, result.values)
    assert np.array_equal(other.run(3).q, result.run(3).q)


def test_stores_that_cannot_be(tmp_path, model, monkeypatch):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.txt").write_text("mine")
    for name in ("file", "folder"):
        with pytest.raises(InputError, match="something else already"):
            swept(model, store=tmp_path / name)
    with pytest.raises(InputError, match=r"ends in \.zarr"):
        swept(model, store=tmp_path / "run.h5")
    with pytest.raises(InputError, match="expected a path"):
        swept(model, store=3)
    with pytest.raises(AnyjointError, match="cannot be written"):
        swept(model, store=tmp_path / "file" / "run")
    swept(model, store=tmp_path / "run")
    (tmp_path / "run" / "sweep.json").write_text("{")
    swept(model, store=tmp_path / "run.zarr")
    (tmp_path / "run.zarr" / "zarr.json").write_text("{")
    for name in NAMES:
        with pytest.raises(InputError, match="damaged"):
            swept(model, store=tmp_path / name)
    monkeypatch.setitem(__import__("sys").modules, "zarr", None)
    with pytest.raises(AnyjointError, match=r"anyjoint\[zarr\]"):
        swept(model, store=tmp_path / "other.zarr")


def test_a_disk_that_fills_up_is_said(tmp_path, model, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(AnyjointError, match="No space left"):
        swept(model, store=tmp_path / "other")
    assert json.loads((tmp_path / "other" / "sweep.json").read_text())["n"] == 40
    assert not [path for path in (tmp_path / "other").iterdir() if path.name.startswith(".new-")]


def test_names_never_leave_the_store(tmp_path, model):
    nasty = ("sample/q0", "seal", "reason", "../../out", "a/b", "a.b", "ok", "")
    result = swept(model, measure=dict.fromkeys(nasty, last_angle), store=tmp_path / "run.zarr")
    assert len(result.columns) == 8
    assert all(np.array_equal(column, result.values[:, 0]) for column in result.columns.values())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.zarr"]


def test_another_measure_is_found_by_small_numbers_too(tmp_path, model):
    swept(model, measure={"x": lambda traj: 1e-12 * traj.q[-1, 0]}, store=tmp_path / "run")
    with pytest.raises(InputError, match="measure: the runs that were tried give other numbers"):
        swept(model, measure={"x": lambda traj: 2e-12 * traj.q[-1, 0]}, store=tmp_path / "run")


@pytest.mark.parametrize("name", NAMES)
def test_another_measure_is_found_though_the_first_runs_fail(name, tmp_path):
    given = {"space": wild([1e200, 1e200, *np.linspace(0, 1, 30)]), "n": None, "q0": [0.0, 1.0]}
    chains = double_pendulum()
    first = swept(chains, measure={"x": lambda traj: traj.q[-1, 0]}, store=tmp_path / name, **given)
    again = swept(chains, measure={"x": lambda traj: traj.q[-1, 0]}, store=tmp_path / name, **given)
    assert np.array_equal(first.values, again.values, equal_nan=True)
    with pytest.raises(InputError, match="runs that were tried give other numbers"):
        swept(chains, measure={"x": lambda traj: traj.q[-1, 1]}, store=tmp_path / name, **given)


def test_another_loop_is_found_though_the_measure_is_rounding_errors(tmp_path):
    model, q0 = four_bar()
    given = {"n": 4, "duration": 0.02, "q0": q0, "measure": "energy_drift", "store": tmp_path / "run"}
    space = {"crank/mass": aj.uniform(1, 2)}
    aj.sweep(model, space, **given)
    with pytest.raises(InputError, match="runs that were tried give other numbers"):
        aj.sweep(four_bar(height=0.1)[0], space, **given)


def test_a_chunk_that_is_damaged_after_the_sweep_is_said(tmp_path, model):
    result = swept(model, store=tmp_path / "run")
    (tmp_path / "run" / "chunk-000001.npz").write_bytes(b"x")
    with pytest.raises(AnyjointError, match="chunk 1 is gone or damaged; the same sweep makes it again"):
        _ = result.values
    assert np.isfinite(swept(model, store=tmp_path / "run").values).all()


def test_a_chunk_of_another_sweep_is_made_again(tmp_path, model):
    mine, other = swept(model, store=tmp_path / "mine"), swept(model, seed=8, store=tmp_path / "other")
    foreign = (tmp_path / "other" / "chunk-000000.npz").read_bytes()
    (tmp_path / "mine" / "chunk-000000.npz").write_bytes(foreign)
    again = swept(model, store=tmp_path / "mine")
    assert np.array_equal(again.values, swept(model).values)
    assert not np.array_equal(again.values, other.values)
    assert mine.complete
