"""Wheels that other joints have placed: balls and discs on a slope, and the benchmark bicycle [GL section 5]."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import curves, joints, surfaces
from anyjoint.errors import ModelError
from anyjoint.mechanism.gallery.bicycle import bicycle

G = 9.81
SLOPE = 0.3


def on_slope(rim, inertia, upright, height, of=False):
    """A round body on a plane that falls towards x, of the ground or of a heavy table that is welded to it."""
    mech = aj.Mechanism("slope")
    table = mech.add_body("table", None, joints.Prismatic((0, 1, 0)), inertia=aj.Inertia(1.0)) if of else None
    slope = aj.Pose.rotation_y(SLOPE)
    place = slope @ aj.Pose.translation(0, 0, height) @ upright
    mech.add_body("wheel", None, joints.FreeQuaternion(), place, inertia)
    mech.add_rolling("wheel", rim, on=surfaces.Plane(), of=table, place=slope)
    return mech


UPRIGHT = aj.Pose.rotation_x(np.pi / 2)
ROUND = {
    "ball": (surfaces.Sphere(0.2), aj.Inertia.sphere(1.5, 0.2), aj.Pose(), 0.2, 5 / 7),
    "disc": (curves.Circle(0.2), aj.Inertia.cylinder(1.5, 0.2, 0.01), UPRIGHT, 0.2, 2 / 3),
    "tyre": (surfaces.Torus(0.2, 0.05), aj.Inertia.cylinder(1.5, 0.25, 0.1), UPRIGHT, 0.25, 2 / 3),
    "egg": (surfaces.Ellipsoid(0.2, 0.2, 0.4), aj.Inertia.cylinder(1.5, 0.2, 0.1), UPRIGHT, 0.2, 2 / 3),
}


ON = {"ground": False, "table": True}  # each on one of them; the others are slow
SLOPES = [pytest.param(x, on, marks=[pytest.mark.slow] * ((k + ON[on]) % 2)) for k, x in enumerate(ROUND) for on in ON]


@pytest.mark.parametrize(("name", "on"), SLOPES)
def test_rolling_down_a_slope(name, on):
    """g sin(slope) / (1 + I / m r^2); the table moves sideways only, which the wheel does not feel."""
    rim, inertia, upright, height, share = ROUND[name]
    of = ON[on]
    mech = on_slope(rim, inertia, upright, height, of)
    model = mech.compile()
    q, v = mech.neutral, np.zeros(mech.nv)
    residual = model.constraint_residual(q, v)
    assert all(np.abs(r.position).max() < 1e-15 for r in residual.values())
    a = model.forward_dynamics(q, v)
    along = model.body_jacobian(q, "wheel")[3:] @ a
    assert np.linalg.norm(along) == pytest.approx(share * G * np.sin(SLOPE), rel=1e-12)
    assert model.mobility(q).degrees_of_freedom == 3 + of


def test_a_leaning_wheel_keeps_its_energy_and_its_grip():
    """A disc that wobbles over the floor: its material point there stands still. [GL eq. 16]"""
    mech = aj.Mechanism("coin")
    mech.add_body("coin", None, joints.FreeQuaternion(), aj.Pose.translation(0, 0, 0.2) @ UPRIGHT, ROUND["disc"][1])
    mech.add_rolling("coin", curves.Circle(0.2), on=surfaces.Plane())
    model = mech.compile()
    q, v = model.assemble(mech.neutral, [0.4, 0.7, 3.0, 0.0, 0.0, 0.0])
    traj = model.simulate(q, v, duration=3.0, dt=0.1, method="dopri5", rtol=1e-10, atol=1e-10)
    total = np.sum(traj.energy(), axis=0)
    assert traj.status.ok
    assert np.ptp(total) < 1e-8 * total[0]
    for q, v in zip(traj.q, traj.v, strict=True):
        errors = model.constraint_residual(q, v)["coin rolling: no slip"].velocity
        assert np.abs(errors).max() < 1e-9
    assert np.ptp(traj.q[:, 4]) > 0.3  # it went somewhere


# -- the benchmark bicycle -------------------------------------------------------------------------------------------

# Meijaard, Papadopoulos, Ruina & Schwab, Proc. R. Soc. A 463 (2007), the canonical matrices of lean and steer.
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])
C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])


@pytest.fixture(scope="module")
def rider():
    return bicycle().compile()


@pytest.mark.parametrize("speed", [0.0, 5.0])
@pytest.mark.parametrize("small", np.eye(4) * 1e-5, ids=["lean", "steer", "lean rate", "steer rate"])
def test_bicycle_near_straight_running(rider, speed, small):
    """M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 for small lean and steer; larger ones differ by their squares."""
    q, v = np.zeros(9), np.array([0, 0, 0, speed, 0, 0, speed / 0.3, 0, speed / 0.35])
    (q[0], q[7]), (v[0], v[7]) = small[:2], small[2:]
    q, v = rider.assemble(q, v, hold=("frame/rx", "fork", "frame/x"))
    a = rider.forward_dynamics(q, v)[[0, 7]]
    wanted = -np.linalg.solve(M, speed * C1 @ small[2:] + (G * K0 + speed**2 * K2) @ small[:2])
    assert a == pytest.approx(wanted, abs=1e-4 * 1e-5 * max(1.0, speed**2) * 10)


def test_the_bicycle_rights_itself(rider):
    mech = rider.mechanism
    traj = rider.simulate(*mech.start, duration=5.0, dt=0.005, method="rk4")
    assert traj.status.ok
    lean = traj.q[:, 0]
    assert np.abs(lean).max() > 0.03
    assert np.abs(lean[traj.t > 4.5]).max() < 0.2 * np.abs(lean).max()


# -- bad input -------------------------------------------------------------------------------------------------------


def test_bad_rims():
    mech = aj.Mechanism("bad")
    mech.add_body("wheel", None, joints.Free(), inertia=aj.Inertia.sphere(1.0, 0.1))
    plane, circle = surfaces.Plane(), curves.Circle(0.2)
    for wrong, sentence in (
        (
            lambda: mech.add_rolling("wheel", curves.Helix(1, 1), on=plane),
            r"'wheel rolling': .* is no rim.*joints.Roll",
        ),
        (lambda: mech.add_rolling("wheel", circle, on=surfaces.Sphere(1.0)), r"expected surfaces.Plane\(\)"),
        (lambda: mech.add_rolling("wheel", circle, on=plane, at=3), "at=3; expected an aj.Pose"),
        (lambda: mech.add_rolling("wheal", circle, on=plane), "no body of 'bad'.*'wheel'"),
        (lambda: mech.add_rolling("wheel", circle, on=plane, of="wheel"), "cannot roll on"),
    ):
        with pytest.raises(ModelError, match=sentence):
            wrong()
