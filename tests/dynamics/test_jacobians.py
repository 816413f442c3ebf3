"""Jacobians, their rates, products without forming them, and conversions between Cartesian and generalized."""

import numpy as np
import pytest

from anyjoint import joints
from anyjoint.dynamics import conversion
from anyjoint.dynamics.products import J_TIMES, J_TRANSPOSED_TIMES, JDOT_TIMES
from anyjoint.dynamics.redmax import jacobian, jacobian_rate, jacobian_rate_times_velocity
from anyjoint.mechanism import gallery
from anyjoint.mechanism.gallery.kinds import every_kind
from anyjoint.spatial import ad
from dynamics.support import State, bumped, close

H = 1e-5
TURNING = {
    "hinge": joints.Revolute((1, 2, 3)),
    "universal": joints.Universal(),
    "ball": joints.Spherical(),
    "quaternion": joints.SphericalQuaternion(),
}


def tree(seed, n=8, kinds=None):
    state = State(gallery.random_tree(seed, n=n, kinds=kinds))
    return state, np.random.default_rng(seed)


def stacked_jacobian(state):
    return np.concatenate(jacobian(state.blocks(), state.parents))


def with_rates(state, x):
    """Bodies that know x and Sdot*x of their joints."""
    bodies = state.bodies(x=x)
    for k, (body, link) in enumerate(zip(bodies, state.plan.links, strict=True)):
        body.Sdot_x = state.Sdot_times(k, x[link.v])
    return bodies


