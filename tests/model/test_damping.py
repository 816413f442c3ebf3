"""Dampers of joints do not know the chart: every form of a ball and of a free body slows down alike."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints, surfaces

I, DAMPING, SPIN = 0.4, 0.3, np.array([1.5, 4.0, 2.5])
BALL = aj.Inertia(2.0, tensor=(I * np.eye(3)).tolist())
FORMS = {
    "rotation vector": joints.Spherical(),
    "quaternion": joints.SphericalQuaternion(),
    "angles that switch": joints.EulerAngles("zyx", switch=True),
    "free": joints.Free(),
    "free, translation first": joints.Free(order="translation-first"),
    "free by quaternion": joints.FreeQuaternion(),
    "in a row": joints.Composite(joints.Translational(), joints.Spherical()),
}
UNEQUAL = (0.3, 0.5, 0.8, 1.1, 1.3, 1.7)
SEVERAL = surfaces.Ellipsoid(1.0, 0.8, 0.6).all_charts()
CHARTED = {
    **FORMS,
    "on a surface": joints.OnSurface(SEVERAL, spin=True),
    "surface over a point": joints.OnSurface(SEVERAL, spin=True, slide=True),
    "contact": joints.Contact(SEVERAL, surfaces.Sphere(0.3).all_charts()),
}


def damped(joint, damping=DAMPING, inertia=BALL, **more):
    """One body on the ground without gravity."""
    mech = aj.Mechanism("damped", gravity=(0, 0, 0))
    mech.add_body("body", joint=joint, inertia=inertia, damping=damping, **more)
    return mech


def twist_of(joint, q, v):
    """The body's twist in its own frame."""
    return np.array(joint.jacobian(np.asarray(q).tolist()), dtype=float) @ v


@pytest.mark.parametrize("form", FORMS)
def test_a_ball_that_spins_freely_slows_down_exponentially(form):
    joint = FORMS[form]
    q0 = [c.neutral for c in joint.coordinates]
    v0 = np.linalg.pinv(np.array(joint.jacobian(q0), dtype=float)) @ [*SPIN, 0, 0, 0]
    traj = damped(joint).compile().simulate(q0, v0, duration=3, dt=0.1, method="dopri5", rtol=1e-10, atol=1e-12)
    omega = np.array([twist_of(joint, q, v)[:3] for q, v in zip(traj.q, traj.v, strict=True)])
    assert omega == pytest.approx(SPIN * np.exp(-DAMPING / I * traj.t)[:, None], abs=1e-9)
    jumps = np.abs(np.diff(traj.q, axis=0)).max() > 1
    assert jumps == ("quaternion" not in form)  # a chart has changed on the way
    lost = 0.5 * I * (SPIN @ SPIN) * (1 - np.exp(-2 * DAMPING / I * 3))
    assert traj.work()[-1] == pytest.approx(-lost, rel=1e-9)
    assert traj.balance_error() < 1e-9


@pytest.mark.parametrize("kind", CHARTED)
def test_dampers_do_not_feel_a_change_of_chart(kind):
    """The power that they take and the forces that they exert stay, and so do both in what a step solves."""
    joint, rng = CHARTED[kind], np.random.default_rng(4)
    damping = np.array(UNEQUAL[: joint.nv])
    changed = 0
    for _ in range(30):
        q = [c.neutral + 2.5 * x for c, x in zip(joint.coordinates, rng.normal(size=joint.nq), strict=True)]
        v = rng.normal(size=joint.nv).tolist()
        if any(c.name == "qw" for c in joint.coordinates):
            q[:4] = (np.array(q[:4]) / np.linalg.norm(q[:4])).tolist()
        to_q, to_v = joint.chart(q, v)
        changed += not np.allclose(np.array(to_q, dtype=float), q)
        before, after = (np.array(joint.speeds(*x), dtype=float) for x in ((q, v), (to_q, to_v)))
        assert after == pytest.approx(before, rel=1e-12, abs=1e-12)
        assert damping @ after**2 == pytest.approx(damping @ before**2, rel=1e-12)
    assert changed or joint.nq != joint.nv


def test_free_bodies_feel_the_same_in_every_parametrisation():
    """Wrenches in the body's frame are those of the quaternion form, whose velocities are the twist itself."""
    q, v, rng = (0.4, -0.5, 1.1, 0.3, 0.2, -0.6), np.array([0.5, -1.0, 0.7, 0.2, 0.4, -0.3]), np.random.default_rng(2)
    model = damped(joints.Free(), UNEQUAL).compile()
    S = np.array(joints.Free().jacobian(list(q)), dtype=float)
    wrench = np.linalg.solve(S.T, model.passive_forces(q, v))
    assert wrench == pytest.approx(-np.array(UNEQUAL) * (S @ v), rel=1e-13)
    other = damped(joints.FreeQuaternion(), UNEQUAL).compile()
    assert other.passive_forces([1, 0, 0, 0, *rng.normal(size=3)], S @ v) == pytest.approx(wrench, rel=1e-13)
    swapped = joints.Free(order="translation-first")
    alike = damped(swapped, (2.0, 2.0, 2.0, *UNEQUAL[:3])).compile()  # equal along all axes, those of whomever
    S = np.array(swapped.jacobian([*q[3:], *q[:3]]), dtype=float)
    wrench = np.linalg.solve(S.T, alike.passive_forces([*q[3:], *q[:3]], v))
    assert wrench == pytest.approx(-np.array([*UNEQUAL[:3], 2, 2, 2]) * (S @ v), rel=1e-13)


def test_a_fit_across_a_change_of_chart_finds_the_damping():
    true, guess = (damped(joints.Spherical(), d).compile() for d in (1.3, 0.9))
    settings = {"duration": 1.0, "dt": 0.02}
    data = true.simulate([2.5, 2.0, 1.0], [4.0, 3.0, 2.0], **settings)
    assert np.abs(np.diff(data.q, axis=0)).max() > 1
    found = aj.identify(guess, data, parameters=["body/damping"])
    assert found.values["body/damping"] == pytest.approx(1.3, rel=1e-8)


def test_runs_refuse_armature_along_velocities_of_a_chart():
    model = damped(joints.Spherical(), armature=0.1).compile()
    with pytest.raises(aj.InputError, match=r"'body': armature .* Spherical belong to a chart .*SphericalQuaternion"):
        model.simulate([0, 0, 0], [0, 0, 1], duration=0.1, dt=0.01)
    assert damped(joints.SphericalQuaternion(), armature=0.1).compile().simulate(duration=0.1, dt=0.01).status.ok
