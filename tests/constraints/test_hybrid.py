"""Hybrid dynamics with constraints and with joints that follow others."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from anyjoint.codegen import count_schedule
from anyjoint.quantity.hybrid_dynamics import hybrid_dynamics
from anyjoint.trace.workshop import Workshop
from tests.constraints.mechanisms import ALL, four_bar, geared
from tests.constraints.random_loops import random_case

SOME = {"hinge": [["crank"], ["rocker"]], "rods": [["a"], ["b"], ["c"]], "sleigh": [["trailer"]], "gear": [["crank"]]}


@pytest.mark.parametrize(("case", "names"), [(case, names) for case, many in SOME.items() for names in many])
def test_forces_of_forward_dynamics_come_back(case, names):
    """Accelerations of some joints in, their forces out: where a is what tau causes, both come back."""
    mech, q, v = ALL[case]()
    model, tau = mech.compile(), np.random.default_rng(6).normal(size=mech.nv)
    want = model.forward_dynamics(q, v, tau, 0.0)
    held = np.concatenate([np.arange(mech[name].v.start, mech[name].v.stop) for name in names])
    given, forces = np.full(mech.nv, 7.0), tau.copy()
    given[held], forces[held] = want[held], -3.0  # what is not read may be anything
    a, found = model.hybrid_dynamics(q, v, forces, given, names, t=0.0)
    scale = 1 + np.abs(want).max()
    assert np.abs(a - want).max() <= 1e-10 * scale
    # Rows on a prescribed joint alone can push instead of it: then forces are one choice of many.
    again = model.forward_dynamics(q, v, found, 0.0)
    assert np.abs(again - want).max() <= 1e-9 * scale
    rest = np.setdiff1d(np.arange(mech.nv), held)
    assert found[rest] == pytest.approx(tau[rest], abs=0)


@pytest.mark.parametrize("seed", [0, 14, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 17))])
def test_any_accelerations_of_a_joint(seed):
    """Against the dense system: the prescribed joint's columns go to the right side, its force is what is left."""
    rng, case = np.random.default_rng(200 + seed), random_case(seed)
    mech, q, v, dense = case.mech, case.q, case.v, case.dense
    model = mech.compile()
    G = dense.G[dense.hard]
    scores = {}
    for body in mech.bodies:  # one whose motion the constraints leave free
        free = np.setdiff1d(np.arange(mech.nv), np.arange(body.v.start, body.v.stop))
        if np.linalg.matrix_rank(G[:, free], 1e-9) == np.linalg.matrix_rank(G, 1e-9):
            scores[body.index] = free
    index, free = max(scores.items())
    given, tau = rng.normal(size=mech.nv), rng.normal(size=mech.nv)
    a, forces = model.hybrid_dynamics(q, v, tau, given, [index], t=case.t)
    M, bias, G, gamma = dense.M, dense.bias + dense.G.T @ dense.push, dense.G[dense.hard], dense.gamma[dense.hard]
    held = np.setdiff1d(np.arange(mech.nv), free)
    K = np.block([[M[np.ix_(free, free)], G[:, free].T], [G[:, free], np.zeros((len(G), len(G)))]])
    right = [tau[free] - bias[free] - M[np.ix_(free, held)] @ given[held], -gamma - G[:, held] @ given[held]]
    solved = np.linalg.lstsq(K, np.concatenate(right), rcond=1e-11)[0]
    want = given.copy()
    want[free] = solved[: len(free)]
    scale = 1 + np.abs(want).max()
    assert np.abs(a - want).max() <= 1e-9 * scale
    forced = (M @ want + bias + G.T @ solved[len(free) :])[held]
    assert np.abs(forces[held] - forced).max() <= 1e-8 * (scale + np.abs(forced).max())


def test_a_leader_is_prescribed_with_all_that_follow_it():
    """Against inverse dynamics: with every joint prescribed the forces are those of the tree."""
    mech = aj.Mechanism("gears")
    mech.add_body("a", joint=joints.Revolute((0, 0, 1)), inertia=aj.Inertia.box(1, 1, 2, 3), damping=0.1, armature=0.3)
    follower = joints.Coupled(joints.Prismatic((1, 0, 0)), lambda q: [0.1 * aj.sin(q[0])], "a")
    mech.add_body("b", "a", follower, aj.Pose.translation(1, 0, 0), aj.Inertia.box(1, 1, 2, 3))
    mech.add_body("c", "b", joints.Universal(), aj.Pose.translation(0, 1, 0), aj.Inertia.box(1, 0.1, 0.2, 0.3))
    model = mech.compile()
    q, v, a, tau = np.random.default_rng(7).normal(size=(4, 3))
    got, forces = model.hybrid_dynamics(q, v, tau, a, ["a", "c"])
    assert got == pytest.approx(a, abs=0)
    assert forces == pytest.approx(model.inverse_dynamics(q, v, a), rel=1e-12)
    got, forces = model.hybrid_dynamics(q, v, tau, a, ["a"])
    assert model.inverse_dynamics(q, v, got) == pytest.approx([forces[0], *tau[1:]], rel=1e-11, abs=1e-12)
    got, forces = model.hybrid_dynamics(np.tile(q, (3, 1)), v, tau, a, ["c"])
    assert model.inverse_dynamics(q, v, got) == pytest.approx(np.array([tau[0], *forces[0, 1:]])[None].repeat(3, 0))


def test_what_cannot_be_is_refused():
    mech, q, v = four_bar()
    model = mech.compile()
    with pytest.raises(aj.InputError, match=r"hybrid_dynamics: the accelerations a violate constraints: pin/shift"):
        model.hybrid_dynamics(q, v, np.zeros(3), [1.0, 2.0, 3.0], ["crank", "rocker", "coupler"])
    mech, q, v = geared()
    with pytest.raises(aj.InputError, match=r"'gear' has no coordinates to prescribe"):
        mech.compile().hybrid_dynamics(q, v, np.zeros(mech.nv), np.zeros(mech.nv), ["gear"])


@pytest.mark.parametrize(("case", "names"), [("hinge", ["crank"]), ("rods", ["b"]), ("sleigh", ["trailer"])])
def test_kernels_answer_as_straight_code_does(case, names):
    mech, q, v = ALL[case]()
    tau = np.random.default_rng(7).normal(size=mech.nv)
    straight, kernels = (mech.compile(form=form) for form in ("straight", "kernels"))
    a = straight.forward_dynamics(q, v, tau, 0.0)
    want, found = (np.concatenate(m.hybrid_dynamics(q, v, tau, a, names, t=0.0)) for m in (straight, kernels))
    assert np.abs(found - want).max() <= 1e-12 * np.abs(want).max()


def test_kernels_do_not_grow_with_loops():
    """So that a long chain of loops is compiled as quickly as a short one."""
    hybrid = hybrid_dynamics(frozenset([0]))
    traced = [hybrid.trace(Workshop(gallery.chain_of_four_bars(n), "kernels"), "auto") for n in (6, 9, 12)]
    counts = [len(trace.schedule.kernels) for trace in traced]
    assert max(counts) - min(counts) <= 1  # sines need one kernel, or two where not all calls take as many
    few, some, many = (count_schedule(trace.schedule).total for trace in traced)
    assert many - some <= 1.02 * (some - few)
