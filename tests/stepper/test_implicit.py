"""Implicit steps: against dense solves, in every form, at steps far beyond what explicit ones can follow."""

from dataclasses import replace

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints
from anyjoint.forces.program import trace_forces
from anyjoint.model.program import Program
from anyjoint.quantity.implicit import implicit
from anyjoint.trace.workshop import Workshop

SOLID = aj.Inertia.box(1.0, 0.2, 0.3, 0.5)
H = 0.02


def tree():
    """A floating base with two arms, springs in some joints, and a pendulum beside it."""
    mech = aj.Mechanism("tree")
    base = mech.add_body("base", None, joints.FreeQuaternion(), inertia=SOLID)
    place = aj.Pose.translation(0.1, 0.2, 0.4)
    arm = mech.add_body("arm", base, joints.Revolute((0, 1, 0)), place, SOLID, stiffness=2e3, damping=3.0, rest=0.1)
    hand = mech.add_body("hand", arm, joints.Spherical(), place, SOLID, stiffness=40.0, damping=0.3)
    mech.add_body("finger", hand, joints.Prismatic((1, 0, 0)), place, SOLID, armature=0.3)
    mech.add_body("other", base, joints.Universal(), aj.Pose.translation(-0.3, 0, 0.1), SOLID)
    mech.add_body("beside", None, joints.Revolute((1, 0, 0)), aj.Pose.translation(1, 0, 0), SOLID)
    q = [0.5, 0.5, -0.5, 0.5, 0.1, 0.2, 0.3, 0.4, 0.3, -0.2, 0.1, 0.25, 0.3, 0.5, 0.7]
    mech.set_start(q, 0.3 * np.cos(np.arange(mech.nv)))
    return mech


def elastic():
    """Springs to the ground, to an ancestor, across branches, to another tree; all with tension."""
    return [
        forces.Spring("hand", (0.1, 0.2, 0.3), None, (1, 2, 3), 300.0),
        forces.Spring("hand", (0.1, 0, 0), "base", (0, 0.4, 0), 500.0, 0.0, 0.2),
        forces.Spring("finger", (0, 0.1, 0), "other", (0.2, 0, 0.1), 200.0, 0.0, 0.1),
        forces.Spring("other", (0, 0.1, 0), "beside", (0.2, 0, 0.1), 100.0),
        forces.Spring("arm", (0, 0, 0.1), "hand", (0.2, 0.3, 0), 700.0, 0.0, 0.3),
    ]


def other_forces():
    """Dampers, drags, servos, stops and inputs."""
    return [
        forces.Spring("finger", (0, 0.1, 0), "beside", (0.2, 0, 0.1), 10.0, 30.0, 0.1),
        forces.Drag("hand", 5.0, 0.3, point=(0.1, 0.2, 0.3)),
        forces.Drag("base", quadratic=2.0, lift=1.0, wind=(1, 2, 3)),
        forces.Servo("arm", lambda t: 0.4 + t, 80.0, 2.0),
        forces.Servo("finger", 0.7, 90.0, 1.0),
        forces.Wrench("other", (0.1, 0.2, 0.3), (np.cos, 0, 1.0), (0.1, 0.1, 0)),
        forces.Actuator("beside", 0.3, 2.0, (0.1, -4.0, -0.5), gear=3.0),
    ]


def by_length(mech, acting, form="auto", pull=0.0, t=0.3):
    """Accelerations under forces, at the start, by machine code: a function of the length of the step."""
    program = trace_forces(mech, acting)
    quantity = implicit(pull, program.pushes)
    code = Program(quantity, quantity.trace(Workshop(mech, form), "auto"), mech)
    signals = [np.array([f(t) for f in program.functions])] if program.functions else []
    return lambda h: code(*mech.start, np.zeros(mech.nv), np.array([h]), *signals)


