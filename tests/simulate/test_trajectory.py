"""Trajectories: resampling, files, tables, what they say."""

import csv
import json
import zipfile

import numpy as np
import pytest

import anyjoint as aj
from anyjoint.errors import AnyjointError, InputError
from simulate.mechanisms import double_pendulum, rods, top, total

MODEL = double_pendulum()
TRAJ = MODEL.simulate([1.0, 0.5], [0.0, 0.0], 1.0, dt=0.01, events=lambda t, q, v: q[0] - 0.9)


def test_resampling_is_of_third_order():
    times = np.linspace(0, 1, 777)
    fine = MODEL.simulate([1.0, 0.5], [0.0, 0.0], 1.0, dt=1 / 776)
    errors = []
    for n in (50, 100):
        made = MODEL.simulate([1.0, 0.5], [0.0, 0.0], 1.0, dt=1 / n).resample(times)
        errors.append(max(np.abs(made.q - fine.q).max(), np.abs(made.v - fine.v).max()))
    assert errors[1] < errors[0] / 10
    assert errors[1] < 1e-5
    assert np.array_equal(TRAJ.resample(TRAJ.t).q, TRAJ.q)


def test_resampling_passes_a_change_of_chart():
    model = top()
    traj = model.simulate([0.0, 0.0, 0.1], [0.0, 0.0, 20.0], 1.0, dt=2e-3)
    fine = model.simulate([0.0, 0.0, 0.1], [0.0, 0.0, 20.0], 1.0, dt=1e-3)
    poses = model.body_poses(traj.resample(fine.t).q)
    assert np.abs(poses - model.body_poses(fine.q)).max() < 1e-4


@pytest.mark.parametrize("times", [[-0.1], [1.1], [np.nan], [[0.5]]])
def test_resampling_outside_is_refused(times):
    with pytest.raises(InputError, match="resample"):
        TRAJ.resample(times)


def test_save_and_load(tmp_path):
    path = TRAJ.save(tmp_path / "run.npz")
    again = aj.Trajectory.load(path, MODEL)
    for name in ("t", "q", "v"):
        assert np.array_equal(getattr(again, name), getattr(TRAJ, name))
    assert again.status == TRAJ.status
    assert again.method == "rk4"
    assert [c.time for c in again.events] == [c.time for c in TRAJ.events]
    assert np.array_equal(total(again), total(TRAJ))
    assert np.abs(again.resample([0.505]).q - TRAJ.resample([0.505]).q).max() < 1e-6


def test_files_hold_plain_arrays_and_json(tmp_path):
    path = TRAJ.save(tmp_path / "run.npz")
    with np.load(path, allow_pickle=False) as data:
        header = json.loads(bytes(data["header"]).decode())
        assert set(data.files) == {"header", "t", "q", "v", "work"}
    assert header["coordinates"] == ["rod 0/angle", "rod 1/angle"]
    assert zipfile.is_zipfile(path)


def test_a_trajectory_without_its_model_says_so(tmp_path):
    loaded = aj.Trajectory.load(TRAJ.save(tmp_path / "run.npz"))
    with pytest.raises(InputError, match="model"):
        loaded.energy()


