"""What joints refuse, and that the message says what to do."""

import math

import numpy as np
import pytest

from anyjoint import joints
from anyjoint.errors import AnyjointError
from anyjoint.geometry import curves, functions, surfaces
from anyjoint.spatial import Pose
from anyjoint.symbolic import Graph

NAN = float("nan")
WRONG = {
    "zero axis": (lambda: joints.Revolute(axis=(0, 0, 0)), "no direction"),
    "NaN axis": (lambda: joints.Prismatic(axis=(NAN, 0, 1)), "finite"),
    "two numbers as axis": (lambda: joints.Helical(axis=(0, 1)), "three finite numbers"),
    "infinite pitch": (lambda: joints.Helical(pitch=math.inf), "finite"),
    "a word as pitch": (lambda: joints.Helical(pitch="steep"), "number"),
    "order": (lambda: joints.Free(order="both"), "translation-first"),
    "empty composite": (lambda: joints.Composite(), "Composite"),
    "composite of something": (lambda: joints.Composite(3), "give joints"),
    "Frenet on a line": (lambda: joints.OnCurve(curves.Line()), "transport"),
    "Frenet on a straight function": (lambda: joints.OnCurve(lambda s: (s, 2 * s, 0.0)), "curvature"),
    "Frenet on a cubic spline": (
        lambda: joints.OnCurve(curves.BSpline(np.random.default_rng(1).normal(size=(6, 3))), frame="frenet"),
        r"2 continuous derivatives.*transport.*fixed-up.*degree=5",
    ),
    "curves by Frenet frames of cubic splines": (
        lambda: joints.CurveCurve(curves.Circle(1.0), curves.BSpline(np.random.default_rng(1).normal(size=(6, 3)))),
        "2 continuous derivatives",
    ),
    "a spline of degree 2": (lambda: curves.BSpline(np.zeros((6, 3)), degree=2), "from 3 to 7"),
    "too few points for the degree": (lambda: curves.BSpline(np.zeros((5, 3)), degree=5), "at least 6"),
    "a curve that stands still": (lambda: joints.OnCurve(lambda s: (0 * s, 0 * s, 0 * s)), "stands still"),
    "up along the line": (lambda: joints.OnCurve(curves.Line((0, 0, 1)), frame="fixed-up"), "another up"),
    "unknown frame": (lambda: joints.OnCurve(curves.Circle(1.0), frame="bishop"), "rotation-minimising"),
    "two numbers as point": (lambda: joints.OnCurve(lambda s: (s, s)), "three numbers"),
    "no function as curve": (lambda: joints.OnCurve(3), "function of one parameter"),
    "no function as surface": (lambda: joints.OnSurface(3), "function of two parameters"),
    "no function as second surface": (lambda: joints.Contact(surfaces.Plane(), None), "function of two parameters"),
    "NaN twist": (lambda: joints.SurfaceSurface(surfaces.Plane(), surfaces.Plane(), twist=NAN), "finite"),
    "meeting": (lambda: joints.CurveCurve(curves.Circle(1.0), curves.Circle(1.0), meet="above"), "outside"),
    "wheel radius": (lambda: joints.RollingWheel(-0.1), "above zero"),
    "wheel side": (lambda: joints.RollingWheel(0.1, side="top"), "left"),
    "wheel too large": (lambda: joints.RollingWheel(1.2, curves.Circle(1.0)), "smaller"),
    "wheel off the plane": (lambda: joints.RollingWheel(0.1, curves.Helix(1.0, 0.1)), "X-Y plane"),
    "three control frames": (lambda: joints.SplineCurve([Pose()] * 3), "at least 4"),
    "control values of a wrong shape": (lambda: joints.SplineSurface(np.zeros((5, 4, 4))), "6 x n x n"),
    "too small a control grid": (lambda: joints.SplineSurface(np.zeros((6, 3, 4))), "at least 4"),
    "NaN control value": (lambda: joints.SplineSurface(np.full((6, 4, 4), NAN)), "finite"),
    "seven terms": (lambda: joints.FunctionBased(rotations=[((0, 0, 1), functions.Linear())] * 7), "at most 6"),
    "unused coordinate": (lambda: joints.FunctionBased([((0, 0, 1), math.sin)], names=("a", "b")), "no term uses 'b'"),
    "unknown coordinate": (lambda: joints.FunctionBased(rotations=[((0, 0, 1), math.sin, (1,))]), "numbers \\[1\\]"),
    "no function": (lambda: joints.FunctionBased(rotations=[((0, 0, 1), 3)]), "functions.Linear"),
    "limits": (lambda: joints.FunctionBased([((0, 0, 1), math.sin)], limits=((0, 1), (0, 1))), "2 limits for 1"),
    "limits that are none": (lambda: joints.FunctionBased([((0, 0, 1), math.sin)], limits=((1,),)), "expected a pair"),
    "domains": (lambda: joints.FunctionBased([((0, 0, 1), math.sin)], domains=((0, 1), (0, 1))), "2 domains for 1"),
    "links that never close": (lambda: joints.FourBar(5.0, 1.0, 1.0, 1.0), "never close"),
    "negative link": (lambda: joints.FourBar(1.0, -1.0, 1.0, 1.0), "above zero"),
    "branch": (lambda: joints.FourBar(branch=2), "branch is 1 or -1"),
    "coupled to a number": (lambda: joints.Coupled(joints.Revolute(), 2.0, 7), "name of the body"),
    "coupled without joint": (lambda: joints.Coupled(3, 2.0, "a"), "expected a joint"),
    "coupled quaternion": (lambda: joints.Coupled(joints.FreeQuaternion(), 2.0, "a"), "quaternion"),
    "coupled functions": (lambda: joints.Coupled(joints.Revolute(), [1, 2], "a"), "2 functions for the 1"),
    "coupled by a word": (lambda: joints.Coupled(joints.Revolute(), "fast", "a"), "functions of the source"),
    "coupled result": (
        lambda: joints.Coupled(joints.Universal(), lambda q: q[0], "a").inner_coordinates([1.0]),
        "gave 1 numbers",
    ),
    "coupled pose": (lambda: joints.Coupled(joints.Revolute(), 2.0, "a").pose([]), "inner_coordinates"),
    "names": (lambda: joints.joint(dof=2, names=["a"]), "one entry per coordinate"),
    "empty domain": (lambda: joints.joint(dof=1, domain=[(1.0, 1.0)]), "low < high"),
    "seven coordinates": (lambda: joints.joint(dof=7), "split the joint"),
    "a fraction of a coordinate": (lambda: joints.joint(dof=1.5), "whole number"),
    "a truth value of coordinates": (lambda: joints.joint(dof=True), "whole number"),
    "seven coordinates in a row": (lambda: joints.Composite(joints.Free(), joints.Revolute()), "split the joint"),
    "a joint called with a number": (lambda: joints.joint(dof=1)(lambda q: np.eye(4))(0.1), "list of its 1"),
    "poses multiplied": (lambda: joints.joint(dof=1)(lambda q: Pose() * Pose()).pose([0.1]), "composed with @"),
    "a joint that returns 3x3": (lambda: joints.joint(dof=1)(lambda q: np.eye(3)).pose([0.1]), "lambda.*4x4"),
    "a joint that returns no rotation": (lambda: joints.joint(dof=1)(lambda q: 2 * np.eye(4)).pose([0.1]), "last row"),
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_input_is_refused_with_a_remedy(name):
    make, words = WRONG[name]
    with pytest.raises(AnyjointError, match=words):
        make()


SINGULAR = {
    "pole of a sphere": (joints.OnSurface(surfaces.Sphere(1.0)), [0.3, 0.0], 'axis="x"'),
    "other pole": (joints.Contact(surfaces.Plane(), surfaces.Ellipsoid(1, 2, 3)), [0, 0, 1.0, math.pi, 0], "pole"),
    "pole on x": (joints.OnSurface(surfaces.Sphere(1.0, axis="x")), [0.3, 0.0], 'axis="z"'),
    "pole of a function": (
        joints.OnSurface(lambda u, v: (u * v, v * v, v**3)),
        [0.3, 0.0],
        "no tangent plane",
    ),
    "vanishing curvature": (joints.OnCurve(lambda s: (s, s**3, 0.0 * s)), [0.0], "curvature"),
    "standing still": (joints.OnCurve(lambda s: (s**2, s**3, s**2)), [0.0], "stands still"),
    "a whole turn": (joints.Spherical(), [0.0, 2 * math.pi, 0.0], "quaternion variant"),
    "a whole turn of a free body": (joints.Free(), [2 * math.pi, 0.0, 0.0, 1.0, 1.0, 1.0], "chart"),
    "no quaternion": (joints.SphericalQuaternion(), [0.0] * 4, r"\(1, 0, 0, 0\)"),
    "no quaternion of a free body": (joints.FreeQuaternion(), [0.0] * 7, "no length"),
    "a wheel stuck in a dip": (joints.RollingWheel(0.5, lambda s: (s, s * s, 0)), [0.0], "smaller wheel"),
    "a stretched four-bar": (joints.FourBar(1.0, 1.0, 0.5, 0.5), [math.acos(0.5)], "crank inside"),
    "tori stacked on top of each other": (
        joints.SurfaceSurface(surfaces.Torus(1.0, 0.3), surfaces.Torus(1.0, 0.3)),
        [0.0, math.pi / 2, 0.0, -math.pi / 2],
        "u1: .* u2: .* move nothing",
    ),
    "a disc in a ring of its size": (
        joints.CurveCurve(curves.Circle(1.0), curves.Circle(1.0), meet="inside"),
        [0.3, 0.4],
        "move nothing",
    ),
    "a cam that dwells": (joints.joint(dof=1)(lambda q: Pose.translation(q[0] ** 3, 0, 0)), [0.0], "q0: 1"),
    "a cusp under two curves": (
        joints.CurveCurve(curves.Circle(1.0), lambda s: (s, s**3, 0.0 * s)),
        [0.3, 0.0],
        "curvature",
    ),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_singular_places_have_a_sentence(name):
    import re

    joint, q, words = SINGULAR[name]
    sentence = joint.singularity(q)
    assert sentence is not None
    assert re.search(words, sentence)


BROKEN = ["vanishing curvature", "standing still", "pole of a function", "no quaternion"]


@pytest.mark.parametrize("name", BROKEN)
def test_poses_at_broken_places_raise_instead_of_returning_nan(name):
    joint, q, _ = SINGULAR[name]
    with pytest.raises(AnyjointError):
        joint.pose(q)
    with pytest.raises(AnyjointError):
        joint.jacobian(q)


def test_a_four_bar_that_does_not_close_says_so():
    with pytest.raises(AnyjointError, match="crank inside"):
        joints.FourBar(1.0, 0.8, 0.5, 0.6).pose([3.0])


@pytest.mark.parametrize("name", SINGULAR)
def test_regular_places_have_none(name):
    joint = SINGULAR[name][0]
    if name == "a disc in a ring of its size":  # is singular everywhere
        joint = joints.CurveCurve(curves.Circle(1.0), curves.Circle(0.5), meet="inside")
    shares = zip(joint.coordinates, [0.57, 0.61] * 4, strict=False)
    q = [c.domain[0] + share * (c.domain[1] - c.domain[0]) for c, share in shares]
    assert joint.singularity(q) is None


def test_a_frenet_frame_on_a_straight_line_is_refused_while_expressions_are_traced():
    wire = curves.curve(lambda s: (s, 2 * s, 0 * s))
    g = Graph()
    with pytest.raises(AnyjointError, match="curvature"):
        wire.frenet(g.variable("s", domain=(-1.0, 1.0)))