def accelerations(mech, acting, form="auto", pull=0.0):
    return by_length(mech, acting, form, pull)(H)


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
        return spring_energy(mech, acting, [displaced(x, d[6 * k : 6 * k + 6]) for k, x in enumerate(T)])

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
        D[body.v, body.v] += np.diag(body.damping)
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


def test_short_steps_are_explicit():
    """As h falls, accelerations go to those of forward dynamics, with the first power of h."""
    mech = tree()
    model, (q, v), acting = mech.compile(), mech.start, elastic()[:3] + other_forces()[:3]
    wanted = model.forward_dynamics(q, v, trace_forces(mech, acting).torque(0.3, q, v))
    found = by_length(mech, acting)
    errors = [np.abs(found(h) - wanted).max() for h in (1e-5, 5e-6)]
    assert errors[0] < 1e-2 * np.abs(wanted).max()
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.05)


def looped(compliance=0.0):
    """A four-bar with springs in its joints, closed by a pin, and a slider on a gear."""
    mech = aj.Mechanism("looped")
    rod = aj.Inertia.box(1.0, 0.05, 0.05, 1.0)
    crank = mech.add_body("crank", None, joints.Revolute((0, 1, 0)), inertia=rod, stiffness=30.0)
    bar = mech.add_body("bar", crank, joints.Revolute((0, 1, 0)), aj.Pose.translation(0, 0, 1), rod, damping=2.0)
    rocker = mech.add_body("rocker", None, joints.Revolute((0, 1, 0)), aj.Pose.translation(1, 0, 0), rod)
    mech.add_body("slider", None, joints.Prismatic((0, 0, 1)), aj.Pose.translation(2, 0, 0), rod, stiffness=100.0)
    mech.add_constraint(aj.constraint(lambda q: q[0] - 0.5 * q[1]), coordinates=("slider", "rocker"))
    mech.add_loop(bar, rocker, joints.Spherical(), at=((0, 0, 1), (0, 0, 1)), compliance=compliance)
    q, v = mech.compile().assemble([0.3, 1.0, 0.2, 0.1], [0.4, 0, 0, 0])
    mech.set_start(q, v)
    return mech


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


def stiff_pendulum(k, d=0.0):
    mech = aj.Mechanism("stiff")
    inertia = aj.Inertia(1.0, (0, 0, -0.5), np.diag([0.02, 0.02, 0.001]))
    mech.add_body("rod", None, joints.Revolute((0, 1, 0)), inertia=inertia, stiffness=k, damping=d)
    return mech


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


SOLVING = {"bdf1": 1, "bdf2": 2, "implicit-midpoint": 2}


def swinging():
    """Two rods, the second on a spring, and a third that a stiff servo holds."""
    mech = aj.Mechanism("swinging")
    rod = aj.Inertia(1.0, (0, 0, -0.5), np.diag([0.02, 0.02, 0.001]))
    body, below = None, aj.Pose()
    for k, springs in enumerate(({"damping": 0.1}, {"stiffness": 20.0}, {})):
        body = mech.add_body(f"rod {k}", body, joints.Revolute((0, 1, 0)), below, rod, **springs)
        below = aj.Pose.translation(0, 0, -1)
    return mech


def ends(mech, method, counts, acting=(), duration=0.5, **options):
    model = mech.compile()
    q, v = mech.start
    return [model.simulate(q, v, duration, dt=duration / n, method=method, forces=acting, **options) for n in counts]


@pytest.mark.parametrize(("method", "order"), [("implicit-euler", 1), *SOLVING.items()])
def test_orders(method, order):
    """Errors fall with the power of the step that the method promises: fitted over steps that are short enough."""
    mech, counts = swinging(), np.array([800, 1600, 3200])
    spring = forces.Spring("rod 2", (0, 0, -1), None, (1, 0, -2), 5.0, 0.1, 0.5)
    acting = [forces.Servo("rod 2", 0.1, 50.0, 1.0), spring]
    mech.set_start([0.4, 0.3, 0.1], [0.3, -0.2, 0.1])
    exact = mech.compile().simulate(
        *mech.start, 0.5, dt=0.5, method="dopri5", rtol=1e-12, atol=1e-12, forces=acting
    )
    errors = [np.abs(run.q[-1] - exact.q[-1]).max() for run in ends(mech, method, counts, acting)]
    assert -np.polyfit(np.log(counts), np.log(errors), 1)[0] == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize("method", SOLVING)
