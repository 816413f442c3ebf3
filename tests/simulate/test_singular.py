"""Runs begin in the chart that joints want, and not at all at singular places."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints, surfaces
from tests.model.test_singular import alone, sphere

METHODS = ["semi-implicit-euler", "rk4", "dopri5"]
TAU = 2 * math.pi


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("length", [TAU - 1e-9, TAU, TAU + 1e-12, 2.9 * math.pi])
def test_a_start_beyond_the_chart_is_the_same_start_inside(method, length):
    """Exponential coordinates near a whole turn, where they break down, say the same as short ones."""
    model = alone(joints.Spherical()).compile()
    axis = np.array([0.36, -0.48, 0.8])
    near = length - TAU * round(length / TAU)
    far = model.simulate(length * axis, np.zeros(3), 0.5, dt=1e-3, method=method)
    short = model.simulate(near * axis, np.zeros(3), 0.5, dt=1e-3, method=method)
    assert far.status.ok
    assert np.abs(far.q - short.q).max() < 1e-8
    assert np.allclose(model.body_poses(far.q[0]), model.body_poses(length * axis), atol=1e-14)


def test_velocities_are_carried_over():
    model = alone(joints.Spherical()).compile()
    q, v = np.array([0.0, 1.7 * math.pi, 0.3]), np.array([0.3, -0.2, 0.5])
    traj = model.simulate(q, v, 0.01)
    assert np.linalg.norm(traj.q[0]) < math.pi
    assert np.allclose(model.body_twists(traj.q[0], traj.v[0]), model.body_twists(q, v), atol=1e-13)


def test_a_batch_is_recharted_too():
    model = alone(joints.Spherical()).compile()
    q = np.array([[0.1, 0.2, 0.3], [0.0, TAU - 1e-8, 0.0]])
    traj = model.simulate(q, np.zeros((2, 3)), 0.1)
    assert traj.status.ok
    assert np.array_equal(traj.q[0, 0], q[0])
    assert np.abs(traj.q[0, 1]).max() < 1e-7


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_a_run_does_not_begin_at_a_singular_place(method, batch):
    lock = joints.Composite(joints.Revolute("z"), joints.Revolute("y"), joints.Revolute("z"))
    pole = joints.OnSurface(surfaces.surface(sphere, flip=True))
    for joint, q, words in ((lock, [0.3, math.pi, 0.4], "Composite"), (pole, [0.3, math.pi], "no tangent plane")):
        model = alone(joint).compile()
        start = np.array([np.full(model.nq, 0.4), q]) if batch else q
        traj = model.simulate(start, np.zeros((2, model.nv)) if batch else None, 1.0, method=method)
        assert not traj.status.ok
        assert "cannot begin" in traj.status.reason
        assert "'body'" in traj.status.reason
        assert words in traj.status.reason
        assert len(traj.t) == 1


def test_a_run_ends_where_a_frame_breaks_down():
    """Straight over the far pole of a sphere that a user wrote, in steps that meet it."""
    mech = aj.Mechanism("pole", gravity=(0, 0, 0))
    mech.add_body("puck", joint=joints.OnSurface(surfaces.surface(sphere, flip=True)), inertia=aj.Inertia.point(1.0))
    traj = mech.compile().simulate([0.3, math.pi - 0.5], [0.0, 1.0], 1.0, dt=0.125)
    assert "'puck'" in traj.status.reason
    assert "no tangent plane" in traj.status.reason
    assert traj.t[-1] == pytest.approx(0.375)


def thrown(joint, place, way, method):
    """A run straight through a place, in steps that do not meet it."""
    model = alone(joint).compile()
    way = np.array(way) / np.linalg.norm(way)
    return model.simulate(np.array(place) - 0.0517 * way, 10 * way, 0.05, dt=1e-3, method=method)


LOCK = joints.Composite(joints.Revolute("z"), joints.Revolute("y"), joints.Revolute("z"))
TORI = joints.SurfaceSurface(surfaces.Torus(1.0, 0.3), surfaces.Torus(1.0, 0.3))
PASSED = {
    "a lock": (LOCK, [0.3, 0.0, 0.4], [0.0, 1.0, 0.0]),
    "a pole of the user's": (joints.OnSurface(surfaces.surface(sphere, flip=True)), [0.3, math.pi], [0.0, 1.0]),
    "a pole": (joints.OnSurface(surfaces.Sphere(0.5), spin=True), [0.3, math.pi, 0.1], [0.0, 1.0, 0.0]),
    "tori": (TORI, [0.3, math.pi / 2, 0.4, -math.pi / 2], [1.0, 1.0, 1.0, 1.0]),
    "a cam": (aj.joint(dof=1)(lambda q: aj.Pose.translation(0, aj.cos(q[0]), 0)), [math.pi], [1.0]),
    "a cusp": (joints.OnCurve(lambda s: (s**2, s**3, s**2), frame="fixed-up"), [0.0], [1.0]),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", PASSED)
def test_a_run_ends_where_it_jumps_over_a_singular_place(name, method):
    """Steps that adapt themselves may find the narrow way beside it."""
    traj = thrown(*PASSED[name], method)
    kinetic, potential = traj.energy()
    if traj.status.ok or method == "dopri5":
        assert np.ptp(kinetic + potential) < 1e-5 * kinetic.max()
    if method != "dopri5":
        assert not traj.status.ok
        assert "'body'" in traj.status.reason
        assert traj.t[-1] < 0.02


@pytest.mark.parametrize("method", METHODS)
def test_a_run_beside_a_singular_place_goes_on(method):
    traj = thrown(LOCK, [0.3, 0.1, 0.4], [1.0, 0.0, 0.5], method)
    assert traj.status.ok
