"""Joints made of pieces: energy holds where the pieces fit, and a run ends where pose or twist would jump."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import curves, functions, joints, surfaces

LUMP = aj.Inertia(mass=3.0, com=(0.1, -0.05, 0.2), tensor=np.diag([0.3, 0.2, 0.4]).tolist())
LOOP = [(math.cos(t), math.sin(t), 0.4 * math.sin(2 * t + 0.3 * t * t)) for t in np.linspace(0, 2 * math.pi, 9)[:-1]]
WIRE = curves.BSpline(LOOP, closed=True)
SMOOTH = curves.BSpline(LOOP, closed=True, degree=5)
HILLS = [[(i, j, 0.5 * math.sin(i * j)) for j in range(9)] for i in range(9)]


def rider(joint, gravity=(0, 0, -9.81)):
    mech = aj.Mechanism("pieces", gravity=gravity)
    mech.add_body("car", joint=joint, inertia=LUMP)
    return mech.compile()


def drift(traj):
    kinetic, potential = traj.energy()
    return np.ptp(kinetic + potential) / max(kinetic.max(), np.ptp(potential))


@aj.joint(dof=1, names=["s"])
def upright(q):
    return WIRE.fixed_up(q[0])


@aj.joint(dof=1)
def bent(q):
    return aj.Pose.translation(aj.select(q[0] < 0.7, q[0], q[0] + (q[0] - 0.7) ** 2), 0, 0)


@aj.joint(dof=1, period=[2.0], wrap=True)
def turned(q):
    return aj.Pose.rotation_x(math.pi * (q[0] % 2.0)) @ aj.Pose.translation(0, 1, 0)


FITTING = {
    "the default frame on a cubic spline": joints.OnCurve(WIRE),
    "the same, open": joints.OnCurve(curves.BSpline(LOOP)),
    "with spin": joints.OnCurve(WIRE, spin=True),
    "fixed up": joints.OnCurve(WIRE, frame="fixed-up"),
    "a user's joint": upright,
    "a surface": joints.OnSurface(surfaces.BSpline(HILLS)),
    "a surface that slides": joints.OnSurface(surfaces.BSpline(HILLS), slide=True),
    "surfaces in contact": joints.Contact(surfaces.BSpline(HILLS), surfaces.Sphere(0.3)),
    "a knee": joints.FunctionBased([((0, 0, 1), functions.SimmSpline([-1, 0.5, 1, 2, 3], [0, 1.5, 2.2, 3, 4.5]))]),
    "control frames": joints.SplineCurve(
        [aj.Pose.translation(*p) @ aj.Pose.rotation_x(p[2]) @ aj.Pose.rotation_z(p[0]) for p in LOOP], closed=True
    ),
    "cases with equal slopes": bent,
    "whole turns taken off": turned,
}


LONG = ("the same, open", "with spin", "a surface", "surfaces in contact")  # the like of others


@pytest.mark.parametrize("name", [pytest.param(x, marks=[pytest.mark.slow] * (x in LONG)) for x in FITTING])
def test_energy_holds_where_pieces_fit(name):
    """Accelerations jump at knots, so errors fall with the tolerance, though slower than between knots."""
    joint = FITTING[name]
    model = rider(joint, (0, 0, -1.0))
    q = np.full(joint.nq, 1.37) if joint.nq < 3 else np.array([2.37, 1.62, 0.2, 0.3, 0.4])[: joint.nq]
    v = np.full(joint.nv, 2.0)
    for tolerance in (1e-7, 1e-10):
        traj = model.simulate(q, v, 1.2, method="dopri5", dt=1e-2, rtol=tolerance, atol=tolerance)
        assert "jumps" not in traj.status.reason
        assert len(np.unique(np.floor(traj.q), axis=0)) > 1  # knots were passed
        assert drift(traj) < 1e4 * tolerance


def test_fixed_steps_hold_energy_on_a_smooth_spline_and_lose_little_on_a_cubic_one():
    for wire, loss in ((WIRE, 1e-2), (SMOOTH, 1e-6)):
        traj = rider(joints.OnCurve(wire)).simulate([0.3], [2.0], 3.0)
        assert traj.status.ok
        assert drift(traj) < loss


def test_twists_of_default_frames_are_continuous_at_knots():
    for wire in (WIRE, SMOOTH, curves.BSpline(LOOP), curves.BSpline(LOOP, degree=4)):
        joint = joints.OnCurve(wire)
        for knot in range(1, wire.count):
            before, after = (np.array(joint.jacobian([knot + h]), float) for h in (-1e-9, 1e-9))
            np.testing.assert_allclose(before, after, atol=1e-6)


@aj.joint(dof=1, names=["s"])
def twisted(q):
    return WIRE.frenet(q[0])


@aj.joint(dof=1, names=["s"])
def bounced(q):
    return aj.Pose.translation(abs(q[0] - 0.7), 0, 0)


@aj.joint(dof=1, names=["s"])
def displaced(q):
    return aj.Pose.translation(aj.select(q[0] < 0.7, q[0], q[0] + 0.1), 0, 0)


@aj.joint(dof=1, names=["s"])
def unwound(q):
    return aj.Pose.translation(aj.atan2(aj.sin(q[0]), aj.cos(q[0])), 0, q[0])


@aj.joint(dof=2, names=["s", "x"])
def sideways(q):
    return aj.Pose.translation(q[1] * aj.maximum(q[0] - 0.7, 0.0), q[0], q[1])


JUMPING = {
    "a Frenet frame": (twisted, 1.0),
    "abs": (bounced, 0.7),
    "a step": (displaced, 0.7),
    "an arc tangent": (unwound, math.pi),
    "two coordinates": (sideways, 0.7),
    "straight lines": (
        joints.FunctionBased([((0, 0, 1), functions.PiecewiseLinear([0, 0.5, 1], [0, 0.5, 2]))], names=("s",)), 0.5
    ),
    "in a row": (joints.Composite(bounced, joints.Revolute("x")), 0.7),
}  # fmt: skip


@pytest.mark.parametrize("method", ["semi-implicit-euler", "rk4", "dopri5"])
@pytest.mark.parametrize("name", JUMPING)
def test_a_run_ends_where_a_joint_jumps(name, method):
    joint, place = JUMPING[name]
    q, v = np.full(joint.nq, 0.3), np.full(joint.nv, 2.0)
    traj = rider(joint, (0, 0, 0)).simulate(q, v, 3.0, method=method, save_every=7)
    assert not traj.status.ok
    assert "the joint of body 'car' jumps at" in traj.status.reason
    assert f"s = {place:.6g}" in traj.status.reason
    assert traj.q[-1, 0] < place < traj.q[-1, 0] + 0.5
    assert drift(traj) < (1e-2 if method == "semi-implicit-euler" else 1e-5)


def test_a_follower_that_jumps_is_named():
    mech = aj.Mechanism("gear", gravity=(0, 0, 0))
    mech.add_body("lead", joint=joints.Revolute("z"), inertia=LUMP)
    mech.add_body("car", joint=joints.Coupled(joints.Prismatic("x"), lambda q: abs(q[0] - 1), "lead"), inertia=LUMP)
    traj = mech.compile().simulate([0.0], [1.0], 2.0)
    assert "the joint of body 'car' jumps at angle = 1" in traj.status.reason
