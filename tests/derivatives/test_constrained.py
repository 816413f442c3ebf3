"""Derivatives where joints follow others, and where loops and rolling constrain the motion."""

import warnings
from dataclasses import dataclass, field

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints, surfaces
from derivatives.support import Interpreted, close, differences, slopes, tangents


def follower():
    """Joints that follow others, by a factor and by a curve."""
    kinds = gallery.every_kind()
    chosen = {name: kinds[name] for name in ("revolute", "spherical-quaternion")}
    mech = gallery.random_tree(3, n=2, kinds=chosen, coupled=True)
    leader = next(body for body in mech.bodies if body.joint.nq == body.joint.nv == 1)
    curved = joints.Coupled(joints.Revolute((0, 1, 1)), lambda q: [aj.sin(q[0]) + 0.3 * q[0] * q[0]], leader.name)
    solid = aj.Inertia.box(1.0, 0.3, 0.2, 0.4)
    mech.add_body("curved", mech.bodies[0], curved, aj.Pose.translation(0.1, 0.3, 0.2), solid)
    return mech


def test_joints_that_follow_others():
    mech = follower()
    model, rng = mech.compile(), np.random.default_rng(0)
    q, (v, a) = np.array(mech.start[0]), rng.normal(size=(2, mech.nv))
    T, unit = tangents(mech, q), np.eye(mech.nv)
    inverse, d = Interpreted(mech, "inverse_dynamics"), model.inverse_dynamics_derivatives(q, v, a)
    for which, directions, made in ((0, T, d.q), (1, unit, d.v), (2, unit, d.a)):
        assert close(made, slopes(inverse, (q, v, a), which, directions), 1e-12)
    at = model.forward_dynamics(q, v, a)
    e, f = model.inverse_dynamics_derivatives(q, v, at), model.forward_dynamics_derivatives(q, v, a)
    assert close(e.a @ f.q, -e.q, 1e-12)
    assert close(e.a @ f.v, -e.v, 1e-12)
    assert close(f.tau @ e.a, unit, 1e-12)
    assert close(model.inverse_mass_matrix(q), f.tau, 1e-12)
    assert close(model.regressor(q, v, a) @ model.inertial_parameters, model.inverse_dynamics(q, v, a), 1e-13)


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", pytest.param("bicycle", marks=pytest.mark.slow)])
def test_loops_and_rolling(name):
    """Complex steps through the sweeps that carry multipliers, and differences of the model itself."""
    mech = getattr(gallery, name)()
    model, rng = mech.compile(), np.random.default_rng(0)
    tau = rng.normal(size=mech.nv)
    q, v = model.assemble(mech.start[0], rng.normal(size=mech.nv))
    T, unit = tangents(mech, q), np.eye(mech.nv)
    forward, made = Interpreted(mech, "forward_dynamics"), model.forward_dynamics_derivatives(q, v, tau)
    for which, directions, matrix in ((0, T, made.q), (1, unit, made.v), (2, unit, made.tau)):
        assert close(matrix, slopes(forward, (q, v, tau), which, directions), 1e-11)
    assert close(made.v, differences(lambda x: model.forward_dynamics(q, x, tau), v, unit), 1e-9)
    G = model.constraint_jacobian(q)
    assert np.abs(G @ made.tau).max() < 1e-9 * np.abs(made.tau).max() * np.abs(G).max()  # forces keep constraints


def test_a_loop_is_linearised():
    """What a state on the constraints turns into stays on them: the linear model keeps their tangents."""
    mech = gallery.four_bar()
    model = mech.compile()
    q, v = model.assemble(mech.start[0], np.zeros(mech.nv))
    A, B = model.linearise(q, v)
    n, G = mech.nv, model.constraint_jacobian(q)
    assert np.array_equal(A[:n], np.hstack([np.zeros((n, n)), np.eye(n)]))
    assert np.abs(G @ B[n:]).max() < 1e-12


