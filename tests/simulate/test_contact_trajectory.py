"""What comes back from a run with contacts: coordinates of one model, pieces, files, pages, events."""

import json
import pickle

import numpy as np
import pytest

import anyjoint as aj
from anyjoint.view.record import trajectory_scene
from tests.simulate.contacts import MASS, RADIUS, G, ball_on_plane, free, touching


@pytest.fixture(scope="module")
def model():
    return ball_on_plane(0.1, 0.5, start="sliding").compile()


@pytest.fixture(scope="module")
def traj(model):
    """It slides, and a kick from below sends it up; then it falls, bounces and slides on."""
    q, v = touching(model.mechanism, (2.0, 0, 0))

    def kick(t, q, v):
        up = 10.0 if 0.05 < t < 0.15 else 0.0
        return np.concatenate([np.zeros(3), model.released.body_poses(q)[0, :3, :3].T @ [0, 0, up]])

    return model.simulate(q, v, duration=0.45, dt=5e-3, tau=kick)


def test_states_are_those_of_one_model_in_all_modes(model, traj):
    assert traj.model.modes == {"ball": "flight"}
    assert traj.q.shape[1:] == (7,)
    assert [x.change for x in traj.modes[:2]] == ["sliding -> flight", "flight -> flight"]
    # Wherever modes change there are two samples of one time, with the same place.
    twice = np.flatnonzero(np.diff(traj.t) == 0)
    assert len(twice) >= len({record.time for record in traj.modes})
    assert np.abs(traj.q[twice] - traj.q[twice + 1]).max() < 1e-11
    struck = np.isin(traj.t[twice], [impact.time for impact in traj.impacts])
    assert np.abs(traj.v[twice] - traj.v[twice + 1])[~struck].max() < 1e-11
    for piece in traj.pieces:
        poses = piece.model.body_poses(piece.q)
        here = np.searchsorted(traj.t, piece.t[len(piece.t) // 2])
        assert np.abs(poses[len(piece.t) // 2] - traj.model.body_poses(traj.q[here])).max() < 1e-12
    assert {tuple(piece.modes.values()) for piece in traj.pieces} == {("sliding",), ("flight",)}
    track = traj.contacts["ball"]
    assert (track.touching == np.isfinite(track.points[:, 2])).all()
    assert np.abs(track.points[track.touching][:, 2]).max() < 1e-12
    assert np.abs(track.forces[~track.touching]).max() == 0.0
    assert abs(track.forces[0, 2] - MASS * G) < 1e-12


def test_resampling_does_not_smooth_over_changes(traj):
    at = np.linspace(traj.t[0], traj.t[-1], 301)
    found = traj.resample(at)
    touched = traj.modes[1].time
    before, after = (found.v[np.searchsorted(at, touched) + k] for k in (-1, 0))
    R = traj.model.body_poses(found.q[np.searchsorted(at, touched)])[0, :3, :3]
    assert (R @ before[3:])[2] < 0 < (R @ after[3:])[2]
    assert np.abs(found.q[:, 6].min() - RADIUS) < 1e-9


def test_files_and_pickles_keep_everything(model, traj, tmp_path):
    again = aj.Trajectory.load(traj.save(tmp_path / "run.npz"), model=model)
    short = model.simulate(*touching(model.mechanism), duration=0.02, dt=5e-3)  # a controller does not travel
    for other in (again, pickle.loads(pickle.dumps(short))):  # noqa: S301 (our own)
        assert type(other) is type(traj)
        assert other.model.modes == {"ball": "flight"}
    assert again.modes == traj.modes
    assert np.array_equal(again.q, traj.q)
    assert np.array_equal(again.contacts["ball"].forces, traj.contacts["ball"].forces)
    assert np.array_equal(again.accelerations(), traj.accelerations())
    assert again.impacts[0].lost == traj.impacts[0].lost
    assert np.allclose(again.energy_balance(), traj.energy_balance())
    header = (tmp_path / "run.csv", traj.save(tmp_path / "run.csv"))[0].read_text().splitlines()[0]
    assert header.startswith("t,ball/qw")


def test_pages_show_points_and_forces(traj, tmp_path):
    scene = trajectory_scene(traj)
    counts = [len(points) for points in scene.motion.contacts]
    assert set(counts) == {0, 1}
    assert [len(f) for f in scene.motion.forces] == counts
    assert "sliding -> flight" in scene.info["Contacts"]
    data = json.loads(scene.json())
    assert set(data["contacts"]) == {"starts", "points", "forces"}
    assert traj.to_html(tmp_path / "run.html").exists()


def test_events_of_the_user(model):
    """The ball passes a height on its way down, and ends the run at another."""
    flying = ball_on_plane(0.3).compile()
    passed = aj.Event(lambda t, q, v: q[6] - 0.5, name="half way")
    ended = aj.Event(lambda t, q, v: q[6] - 0.2, terminal=True, name="low")
    traj = flying.simulate(*free(1.0), duration=1.0, dt=0.03, events=[passed, ended])
    assert [x.event for x in traj.events] == ["half way", "low"]
    assert abs(traj.events[0].time - np.sqrt(2 * 0.5 / G)) < 1e-10
    assert abs(traj.t[-1] - np.sqrt(2 * 0.8 / G)) < 1e-10
    assert traj.status.ok
    assert traj.modes == []


def test_parameters_and_modes_of_a_model(model):
    other = ball_on_plane(0.1, start="sliding").compile()
    other.parameters["ball/mass"] = 2.0
    traj = other.simulate(*touching(other.mechanism, (1.0, 0, 0)), duration=0.01, dt=5e-3)
    assert abs(traj.contacts["ball"].forces[0, 2] - 2.0 * G) < 1e-12
    with pytest.warns(UserWarning, match="compiling again"):  # numbers of rolling joints are built in
        other.parameters["ball/joint/surface2.radius"] = 0.2
    traj = other.simulate(*touching(other.mechanism, (1.0, 0, 0)), duration=0.01, dt=5e-3)
    assert abs(traj.q[0, 6] - 0.2) < 1e-12
    rolling = model.in_modes({"ball": "rolling"})
    assert (rolling.nq, rolling.nv) == (5, 3)
    assert model.in_modes({"ball": "rolling"}) is rolling
    assert model.in_modes({"ball": "sliding"}) is model


def test_contact_bodies_in_files_of_our_own(tmp_path):
    mech = ball_on_plane(0.25, 0.5, start="rolling")
    aj.save(mech, tmp_path / "ball.aj.json")
    law, again = mech.bodies[0].contact, aj.load(tmp_path / "ball.aj.json").bodies[0].contact
    assert again == law


@pytest.mark.parametrize("every", [1, 4])
def test_every_so_many_samples(model, every):
    traj = model.simulate(*touching(model.mechanism, (2.0, 0, 0)), duration=0.1, dt=5e-3, save_every=every)
    assert np.allclose(traj.t, np.arange(0, 20 + every, every)[: 20 // every + 1] * 5e-3)
