"""Forces as linear functions of inertias, and which combinations of them can be told."""

from pathlib import Path

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery
from anyjoint.errors import InputError
from anyjoint.mechanism.log_cholesky import slopes
from bench import models, ours
from derivatives.support import close

ROBOTS = Path(__file__).parents[1] / "data" / "robots"


@pytest.mark.parametrize("form", ["straight", "kernels"])
def test_forces_are_the_regressor_times_inertias(form):
    kinds = gallery.every_kind()
    names = ("revolute", "fixed", "universal", "spherical-quaternion", "prismatic")
    mech = gallery.random_tree(3, n=5, kinds={name: kinds[name] for name in names})
    model, rng = mech.compile(form=form), np.random.default_rng(0)
    q, (v, a) = np.array(mech.start[0]), rng.normal(size=(2, mech.nv))
    Y = model.regressor(q, v, a)
    assert Y.shape == (mech.nv, 10 * mech.nb)
    assert close(Y @ model.inertial_parameters, model.inverse_dynamics(q, v, a), 1e-14)


LONG = [pytest.param(*x, marks=pytest.mark.slow) for x in (("Panda", 51), ("RC20", 136))]
RANKS = [("RC6", 38), ("UR5", 36), ("ANYmal", 94), *LONG]


@pytest.mark.parametrize(("name", "rank"), RANKS)
def test_ranks_of_chains_and_robots(name, rank):
    """Robots are those of example-robot-data, written by `python -m bench.robots`."""
    neutral = models.chain(name) if name.startswith("RC") else models.load(ROBOTS / f"{name}.json")
    model = ours.mechanism(neutral).compile()
    base = model.base_parameters()
    assert base.rank == rank == len(base.names)
    assert base.matrix.shape == (rank, 10 * model.nb)
    v, a = np.random.default_rng(1).normal(size=(2, model.nv))
    q = models.random_states(neutral, 1)[0][0]
    told = model.regressor(q, v, a)[:, base.columns] @ (base.matrix @ model.inertial_parameters)
    assert close(told, model.inverse_dynamics(q, v, a), 1e-11)


def test_a_pendulum_tells_two_numbers_of_ten():
    """About its axis and its weight: (Iyy, and hx, hz) of which one is told by each."""
    mech = aj.Mechanism("pendulum", gravity=(0, 0, -9.81))
    mech.add_body("bob", joint=aj.joints.Revolute((0, 1, 0)), inertia=aj.Inertia.point(2.0, (0, 0, -0.5)))
    base = mech.compile().base_parameters()
    assert base.names == ("bob/hx", "bob/hz", "bob/Iyy")


def test_ten_free_numbers_make_a_solid_and_come_back():
    rng = np.random.default_rng(0)
    for _ in range(5):
        theta = rng.normal(size=10)
        inertia = aj.Inertia.log_cholesky(theta)  # refuses what no solid can have
        assert close(inertia.log_cholesky_parameters, theta, 1e-12)
    pose = aj.Pose.translation(1, 2, 3) @ aj.Pose.rpy(1, 2, 3)
    brick = aj.Inertia.box(2.0, 0.1, 0.2, 0.3).moved(pose)
    again = aj.Inertia.log_cholesky(brick.log_cholesky_parameters)
    assert np.isclose(again.mass, 2.0, rtol=1e-15)
    assert close(again.com, brick.com, 1e-15)
    assert close(again.tensor, brick.tensor, 1e-13)


def test_inertias_without_logarithms_are_refused():
    with pytest.raises(InputError, match="not that of a solid with volume"):
        aj.Inertia.point(1.0).log_cholesky_parameters  # noqa: B018
    with pytest.raises(InputError, match="expected ten finite numbers"):
        aj.Inertia.log_cholesky([1.0, 2.0])
    for theta in (None, "ten", [[1.0], [1.0, 2.0]], np.full(10, np.nan), np.full(10, 1e4)):
        with pytest.raises(InputError, match=r"(?s)Inertia\.log_cholesky: theta=.*; expected ten finite numbers"):
            aj.Inertia.log_cholesky(theta)


def test_slopes_of_the_ten_numbers():
    theta, h = np.random.default_rng(1).normal(size=10) / 2, 1e-3
    for k, (mass, com, tensor) in enumerate(slopes(theta)):
        at = [aj.Inertia.log_cholesky(theta + x * h * np.eye(10)[k]) for x in (-2, -1, 1, 2)]
        for given, name in ((mass, "mass"), (com, "com"), (tensor, "tensor")):
            a, b, c, d = (np.asarray(getattr(inertia, name)) for inertia in at)
            assert close(given, (8 * (c - b) - (d - a)) / (12 * h), 1e-9)


def test_single_precision_tells_the_same_base_parameters():
    """Rounding of floats passed for rank: 59 of six hinges, for 38."""
    mech = aj.gallery.revolute_chain(6)
    single, double = mech.compile(dtype="float32").base_parameters(), mech.compile().base_parameters()
    assert single.names == double.names
    assert double.rank == 38


BAD = [{"states": 0}, {"states": 10**12}, {"states": 1.5}, {"states": -1}, {"seed": "a"}, {"seed": -1}]


@pytest.mark.parametrize("options", BAD)
def test_numbers_of_states_and_seeds_are_whole(options):
    with pytest.raises(InputError, match=r"base_parameters: (states|seed)=.*; expected a whole number of at least"):
        aj.gallery.revolute_chain(1).compile().base_parameters(**options)