def tied():
    """A ball that rolls on another and carries a rod, whose height is given."""
    mech = aj.Mechanism("tied", gravity=(0, 0, -9.81))
    solid = aj.Inertia.box(1.0, 0.2, 0.3, 0.1)
    joint = joints.Rolling(surfaces.Sphere(1.0), surfaces.Sphere(0.3))
    mech.add_body("ball", joint=joint, inertia=solid)
    mech.add_body("rod", "ball", joints.Revolute((0, 1, 0)), aj.Pose.translation(0.1, 0.2, 0.3), solid)
    mech.add_constraint(aj.constraint(lambda pose: pose.act((0.3, 0.1, 0.0))[2] - 1.0), bodies=["rod"])
    return mech


def test_numbers_of_rolling_joints_in_constrained_matrices():
    """Tangents of a rolling joint depend on radii: matrices follow them without compiling again, and have rates."""
    model, rng = tied().compile(), np.random.default_rng(0)
    point = rng.uniform(0.3, 0.6, model.nq), *rng.normal(size=(2, model.nv))
    radius, h = "ball/joint/surface2.radius", 1e-5
    _, rates = model.jvp("forward_dynamics_derivatives", point, {radius: 1.0})
    matrices = []
    for k in (-2, -1, 1, 2):
        model.parameters[radius] = 0.3 + k * h
        made = model.forward_dynamics_derivatives(*point)
        matrices.append((made.q, made.v, made.tau))
    fresh = model.mechanism.compile().forward_dynamics_derivatives(*point)
    for before, back, on, after, rate, other in zip(*matrices, rates, (fresh.q, fresh.v, fresh.tau), strict=True):
        assert close(after, other, 1e-12)
        assert close(rate, (before - 8 * back + 8 * on - after) / (12 * h), 1e-9)


def test_redundant_rows_that_a_placement_makes_independent():
    """Hinges of a planar loop that are turned out of the plane lock it; within the plane all is well."""
    mech = gallery.four_bar()
    model, rng = mech.compile(vary=["crank/placement"]), np.random.default_rng(0)
    q, v = model.assemble(mech.start[0], rng.normal(size=mech.nv))
    tau, w = rng.normal(size=(2, mech.nv))
    with pytest.warns(UserWarning, match="changes of 'crank/placement' make them independent"):
        _, found = model.vjp("forward_dynamics", (q, v, tau), w, wrt=("crank/placement", "crank/mass"))
    place = mech["crank"].placement

    def moved(e):
        model.parameters["crank/placement"] = place @ aj.Pose.translation(0.3 * e[0], 0.2 * e[0], 0)
        return w @ model.forward_dynamics(q, v, tau)

    within = found["crank/placement"] @ [0, 0, 0, 0.3, 0.2, 0]
    assert close(within, differences(moved, np.zeros(1), np.ones((1, 1))), 1e-9)
    model.parameters["crank/placement"] = place
    with pytest.warns(UserWarning, match="gradient: rows of the constraints are redundant"):
        model.simulate(q, v, duration=0.02, dt=0.01, gradient=True).gradient(dq=w, wrt=("crank/placement",))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        none = model.vjp("forward_dynamics", tuple(x[None][:0] for x in (q, v, tau)), w, wrt=("rocker/placement",))
        assert none[1]["rocker/placement"].shape == (0, 6)  # no state, about which nothing can be told
        model.vjp("forward_dynamics", (q, v, tau), w, wrt=("crank/com", "gravity"))
        model.vjp("constraint_errors", (q, v), np.ones(2 * mech.nc), wrt=("crank/placement",))


@dataclass(frozen=True)
class Bend:
    """How a joint follows, by a number that may change."""

    factor: float = field(default=0.3, metadata={"domain": (0.0, 1.0)})

    def __call__(self, q):
        return [self.factor * q[0] * q[0]]


