"""Derivatives of time stepping under contacts, stops and dry friction: against differences of steps and of runs."""

import ctypes

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from derivatives.support import close
from simulate.touching import ball, leg

METHOD, DT = "time-stepping", 2e-3
H = 1e-5  # of differences: contacts bend quickly, and steps are solved to 1e-8 of their forces and mostly far better


def slope(f, h=H):
    """By differences of fourth order."""
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)


def landed(model, q0, v0=None, duration=0.1, dt=DT):
    """A state in which the mechanism touches the ground."""
    run = model.simulate(q0, v0, duration=duration, dt=dt, method=METHOD)
    assert run.status.ok
    return run.q[-1], run.v[-1]


def check_step(model, q, v, tolerance, dt=DT, h=H):
    """All columns of the linear model of a step."""
    tau = np.zeros(model.nv)
    A, B = model.linearise(q, v, tau, dt=dt, method=METHOD, raw=True)
    step = lambda x: np.concatenate(  # noqa: E731
        model.step(x[: model.nq], x[model.nq : -model.nv], x[-model.nv :], dt=dt, method=METHOD)
    )
    point = np.concatenate([q, v, tau])
    by_hand = np.stack([slope(lambda e, u=u: step(point + e * u), h) for u in np.eye(len(point))], axis=1)
    close(np.hstack([A, B]), by_hand, tolerance, np.abs(by_hand).max())


def test_a_foot_on_the_ground():
    model = leg(stiffness=4e4, dissipation=0.3).compile()
    q, v = landed(model, np.array([0.74, 0.4, -0.8]), duration=0.04)
    assert model.contact_acceleration(q, v, np.zeros(3), [DT])[1][0, 2, 2] > 1  # it pushes
    check_step(model, q, v, 1e-6)


@pytest.mark.slow  # a foot and stops do as much
def test_a_ball_that_rolls_and_one_that_flies():
    """Free bodies: velocities in the middle of the step are found in passes, of which some states need one."""
    model = ball(stiffness=1e4).compile()
    q, v = landed(model, np.array([1.0, 0, 0, 0, 0, 0, 0.0995]), np.array([0, 3.0, 0, 0.5, 0, 0]), 0.02)
    check_step(model, q, v, 1e-6)
    check_step(model, q + np.array([0, 0, 0, 0, 0, 0, 1.0]), v, 1e-7)
    weights = np.random.default_rng(0).normal(size=(2, 12))
    high = q + np.array([0, 0, 0, 0, 0, 0, 1.0])
    rows = np.stack([q, high]), np.stack([v, 0 * v]), np.zeros((2, 6)), np.full((2, 1), DT)
    _, both = model.vjp("step time-stepping", rows, weights)
    for k in range(2):
        _, one = model.vjp("step time-stepping", tuple(x[k] for x in rows), weights[k])
        close(one["q"], both["q"][k], 1e-11)
        _, (dq, dv) = model.jvp("step time-stepping", tuple(x[k] for x in rows), {"q": np.ones(6), "v": np.ones(6)})
        close(weights[k] @ np.concatenate([dq, dv]), one["q"].sum() + one["v"].sum(), 1e-11)


@pytest.mark.slow
def test_second_derivatives_of_a_step_on_the_ground():
    model = leg(stiffness=4e4, dissipation=0.3).compile()
    q, v = landed(model, np.array([0.74, 0.4, -0.8]), duration=0.04)
    weights, way = np.random.default_rng(1).normal(size=(2, 6))
    name, tau = "step time-stepping", np.zeros(3)
    found = model.hvp(name, (q, v, tau, [DT]), weights, {"q": way[:3], "v": way[3:]})
    for key in ("q", "v"):
        expected = slope(lambda e, k=key: model.vjp(name, (q + e * way[:3], v + e * way[3:], tau, [DT]), weights)[1][k])
        close(found[key], expected, 1e-5, np.abs(expected).max())
    made = {name: program for name, program in model.programs.items() if name.startswith(("hvp", "vjp"))}
    assert len(made) == 2
    for program in made.values():  # nothing is read that nobody has written: all bits set are NaN
        ctypes.memset(program.code.work(1), 0xFF, program.code.schedule.work * model.dtype.itemsize)
    again = model.hvp(name, (q, v, tau, [DT]), weights, {"q": way[:3], "v": way[3:]})
    assert all(np.array_equal(again[key], found[key]) for key in found)


def test_stops_and_dry_friction():
    mech = aj.Mechanism("door", gravity=(0, 0, -9.81))
    rod = aj.Inertia(1.1, (0.4, 0, 0), np.diag([0.02, 0.1, 0.1]))
    stopped = joints.Revolute(axis=(0, 1, 0), limits=(-1.0, 0.3))
    mech.add_body("door", joint=stopped, inertia=rod, friction=0.4)
    mech.add_body("flap", "door", joints.Revolute(axis=(0, 1, 0)), aj.Pose.translation(0.8, 0, 0), rod, friction=0.1)
    model = mech.compile()
    q, v = landed(model, np.array([0.28, -0.3]), duration=0.15, dt=0.01)
    assert q[0] > 0.3  # it leans on its stop, by a twentieth of a millimetre
    check_step(model, q, v, 1e-5, dt=0.01, h=2e-7)
    check_step(model, np.array([0.1, 0.2]), np.array([0.4, -1.0]), 1e-6)


@pytest.mark.parametrize("lands", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_run(lands):
    """A hop: gradients and tangents of a run that lands, by its first state, its mass and gravity."""
    names = ("q0", "v0", "thigh/mass", "shank/stiffness", "gravity")
    model = leg(stiffness=2e4, dissipation=0.3).compile(vary=names[2:])
    q0, v0, rng = np.array([0.74 if lands else 0.9, 0.4, -0.8]), np.array([-0.3, 0.0, 0.0]), np.random.default_rng(3)
    options = {"method": METHOD, "duration": 0.06, "dt": DT}
    traj = model.simulate(q0, v0, gradient=True, **options)
    weights = rng.normal(size=(2, len(traj.t), 3))
    found = traj.gradient(dq=weights[0], dv=weights[1], wrt=names)
    way = {"q0": rng.normal(size=3), "v0": rng.normal(size=3), "thigh/mass": 0.2, "shank/stiffness": np.array([5.0]),
           "gravity": np.array([0.1, 0.0, 0.5])}  # fmt: skip
    forwards = sum(np.sum(found[name] * x) for name, x in way.items())
    dq, dv = traj.tangent(way)
    close(np.sum(weights[0] * dq) + np.sum(weights[1] * dv), forwards, 1e-10)
    old = {name: np.array(model.parameters[name], dtype=float) for name in names[2:]}

    def total(e):
        moved = {name: x + e * way[name] for name, x in old.items()}
        model.parameters.set({name: x if x.shape else float(x) for name, x in moved.items()})
        run = model.simulate(q0 + e * way["q0"], v0 + e * way["v0"], **options)
        return np.sum(weights[0] * run.q) + np.sum(weights[1] * run.v)

    close(forwards, slope(total), 1e-5)
