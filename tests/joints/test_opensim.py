"""Poses of OpenSim's joints, to the last digits: function-based joints of gait2392, and a user's ellipsoid joint."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from anyjoint import joints
from anyjoint.geometry import functions
from anyjoint.spatial import Pose

DATA = Path(__file__).parent.parent / "data"
GAIT = json.loads((DATA / "opensim_gait2392_customjoints.json").read_text())
SHOULDER = json.loads((DATA / "opensim_ellipsoid.json").read_text())


def placed(frame):
    return offset(frame["translation"], frame["orientation_xyz"])


def offset(translation, angles):
    x, y, z = angles
    return Pose.translation(*translation) @ Pose.rotation_x(x) @ Pose.rotation_y(y) @ Pose.rotation_z(z)


def function_of(entry):
    kind = entry["type"]
    if kind == "Constant":
        return functions.Constant(entry["value"])
    if kind == "LinearFunction":
        return functions.Linear(*entry["coefficients"])
    return functions.SimmSpline(entry["x"], entry["y"])


def joint_of(entry):
    names = entry["coordinates"]
    terms = [
        (t["axis"], function_of(t["function"]), tuple(names.index(c) for c in t["coordinates"]))
        for t in entry["spatial_transform"]
    ]
    return joints.FunctionBased(rotations=terms[:3], translations=terms[3:], names=tuple(names))


@pytest.mark.parametrize("state", GAIT["states"])
def test_gait2392(state):
    world = {"ground": Pose()}
    for entry in GAIT["joints"]:
        q = [state["q"][name] for name in entry["coordinates"]]
        pose = placed(entry["parent"]) @ joint_of(entry).pose(q) @ placed(entry["child"]).inverse()
        name = entry["child"]["base"]
        world[name] = world[entry["parent"]["base"]] @ pose
        expected = state["body_poses"][name]
        assert np.abs(world[name].matrix[:3, :3] - expected["R"]).max() < 1e-13
        assert np.abs(world[name].matrix[:3, 3] - expected["p"]).max() < 1e-13


def splines():
    found = [t["function"] for j in GAIT["joints"] for t in j["spatial_transform"]]
    return [f for f in found if f["type"] == "SimmSpline"]


@pytest.mark.parametrize("entry", splines())
def test_the_fitted_spline_has_opensims_coefficients(entry):
    powers = functions.spline_powers(np.array(entry["x"]), np.array(entry["y"]), fitted=True)
    for k, letter in enumerate("bcd", start=1):
        assert np.abs(powers[:, k] - entry[letter][:-1]).max() < 1e-13
    spline = functions.SimmSpline(entry["x"], entry["y"])
    for x, y in entry["opensim_samples"]:
        assert abs(spline(x) - y) < 1e-15


@joints.joint(dof=3, names=("q0", "q1", "q2"))
def ellipsoid_mobilizer(q):
    """Simbody's Ellipsoid: body-fixed XYZ angles, the origin where the ellipsoid's normal direction is the z axis."""
    turn = Pose.rotation_x(q[0]) @ Pose.rotation_y(q[1]) @ Pose.rotation_z(q[2])
    a, b, c = (0.07, 0.15, 0.09)
    n = turn.R[:, 2]
    return Pose.translation(a * n[0], b * n[1], c * n[2]) @ turn


def offsets(joint):
    text = re.sub(r"<!--.*?-->", "", SHOULDER["model_osim_xml"], flags=re.S)
    block = re.search(rf'<\w+ name="{joint}">.*?</frames>', text, flags=re.S).group(0)
    numbers = re.findall(r"<translation>(.*?)</translation>.*?<orientation>(.*?)</orientation>", block, flags=re.S)
    return [offset([float(x) for x in t.split()], [float(x) for x in o.split()]) for t, o in numbers]


@pytest.mark.parametrize("state", SHOULDER["states"])
def test_ellipsoid_joint_of_a_shoulder(state):
    q = state["Q"]
    (on_ground, on_thorax), (on_thorax2, on_scapula) = offsets("base"), offsets("el")
    on_scapula2, on_humerus = offsets("gh")
    gimbal = joints.Composite(joints.Revolute((1, 0, 0)), joints.Revolute((0, 1, 0)), joints.Revolute((0, 0, 1)))
    thorax = on_ground @ on_thorax.inverse()
    scapula = thorax @ on_thorax2 @ ellipsoid_mobilizer.pose(q[:3]) @ on_scapula.inverse()
    humerus = scapula @ on_scapula2 @ gimbal.pose(q[3:]) @ on_humerus.inverse()
    for pose, name in ((thorax, "thorax"), (scapula, "scapula"), (humerus, "humerus")):
        expected = state["bodies"][name]
        assert np.abs(pose.matrix[:3, :3] - expected["R"]).max() < 1e-13
        assert np.abs(pose.matrix[:3, 3] - expected["p"]).max() < 1e-13


@pytest.mark.parametrize("state", SHOULDER["states"])
def test_velocities_of_the_ellipsoid_joint(state):
    q, rates = state["Q"][:3], np.array(state["Qdot"][:3])
    (on_ground, on_thorax), (on_thorax2, on_scapula) = offsets("base"), offsets("el")
    thorax = on_ground @ on_thorax.inverse() @ on_thorax2
    scapula = thorax @ ellipsoid_mobilizer.pose(q) @ on_scapula.inverse()
    twist = on_scapula.inverse().motion(ellipsoid_mobilizer.jacobian(q) @ rates)
    expected = state["bodies"]["scapula"]
    assert np.abs(scapula.R @ twist[:3] - expected["omega_ground"]).max() < 1e-12
    assert np.abs(scapula.R @ twist[3:] - expected["v_origin_ground"]).max() < 1e-12


def test_a_natural_spline_goes_straight_outside_and_has_no_curvature_at_its_ends():
    spline = functions.NaturalCubic([0, 1, 2.5, 3], [1, 0, 2, 1])
    h = 1e-4
    for end in (0.0, 3.0):
        assert abs(spline(end + h) - 2 * spline(end) + spline(end - h)) < 1e-10
    assert math.isclose(spline(5.0) - spline(4.0), spline(4.0) - spline(3.0), rel_tol=1e-12)


def test_a_natural_spline_is_scipys():
    from scipy.interpolate import CubicSpline

    x, y = [0, 1, 2.5, 3, 4], [1, 0, 2, 1, 3]
    ours, theirs = functions.NaturalCubic(x, y), CubicSpline(x, y, bc_type="natural")
    for at in np.linspace(0, 4, 41):
        assert abs(ours(float(at)) - theirs(at)) < 1e-13