def test_numbers_of_how_a_joint_follows():
    mech = aj.Mechanism("bent")
    mech.add_body("one", joint=joints.Revolute((0, 1, 0)), inertia=aj.Inertia.box(1.0, 0.3, 0.2, 0.4))
    mech.add_body("two", "one", joints.Coupled(joints.Revolute((0, 0, 1)), Bend(), "one"),
                  inertia=aj.Inertia.box(1.0, 0.3, 0.2, 0.4))  # fmt: skip
    name = "two/joint/functions.factor"
    with pytest.raises(aj.InputError, match="numbers of how a joint follows others have no derivatives"):
        mech.compile().vjp("inverse_dynamics", ([0.3], [0.1], [0.2]), [1.0], wrt=(name,))


def test_numbers_of_a_joint_that_follows():
    """A bar of a four-bar that follows another: the numbers are those of the joint inside."""
    model, rng = gallery.four_bar_knee().compile(), np.random.default_rng(0)
    q, (v, a, w) = model.mechanism.start[0], rng.normal(size=(3, model.nv))
    crank = "posterior ligament/joint/joint.crank"
    _, found = model.vjp("inverse_dynamics", (q, v, a), w, wrt=(crank, "shin/joint/crank"))
    other = model.mechanism.compile()
    for name, length in ((crank, model.parameters[crank]), ("shin/joint/crank", model.parameters["shin/joint/crank"])):

        def moved(e, name=name, length=length):
            other.parameters[name] = length * (1 + e[0])
            return w @ other.inverse_dynamics(q, v, a)

        expected = differences(moved, np.zeros(1), np.ones((1, 1)))
        other.parameters[name] = length
        assert close(found[name] * length, expected, 1e-8)


def parallelogram(size=1.0, **options):
    """Two rockers of one length, a coupler as long as the base: flat, it may go on as a crossed one."""
    mech = aj.Mechanism("parallelogram", gravity=(0, 0, -9.81))
    for name, parent, at, length in (("a", None, 0.0, 0.5), ("b", "a", 0.5, 1.0), ("c", None, 1.0, 0.5)):
        bar = aj.Inertia(1.0, (size * length / 2, 0, 0), size**2 * np.diag([0.01, length**2 / 12, length**2 / 12]))
        mech.add_body(name, parent, aj.joints.Revolute("y"), aj.Pose.translation(size * at, 0, 0), bar)
    mech.add_loop("b", "c", aj.joints.Revolute("y"), ((size, 0, 0), (size / 2, 0, 0)))
    return mech.compile(**options)


@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-7])
def test_change_points_are_told(off):
    """Rows that become independent along the motion: accelerations jump there (34 for 26), and nothing was said."""
    model = parallelogram()
    q, v, tau = off * np.array([1.0, -1.0, 1.0]), np.array([1.0, -1.0, 1.0]), np.ones(3)
    run = model.simulate(q, 0 * v, duration=1e-3, gradient=True)
    for ask in (
        lambda: model.forward_dynamics_derivatives(q, v, tau),
        lambda: model.linearise(q, v, tau),
        lambda: model.linearise(q, v, tau, dt=1e-3),
        lambda: model.jvp("forward_dynamics", (q, v, tau), {"v": v}),
        lambda: model.vjp("constraint_multipliers", (q, v, tau), np.ones(5)),
        lambda: model.hvp("step", (q, v, tau, 1e-3), (v, v), {"v": v}),
        lambda: run.gradient(dq=v),
        lambda: run.tangent({"v0": v}),
    ):
        with pytest.raises(aj.SingularityError, match=r"a change point, such as links in line"):
            ask()
    beside = np.array([0.3, -0.3, 0.3])
    with pytest.raises(aj.SingularityError, match="state 1, rows"):
        model.forward_dynamics_derivatives(np.array([beside, q]), v, tau)
    assert np.isfinite(model.forward_dynamics_derivatives(beside, v, tau).q).all()  # rows of a plane are redundant too
    with pytest.raises(aj.SingularityError, match="a change point"):  # also behind a state where all was well
        model.vjp("forward_dynamics", (q, v, tau), v)