def test_orders_with_loops(method):
    mech, counts = looped(), np.array([100, 200, 400])
    exact = mech.compile().simulate(*mech.start, 0.5, dt=0.5, method="dopri5", rtol=1e-11, atol=1e-11)
    errors = [np.abs(run.q[-1] - exact.q[-1]).max() for run in ends(mech, method, counts)]
    assert -np.polyfit(np.log(counts), np.log(errors), 1)[0] == pytest.approx(SOLVING[method], abs=0.25)


@pytest.mark.parametrize("method", ["bdf1", "bdf2"])
@pytest.mark.parametrize("dt", [0.01, 1.0])
def test_very_stiff_pendulums_come_to_rest(method, dt):
    """k = 1e10: damped out at any length of the steps; BDF2 takes off two thirds with each (its parasitic root)."""
    traj = stiff_pendulum(1e10).compile().simulate([0.3], [0.0], 40 * dt, dt=dt, method=method)
    assert traj.status.ok
    assert np.abs(traj.q[-5:]).max() < 1e-9


def test_the_midpoint_rule_keeps_energy_and_angular_momentum():
    """Of a pendulum over many swings: the error of the energy stays, and falls with the square of the step."""
    mech = stiff_pendulum(0.0)
    mech.set_start([2.0], [0.0])
    drifts = []
    for n in (1000, 2000):
        (run,) = ends(mech, "implicit-midpoint", [n], duration=40.0)
        energy = sum(run.energy())
        drifts.append(np.abs(energy - energy[0]).max())
    assert drifts[0] / drifts[1] == pytest.approx(4.0, abs=0.5)
    assert drifts[1] < 0.01


@pytest.mark.parametrize(("method", "form"), [("bdf2", "straight"), ("implicit-midpoint", "kernels")])
def test_every_form_solves_the_same_steps(method, form):
    """Quaternions, springs between bodies, servos: machine code against Python."""
    mech = tree()
    model = mech.compile(form=form)
    options = {"duration": 8e-3, "dt": 2e-3, "method": method, "forces": elastic()[2:3] + other_forces()[1:6]}
    q, v = mech.start
    made = model.simulate(np.stack([q, q]), np.stack([v, 2 * v]), **options)
    alone = model.simulate(q, v, tau=lambda t, q, v: np.zeros(len(v)), **options)
    assert made.status.ok
    assert made.q[:, 0] == pytest.approx(alone.q, rel=1e-9, abs=1e-9)
    assert made.work()[:, 0] == pytest.approx(alone.work(), rel=1e-6, abs=1e-7)


def test_charts_that_change():
    """A top that turns over and over in rotation vectors: BDF2 begins anew where coordinates jump."""
    ended = []
    for joint in (joints.Spherical(), joints.SphericalQuaternion()):
        mech = aj.Mechanism("top")
        mech.add_body("top", None, joint, inertia=aj.Inertia(1.0, (0, 0, 0.3), np.diag([0.1, 0.2, 0.15])))
        model = mech.compile()
        traj = model.simulate(mech.neutral, [6.0, 0.5, 4.0], 1.5, dt=1e-3, method="bdf2")
        assert traj.status.ok
        ended.append(model.body_poses(traj.q[-1])[0])
    assert ended[0] == pytest.approx(ended[1], abs=2e-3)


def test_steps_that_are_not_solved_in_time_end_the_run(monkeypatch):
    """Numbers that are finite but do not solve the equations are no answer."""
    monkeypatch.setattr("anyjoint.stepper.newton.MOST", 1)
    mech = swinging()
    run = mech.compile().simulate([0.4, 2.3, -0.1], [3.0, -2.0, 1.0], duration=0.1, dt=0.05, method="bdf1")
    assert not run.status.ok
    assert "could not be solved" in run.status.reason


