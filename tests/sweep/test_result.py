"""What comes of a sweep: statistics, tables, a run again; Ctrl-C and the bar."""

import io
import signal

import numpy as np
import pytest
from rich.console import Console

import anyjoint as aj
from anyjoint.errors import InputError
from anyjoint.simulate import Trajectory
from anyjoint.sweep.progress import RunProgress
from tests.sweep.models import double_pendulum, swept, wild


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
    console.print(bar.bar.get_renderable())
    bar.close()
    assert "1,000 of 2,000" in (text := console.export_text())
    assert "runs/s" in text
