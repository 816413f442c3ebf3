"""Laws of mechanics on random trees of every joint kind, on floats: energy, momentum, symmetry, power."""

import numpy as np
import pytest

from anyjoint import joints
from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.dynamics.constraint_wrench import CONSTRAINT_WRENCHES
from anyjoint.dynamics.kinematics import MEASURE
from anyjoint.dynamics.newton_euler import NEWTON_EULER
from anyjoint.mechanism import gallery
from anyjoint.mechanism.gallery.kinds import every_kind
from dynamics.support import State, bumped, close

SEEDS = range(6)
H = 1e-5


def tree(seed, n=9, kinds=None):
    state = State(gallery.random_tree(seed, n=n, kinds=kinds))
    return state, np.random.default_rng(seed)


def energies(state):
    """Kinetic and potential energy."""
    kinetic, moment, _, _, stored = state.run(MEASURE)
    T, V = (float(sum(x[0] for x in values)) for values in (kinetic, stored))
    return T, V - float(np.dot(np.sum(moment, axis=0).astype(float), state.mech.gravity))


def moved(state, qdd, h):
    """The state after time h, to second order in q and first in v."""
    middle = bumped(state.mech, state.q, state.v + 0.5 * h * qdd, h)
    return state.at(middle, state.v + h * qdd)


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_is_symmetric_positive_and_the_derivative_of_forces(seed):
    state, _ = tree(seed)
    M = state.mass_matrix()
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0
    bias = state.row(NEWTON_EULER, qdd=np.zeros(state.nv))
    columns = [state.row(NEWTON_EULER, qdd=e) - bias for e in np.eye(state.nv)]
    assert close(np.stack(columns, axis=1), M, 1e-11)


@pytest.mark.parametrize("seed", SEEDS)
def test_kinetic_energy_is_half_v_M_v(seed):
    state, _ = tree(seed)
    assert close(energies(state)[0], 0.5 * state.v @ state.mass_matrix() @ state.v, 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_Mdot_minus_2C_does_no_work(seed):
    """v^T (Mdot - 2 C) v = 0, where C v is what velocities alone ask for."""
    state, _ = tree(seed)
    C_v = state.row(NEWTON_EULER, qdd=np.zeros(state.nv)) - state.at(v=0 * state.v).row(
        NEWTON_EULER, qdd=np.zeros(state.nv)
    )
    M = [state.at(bumped(state.mech, state.q, state.v, h)).mass_matrix() for h in (H, -H)]
    Mdot = (M[0] - M[1]) / (2 * H)
    work = state.v @ Mdot @ state.v
    assert abs(work - 2 * state.v @ C_v) < 1e-7 * max(1.0, abs(work), np.abs(C_v).max())


@pytest.mark.parametrize("seed", range(3))
def test_Mdot_minus_2C_is_skew(seed):
    """With C of Christoffel's symbols, C(v) x = (N(v + x) - N(v - x)) / 4, N - 2C is skew entry by entry."""
    holonomic = {k: j for k, j in every_kind().items() if j.nq == j.nv}
    state, _ = tree(seed, n=5, kinds=holonomic)
    zero = np.zeros(state.nv)
    rest = state.at(v=zero).row(NEWTON_EULER, qdd=zero)

    def velocity_forces(v):
        return state.at(v=v).row(NEWTON_EULER, qdd=zero) - rest

    unit = np.eye(state.nv)
    C = np.stack([(velocity_forces(state.v + e) - velocity_forces(state.v - e)) / 4 for e in unit], axis=1)
    M = [state.at(bumped(state.mech, state.q, state.v, h)).mass_matrix() for h in (H, -H)]
    N = (M[0] - M[1]) / (2 * H) - 2 * C
    assert np.abs(N + N.T).max() < 1e-7 * max(1.0, np.abs(C).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_power_is_the_rate_of_energy(seed):
    state, rng = tree(seed)
    tau = rng.normal(size=state.nv)
    qdd = state.row(ARTICULATED_BODY, tau=tau)
    ahead, behind = (sum(energies(moved(state, qdd, h))) for h in (H, -H))
    power = tau @ state.v
    assert abs((ahead - behind) / (2 * H) - power) < 1e-6 * max(1.0, abs(power), np.abs(qdd).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_gravity_forces_are_the_slope_of_potential_energy(seed):
    state, rng = tree(seed)
    held = state.at(v=0 * state.v).row(NEWTON_EULER, qdd=np.zeros(state.nv))
    direction = rng.normal(size=state.nv)
    V = [energies(state.at(bumped(state.mech, state.q, direction, h)))[1] for h in (H, -H)]
    assert abs((V[0] - V[1]) / (2 * H) - held @ direction) < 1e-7 * max(1.0, np.abs(held).max())


@pytest.mark.parametrize("root", [joints.Free(), joints.FreeQuaternion()])
def test_momentum_of_a_free_system_is_constant(root):
    others = {k: j for k, j in every_kind().items() if k not in ("free", "free-quaternion", "fixed")}
    mech = gallery.random_tree(1, n=1, kinds={"root": root})
    tail = gallery.random_tree(2, n=6, kinds=others)
    mech.gravity = (0.0, 0.0, 0.0)
    for body in tail.bodies:
        parent = mech.bodies[0 if body.parent < 0 else body.parent + 1]
        mech.add_body(body.name, parent, body.joint, body.placement, body.inertia)
    rng = np.random.default_rng(3)
    q = np.concatenate([mech.start[0], tail.start[0]])
    state = State(mech, q, rng.normal(size=mech.nv))
    inner = rng.normal(size=mech.nv)
    inner[: root.nv] = 0.0  # forces inside the system only
    qdd = state.row(ARTICULATED_BODY, tau=inner)

    def momentum(s):
        return np.sum(s.run(MEASURE)[2], axis=0).astype(float)

    before = momentum(state)
    rate = (momentum(moved(state, qdd, H)) - momentum(moved(state, qdd, -H))) / (2 * H)
    assert np.abs(rate).max() < 1e-6 * max(1.0, np.abs(before).max(), np.abs(qdd).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_joint_wrenches_carry_the_generalized_forces_and_balance_each_link(seed):
    state, rng = tree(seed)
    qdd = rng.normal(size=state.nv)
    wrenches = [w.astype(float) for w in state.run(CONSTRAINT_WRENCHES, qdd=qdd)[0]]
    along = np.concatenate([block.S.T @ w for block, w in zip(state.blocks(), wrenches, strict=True)])
    assert close(along, state.row(NEWTON_EULER, qdd=qdd), 1e-11)
    # At rest and still, the joints of the roots carry the whole weight.
    still = state.at(v=0 * state.v)
    held = still.run(CONSTRAINT_WRENCHES, qdd=0 * qdd)[0]
    blocks = still.blocks()
    weight = sum(blocks[i].R @ held[i][3:].astype(float) for i, p in enumerate(state.parents) if p < 0)
    mass = sum(float(b.J.C[0, 0]) for b in state.bodies())
    assert close(weight, -mass * np.array(state.mech.gravity), 1e-11)