def test_steps_that_cannot_be_solved_end_the_run():
    """Steps of a second, where rods swing round several times: no balance is found, and the status says so."""
    mech = swinging()
    mech.set_start([0.4, 2.3, -0.1], [30.0, -20.0, 10.0])
    (run,) = ends(mech, "bdf1", [4], duration=40.0)
    assert not run.status.ok
    assert "could not be solved" in run.status.reason
    assert "shorter step" in run.status.reason
    assert np.isfinite(run.q).all()


def test_what_looks_back_is_no_single_step():
    mech = swinging()
    with pytest.raises(aj.InputError, match="method='bdf2' is unknown"):
        mech.compile().step(np.zeros(3), np.zeros(3), method="bdf2")


@pytest.mark.parametrize(("stiffness", "dt", "method"), [(1.0, 1e-3, "rk4"), (1e8, 1e-3, "bdf2"), (1e8, 1e-6, "rk4")])
def test_the_method_is_chosen_by_stiffness(stiffness, dt, method):
    """sqrt(k / J) dt is 0.002, 19 and 0.019; the estimate is good to some percent, and the status says it."""
    model = stiff_pendulum(stiffness).compile()
    traj = model.simulate([0.1], [0.0], 10 * dt, dt=dt, method="auto")
    assert traj.method == method
    assert f"method {method!r} was chosen" in traj.status.note
    assert f"steps of {dt:g} s" in str(traj.status)
    rate = float(traj.status.note.split("start, ")[1].split(" per")[0])
    assert rate == pytest.approx(np.sqrt((stiffness + 0.5 * 9.81) / 0.27), rel=0.3)


def test_stiff_forces_and_dampers_count_too():
    mech = stiff_pendulum(0.0)
    spring = forces.Spring("rod", (0, 0, -1), None, (0.5, 0, -1), 1e7, 0.0, 0.5)
    for acting, method in (([], "rk4"), ([spring], "bdf2"), ([forces.Drag("rod", 1e6, point=(0, 0, -1))], "bdf2")):
        assert mech.compile().simulate([0.0], [0.0], 0.01, method="auto", forces=acting).method == method


def test_adaptive_bdf2_takes_steps_by_tolerance():
    """Errors fall with the square of the number of steps; samples lie on Hermite's cubics between them."""
    mech = swinging()
    mech.set_start([0.4, 0.3, 0.1], [0.3, -0.2, 0.1])
    model, spring = mech.compile(), forces.Spring("rod 2", (0, 0, -1), None, (1, 0, -2), 5.0, 0.1, 0.5)
    fine = {"duration": 1.0, "dt": 0.05, "forces": [spring]}
    exact = model.simulate(*mech.start, method="dopri5", rtol=1e-12, atol=1e-12, **fine)
    counts, errors = [], []
    for tolerance in (1e-5, 1e-6, 1e-7):
        traj = model.simulate(*mech.start, method="adaptive-bdf2", rtol=tolerance, atol=tolerance, **fine)
        assert traj.status.ok
        counts.append(traj.steps)
        errors.append(np.abs(traj.q - exact.q).max())
    assert -np.polyfit(np.log(counts), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.25)
    assert traj.work() == pytest.approx(exact.work(), abs=1e-4)


def test_adaptive_bdf2_is_not_held_up_by_stiffness():
    """A spring of 1e8 at rest and a slow swing: as many steps as without it, lane by lane in a batch."""
    counts = []
    for stiffness in (0.0, 1e8):
        mech = swinging()
        below = aj.Pose.translation(0, 0, -1)
        rod = aj.Inertia(1.0, (0, 0, -0.5), np.diag([0.02, 0.02, 0.001]))
        springs = {"stiffness": stiffness, "damping": stiffness / 1e3}
        mech.add_body("tip", "rod 2", joints.Revolute((0, 1, 0)), below, rod, **springs)
        model = mech.compile()
        q, v = np.zeros((3, 4)), np.zeros((3, 4))
        q[:, 0] = [0.1, 0.2, 0.3]
        traj = model.simulate(q, v, 1.0, dt=0.1, method="adaptive-bdf2", rtol=1e-4, atol=1e-4)
        assert traj.status.ok
        counts.append(traj.steps)
    assert counts[1] < 1.5 * counts[0]


