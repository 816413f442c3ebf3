"""Springs and dampers of joints belong to the mechanism: they act in every quantity, formulation and export."""

import ctypes
import subprocess
from functools import cache

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from tests.crossed import crossed

SOLID = aj.Inertia(1.3, com=(0.1, 0.2, 0.3), tensor=np.diag([0.1, 0.2, 0.25]).tolist())
KINDS = {
    "hinge": joints.Revolute((0, 1, 0)),
    "slider": joints.Prismatic((1, 1, 0)),
    "universal": joints.Universal(),
    "ball": joints.Spherical(),
    "ball by quaternion": joints.SphericalQuaternion(),
    "free": joints.Free(),
    "free, translation first": joints.Free(order="translation-first"),
    "free by quaternion": joints.FreeQuaternion(),
    "slider and ball": joints.Composite(joints.Prismatic(), joints.Spherical()),
    "rolling": joints.Rolling(aj.surfaces.Ellipsoid(1.0, 0.8, 0.6), aj.surfaces.Sphere(0.3)),
    "torus on torus": joints.SurfaceSurface(aj.surfaces.Torus(1.0, 0.3), aj.surfaces.Torus(1.0, 0.3)),
}
FORMULATIONS = (
    "recursive", "articulated-body", "modified-articulated-body", "composite-rigid-body", "lagrangian", "augmented",
    "redmax", "recursive-mixed",
)  # fmt: skip


def quaternion_units(joint, q):
    """Quaternions at unit length."""
    if any(c.name == "qw" for c in joint.coordinates):
        q[:4] /= np.linalg.norm(q[:4])
    return q


def sprung(kind, damping=True):
    """Two bodies with springs of unequal stiffness that relax at a generic place, and a state."""
    joint, rng = KINDS[kind], np.random.default_rng(len(kind))
    neutral = np.array([c.neutral for c in joint.coordinates])
    rest = quaternion_units(joint, neutral + 0.3 * rng.normal(size=joint.nq))
    springs = {
        "stiffness": rng.uniform(1, 5, joint.nv), "damping": rng.uniform(0.1, 1, joint.nv) * damping, "rest": rest
    }  # fmt: skip
    mech = aj.Mechanism(kind, gravity=(0.5, -1, -9.81))
    first = mech.add_body("first", joint=joint, inertia=SOLID, **springs)
    place = aj.Pose.translation(0.2, 0.1, -0.4)
    mech.add_body("second", first, joints.Revolute((1, 0, 0)), place, SOLID, stiffness=2.5, damping=0.2 * damping)
    q = np.append(quaternion_units(joint, neutral + 0.4 * rng.normal(size=joint.nq)), 0.3)
    return mech, q, rng.normal(size=mech.nv)


def stored(mech, q):
    """The energy in the springs, from its definition."""
    return sum(
        0.5 * np.dot(b.stiffness, np.square(np.array(b.joint.deflection(list(q[b.q]), b.rest), dtype=float)))
        for b in mech.bodies
    )


def dragged(body, q, v):
    """What dampers take from velocities, from the speeds that they feel."""
    W = np.array([body.joint.speeds(q.tolist(), list(e)) for e in np.eye(len(v))], dtype=float)
    return W @ (body.damping * (v @ W))


@pytest.mark.parametrize("kind", KINDS)
def test_forces_are_the_slope_of_the_stored_energy_and_drag(kind):
    mech, q, v, model, plain = compiled(kind)
    h = 1e-4
    assert model.energy(q, 0 * v)[1] == pytest.approx(plain.energy(q, 0 * v)[1] + stored(mech, q), rel=1e-13)
    slope = []
    for e in np.eye(mech.nv):
        rate = np.concatenate([b.joint.rate(list(q[b.q]), list(e[b.v])) for b in mech.bodies]).astype(float)
        ends = [stored(mech, q + s * rate) for s in (-2 * h, -h, h, 2 * h)]
        slope.append((ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * h))  # of fourth order
    drag = np.concatenate([dragged(b, q[b.q], v[b.v]) for b in mech.bodies])
    assert model.passive_forces(q, v) == pytest.approx(-np.array(slope) - drag, rel=1e-9, abs=1e-9)


def bare(mech):
    """The same mechanism without springs."""
    made = aj.Mechanism(mech.name, gravity=mech.gravity)
    for b in mech.bodies:
        made.add_body(b.name, None if b.parent < 0 else mech.bodies[b.parent].name, b.joint, b.placement, b.inertia)
    return made.compile()


@cache
def compiled(kind):
    """Two bodies with springs, a state, and models of them with their springs and without; nothing changes them."""
    mech, q, v = sprung(kind)
    return mech, q, v, mech.compile(), bare(mech)