@pytest.mark.parametrize("options", [{}, {"form": "kernels"}, {"algorithm": "augmented"}])
def test_accelerations_at_change_points_are_told(options):
    """They are those of motions that the rows at hand allow, 34 for 26 beside."""
    model, there = parallelogram(**options), np.array([1.0, -1.0, 1.0])
    tau, rows = np.ones(3), {"a/mass": [1.0, 2.0]}
    beside = model.forward_dynamics(1e-4 * there, there, tau)
    assert np.ptp(np.abs(beside)) < 1e-9
    states = np.array([0.3 * there, 0.0 * there])
    asked = [
        lambda: model.forward_dynamics(1e-9 * there, there, tau),
        lambda: model.forward_dynamics(states, there, tau),
    ]
    if not options:
        asked += [
            lambda: model.forward_dynamics(1e-9 * there, there, tau, out=np.zeros(3)),
            lambda: model.forward_dynamics(states, there, tau, parameters=rows),
            lambda: model.forward_dynamics_derivatives(states, there, tau, parameters=rows),
            lambda: model.hybrid_dynamics(0 * there, there, tau, tau, prescribed=["a"]),
            lambda: model.constraint_forces(0 * there, there, tau),
        ]
    for ask in asked:
        with pytest.raises(aj.SingularityError, match="a change point, such as links in line"):
            ask()
    again = model.forward_dynamics(states[:1], there, tau)
    assert close(again[0], model.forward_dynamics(states[0], there, tau, out=np.zeros(3)), 1e-14)
    if not options:
        assert close(again[0], model.forward_dynamics(states[:1], there, tau, parameters={"a/mass": [1.0]})[0], 1e-14)
        assert int(model.mobility(states[1])) == 2  # says so without ado
        assert model.mobility(states[0]).degrees_of_freedom == 1


def test_runs_may_begin_at_a_change_point():
    """Speeds say which way: a parallelogram with a ball joint on it, which is looked at for singular places."""
    mech = parallelogram().mechanism
    mech.add_body("bob", "c", joints.Spherical(), aj.Pose.translation(0.5, 0, 0), aj.Inertia.sphere(0.1, 0.1))
    model = mech.compile()
    q, v = np.zeros(6), np.array([1.0, -1.0, 1.0, 0.1, 0.0, 0.0])
    run = model.simulate(q, v, duration=0.05, dt=1e-3)
    there = model.simulate(run.q[-1], -run.v[-1], duration=0.05, dt=1e-3)  # and back, from where all is well
    assert run.status.ok
    assert np.abs(run.q[-1, :2] + run.q[-1, 1:3]).max() < 1e-9  # the links of a parallelogram are parallel
    assert there.q[-1] == pytest.approx(q, abs=1e-6)


def test_runs_that_stop_by_at_a_change_point():
    """A sample of the run lies in line: its steps have no derivative, though those at its start have."""
    mech = parallelogram().mechanism
    mech.prescribe("a", lambda t: t - 3e-3)
    model = mech.compile()
    q, v = model.assemble([-3e-3, 3e-3, -3e-3], [1.0, -1.0, 1.0], t=0.0)
    run = model.simulate(q, v, duration=5e-3, dt=1e-3, gradient=True)
    for ask in (lambda: run.gradient(dq=v, wrt=("gravity",)), lambda: run.tangent({"gravity": [0.0, 0.0, 1.0]})):
        with pytest.raises(aj.SingularityError, match="gradient: state 3, rows of the constraints"):
            ask()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_small_mechanisms_are_at_no_change_point(dtype):
    """Rows in metres are a thousandth of those in radians: all is well beside the place where links are in line."""
    model = parallelogram(1e-3, dtype=dtype)
    q, v = np.array([0.3, -0.3, 0.3], dtype), np.array([1.0, -1.0, 1.0], dtype)
    assert np.isfinite(model.forward_dynamics_derivatives(q, v, 0 * v).q).all()
    with pytest.raises(aj.SingularityError, match="a change point"):
        model.forward_dynamics_derivatives(0 * q, v, 0 * v)
