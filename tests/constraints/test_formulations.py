"""All formulations that know constraints agree with the sweeps that carry them."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.model.dense import WITH_MULTIPLIERS
from tests.constraints.mechanisms import OWN, four_bar, geared
from tests.constraints.random_loops import random_case


def close(got, want, share=1e-10):
    """To a share of the largest acceleration: rows that are nearly redundant cost digits."""
    assert np.abs(got - want).max() <= share * (1 + np.abs(want).max())


@pytest.mark.parametrize("name", WITH_MULTIPLIERS)
@pytest.mark.parametrize("case", OWN)
def test_formulations_agree(case, name):
    """Loops with redundant rows, functions of poses, coordinates and time, velocity rows, soft rows."""
    mech, q, v = OWN[case]()
    model, other = mech.compile(), mech.compile(algorithm=name)
    assert (model.formulation, other.formulation) == ("carried unknowns", name)
    tau = np.random.default_rng(4).normal(size=(3, mech.nv))
    want = model.forward_dynamics(q, v, tau, 0.2)
    close(other.forward_dynamics(q, v, tau, 0.2), want)
    close(other.forward_dynamics(q, v, tau[1], 0.2), want[1])
    close(other.forward_dynamics(np.tile(q, (3, 1)), v, tau, 0.2), want)


@pytest.mark.parametrize("name", ["composite-rigid-body", "lagrangian"])
def test_joints_that_follow_others(name):
    mech, q, v = geared()
    tau = np.random.default_rng(5).normal(size=mech.nv)
    close(mech.compile(algorithm=name).forward_dynamics(q, v, tau), mech.compile().forward_dynamics(q, v, tau))


@pytest.mark.parametrize("name", ["articulated-body", "composite-rigid-body", "lagrangian"])
def test_joints_that_follow_others_without_constraints(name):
    mech = aj.Mechanism("gears")
    mech.add_body("a", joint=joints.Revolute((0, 0, 1)), inertia=aj.Inertia.box(1, 1, 2, 3), damping=0.1)
    follower = joints.Coupled(joints.Prismatic((1, 0, 0)), lambda q: [0.1 * aj.sin(q[0])], "a")
    mech.add_body("b", "a", follower, aj.Pose.translation(1, 0, 0), aj.Inertia.box(1, 1, 2, 3))
    model = mech.compile(algorithm=name)
    assert model.formulation == ("carried unknowns" if name == "articulated-body" else name)
    want = mech.compile().forward_dynamics([0.3], [2.0], [0.5])
    assert model.forward_dynamics([0.3], [2.0], [0.5]) == pytest.approx(want, rel=1e-12)


RANDOM = [(0, False, False), (1, True, False), (2, False, True), (3, True, True), (12, False, False), (17, True, False)]


@pytest.mark.slow  # loops of every kind are compared above
@pytest.mark.parametrize(("seed", "rolling", "shared"), RANDOM)
def test_random_loops(seed, rolling, shared):
    """With each other and with the dense equations, also where bodies roll or share coordinates."""
    case = random_case(seed, rolling=rolling, shared=shared)
    tau, clock = np.random.default_rng(seed).normal(size=case.mech.nv), {"t": case.t} if case.mech.timed else {}
    want, _ = case.dense.solve(tau)
    others = ("composite-rigid-body", "lagrangian") if shared else tuple(WITH_MULTIPLIERS)
    for name in ("articulated-body", *others):
        close(case.mech.compile(algorithm=name).forward_dynamics(case.q, case.v, tau, **clock), want, 1e-9)


@pytest.mark.parametrize("name", ["augmented", "lagrangian"])
def test_they_run(name):
    """A short run with projection, as the sweeps do it."""
    mech, q, v = four_bar()
    want = mech.compile().simulate(q, v, duration=0.02, dt=1e-3)
    got = mech.compile(algorithm=name).simulate(q, v, duration=0.02, dt=1e-3)
    assert got.q[-1] == pytest.approx(want.q[-1], rel=1e-9)


@pytest.mark.parametrize("name", ["recursive", "modified-articulated-body", "recursive-mixed"])
def test_others_are_refused(name):
    mech, *_ = four_bar()
    with pytest.raises(aj.InputError, match=rf"{name}' knows no constraints.*articulated-body.*augmented, redmax"):
        mech.compile(algorithm=name)


@pytest.mark.parametrize("name", ["redmax", "augmented", "recursive"])
def test_followers_are_refused_where_links_need_coordinates(name):
    mech, *_ = geared()
    with pytest.raises(aj.InputError, match=r"'gear' follow others; use one of auto, articulated-body, composite"):
        mech.compile(algorithm=name)


@pytest.mark.parametrize("name", ["redmax", "augmented", "recursive-mixed"])
def test_one_state_under_many_forces(name):
    """Rows of a batch may be given once for all states."""
    mech = aj.Mechanism("pair")
    mech.add_body("a", joint=joints.Revolute((0, 1, 0)), inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    mech.add_body("b", "a", joints.Revolute((0, 1, 0)), inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    tau = [[0.1, 0.2], [0.3, 0.4]]
    want = mech.compile().forward_dynamics([0.3, 0.4], [1, 2], tau)
    assert mech.compile(algorithm=name).forward_dynamics([0.3, 0.4], [1, 2], tau) == pytest.approx(want, rel=1e-12)
