"""C and the factors of M^-1 as Si & Guenter's appendices write them, with global matrices, against models."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from anyjoint.dynamics.blocks import ad_matrix
from anyjoint.mechanism.gallery.kinds import every_kind
from dynamics.support import State, bumped, close
from tests.joints.everything import EVERYTHING

H = 1e-5


class Global:
    """The matrices of appendix A at a state: one block of six rows per link."""

    def __init__(self, state):
        blocks, n = state.blocks(), len(state.parents)
        self.S, self.Sdot = np.zeros((2, 6 * n, state.nv))
        self.J, self.Gamma, self.spin = np.zeros((3, 6 * n, 6 * n))
        bodies, unit = state.bodies(), np.eye(state.nv)
        for i, block in enumerate(blocks):
            rows, link = slice(6 * i, 6 * i + 6), state.plan.links[i]
            to_child = np.asarray([bodies[i].W.motion(e) for e in np.eye(6)], dtype=float).T
            s_B = ad_matrix(np.asarray(bodies[i].S_B @ state.v[link.v], dtype=float))
            working = np.asarray(bodies[i].S_A + bodies[i].S_B, dtype=float)
            self.S[rows, link.v] = block.S
            self.J[rows, rows] = bodies[i].J.matrix().astype(float)
            self.spin[rows, rows] = -ad_matrix(block.S @ state.v[link.v])  # ad_{S qd} of appendix A
            for k in range(link.v.start, link.v.stop):
                x = unit[k, link.v]  # Sdot in the child's frame, which the working frame may move against
                rate = np.asarray(state.Sdot_times(i, x), dtype=float) - s_B @ (working @ x)
                self.Sdot[rows, k] = to_child @ rate  # [SG eq. 12]
            if state.parents[i] >= 0:
                above = slice(6 * state.parents[i], 6 * state.parents[i] + 6)
                self.Gamma[rows, above] = block.to_child  # [SG eq. 43]
        self.G = np.linalg.inv(np.eye(6 * n) - self.Gamma)  # [SG eq. 44]
        twists = (self.G @ self.S @ state.v).reshape(n, 6)  # [SG eq. 41]
        self.turn = np.zeros((6 * n, 6 * n))
        for i, v in enumerate(twists):
            self.turn[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = -ad_matrix(v).T

    def coriolis(self):
        """[SG eq. 52] as it is printed; the first two terms are J Wdot [SG eq. 42]."""
        G, S, J = self.G, self.S, self.J
        return S.T @ G.T @ (J @ G @ self.spin @ self.Gamma @ G @ S + J @ G @ self.Sdot + self.turn @ J @ G @ S)

    def mass(self):
        """[SG eq. 51]."""
        return self.S.T @ self.G.T @ self.J @ self.G @ self.S

    def factors(self, parents, widths):
        """(1 - S^T Y Pi) and Omega of [SG eq. 58], by [SG eq. 27-30]; Y sums Ad* (1 - J S Omega^-1 S^T) over paths."""
        n, nv = len(parents), self.S.shape[1]
        at = np.cumsum([0, *widths])
        J = [self.J[6 * i : 6 * i + 6, 6 * i : 6 * i + 6].copy() for i in range(n)]
        Omega, Pi, step = np.zeros((nv, nv)), np.zeros((6 * n, nv)), np.zeros((6 * n, 6 * n))
        for i in range(n - 1, -1, -1):
            own, columns = slice(6 * i, 6 * i + 6), slice(at[i], at[i + 1])
            S = self.S[own, columns]
            Omega[columns, columns] = S.T @ J[i] @ S  # [SG eq. 28]
            gain = J[i] @ S @ np.linalg.inv(Omega[columns, columns])
            if parents[i] >= 0:
                above = slice(6 * parents[i], 6 * parents[i] + 6)
                dual = self.Gamma[own, above].T
                step[above, own] = dual @ (np.eye(6) - gain @ S.T)  # [SG eq. 29]
                Pi[above, columns] = dual @ gain  # [SG eq. 30], with the dual adjoint
                J[parents[i]] += dual @ (J[i] - gain @ S.T @ J[i]) @ dual.T  # [SG eq. 27]
        return np.eye(nv) - self.S.T @ np.linalg.inv(np.eye(6 * n) - step) @ Pi, Omega


def tree(seed, n=4):
    kinds = every_kind()
    names = ("revolute", "prismatic", "universal", "spherical-quaternion", "surface-surface", "own")
    return gallery.random_tree(seed, n=n, kinds={name: kinds[name] for name in names})


@pytest.mark.parametrize("seed", [1])
def test_the_printed_C_has_the_same_product_with_velocities_but_is_not_skew(seed):
    """The one place where a model departs from the page, and why it does."""
    mech = tree(seed)
    state, model = State(mech), mech.compile()
    q, v = state.q, state.v
    printed, C = Global(state).coriolis(), model.coriolis_matrix(q, v)
    assert close(printed @ v, C @ v, 1e-12)
    M = [model.mass_matrix(bumped(mech, q, v, h)) for h in (H, -H)]
    Mdot = (M[0] - M[1]) / (2 * H)
    skew, theirs = Mdot - 2 * C, Mdot - 2 * printed
    scale = np.abs(C).max()
    assert np.abs(skew + skew.T).max() < 1e-7 * scale  # of second order in H
    assert np.abs(theirs + theirs.T).max() > 1e-3 * scale


@pytest.mark.parametrize("seed", [1])
def test_the_inverse_of_M_has_its_square_factors(seed):
    mech = tree(seed)
    state = State(mech)
    whole, M = Global(state), state.mass_matrix()
    assert close(whole.mass(), M, 1e-12)
    right, Omega = whole.factors(state.parents, [link.joint.nv for link in state.plan.links])
    inverse = right.T @ np.linalg.inv(Omega) @ right  # [SG eq. 58]
    assert close(inverse @ M, np.eye(state.nv), 1e-11)
    x = np.random.default_rng(seed).normal(size=state.nv)
    assert close(mech.compile().inverse_mass_times(state.q, x), inverse @ x, 1e-11)


def laws(mech, q, v, tolerance=1e-12):
    """C v is what velocities ask for, Mdot - 2C is skew, M (M^-1 x) = x; a quadratic form makes differences exact."""
    model, rng = mech.compile(), np.random.default_rng(5)
    C, M = model.coriolis_matrix(q, v), model.mass_matrix(q)
    asked = model.bias_forces(q, v) - model.gravity_forces(q) + model.passive_forces(q, v)
    assert close(C @ v, asked, tolerance)
    ends = [model.mass_matrix(bumped(mech, q, v, h)) for h in (H, -H)]
    N = (ends[0] - ends[1]) / (2 * H) - 2 * C
    assert np.abs(N + N.T).max() < 1e-6 * max(1.0, np.abs(C).max())
    x = rng.normal(size=mech.nv)
    assert close(M @ model.inverse_mass_times(q, x), x, tolerance * np.linalg.cond(M) ** 0.5)
    if mech.rates_are_velocities:  # Christoffel's symbols are symmetric
        assert close(model.coriolis_matrix(q, x) @ v, C @ x, tolerance)


SOME = ("revolute", "spherical", "spherical-quaternion", "tori")  # others are slow


def on_a_hinge(name):
    mech = aj.Mechanism(name)
    arm = aj.Inertia.box(1.0, 0.3, 0.4, 0.5).moved(aj.Pose.translation(0.2, 0.1, 0.3) @ aj.Pose.rpy(0.1, 0.5, 0.3))
    first, joint = mech.add_body("first", joint=joints.Revolute((1, 2, 2)), inertia=arm), EVERYTHING[name]
    pull = 0.0 if any(c.wrap for c in joint.coordinates) else 2.0
    mech.add_body("second", first, joint, aj.Pose.translation(0.3, 0, 0.1), arm, armature=0.1, stiffness=pull)
    return mech


def regular(name):
    from tests.joints.zoo import configurations

    mech = on_a_hinge(name)
    q, _ = next(configurations(EVERYTHING[name], 1, seed=4))
    return mech, np.concatenate([[0.3], q]), np.random.default_rng(1).normal(size=mech.nv)


@pytest.mark.parametrize("name", SOME)
def test_laws_of_C_and_of_the_inverse(name):
    laws(*regular(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, joint in EVERYTHING.items() if joint.nv and name not in SOME])
def test_laws_of_C_and_of_the_inverse_for_every_joint(name):
    laws(*regular(name), tolerance=1e-11)


def test_laws_where_joints_follow_others():
    mech = gallery.four_bar_knee()
    laws(mech, np.array(mech.start[0]), np.array([0.7, -1.1]))


def test_large_ones_go_by_kernels():
    mech = gallery.revolute_chain(45)
    rng = np.random.default_rng(0)
    q, v, x = rng.normal(size=(3, 45))
    model, small = mech.compile(form="kernels"), gallery.revolute_chain(7).compile(form="kernels")
    straight = gallery.revolute_chain(7).compile(form="straight")
    assert close(small.coriolis_matrix(q[:7], v[:7]), straight.coriolis_matrix(q[:7], v[:7]), 1e-13)
    C = model.coriolis_matrix(q, v)
    assert close(C @ v, model.bias_forces(q, v) - model.gravity_forces(q), 1e-12)
    assert close(model.mass_matrix(q) @ model.inverse_mass_times(q, x), x, 1e-8)  # of a condition of 1e5
    assert close(model.inverse_mass_matrix(q) @ x, model.inverse_mass_times(q, x), 1e-9)


def test_a_product_costs_less_than_forward_dynamics_and_is_linear():
    models = [gallery.revolute_chain(n).compile(form="straight") for n in (6, 8, 10)]
    counts = [model.op_count("inverse_mass_times").total for model in models]
    assert counts[2] - counts[1] == counts[1] - counts[0] <= 2 * 273
    assert counts[0] < models[0].op_count().total
