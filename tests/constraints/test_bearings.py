"""Loads of joints in linkages: the same wherever the loop is cut, and in balance with the weight."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.errors import InputError

HINGE = joints.Revolute((0, 1, 0))
BASE, CRANK, COUPLER, ROCKER = 1.0, 0.3, 0.9, 0.7
IN_PLANE = [1, 3, 5]  # torque about y, forces along x and z: the others depend on how a spatial loop is closed


def rod(length):
    return aj.Inertia.box(2.0 * length, 0.05, 0.08, length).moved(aj.Pose.translation(0, 0, length / 2))


def linkage(cut):
    """Ground - crank - coupler - rocker - ground, cut between crank and coupler or between coupler and rocker."""
    mech = aj.Mechanism(f"cut at the {cut}")
    mech.add_body("crank", None, HINGE, inertia=rod(CRANK), damping=0.1)
    mech.add_body("rocker", None, HINGE, aj.Pose.translation(BASE, 0, 0), rod(ROCKER), stiffness=3.0)
    if cut == "rocker":
        mech.add_body("coupler", "crank", HINGE, aj.Pose.translation(0, 0, CRANK), rod(COUPLER))
        mech.add_loop("coupler", "rocker", joints.Spherical(), at=((0, 0, COUPLER), (0, 0, ROCKER)))
    else:
        place = aj.Pose.translation(0, 0, ROCKER) @ aj.Pose.rotation_y(np.pi)
        mech.add_body("coupler", "rocker", HINGE, place, rod(COUPLER))
        mech.add_loop("coupler", "crank", joints.Spherical(), at=((0, 0, COUPLER), (0, 0, CRANK)))
    return mech.compile()


def corners(crank):
    """Angles of rocker and coupler where the linkage closes above, by the law of cosines."""
    tip = CRANK * np.array([np.sin(crank), np.cos(crank)])
    d = tip - [BASE, 0.0]
    r = np.hypot(*d)
    inside = np.arccos((r * r + ROCKER**2 - COUPLER**2) / (2 * r * ROCKER))
    rocker = np.arctan2(d[0], d[1]) + inside
    elbow = np.array([BASE, 0]) + ROCKER * np.array([np.sin(rocker), np.cos(rocker)])
    return rocker, np.arctan2(*(elbow - tip))


def state(model, cut, crank=0.7, speed=2.0):
    rocker, coupler = corners(crank)
    # Measured from the body that carries it; backwards where it hangs on the rocker.
    own = coupler - crank if cut == "rocker" else coupler - rocker
    return model.assemble([crank, rocker, own], [speed, 0.0, 0.0], hold="crank")


@pytest.mark.parametrize("crank", [0.7, 2.5, -1.0])
def test_hinges_carry_the_same_wherever_the_loop_is_cut(crank):
    tau, found = np.array([0.4, -0.3, 0.0]), {}
    for cut in ("rocker", "crank"):
        model = linkage(cut)
        q, v = state(model, cut, crank)
        v = v * 2.0 / v[0]
        a = model.forward_dynamics(q, v, tau)
        found[cut] = v[:2], a[:2], model.joint_wrenches(q, v, a, tau)[:2, IN_PLANE]
    for one, other in zip(found["rocker"], found["crank"], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


def test_what_stands_carries_its_weight():
    """At rest the two hinges on the ground carry all of the weight, loop or not."""
    model = linkage("rocker")
    q, v = state(model, "rocker", speed=0.0)
    mech = model.mechanism
    hold = model.inverse_dynamics(q, v, np.zeros(3))  # motors in all joints: nothing is left for the loop
    tau = np.array([hold[0], 0.0, 0.0])
    for given in (hold, tau):
        a = model.forward_dynamics(q, v, given)
        wrenches, poses = model.joint_wrenches(q, v, a, given), model.body_poses(q)
        force = sum(poses[k, :3, :3] @ wrenches[k, 3:] for k in (0, 1))
        masses = np.array([body.inertia.mass for body in mech.bodies])
        centres = model.center_of_mass
        h = 1e-5
        moved = [centres(q + s * h * v + 0.5 * (s * h) ** 2 * a) for s in (-1, 0, 1)]
        acceleration = (moved[0] - 2 * moved[1] + moved[2]) / h**2
        np.testing.assert_allclose(force, masses.sum() * (acceleration - mech.gravity), rtol=0, atol=1e-4)


def test_batches_and_rows_of_parameters():
    model = linkage("rocker")
    states = [state(model, "rocker", crank) for crank in (0.7, 2.5)]
    q, v = (np.array(x) for x in zip(*states, strict=True))
    masses = np.array([1.0, 3.0])
    rows = {"coupler/mass": masses}
    out = np.empty((2, 18))
    a = model.forward_dynamics(q, v, parameters=rows)
    made = model.joint_wrenches(q, v, a, parameters=rows, out=out)
    assert np.shares_memory(made, out)
    for k, mass in enumerate(masses):
        model.parameters["coupler/mass"] = mass
        alone = model.joint_wrenches(q[k], v[k], a[k])
        np.testing.assert_allclose(made[k], alone, rtol=1e-12, atol=1e-12)


def test_accelerations_must_fit_the_forces():
    model = linkage("rocker")
    q, v = state(model, "rocker")
    a = model.forward_dynamics(q, v)
    with pytest.raises(InputError, match="a is not what forces tau and constraints give"):
        model.joint_wrenches(q, v, a, [1.0, 0.0, 0.0])


def test_a_free_version_is_not_exported(tmp_path):
    linkage("rocker").export("js", tmp_path, "it")
    assert "joint_wrenches" not in (tmp_path / "it.js").read_text()
