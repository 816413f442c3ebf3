"""Mechanisms whose joints follow others: against the expanded tree with its constraints solved numerically."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.dynamics.newton_euler import NEWTON_EULER
from anyjoint.errors import InputError
from anyjoint.mechanism import gallery
from dynamics.support import State, close

pytestmark = pytest.mark.fast_code  # to the last bit


def gears():
    """Two wheels that mesh, a rack, and a crank that follows a curve of the first angle."""
    mech = aj.Mechanism("gears", gravity=(0.3, -0.2, -9.81))
    wheel = aj.Inertia.cylinder(2.0, 0.3, 0.1).moved(aj.Pose.translation(0.05, 0.02, 0.0))
    mech.add_body("stand", joint=joints.Prismatic((1, 0, 1)), inertia=aj.Inertia.box(1.0, 1, 1, 1))
    mech.add_body("driver", "stand", joints.Revolute((0, 0, 1)), inertia=wheel)
    at = aj.Pose.translation(0.4, 0, 0) @ aj.Pose.rpy(0.1, 0.2, 0.3)
    mech.add_body("driven", "stand", joints.Coupled(joints.Revolute((0, 0, 1)), -1.5, "driver"), at, wheel)
    mech.add_body("rack", "driven", joints.Coupled(joints.Prismatic((1, 0, 0)), _lift, "driver"), at, wheel)
    both = joints.Coupled(joints.Universal(), _wobble, "driver")
    mech.add_body("crank", "driver", both, at, aj.Inertia.box(0.5, 0.3, 0.2, 0.1))
    mech.add_body("bob", "crank", joints.Spherical(), at, aj.Inertia.box(0.4, 0.1, 0.2, 0.3))
    mech.set_start([0.1, 0.4, 0.2, -0.3, 0.1], [0.3, -0.8, 0.5, 0.2, 0.7])
    return mech


def _lift(q):
    return 0.3 * q[0] * q[0]


def _wobble(q):
    return aj.sin(q[0]), 0.5 * aj.cos(2 * q[0])


CASES = {
    "gears": gears,
    "tongs": lambda: gallery.tongs_with_fish(stages=3),
    "tree": lambda: gallery.random_tree(7, n=5, kinds=_few("revolute", "prismatic", "universal"), coupled=True),
}


def _few(*names):
    kinds = gallery.every_kind()
    return {name: kinds[name] for name in names}


class Expanded:
    """The oracle: every coupled joint has coordinates of its own; the coupling is differentiated by differences."""

    def __init__(self, mech):
        self.mech, self.tree = mech, aj.Mechanism("expanded", mech.gravity)
        for body in mech.bodies:
            joint = body.joint.joint if isinstance(body.joint, joints.Coupled) else body.joint
            parent = mech.bodies[body.parent].name if body.parent >= 0 else None
            self.tree.add_body(body.name, parent, joint, body.placement, body.inertia)

    def phi(self, q):
        """All coordinates of the tree."""
        made = []
        for body in self.mech.bodies:
            if isinstance(body.joint, joints.Coupled):
                made += body.joint.inner_coordinates([float(x) for x in q[self.mech[body.joint.source].q]])
            else:
                made += list(q[body.q])
        return np.array(made, dtype=float)

    def Phi(self, q, h=1e-6):
        return np.stack([(self.phi(q + h * e) - self.phi(q - h * e)) / (2 * h) for e in np.eye(len(q))], axis=1)

    def curved(self, q, v, h=1e-4):
        return (self.phi(q + h * v) - 2 * self.phi(q) + self.phi(q - h * v)) / h**2

    def state(self, q, v):
        return State(self.tree, self.phi(q), self.Phi(q) @ v)


class Case:
    def __init__(self, name):
        self.mech = CASES[name]()
        self.model = self.mech.compile()
        self.q, self.v = self.mech.start
        self.a = np.random.default_rng(0).normal(size=self.mech.nv)
        self.oracle = Expanded(self.mech)
        self.tree = self.oracle.state(self.q, self.v)


@pytest.fixture(scope="module", params=CASES)
def case(request):
    return Case(request.param)


def test_mass_matrix_is_the_projected_one(case):
    Phi = case.oracle.Phi(case.q)
    M = case.model.mass_matrix(case.q)
    assert close(M, Phi.T @ case.tree.mass_matrix() @ Phi, 1e-8)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0


def test_inverse_dynamics_projects_the_forces_of_the_tree(case):
    Phi, curved = case.oracle.Phi(case.q), case.oracle.curved(case.q, case.v)
    forces = Phi.T @ case.tree.row(NEWTON_EULER, qdd=Phi @ case.a + curved) - case.model.passive_forces(case.q, case.v)
    assert close(case.model.inverse_dynamics(case.q, case.v, case.a), forces, 1e-6)


def test_forward_undoes_inverse(case):
    tau = case.model.inverse_dynamics(case.q, case.v, case.a)
    assert close(case.model.forward_dynamics(case.q, case.v, tau), case.a, 1e-9)
    M, bias = case.model.mass_matrix(case.q), case.model.bias_forces(case.q, case.v)
    assert close(M @ case.a + bias, tau, 1e-10)
    held = case.model.gravity_forces(case.q) - case.model.passive_forces(case.q, 0 * case.v)
    assert close(case.model.bias_forces(case.q, 0 * case.v), held, 1e-11)


def test_energy_is_half_v_M_v_and_its_rate_is_power(case):
    model, q, v = case.model, case.q, case.v
    assert close(model.energy(q, v)[0], 0.5 * v @ model.mass_matrix(q) @ v, 1e-12)
    tau = np.random.default_rng(1).normal(size=case.mech.nv)
    a, h = model.forward_dynamics(q, v, tau), 1e-6
    ends = [sum(model.energy(q + s * v + s * s * a / 2, v + s * a)) for s in (h, -h)]
    assert np.isclose((ends[0] - ends[1]) / (2 * h), tau @ v, rtol=1e-5, atol=1e-6)


def test_poses_and_twists(case):
    model, q, v = case.model, case.q, case.v
    poses = np.array([pose.matrix for pose in case.mech.poses(list(q))])
    assert close(model.body_poses(q), poses, 1e-13)
    twists = np.array([model.body_jacobian(q, body) @ v for body in case.mech.bodies])
    assert close(model.body_twists(q, v), twists, 1e-12)
    h = 1e-6
    slope = (model.body_poses(q + h * v) - model.body_poses(q - h * v)) / (2 * h)
    along = np.einsum("bji,bj->bi", poses[:, :3, :3], slope[:, :3, 3])
    assert np.allclose(twists[:, 3:], along, atol=1e-7)


def test_rates_of_jacobians_and_wrenches(case):
    model, q, v = case.model, case.q, case.v
    x, h = case.a, 1e-6
    slope = (model.body_twists(q + h * v, x) - model.body_twists(q - h * v, x)) / (2 * h)
    made = model.jacobian_rate_times(q, v, x)
    assert np.allclose(made, slope, atol=1e-7 * (1 + np.abs(made).max()))
    wrenches = np.random.default_rng(2).normal(size=(case.mech.nb, 6))
    forces = sum(model.body_jacobian(q, b).T @ wrenches[b.index] for b in case.mech.bodies)
    assert close(model.generalized_forces(q, wrenches), forces, 1e-12)
    with_wrenches = model.forward_dynamics(q, v, wrenches=wrenches)
    assert close(with_wrenches, model.forward_dynamics(q, v, forces), 1e-12)


def test_lagrangian_in_its_simplest_form():
    """d/dt dT/dv - dT/dq + dV/dq = tau, by differences of energies alone."""
    case = Case("gears")
    model, q, v, a = case.model, case.q, case.v, case.a
    h, n = 1e-4, case.mech.nv

    def momentum(s):
        at, rate = q + s * v + s * s * a / 2, v + s * a
        return model.mass_matrix(at) @ rate

    forces = (momentum(h) - momentum(-h)) / (2 * h)
    for k, e in enumerate(np.eye(n)):
        (T1, V1), (T0, V0) = (model.energy(q + s * h * e, v) for s in (1, -1))
        forces[k] -= (T1 - V1 - T0 + V0) / (2 * h)
    # The ball's exponential coordinates are ordinary coordinates, so Lagrange's equations hold for them as well.
    assert close(model.inverse_dynamics(q, v, a), forces, 1e-6)


def test_batches(case):
    rng = np.random.default_rng(3)
    q = case.q + 0.1 * rng.normal(size=(5, case.mech.nq))
    v = rng.normal(size=(5, case.mech.nv))
    whole = case.model.forward_dynamics(q, v)
    J = case.model.body_jacobian(q, case.mech.bodies[-1])
    for k in range(5):
        assert np.array_equal(whole[k], case.model.forward_dynamics(q[k], v[k]))
        assert close(J[k], case.model.body_jacobian(q[k], case.mech.bodies[-1]), 1e-13)


def test_parameters_of_coupled_mechanisms():
    model = gears().compile()
    q, v = model.mechanism.start
    before = model.forward_dynamics(q, v)
    program = model.programs["forward_dynamics"]
    model.parameters["rack/mass"] = 4.0
    assert model.programs["forward_dynamics"] is program
    mech = gears()
    heavier = aj.Mechanism("heavier", mech.gravity)
    for body in mech.bodies:
        inertia = body.inertia
        if body.name == "rack":
            inertia = aj.Inertia(4.0, inertia.com, inertia.tensor)
        parent = mech.bodies[body.parent].name if body.parent >= 0 else None
        heavier.add_body(body.name, parent, body.joint, body.placement, inertia)
    after = model.forward_dynamics(q, v)
    assert close(after, heavier.compile().forward_dynamics(q, v), 1e-12)
    assert not np.allclose(before, after)


def test_some_accelerations_given(case):
    """Whoever leads is prescribed with all that follow; inverse dynamics knows the forces."""
    first = next(body for body in case.mech.bodies if body.joint.nv)
    a, tau = case.model.hybrid_dynamics(case.q, case.v, case.v, case.v, [first.name])
    assert close(a[first.v], np.asarray(case.v)[first.v], 1e-15)
    assert close(case.model.inverse_dynamics(case.q, case.v, a), tau, 1e-9)


def test_other_formulations_are_refused():
    mech = gallery.tongs_with_fish(2)
    assert mech.compile().formulation == mech.compile("composite-rigid-body").formulation == "composite-rigid-body"
    with pytest.raises(InputError, match=r"'b0'.*follow others.*auto"):
        mech.compile("recursive")
