"""Implicit steps: against dense solves, in every form, at steps far beyond what explicit ones can follow."""

from dataclasses import replace

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints
from anyjoint.forces.program import trace_forces
from tests.stepper.stiff import SOLID, H, accelerations, by_length, elastic, looped, other_forces, stiff_pendulum, tree


class Exact:
    """A force that keeps what is negative in its slopes, as RedMax does."""

    def __init__(self, force):
        self.force = force

    def pushes(self, mechanism):
        return [replace(push, exact=True) for push in self.force.pushes(mechanism)]


def displaced(T, xi):
    """T exp(xi), to third order."""
    X = np.zeros((4, 4))
    X[:3, :3], X[:3, 3] = np.cross(np.eye(3), xi[:3]), xi[3:]
    return T @ (np.eye(4) + X + X @ X / 2 + X @ X @ X / 6)


def spring_energy(mech, acting, T):
    """Of springs between bodies at given poses."""
    index = {body.name: body.index for body in mech.bodies}
    total = 0.0
    for s in acting:
        ends = [(T[index[b]] if b else np.eye(4)) @ [*p, 1] for b, p in ((s.body_a, s.point_a), (s.body_b, s.point_b))]
        total += 0.5 * s.stiffness * (np.linalg.norm(ends[1] - ends[0]) - s.length) ** 2
    return total


def bodily_stiffness(mech, acting, T, e=2e-4):
    """The second derivatives of the energy along small motions of all bodies: central differences."""
    n = 6 * len(T)
    steps = e * np.eye(n)

    def at(d):
        moved = zip(T, d.reshape(-1, 6), strict=True)
        return spring_energy(mech, acting, [displaced(x, xi) if xi.any() else x for x, xi in moved])

    K = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            a, b = steps[i], steps[j]
            K[i, j] = K[j, i] = (at(a + b) - at(a - b) - at(b - a) + at(-a - b)) / (4 * e * e)
    return K


def test_springs_between_bodies_against_a_dense_solve():
    """(M + h D + h^2 K) x = f - h K v - bias with K = J^T K_bodies J, as in RedMax; differences are good to 1e-6."""
    mech = tree()
    model, (q, v), acting = mech.compile(), mech.start, elastic()
    J = np.vstack([model.body_jacobian(q, k) for k in range(mech.nb)])
    K = J.T @ bodily_stiffness(mech, acting, model.body_poses(q)) @ J
    D = np.zeros_like(K)
    for body in mech.bodies:
        W = np.array([body.joint.speeds(q[body.q], unit) for unit in np.eye(body.joint.nv)], dtype=float).T
        D[body.v, body.v] += W.T @ np.diag(body.damping) @ W  # dampers feel speeds W v
    for name in ("arm", "hand"):
        body = mech[name]
        slope = np.eye(body.joint.nv)
        K[body.v, body.v] += slope.T @ np.diag(body.stiffness) @ slope
    acting = [Exact(spring) for spring in acting]
    tau = trace_forces(mech, acting).torque(0.0, q, v)
    right = tau - model.bias_forces(q, v) - H * K @ v
    wanted = np.linalg.solve(model.mass_matrix(q) + H * D + H * H * K, right)
    assert accelerations(mech, acting) == pytest.approx(wanted, rel=2e-6, abs=2e-6 * np.abs(wanted).max())


@pytest.mark.parametrize("acting", [elastic, other_forces])
def test_kernels_say_the_same(acting):
    mech = tree()
    straight, kernels = (accelerations(mech, acting(), form) for form in ("straight", "kernels"))
    assert kernels == pytest.approx(straight, rel=1e-10, abs=1e-10 * np.abs(straight).max())


def test_what_is_welded_to_the_ground_is_ground():
    """Springs, dampers and magnets to a body that never moves, and to the same place of the ground."""
    mech = tree()
    mech.add_body("post", None, joints.Fixed(), aj.Pose.translation(0.4, 0.1, 0) @ aj.Pose.rotation_z(0.3), SOLID)
    mech.add_body("lamp", "post", joints.Fixed(), aj.Pose.translation(0, 0, 1), SOLID)
    place = (aj.Pose.translation(0.4, 0.1, 0) @ aj.Pose.rotation_z(0.3) @ aj.Pose.translation(0, 0, 1)).act((0.1, 0, 0))
    here = [forces.Spring("hand", (0, 0.1, 0), "lamp", (0.1, 0, 0), 90.0, 3.0, 0.2), forces.Drag("lamp", 2.0)]
    there = [forces.Spring("hand", (0, 0.1, 0), None, [float(x) for x in place], 90.0, 3.0, 0.2)]
    wanted = accelerations(mech, there)
    for form in ("straight", "kernels"):
        np.testing.assert_allclose(accelerations(mech, here, form), wanted, rtol=1e-11)