def test_adaptive_bdf2_asks_no_functions():
    model = swinging().compile()
    with pytest.raises(aj.InputError, match="use 'bdf2'"):
        model.simulate([0.1, 0, 0], [0, 0, 0], 0.1, method="adaptive-bdf2", tau=lambda t, q, v: np.zeros(3))
    with pytest.raises(aj.InputError, match="make one at least"):
        model.simulate([0.1, 0, 0], [0, 0, 0], 0.1, method="adaptive-bdf2", rtol=1e-12, atol=1e-12)


def rope(n):
    """Links on hinges with springs and dampers."""
    mech, body = aj.Mechanism("rope"), None
    link = aj.Inertia(0.1, (0, 0, -0.05), np.diag([1e-4, 1e-4, 1e-6]))
    for k in range(n):
        below = aj.Pose.translation(0, 0, -0.1 if k else 0.0)
        body = mech.add_body(f"link {k}", body, joints.Revolute((0, 1, 0)), below, link, stiffness=1e4, damping=10.0)
    return mech.compile(form="kernels")


def test_ropes_are_linear():
    """Operations grow with the links alone, and are at most half as many again as those of explicit accelerations."""
    counts = {n: rope(n).op_count("implicit_acceleration").total for n in (100, 200, 1000)}
    assert (counts[1000] - counts[200]) / (counts[200] - counts[100]) == pytest.approx(8.0, rel=0.01)
    assert counts[1000] <= 1.5 * rope(1000).op_count("forward_dynamics").total


def test_a_stiff_rope_of_a_thousand_links_swings():
    """At a hundred times the step that explicit steps could take; kinetic energy stays that of a fall."""
    model = rope(1000)
    traj = model.simulate(np.full(1000, 1e-3), np.zeros(1000), 0.05, dt=5e-3, method="implicit-euler")
    energy = sum(traj.energy())
    assert traj.status.ok
    assert (np.diff(energy) <= 1e-9 * abs(energy[0])).all()
    assert np.abs(traj.v[-1]).max() > 1e-4


@pytest.mark.parametrize(("method", "bound"), [("implicit-euler", 6e-4), ("bdf2", 2e-6), ("implicit-midpoint", 4e-8)])
def test_rolling(method, bound):
    """A ball on a slope, three velocities and five coordinates: errors of the method's order at steps of 1 ms."""
    mech = aj.Mechanism("roll")
    rolling = joints.Rolling(aj.surfaces.Plane(), aj.surfaces.Sphere(0.3))
    mech.add_body("ball", None, rolling, aj.Pose.rotation_x(0.1), aj.Inertia.sphere(1.0, 0.3))
    model, q, v = mech.compile(), mech.neutral + 0.1, [0.3, 0.2, 0.1]
    ended = [model.simulate(q, v, 0.5, method=name).q[-1] for name in (method, "rk4")]
    assert np.abs(np.subtract(*(model.body_poses(x) for x in ended))).max() < bound


@pytest.mark.parametrize("method", SOLVING)
def test_equations_are_solved_in_short_numbers(method):
    mech = swinging()
    mech.set_start([0.4, 0.3, 0.1], [0.3, -0.2, 0.1])
    models = (mech.compile(dtype=x) for x in ("float32", "float64"))
    short, long = (model.simulate(*mech.start, 0.5, dt=2e-3, method=method) for model in models)
    assert short.status.ok
    assert short.q == pytest.approx(long.q, abs=1e-5)
