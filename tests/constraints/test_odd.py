"""Odd but legal: loops between free bodies, nested, redundant, prescribed, soft beside hard, with wheels and gears."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import curves, joints, surfaces
from constraints.kkt import System

BOX = aj.Inertia.box(1.3, 0.2, 0.3, 0.4).moved(aj.Pose.translation(0.1, 0.05, -0.1))
Y = joints.Revolute((0, 1, 0))
BALL = joints.Spherical()
FALL = (0.3, -0.2, -9.81)


def free_bodies(**how):
    """Two free bodies, joined by a hinge, nothing on the ground."""
    mech = aj.Mechanism("two", gravity=FALL)
    mech.add_body("a", joint=joints.FreeQuaternion(), inertia=BOX)
    mech.add_body("b", joint=joints.FreeQuaternion(), inertia=BOX)
    mech.add_loop("a", "b", joint=Y, at=((0.5, 0, 0), (-0.5, 0, 0.1)), **how)
    return mech


def ladder():
    """Three rails on the ground with rungs between them: loops that share bodies, and one within another."""
    mech = aj.Mechanism("ladder", gravity=FALL)
    for k in range(3):
        mech.add_body(f"rail{k}", joint=Y, placement=aj.Pose.translation(k, 0, 0), inertia=BOX)
    for k in range(2):
        mech.add_body(f"rung{k}", f"rail{k}", Y, aj.Pose.translation(0, 0, 1), BOX)
        mech.add_loop(f"rung{k}", f"rail{k + 1}", joint=BALL, at=((1, 0, 0), (0, 0, 1)))
    mech.add_body("long", "rail0", Y, aj.Pose.translation(0, 0, 0.5), BOX)
    mech.add_loop("long", "rail2", joint=BALL, at=((2, 0, 0), (0, 0, 0.5)))
    mech.add_loop("long", "rail2", joint=BALL, at=((2, 0, 0), (0, 0, 0.5)))
    return mech


def driven_four_bar(shift=0.0):
    """A crank that follows time, in a loop."""
    mech = aj.Mechanism("driven", gravity=FALL)
    mech.add_body("crank", joint=Y, inertia=BOX)
    mech.add_body("coupler", "crank", Y, aj.Pose.translation(0, 0, 0.5), BOX)
    mech.add_body("rocker", joint=Y, placement=aj.Pose.translation(1 + shift, 0, 0), inertia=BOX)
    mech.add_body("load", "rocker", Y, aj.Pose.translation(0, 0, 1.2), BOX)
    mech.add_loop("coupler", "rocker", joint=BALL, at=((1.1, 0, 0), (0, 0, 0.9)))
    mech.prescribe("crank", lambda t: 0.3 * aj.sin(2 * t) + 0.2)
    return mech


def locomotive():
    """A wheel that rolls, with a rod from its rim to a sledge on the same rail, and a soft buffer."""
    mech = aj.Mechanism("locomotive", gravity=FALL)
    mech.add_body("sledge", joint=joints.Prismatic((1, 0, 0)), placement=aj.Pose.translation(1, 0, 0.5), inertia=BOX)
    mech.add_body("wheel", joint=joints.Free(), inertia=BOX)
    mech.add_body("rod", "wheel", Y, aj.Pose.translation(0.3, 0, 0), BOX)
    mech.add_rolling("wheel", curves.Circle(0.5), on=surfaces.Plane(), at=aj.Pose.rotation_x(np.pi / 2))
    mech.add_loop("rod", "sledge", joint=BALL, at=((0.8, 0, 0), (0, 0, 0)))
    mech.add_loop("rod", "sledge", joint=BALL, at=((0.4, 0, 0), (0, 0, 0.1)), compliance=0.02)
    return mech


CASES = {
    "free bodies": free_bodies, "soft between free bodies": lambda: free_bodies(compliance=0.1), "ladder": ladder,
    "driven": driven_four_bar, "locomotive": locomotive,
}  # fmt: skip


def state(mech, seed=0):
    """A state on the constraints, near the start."""
    rng, t = np.random.default_rng(seed), 0.4 if mech.timed else 0.0
    model, clock = mech.compile(), {"t": t} if mech.timed else {}
    q = np.array(mech.neutral, dtype=float) + 0.05 * rng.normal(size=mech.nq)
    for body in mech.bodies:
        if isinstance(body.joint, joints.FreeQuaternion):
            q[body.q][:4] /= np.linalg.norm(q[body.q][:4])
        if body.name == "wheel":
            q[body.q] = [0.0, 0.2, 0.1, 0.0, 0.0, 0.5]  # turns, then where it is
    q, v = model.assemble(q, 0.5 * rng.normal(size=mech.nv), **clock)
    return q, v, clock


@pytest.mark.parametrize("form", ["straight", "kernels"])
@pytest.mark.parametrize("name", CASES)
def test_against_the_dense_equations(name, form):
    mech = CASES[name]()
    q, v, clock = state(mech)
    tau = np.random.default_rng(1).normal(size=mech.nv)
    dense = System(mech, q, **clock)
    dense.move(v)
    want, y = dense.solve(tau)
    model = mech.compile(form=form)
    a = model.forward_dynamics(q, v, tau, **clock)
    assert np.abs(a - want).max() <= 1e-11 * max(1.0, np.abs(want).max(), np.abs(dense.G.T @ y).max())
    forces = dense.M @ a + dense.bias - tau
    assert forces == pytest.approx(-dense.G.T @ model.constraint_multipliers(q, v, tau, **clock), abs=1e-9)


def geared_loop():
    """A loop whose two sides are moved by one coordinate through gears, and a third by itself."""
    mech = aj.Mechanism("geared", gravity=FALL)
    mech.add_body("lead", joint=Y, inertia=BOX)
    twice = joints.Coupled(Y, 2.0, "lead", offset=0.1)
    mech.add_body("twice", "lead", twice, aj.Pose.translation(0, 0, 1), BOX)
    mech.add_body("back", joint=joints.Coupled(Y, -0.5, "twice"), placement=aj.Pose.translation(2, 0, 0), inertia=BOX)
    mech.add_body("arm", "back", joints.Universal(), aj.Pose.translation(0, 0, 1), BOX)
    mech.add_body("slide", "arm", joints.Prismatic((1, 0, 0)), inertia=BOX)
    mech.add_loop("slide", "twice", joint=BALL, at=((-1, 0, 0), (0, 0, 0.6)))
    return mech


def test_a_loop_through_joints_that_follow():
    mech = geared_loop()
    model = mech.compile()
    rng = np.random.default_rng(0)
    q, v = model.assemble(0.1 * rng.normal(size=mech.nq), 0.5 * rng.normal(size=mech.nv))
    tau = rng.normal(size=mech.nv)
    M, bias = model.mass_matrix(q), model.bias_forces(q, v)
    G, gamma = model.constraint_jacobian(q), model.constraint_bias(q, v)
    A = np.block([[M, G.T], [G, np.zeros((len(G), len(G)))]])
    want = np.linalg.lstsq(A, np.concatenate([tau - bias, -gamma]), rcond=1e-11)[0][: mech.nv]
    for form in ("straight", "kernels"):
        a = mech.compile(form=form).forward_dynamics(q, v, tau)
        assert np.abs(a - want).max() <= 1e-11 * np.abs(want).max()
    h = 1e-6
    rates = [model.constraint_residual(q + s * h * v, v) for s in (1, -1)]
    slope = np.concatenate([(rates[0][x].velocity - rates[1][x].velocity) / (2 * h) for x in rates[0]])
    assert slope == pytest.approx(gamma, abs=1e-6 * max(1.0, np.abs(gamma).max()))


def geared_twins(scale):
    """A wheel and one that it drives, held many times over, and rows that no motion can change."""
    mech, light = aj.Mechanism("twins", gravity=FALL), aj.Inertia(scale, (0.1, 0, 0), scale * np.eye(3))
    at, lean = aj.Pose.translation(1, 0.2, 0) @ aj.Pose.rpy(0.1, 0.2, 0.3), (0.3, 0.9, 0.1)
    mech.add_body("lead", joint=joints.Revolute(lean), inertia=light)
    mech.add_body("slide", "lead", joints.Coupled(joints.Prismatic((1, 2, 3)), 1.7, "lead"), at, light)
    mech.add_body("arm", "slide", joints.Revolute(lean), at, light)
    mech.add_body("end", "arm", joints.Coupled(joints.Prismatic((3, 1, 2)), aj.sin, "arm", 0.2), at, light)
    mech.add_loop("slide", "lead", joint=joints.Prismatic((1, 2, 3)), at=(aj.Pose(), at))
    mech.add_loop("end", "arm", joint=joints.Translational(), at=(aj.Pose(), at))
    mech.add_constraint(aj.constraint(lambda q: [q[0] - 0.4, 2 * q[0] - 0.8]), coordinates=["lead"])
    point = mech.poses([0.4, 0.3])[1].act((0.3, 0.2, 0.1))
    mech.add_loop("slide", None, joint=BALL, at=((0.3, 0.2, 0.1), tuple(map(float, point))))
    return mech


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e6])
def test_redundant_rows_on_joints_that_follow(scale):
    """What rounding leaves of them is told from rows that hold something, whatever the masses are."""
    mech = geared_twins(scale)
    q, v, tau = [0.4, 0.3], [0.0, 0.7], [0.0, 0.2 * scale]
    dense = System(mech, q)
    dense.move(np.array(v))
    want = (tau - dense.bias)[1] / dense.M[1, 1]
    model = mech.compile()
    assert np.abs(dense.G[:, 1]).max() < 1e-12  # rows hold the first coordinate alone
    assert model.forward_dynamics(q, v, tau) == pytest.approx([0.0, want], rel=1e-12, abs=1e-12 * abs(want))
    y = model.constraint_multipliers(q, v, tau)
    assert np.count_nonzero(y) == 1
    left = dense.M @ [0.0, want] + dense.bias - tau + dense.G.T @ y
    assert np.abs(left).max() < 1e-12 * np.abs(dense.bias).max()


@pytest.mark.filterwarnings("ignore:.*compiling again")
def test_parameters_that_move_a_closure():
    """Rows of other parameters, set or row by row of a batch, are those of a mechanism that was built so."""
    shifts = np.array([0.0, 0.02, -0.03])
    model, states = driven_four_bar().compile(), [state(driven_four_bar(x)) for x in shifts]
    tau = np.random.default_rng(1).normal(size=model.nv)
    moved = [driven_four_bar(x).compile() for x in shifts]
    want = [one.forward_dynamics(q, v, tau, **clock) for one, (q, v, clock) in zip(moved, states, strict=True)]
    q, v = (np.array([s[k] for s in states]) for k in (0, 1))
    poses = [aj.Pose.translation(1 + x, 0, 0) for x in shifts]
    batch = model.forward_dynamics(q, v, tau, t=0.4, parameters={"rocker/placement": poses})
    np.testing.assert_allclose(batch, want, rtol=1e-11, atol=1e-11)
    for k, pose in enumerate(poses):
        model.parameters["rocker/placement"] = pose
        np.testing.assert_allclose(model.forward_dynamics(q[k], v[k], tau, t=0.4), want[k], rtol=1e-11, atol=1e-11)


def test_the_ground_with_itself_is_no_loop():
    mech = aj.Mechanism("none")
    mech.add_body("a", joint=Y, inertia=BOX)
    with pytest.raises(aj.errors.ModelError, match="itself"):
        mech.add_loop(None, None, joint=BALL, at=((0, 0, 0), (0, 0, 0)))
    with pytest.raises(aj.errors.ModelError, match="itself"):
        mech.add_loop("a", "a", joint=BALL, at=((0, 0, 0), (0, 0, 0)))