@pytest.mark.parametrize(("kind", "algorithm"), crossed(sorted(KINDS, key=lambda k: k != "ball"), FORMULATIONS))
def test_every_formulation_feels_them(kind, algorithm):
    """Springs of a kind are forces before a formulation sees them."""
    mech, q, v, _, plain = compiled(kind)
    tau = np.random.default_rng(1).normal(size=mech.nv)
    model = mech.compile(algorithm=algorithm)
    passive = model.passive_forces(q, v)
    assert np.abs(passive).max() > 0.1
    wanted = plain.forward_dynamics(q, v, tau + passive)
    size = np.abs(wanted).max()
    assert model.forward_dynamics(q, v, tau) == pytest.approx(wanted, abs=1e-11 * size)
    both = model.forward_dynamics(np.stack([q, q]), np.stack([v, 0 * v]), tau)
    assert both[0] == pytest.approx(wanted, abs=1e-11 * size)


@pytest.mark.parametrize("kind", KINDS)
def test_inverse_dynamics_and_bias_forces_feel_them(kind):
    mech, q, v, model, plain = compiled(kind)
    tau = np.random.default_rng(1).normal(size=mech.nv)
    passive = model.passive_forces(q, v)
    wanted = plain.forward_dynamics(q, v, tau + passive)
    size = np.abs(wanted).max()
    back = [model.inverse_dynamics(q, v, wanted, algorithm=name) for name in ("newton-euler", "lagrangian")]
    assert np.array(back) == pytest.approx(np.array([tau, tau]), abs=1e-10 * size)
    assert model.bias_forces(q, v) == pytest.approx(plain.bias_forces(q, v) - passive, abs=1e-11 * size)
    assert model.gravity_forces(q) == pytest.approx(plain.gravity_forces(q), abs=1e-12 * size)


def test_kernels_and_hybrid_dynamics_feel_them():
    mech, q, v = sprung("ball")
    tau, a = np.ones(mech.nv), np.full(mech.nv, 0.5)
    straight, kernels = mech.compile(form="straight"), mech.compile(form="kernels")
    wanted = straight.forward_dynamics(q, v, tau)
    assert kernels.forward_dynamics(q, v, tau) == pytest.approx(wanted, rel=1e-12)
    accelerations, forces = straight.hybrid_dynamics(q, v, tau, a, ["second"])
    assert forces[:3] == pytest.approx(tau[:3], abs=1e-13)
    assert straight.inverse_dynamics(q, v, accelerations) == pytest.approx(forces, rel=1e-12)


OFTEN = ("hinge", "ball", "ball by quaternion")  # an angle, a chart, a quaternion; the rest take most time


@pytest.mark.parametrize("kind", [k if k in OFTEN else pytest.param(k, marks=pytest.mark.slow) for k in KINDS])
def test_energy_is_kept_by_springs_and_lost_to_dampers(kind):
    mech, q, v = sprung(kind, damping=False)
    traj = mech.compile().simulate(q, 0.3 * v, 1.0, dt=1e-3, method="dopri5", rtol=1e-11, atol=1e-12)
    total = sum(traj.energy())
    assert traj.status.ok
    assert np.ptp(total) < 1e-8 * np.abs(traj.energy()[0]).max()
    _, q, v, model, _ = compiled(kind)
    assert np.diff(sum(model.simulate(q, 0.3 * v, 1.0).energy())).max() < 1e-9


@pytest.mark.parametrize("order", ["ball", "free"])
def test_energy_is_continuous_where_a_ball_joint_changes_its_chart(order):
    joint = joints.Spherical() if order == "ball" else joints.Free()
    mech = aj.Mechanism("turning", gravity=(0, 0, 0))
    rest = [0.2, -0.1, 0.3, *([0.0] * (joint.nq - 3))]
    mech.add_body("b", joint=joint, inertia=SOLID, stiffness=[0.05, 0.08, 0.1, *([0.2] * (joint.nv - 3))], rest=rest)
    model = mech.compile()
    v = np.zeros(joint.nv)
    v[:3] = 4.0, 1.0, 0.5
    # A step must end where the torque changes sides, at half a turn; the energy does not jump, but its slope does.
    traj = model.simulate(np.zeros(joint.nq), v, 6.0, dt=1e-3, method="dopri5", rtol=1e-10, atol=1e-11)
    total = sum(traj.energy())
    switched = np.abs(np.diff(np.linalg.norm(traj.q[:, :3], axis=1))) > 0.5
    assert switched.any(), "the chart changes"
    assert np.ptp(total) < 1e-7 * total[0]


def test_a_wrapping_coordinate_takes_no_spring():
    mech = aj.Mechanism("winding")
    mech.add_body("b", joint=joints.Revolute(wrap=True), inertia=SOLID, stiffness=1.0)
    with pytest.raises(aj.ModelError, match=r"'angle' takes whole turns off .* use wrap=False"):
        mech.compile()


