"""All formulations agree on random trees of every joint kind, on floats; inverse after forward is the identity."""

from dataclasses import replace

import numpy as np
import pytest

from anyjoint import joints
from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.dynamics.augmented import (
    articulated_inertias,
    augmented_accelerations,
    augmented_system,
    dense,
    joint_space_inertia,
    pivots,
)
from anyjoint.dynamics.blocks import Block, Maximal, split_blocks
from anyjoint.dynamics.hybrid import HYBRID
from anyjoint.dynamics.kinematics import BLOCKS
from anyjoint.dynamics.lagrangian import LAGRANGIAN_INVERSE
from anyjoint.dynamics.lagrangian_printed import LAGRANGIAN_PRINTED
from anyjoint.dynamics.lagrangian_unfactored import unfactored_forces
from anyjoint.dynamics.modified_articulated_body import MODIFIED_ARTICULATED_BODY
from anyjoint.dynamics.newton_euler import NEWTON_EULER, PASSIVE
from anyjoint.dynamics.recursive import RECURSIVE
from anyjoint.dynamics.redmax import redmax_accelerations
from anyjoint.mechanism import Inertia, Mechanism, gallery
from dynamics.support import State, close

SMALL = 12  # bodies; larger trees say the same of the same joints, and the gallery below has large ones
TREES = [
    pytest.param(seed, n, marks=[pytest.mark.slow] * (n > SMALL)) for seed in range(100) for n in (1 + seed % 30,)
]
GALLERY = {
    "beads": gallery.beads_on_wires,
    "board": gallery.board_on_spline_surface,
    "wheels": gallery.rolling_wheels,
    "shoulder": gallery.shoulder_blade,
    "torus chain on a spline": gallery.torus_chain_on_spline,
    "RC100": lambda: gallery.revolute_chain(100),
    "TC20": lambda: gallery.torus_chain(20),
    "windmill": gallery.windmill,
}


def random_state(seed, n):
    """A tree with random forces."""
    mech = gallery.random_tree(seed, n=n)
    state = State(mech)
    state.tau = np.random.default_rng(seed).normal(size=mech.nv)
    return state


def forward(state):
    """Accelerations by every forward formulation."""
    tau, base = state.tau, state.base()
    blocks, inertias = state.blocks(), state.inertias()
    bias = state.row(NEWTON_EULER, qdd=np.zeros(state.nv))
    made = {a.name: state.row(a, tau=tau) for a in (RECURSIVE, ARTICULATED_BODY, MODIFIED_ARTICULATED_BODY)}
    made["composite-rigid-body"] = np.linalg.solve(state.mass_matrix(), tau - bias)
    made["lagrangian"] = lagrangian_forward(state)
    applied = tau + state.row(PASSIVE)  # springs and dampers are forces like others here
    links = Maximal(blocks, state.parents, inertias, applied, base)
    made["redmax"] = redmax_accelerations(links)
    made["augmented"] = augmented_accelerations(links)
    return made


def maximal(state):
    """All links and what acts on them."""
    return Maximal(state.blocks(), state.parents, state.inertias(), state.tau, state.base())


def lagrangian_forward(state):
    """c from the trace form, and for small trees also M, column by column: it is linear in qdd [GL eq. 14]."""
    c = state.row(LAGRANGIAN_PRINTED, qdd=np.zeros(state.nv))
    if state.nv > 8:
        return np.linalg.solve(state.mass_matrix(), state.tau - c)
    columns = [state.row(LAGRANGIAN_PRINTED, qdd=e) - c for e in np.eye(state.nv)]
    return np.linalg.solve(np.stack(columns, axis=1), state.tau - c)


@pytest.mark.parametrize(("seed", "n"), TREES)
def test_all_formulations_agree(seed, n):
    """[SG eq. 18-35], [GL eq. 7-14], [PAK eq. 2-8], [RM eq. 9-21], [LJ eq. 72, 73, 77-80, 84, 85] [GL eq. 1]"""
    agree(random_state(seed, n))


@pytest.mark.parametrize("name", GALLERY)
def test_all_formulations_agree_on_the_gallery(name):
    state = State(GALLERY[name]())
    state.tau = np.random.default_rng(0).normal(size=state.nv)
    agree(state)


def agree(state):
    """To 1e-9 whatever the condition of M; and the inverse gives back the forces, up to the size of their parts."""
    if state.nv == 0:
        return
    made = forward(state)
    for name, qdd in made.items():
        assert np.isfinite(qdd).all(), name
        assert close(qdd, made["modified-articulated-body"], 1e-9), name
    size = np.abs(state.mass_matrix() @ made["recursive"]).max()
    qdd = made["modified-articulated-body"]
    backs = [state.row(algorithm, qdd=qdd) for algorithm in (NEWTON_EULER, LAGRANGIAN_INVERSE, LAGRANGIAN_PRINTED)]
    # [GL eq. 4] [GL eq. 5] [GL eq. 6]
    unfactored = unfactored_forces(state.bodies(qdd=qdd), state.parents, state.root())
    for back in (*backs, np.array(unfactored, dtype=float)):
        assert np.abs(back - state.tau).max() < 1e-9 * max(1.0, size)