def test_bad_files(tmp_path):
    with pytest.raises(AnyjointError, match="cannot write"):
        TRAJ.save(tmp_path / "no" / "such" / "folder.npz")
    with pytest.raises(AnyjointError, match="cannot read"):
        aj.Trajectory.load(tmp_path / "missing.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(InputError, match="not a trajectory"):
        aj.Trajectory.load(tmp_path / "text.npz")
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(InputError, match="not a trajectory"):
        aj.Trajectory.load(tmp_path / "other.npz")
    np.savez(tmp_path / "pickle.npz", header=np.array([{"a": 1}], dtype=object), t=0, q=0, v=0)
    with pytest.raises(InputError, match="not a trajectory"):
        aj.Trajectory.load(tmp_path / "pickle.npz")
    path = TRAJ.save(tmp_path / "run.npz")
    with pytest.raises(InputError, match="2 coordinates"):
        aj.Trajectory.load(path, top())


@pytest.mark.parametrize("keep", [0, 1, 100, 0.3, 0.9, -1])
def test_a_file_that_was_cut_short_says_so(tmp_path, keep):
    path = TRAJ.save(tmp_path / "run.npz")
    data = path.read_bytes()
    path.write_bytes(data[: keep if isinstance(keep, int) else int(keep * len(data))])
    with pytest.raises(InputError, match=r"run.npz is (damaged or was cut short|not a trajectory)"):
        aj.Trajectory.load(path)


def test_a_file_with_a_flipped_byte_says_so(tmp_path):
    path = TRAJ.save(tmp_path / "run.npz")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(InputError, match="damaged"):
        aj.Trajectory.load(path)


def test_foreign_files_say_what_they_are(tmp_path):
    np.save(tmp_path / "one.npy", np.zeros(3))
    with pytest.raises(InputError, match="not a trajectory"):
        aj.Trajectory.load(tmp_path / "one.npy")
    TRAJ.save(tmp_path / "run.csv")
    with pytest.raises(InputError, match="a table"):
        aj.Trajectory.load(tmp_path / "run.csv")
    with np.load(TRAJ.save(tmp_path / "run.npz")) as data:
        parts = dict(data)
    header = json.loads(bytes(parts["header"]))
    wrong = {
        "do not belong together": {"q": parts["q"][:-1]},
        "not of real numbers": {"t": parts["t"].astype(complex)},
        "lacks events": {"header": {k: x for k, x in header.items() if k != "events"}},
        "another version": {"header": header | {"format": "anyjoint trajectory 7"}},
    }
    for words, change in wrong.items():
        made = parts | change
        if isinstance(made["header"], dict):
            made["header"] = np.frombuffer(json.dumps(made["header"]).encode(), dtype=np.uint8)
        np.savez(tmp_path / "odd.npz", **made)
        with pytest.raises(InputError, match=words):
            aj.Trajectory.load(tmp_path / "odd.npz")


def test_a_table_keeps_every_digit(tmp_path):
    with TRAJ.save(tmp_path / "run.csv").open(newline="") as file:
        names, *rows = csv.reader(file)
    assert names == ["t", "rod 0/angle", "rod 1/angle", "rod 0/angle'", "rod 1/angle'"]
    assert np.array_equal(np.array(rows, dtype=float), np.column_stack([TRAJ.t, TRAJ.q, TRAJ.v]))


@pytest.mark.parametrize("name", ["run.txt", "run", "run.npz.gz", "run.mat"])
def test_other_formats_are_refused(tmp_path, name):
    with pytest.raises(InputError, match=r"\.npz .*\.csv"):
        TRAJ.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_plot_shows_in_a_notebook():
    """Jupyter shows what gives a picture of itself."""
    picture = TRAJ.plot()._repr_png_()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 10_000


def test_what_no_page_can_show_is_shown_as_text():
    batch = MODEL.simulate([[1.0, 0.5], [0.2, 0.1]], np.zeros((2, 2)), 0.1)
    assert batch._repr_html_() is None


def test_pages_and_plots(tmp_path):
    page = tmp_path / "run.html"
    TRAJ.to_html(page)
    assert "<html" in page.read_text(encoding="utf8")[:500].lower()
    TRAJ.plot(tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 1000
    assert "<iframe" in TRAJ._repr_html_()


def test_batches_have_members():
    batch = MODEL.simulate([[1.0, 0.5], [0.2, 0.1]], np.zeros((2, 2)), 0.1)
    kinetic, potential = batch.energy()
    assert kinetic.shape == potential.shape == (101, 2)
    assert np.array_equal(batch.member(1).energy()[0], kinetic[:, 1])
    assert batch.momentum().shape == (101, 2, 6)
    assert "batch of 2" in repr(batch)
    with pytest.raises(InputError, match="member"):
        batch.to_html("page.html")
    with pytest.raises(InputError, match="2 trajectories"):
        batch.member(2)
    with pytest.raises(InputError, match="single"):
        TRAJ.member(0)


def test_tables(tmp_path):
    pandas = __import__("importlib").util.find_spec("pandas")
    if pandas is None:
        with pytest.raises(AnyjointError, match="pip install pandas"):
            TRAJ.to_pandas()
        return
    table = TRAJ.to_pandas()
    assert list(table.columns)[:3] == ["t", "rod 0/angle", "rod 1/angle"]
    assert table["rod 0/angle"].iloc[-1] == TRAJ.q[-1, 0]


def test_what_it_says():
    assert str(TRAJ.status) == "ok"
    assert "101 samples over 1 s" in repr(TRAJ)


def test_accelerations_know_the_time():
    mech = aj.Mechanism("driven", gravity=(0, 0, -9.81))
    mech.add_body("arm", joint=aj.joints.Revolute((0, 1, 0)), inertia=aj.Inertia.sphere(1.0, 0.1))
    mech.prescribe("arm", lambda t: aj.sin(2 * t))
    traj = mech.compile().simulate([0.0], [2.0], duration=1.0, dt=0.01)
    np.testing.assert_allclose(traj.accelerations()[:, 0], -4 * np.sin(2 * traj.t), atol=1e-6)  # 4th order in dt


def test_members_have_their_own_inputs():
    tau = np.array([[0.0, 0.0], [5.0, -3.0]])
    batch = MODEL.simulate(np.full((2, 2), 0.3), np.zeros((2, 2)), 0.1, dt=0.01, tau=tau)
    for k in (1, -1):
        alone = MODEL.simulate([0.3, 0.3], [0.0, 0.0], 0.1, dt=0.01, tau=tau[1])
        np.testing.assert_allclose(batch.member(k).accelerations(), alone.accelerations(), rtol=1e-9)


def test_a_run_remembers_its_parameters(tmp_path):
    """What a trajectory says is about its own run, whatever becomes of the model."""
    model = rods(2).compile()
    spring = aj.forces.Spring("rod 1", (0, 0, -1), None, (1, 0, -1), stiffness=5.0)
    traj = model.simulate([1.0, 0.5], duration=0.2, dt=0.01, forces=[spring])
    same = model.simulate([1.0, 0.5], duration=0.2, dt=0.01, forces=[spring])
    before, accelerations = np.array(same.energy()), same.accelerations()
    model.parameters.set({"rod 1/mass": 3.0, "rod 1/placement": aj.Pose.translation(0, 0, -2), "gravity": (0, 0, -1)})
    np.testing.assert_allclose(traj.energy(), before, rtol=1e-12)
    np.testing.assert_allclose(traj.accelerations(), accelerations, rtol=1e-12)
    assert traj.model is not model
    assert traj.model.parameters["rod 1/mass"] == 1.0
    assert model.parameters["rod 1/mass"] == 3.0
    again = model.simulate([1.0, 0.5], duration=0.2, dt=0.01)
    assert np.ptp(total(again)) < 1e-6
    assert again.model is model


@pytest.mark.parametrize("friction", [0.5, 0.0])
def test_accelerations_where_steps_resist(friction):
    """Dry friction and stops belong to the steps of time-stepping; dynamics alone know nothing of them."""
    mech = aj.Mechanism("slider", gravity=(0, 0, -9.81 if not friction else 0))
    rail = aj.joints.Prismatic((0, 0, 1), limits=(0, 1))
    mech.add_body("slider", joint=rail, inertia=aj.Inertia.point(1.0), friction=friction)
    start = ([0.1], [1.0]) if friction else ([0.0], [0.0])
    traj = mech.compile().simulate(*start, duration=0.1, dt=1e-3, method="time-stepping")
    assert traj.accelerations()[50:, 0] == pytest.approx(-friction, abs=1e-6)