@pytest.mark.parametrize("seed", range(5))
def test_products_equal_the_matrix(seed):
    """[RM alg. 1] [RM alg. 2] [RM alg. 3]"""
    state, rng = tree(seed)
    J = stacked_jacobian(state)
    x, y = rng.normal(size=state.nv), rng.normal(size=(len(state.parents), 6))
    assert close(state.row(J_TIMES, x=x), J @ x, 1e-12)
    assert close(state.row(J_TRANSPOSED_TIMES, y=y), J.T @ y.ravel(), 1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_rate_product_is_the_time_derivative_of_the_product(seed):
    """Jdot x for any x, not only for the velocities; every joint kind has its turn."""
    state, rng = tree(seed, n=12, kinds=every_kind())
    x = rng.normal(size=state.nv)
    z = np.concatenate(state.run(JDOT_TIMES, bodies=with_rates(state, x))[0]).astype(float)
    ends = [state.at(bumped(state.mech, state.q, state.v, h)).row(J_TIMES, x=x) for h in (H, -H)]
    assert close(z, (ends[0] - ends[1]) / (2 * H), 1e-7)


COMPOSITES = {
    "ball and slider": joints.Composite(joints.SphericalQuaternion(), joints.Prismatic((1, 0, 0))),
    "hinge and ball": joints.Composite(joints.Revolute((1, 2, 3)), joints.SphericalQuaternion()),
    "rolling and slider": joints.Composite(every_kind()["rolling"], joints.Prismatic((1, 2, 0))),
}


@pytest.mark.parametrize("kind", COMPOSITES)
def test_rate_product_of_composites_whose_velocities_are_no_rates(kind):
    """S changes though the velocities of one part are no rates of coordinates."""
    state, rng = tree(1, n=2, kinds={kind: COMPOSITES[kind]})
    x = rng.normal(size=state.nv)
    z = np.concatenate(state.run(JDOT_TIMES, bodies=with_rates(state, x))[0]).astype(float)
    ends = [state.at(bumped(state.mech, state.q, state.v, h)).row(J_TIMES, x=x) for h in (H, -H)]
    assert close(z, (ends[0] - ends[1]) / (2 * H), 1e-7)
    compiled = state.mech.compile().jacobian_rate_times(state.q, state.v, x)
    assert close(np.asarray(compiled).ravel(), z.ravel(), 1e-11)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_rate_matrix_matches_its_products(seed):
    """Jdot_mr by algorithm 1, column by column against algorithm 2; times v it is the links' drift."""
    state, _ = tree(seed, n=6)
    Sdot = [sdot_matrix(state, k) for k in range(len(state.parents))]
    Jdot = np.concatenate(jacobian_rate(state.blocks(), state.parents, state.v, Sdot))
    unit = np.eye(state.nv)
    columns = [np.concatenate(state.run(JDOT_TIMES, bodies=with_rates(state, e))[0]).astype(float) for e in unit]
    assert close(Jdot, np.stack(columns, axis=1), 1e-11)
    drift = np.concatenate(jacobian_rate_times_velocity(state.blocks(), state.parents, np.zeros(6)))
    assert close(Jdot @ state.v, drift, 1e-11)


def sdot_matrix(state, k):
    """Sdot of a joint in its link's frame: the rate of Ad(W^-1) S, where W may move."""
    link, body = state.plan.links[k], state.bodies()[k]
    s_B = body.S_B @ body.qd
    S = body.S_A + body.S_B
    columns = [body.W.motion(state.Sdot_times(k, e) - ad(s_B, S @ e)) for e in np.eye(link.joint.nv)]
    return np.stack(columns, axis=1).astype(float)


@pytest.mark.parametrize("seed", range(4))
def test_cartesian_velocities_are_rates_of_the_centres_of_mass(seed):
    state, rng = tree(seed)
    points = rng.normal(size=(len(state.parents), 3))
    J_v, J_w = conversion.link_jacobians(state.blocks(), state.parents, points)
    v, _ = conversion.cartesian_velocities(J_v, J_w, state.v)

    def positions(s):
        blocks, made = s.blocks(), []
        for block, p in zip(blocks, s.parents, strict=True):
            R, o = made[p] if p >= 0 else (np.eye(3), np.zeros(3))
            made.append((R @ block.R, R @ block.p + o))
        return np.stack([R @ c + o for (R, o), c in zip(made, points, strict=True)])

    ends = [positions(state.at(bumped(state.mech, state.q, state.v, h))) for h in (H, -H)]
    assert close(v, (ends[0] - ends[1]) / (2 * H), 1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_velocities_come_back_from_cartesian_ones(seed):
    state, rng = tree(seed)
    blocks, points = state.blocks(), rng.normal(size=(len(state.parents), 3))
    J_v, J_w = conversion.link_jacobians(blocks, state.parents, points)
    v, omega = conversion.cartesian_velocities(J_v, J_w, state.v)
    found, miss = conversion.generalized_velocities(J_v, J_w, v, omega)
    assert close(found, state.v, 1e-9)
    assert miss < 1e-10
    assert close(conversion.joint_velocities(blocks, state.parents, points, v, omega), state.v, 1e-10)
    _, miss = conversion.generalized_velocities(J_v, J_w, v + rng.normal(size=v.shape), omega)
    assert miss > 1e-3  # no motion of the mechanism has these velocities


def test_turning_joints_need_angular_velocities_only():
    state, rng = tree(1, kinds=TURNING)
    blocks = state.blocks()
    J_v, J_w = conversion.link_jacobians(blocks, state.parents, np.zeros((len(blocks), 3)))
    omega = J_w @ state.v
    assert close(conversion.rotational_velocities(blocks, state.parents, omega), state.v, 1e-11)

    # Torques only: joint by joint, there and back, and the same through the links' torques.
    Q = rng.normal(size=state.nv)
    torques = conversion.joint_torques(blocks, Q)
    assert close(conversion.generalized_from_joint_torques(blocks, torques), Q, 1e-11)
    on_links = conversion.body_torques(conversion.world_rotations(blocks, state.parents), state.parents, torques)
    assert close(conversion.generalized_forces(J_v, J_w, np.zeros_like(on_links), on_links), Q, 1e-11)


def test_cartesian_forces_have_the_generalized_ones():
    state, rng = tree(2)
    J_v, J_w = conversion.link_jacobians(state.blocks(), state.parents, rng.normal(size=(len(state.parents), 3)))
    Q = rng.normal(size=state.nv)
    f, tau = conversion.cartesian_forces(J_v, J_w, Q)
    assert close(conversion.generalized_forces(J_v, J_w, f, tau), Q, 1e-9)
