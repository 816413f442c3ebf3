"""Forces as linear functions of inertias, and which combinations of them can be told."""

from pathlib import Path

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery
from anyjoint.errors import InputError
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