@pytest.mark.parametrize("method", ["implicit-euler", "bdf2", "time-stepping"])
def test_springs_between_coordinates_alone(method):
    """A tendon over two joints touches no body; short implicit steps follow it as Runge and Kutta's do."""
    mech = aj.Mechanism("drums")
    mech.add_body("a", joint=joints.Revolute("y"), inertia=aj.Inertia.point(1, (0, 0, 1)))
    mech.add_body("b", joint=joints.Revolute("x"), inertia=aj.Inertia.point(1, (0, 1, 0.3)))
    rope = forces.Tendon([forces.Drum("a", 1.7), forces.Drum("b", -1.9)], stiffness=40.0, damping=2.0)
    model = mech.compile()
    run, exact = (
        model.simulate([0.3, 0.2], duration=0.1, dt=dt, method=how, forces=[rope])
        for how, dt in ((method, 1e-4), ("rk4", 1e-3))
    )
    assert np.abs(run.q[-1] - exact.q[-1]).max() < 2e-4


def test_short_steps_are_explicit():
    """As h falls, accelerations go to those of forward dynamics, with the first power of h."""
    mech = tree()
    model, (q, v), acting = mech.compile(), mech.start, elastic()[:3] + other_forces()[:3]
    wanted = model.forward_dynamics(q, v, trace_forces(mech, acting).torque(0.3, q, v))
    found = by_length(mech, acting)
    errors = [np.abs(found(h) - wanted).max() for h in (1e-5, 5e-6)]
    assert errors[0] < 1e-2 * np.abs(wanted).max()
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("form", ["straight", "kernels"])
def test_loops_against_a_dense_solve(form):
    """Velocities at the end of the step are on the rows: G (v + h x) = -pull * error."""
    mech = looped()
    model, (q, v), pull = mech.compile(), mech.start, 3.0
    G, (error, rate) = model.constraint_jacobian(q), model.constraint_errors(q, v)
    K, D = (np.diag(np.concatenate([getattr(b, name) for b in mech.bodies])) for name in ("stiffness", "damping"))
    M = model.mass_matrix(q) + H * D + H * H * K
    right = -model.bias_forces(q, v) - H * K @ v
    free, answer = np.linalg.solve(M, right), np.linalg.solve(M, G.T)
    y = np.linalg.lstsq(G @ answer, G @ free + (rate + pull * error) / H, rcond=1e-12)[0]
    made = accelerations(mech, [], form, pull)
    assert made == pytest.approx(free - answer @ y, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("form", ["straight", "kernels"])
def test_soft_loops_are_springs(form):
    """A loop that gives way is a spring between the points, without what turns with the bodies."""
    mech, stiff = looped(1e-4), 1e4
    model, (q, v) = mech.compile(), mech.start
    rows = model.hard_rows
    G, (error, rate) = model.constraint_jacobian(q), model.constraint_errors(q, v)
    K, D = (np.diag(np.concatenate([getattr(b, name) for b in mech.bodies])) for name in ("stiffness", "damping"))
    K = K + stiff * G[~rows].T @ G[~rows]
    M = model.mass_matrix(q) + H * D + H * H * K
    right = -model.bias_forces(q, v) - stiff * G[~rows].T @ error[~rows] - H * K @ v
    free, answer = np.linalg.solve(M, right), np.linalg.solve(M, G[rows].T)
    y = np.linalg.lstsq(G[rows] @ answer, G[rows] @ free + rate[rows] / H, rcond=1e-12)[0]
    assert accelerations(mech, [], form) == pytest.approx(free - answer @ y, rel=1e-9, abs=1e-8)


def test_joints_that_follow():
    """A gear of two pulleys as one coordinate, against the same by a constraint."""
    ends = []
    for coupled in (True, False):
        mech = aj.Mechanism("gear")
        wheel = aj.Inertia.cylinder(1.0, 0.2, 0.1)
        first = mech.add_body("first", None, joints.Revolute(), inertia=wheel, stiffness=50.0, damping=0.4)
        hinge = joints.Revolute((1, 0, 0))
        joint = joints.Coupled(hinge, 2.0, "first") if coupled else hinge
        second = mech.add_body("second", first, joint, aj.Pose.translation(0.3, 0, 0), wheel)
        if not coupled:
            mech.add_constraint(aj.constraint(lambda q: 2 * q[0] - q[1]), coordinates=("first", "second"))
        spring = forces.Spring(second, (0.1, 0.2, 0), None, (1, 0, 0.2), 300.0, 1.0, 0.4)
        q, v = (np.array([0.3, 0.6][: mech.nv]), np.array([1.0, 2.0][: mech.nv]))
        traj = mech.compile().simulate(q, v, 1.0, dt=0.02, method="implicit-euler", forces=[spring])
        ends.append([traj.q[-1, 0], traj.v[-1, 0]])
    assert ends[0] == pytest.approx(ends[1], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("dt", [0.01, 0.1, 1.0])
def test_a_very_stiff_pendulum_comes_to_rest(dt):
    """k = 1e10: what is far too quick to follow is gone after a few steps, however long they are (L-stability)."""
    traj = stiff_pendulum(1e10).compile().simulate([0.3], [0.0], 20 * dt, dt=dt, method="implicit-euler")
    assert traj.status.ok
    assert np.abs(traj.q[3:]).max() < 1e-6


@pytest.mark.parametrize(
    "spring",
    [
        forces.Spring("a", (0, 0, -1), None, (0.3, 0, -1), 1e10, 0.0, 0.3),
        forces.Spring("a", (0.3, 0, -1), "b", (0.3, 0, -0.4), 1e10, 0.0, 0.4),
        forces.Servo("b", 0.0, 1e10),
    ],
    ids=["to the ground", "between bodies", "servo"],
)
def test_stiff_forces_hold_at_long_steps(spring):
    """Springs and servos of 1e10 hold two rods that swing, at 2e4 times the step that rk4 could take."""
    mech = aj.Mechanism("double")
    rod = aj.Inertia(1.0, (0, 0, -0.5), np.diag([0.02, 0.02, 0.001]))
    first = mech.add_body("a", None, joints.Spherical(), inertia=rod)
    mech.add_body("b", first, joints.Revolute((0, 1, 0)), aj.Pose.translation(0, 0, -1), rod)
    options = {"dt": 0.02, "method": "implicit-euler", "forces": [spring]}
    traj = mech.compile().simulate(np.zeros(4), [1.0, 0.0, 0.2, 0.0], 2.0, **options)
    kinetic, potential = traj.energy()
    own = kinetic + potential - traj.drive.forces.stored(traj.q, traj.v)
    assert traj.status.ok
    assert own.max() < own[0] + 0.05
    assert np.abs(traj.q[:, 3]).max() < 0.2


def test_momentum_is_kept():
    """What acts between bodies does not push the whole, however stiff it is and however long the steps."""
    mech = aj.Mechanism("pair", gravity=(0, 0, 0))
    for name in "abc":
        mech.add_body(name, None, joints.Translational(), inertia=aj.Inertia.sphere(1.0, 0.1))
    springs = [forces.Spring(a, (0, 0, 0), b, (0, 0, 0), 1e5, 1e2, 0.3) for a, b in ("ab", "bc", "ca")]
    q, v = [0, 0, 0, 0.4, 0, 0, 0, 0.4, 0], np.linspace(-1, 1, 9)
    traj = mech.compile().simulate(q, v, 2.0, dt=0.05, method="implicit-euler", forces=springs)
    linear = traj.v.reshape(-1, 3, 3).sum(axis=1)
    assert np.abs(linear - linear[0]).max() < 1e-9  # rounding of forces of 1e4 N
    sides = np.diff(traj.q[-1].reshape(3, 3)[[0, 1, 2, 0]], axis=0)
    assert np.linalg.norm(sides, axis=1) == pytest.approx([0.3] * 3, abs=1e-4)


def test_batches_threads_and_short_numbers():
    mech = tree()
    model = mech.compile()
    q, v = (np.tile(x, (9, 1)) for x in mech.start)
    v += np.random.default_rng(0).normal(size=v.shape)
    acting = elastic()[2:3] + other_forces()[1:4]
    options = {"duration": 0.02, "dt": 2e-3, "method": "implicit-euler", "forces": acting}
    many = model.simulate(q, v, threads=2, **options)
    alone = model.simulate(q[3], v[3], **options)
    assert many.q[:, 3] == pytest.approx(alone.q, rel=1e-10, abs=1e-10)
    in_python = model.simulate(q[3], v[3], tau=lambda t, q, v: np.zeros(len(v)), **options)
    assert in_python.q == pytest.approx(alone.q, rel=1e-10, abs=1e-10)
    assert in_python.work() == pytest.approx(alone.work(), rel=1e-8, abs=1e-8)
    short = mech.compile(dtype="float32").simulate(q[3], v[3], **options)
    assert short.q == pytest.approx(alone.q, abs=2e-4)


def test_parameters_of_each_state():
    """Numbers of a batch: springs in joints, placements, and forces beside them."""
    mech = tree()
    model, stiffness = mech.compile(), np.array([2.0, 1e5])
    q, v = (np.tile(x, (2, 1)) for x in mech.start)
    options = {"duration": 4e-3, "dt": 2e-3, "method": "implicit-euler", "forces": elastic()[:1]}
    many = model.simulate(q, v, parameters={"arm/stiffness": stiffness}, **options)
    model.parameters["arm/stiffness"] = stiffness[1]
    alone = model.simulate(*mech.start, **options)
    assert many.q[:, 1] == pytest.approx(alone.q, rel=1e-9, abs=1e-9)