@pytest.mark.parametrize("seed", range(6))
def test_inner_frames_and_regrouped_inertia_do_not_show(seed):
    mech = gallery.random_tree(seed, n=12)
    tau = np.random.default_rng(seed).normal(size=mech.nv)
    plain = State(mech, canonical=False).row(ARTICULATED_BODY, tau=tau)
    for other in (State(mech), State(mech, regroup=True)):
        assert close(other.row(ARTICULATED_BODY, tau=tau), plain, 1e-10)


@pytest.mark.parametrize("seed", range(8))
def test_hybrid_equals_forward_with_the_returned_forces(seed):
    state = random_state(seed, 10)
    rng = np.random.default_rng(seed)
    prescribed = rng.random(len(state.parents)) < 0.5
    wanted = rng.normal(size=state.nv)
    qdd, tau_out = (np.concatenate(x).astype(float) for x in hybrid(state, prescribed, wanted))
    assert close(state.row(ARTICULATED_BODY, tau=tau_out), qdd, 1e-9)
    for link, fixed in zip(state.plan.links, prescribed, strict=True):
        given, found = (wanted, qdd) if fixed else (state.tau, tau_out)
        assert np.array_equal(given[link.v], found[link.v])


@pytest.mark.parametrize("all_prescribed", [True, False])
def test_hybrid_at_its_ends_is_inverse_and_forward_dynamics(all_prescribed):
    state = random_state(3, 10)
    wanted = np.random.default_rng(1).normal(size=state.nv)
    qdd, tau_out = (
        np.concatenate(x).astype(float) for x in hybrid(state, [all_prescribed] * len(state.parents), wanted)
    )
    if all_prescribed:
        assert close(tau_out, state.row(NEWTON_EULER, qdd=wanted), 1e-12)
    else:
        assert close(qdd, state.row(ARTICULATED_BODY, tau=state.tau), 1e-12)


def hybrid(state, prescribed, wanted):
    return state.run(HYBRID, tau=state.tau, qdd_in=wanted, prescribed=prescribed)


# -- the augmented system and its eliminations [PAK] -----------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_eliminations_of_the_augmented_system_give_the_other_methods(seed):
    state = random_state(seed, 7)
    system = augmented_system(maximal(state))
    assert close(joint_space_inertia(system), state.mass_matrix(), 1e-12)  # eq. 7: composite rigid bodies

    bodies = state.bodies(tau=state.tau)
    inward = replace(ARTICULATED_BODY, sweeps=ARTICULATED_BODY.sweeps[:2], results=())
    state.run(inward, bodies=bodies)  # eq. 8: articulated bodies
    for body, J_hat, D in zip(bodies, articulated_inertias(system), pivots(system), strict=True):
        assert close(body.plus("J", body.J).matrix(), J_hat, 1e-11)
        assert np.all(np.linalg.eigvalsh(D) > 0)


def test_block_elimination_solves_the_whole_sparse_system():
    state = random_state(5, 6)
    links = maximal(state)
    M, right = dense(augmented_system(links))
    x, at, qdd = np.linalg.solve(M, right), 0, []
    for block in links.blocks:
        n = block.S.shape[1]
        qdd.append(x[at + 12 : at + 12 + n])
        at += 12 + n
    assert close(np.concatenate(qdd), augmented_accelerations(links), 1e-11)


def test_dense_formulations_take_batches():
    state = random_state(2, 6)
    states = [state.at(v=k * state.v) for k in (0.0, 1.0, -2.0)]
    parts = [[np.asarray(x, dtype=float).ravel() for part in s.run(BLOCKS) for x in part] for s in states]
    rows = [np.concatenate(part) for part in parts]
    widths = [link.joint.nv for link in state.plan.links]
    batch = split_blocks(np.stack(rows), widths)
    tau = np.stack([state.tau] * 3)
    for solve in (redmax_accelerations, augmented_accelerations):
        made = solve(Maximal(batch, state.parents, state.inertias(), tau, state.base()))
        for k, s in enumerate(states):
            alone = Maximal(s.blocks(), state.parents, state.inertias(), state.tau, state.base())
            assert close(made[k], solve(alone), 1e-12)
    assert isinstance(batch[0], Block)


def test_massless_bodies_between_others():
    """A gimbal of three massless-ringed hinges is one ball joint in other coordinates; the total inertia is regular."""
    mech = Mechanism("gimbal")
    for k, axis in enumerate([(1, 0, 0), (0, 1, 0), (0, 0, 1)]):
        inertia = Inertia(2.0, (0.1, 0.2, 0.3), np.diag([1.0, 2.0, 2.5])) if k == 2 else None
        mech.add_body(f"ring {k}", mech.bodies[-1] if k else None, joints.Revolute(axis), inertia=inertia)
    state = State(mech, [0.3, -0.4, 0.5], [1.0, 2.0, -1.0])
    state.tau = np.array([0.5, -0.3, 0.2])
    agree(state)