def test_a_joint_without_coordinates_takes_no_spring():
    mech = aj.Mechanism("gear")
    mech.add_body("a", joint=joints.Revolute(), inertia=SOLID)
    follower = joints.Coupled(joints.Revolute(), 2.0, "a")
    with pytest.raises(aj.ModelError, match=r"body 'b': stiffness 3.0 has no coordinate to act on"):
        mech.add_body("b", "a", follower, inertia=SOLID, stiffness=3.0)
    with pytest.raises(aj.ModelError, match="damping 1 has no coordinate"):
        mech.add_body("c", "a", inertia=SOLID, damping=1)


def test_a_leader_of_coupled_joints_has_springs():
    mech = aj.Mechanism("gear", gravity=(0, 0, 0))
    mech.add_body("a", joint=joints.Revolute(), inertia=SOLID, stiffness=3.0, damping=0.5, rest=0.2)
    mech.add_body("b", joint=joints.Coupled(joints.Revolute(), 2.0, "a"), inertia=SOLID)
    model = mech.compile()
    passive = -3.0 * (0.7 - 0.2) - 0.5 * 0.3
    assert model.passive_forces([0.7], [0.3]) == pytest.approx([passive], rel=1e-14)
    assert model.mass_matrix([0.7])[0, 0] * model.forward_dynamics([0.7], [0.3])[0] == pytest.approx(passive, rel=1e-13)
    assert model.inverse_dynamics([0.7], [0.3], [0.0]) == pytest.approx([-passive], rel=1e-13)
    assert model.gravity_forces([0.7]) == pytest.approx([0.0], abs=1e-14)


def test_they_change_at_run_time():
    mech, q, v = sprung("ball")
    model = mech.compile()
    assert model.parameters["second/stiffness"] == (2.5,)
    model.parameters.set({"second/stiffness": 7.5, "second/damping": (0.3,), "first/rest": (0.3, 0.2, 0.1)})
    other = aj.Mechanism("other", gravity=mech.gravity)
    for body, change in zip(mech.bodies, ({"rest": (0.3, 0.2, 0.1)}, {"stiffness": 7.5, "damping": 0.3}), strict=True):
        kept = {"stiffness": body.stiffness, "damping": body.damping, "rest": body.rest} | change
        other.add_body(body.name, None if body.parent < 0 else "first", body.joint, body.placement, SOLID, **kept)
    assert model.forward_dynamics(q, v) == pytest.approx(other.compile().forward_dynamics(q, v), rel=1e-13)
    with pytest.raises(aj.AnyjointError, match="stiffness"):
        model.parameters["second/stiffness"] = -1.0


def test_exported_c_has_them(tmp_path):
    mech, q, v = sprung("ball by quaternion")
    model = mech.compile()
    model.export("c", tmp_path, prefix="sprung")
    library, source = tmp_path / "sprung.so", tmp_path / "sprung_forward_dynamics.c"
    subprocess.run(["cc", "-O1", "-std=c99", "-shared", "-fPIC", "-o", str(library), str(source), "-lm"], check=True)
    a, tau, work = np.zeros(mech.nv), np.ones(mech.nv), np.zeros(10_000)
    pointer = ctypes.POINTER(ctypes.c_double)
    rows = [x.ctypes.data_as(pointer) for x in (q, v, tau, a)]
    assert ctypes.CDLL(str(library)).sprung_forward_dynamics(*rows, None, work.ctypes.data_as(pointer)) == 0
    assert a == pytest.approx(model.forward_dynamics(q, v, tau), rel=1e-12)


def test_springs_go_with_numbers_of_their_joint():
    """Another ellipsoid has other deflections: set at run time, in a model of its own, and in derivatives."""
    name, q, v = "egg/joint/surface1.a", np.linspace(0.3, 0.7, 5), np.zeros(3)

    def egg(a):
        mech = aj.Mechanism("egg", gravity=(0, 0, 0))
        joint = joints.Rolling(aj.surfaces.Ellipsoid(a, 0.8, 0.6), aj.surfaces.Sphere(0.3))
        mech.add_body("egg", joint=joint, inertia=SOLID, stiffness=(1.0, 2.0, 3.0))
        return mech

    model, mech = egg(1.0).compile(vary=[name]), egg(1.2)
    before, slope = model.jvp("energy", (q, v), {name: 1.0})
    model.parameters[name] = 1.2
    for found in (model, mech.compile()):
        assert found.energy(q, v)[1] == pytest.approx(stored(mech, q), rel=1e-13)
    h, weights = 1e-3, {-2: 1, -1: -8, 1: 8, 2: -1}
    expected = sum(w * stored(egg(1 + k * h), q) for k, w in weights.items()) / (12 * h)
    assert (before[1], slope[1]) == pytest.approx((stored(egg(1.0), q), expected), rel=1e-9)
