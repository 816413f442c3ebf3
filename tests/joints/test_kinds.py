"""What single joint kinds promise beyond the laws: no slip, closed loops, opposed normals, contact matrices."""

import math

import numpy as np
import pytest

from anyjoint import joints
from anyjoint.geometry import curves, surfaces
from anyjoint.scalar import derivative, sin
from anyjoint.spatial import Pose
from anyjoint.symbolic import Op
from tests.joints.trace import traced
from tests.joints.zoo import KINDS, configurations


def plain(joint, q):
    return joint.pose([float(x) for x in q]).matrix


@pytest.mark.parametrize("name", ["revolute", "revolute-x", "prismatic", "prismatic-y", "planar", "translational"])
def test_simple_joints_have_constant_s_and_no_c_in_the_generated_code(name):
    trace = traced(name)
    graph = trace.q[0].graph
    assert {graph.op[x.id] for x in trace.S} == {Op.CONST}
    assert all(abs(graph.value(x.id)) < 1e-16 for x in trace.c)


WHEELS = {
    "line": (joints.RollingWheel(0.3, curves.Line((1, 2, 0))), 1e-14),
    "inside": (joints.RollingWheel(0.3, curves.Circle(1.1)), 1e-14),
    "outside": (joints.RollingWheel(0.3, curves.Circle(1.1), side="right"), 1e-14),
    "ellipse": (joints.RollingWheel(0.2, curves.Ellipse(1.2, 0.7)), 1e-11),
    "hills": (joints.RollingWheel(0.2, lambda s: (s, 0.3 * sin(s), 0), side="right"), 1e-11),
}


@pytest.mark.parametrize("name", WHEELS)
def test_the_contact_point_of_a_rolling_wheel_stands_still(name):
    joint, tolerance = WHEELS[name]
    for q, _ in configurations(joint, 30):
        s = float(q[0])
        contact = joint.pose([s]).inverse().act(joint.path.point(s))  # a point of the wheel
        assert abs(np.linalg.norm(contact.astype(float)) - joint.radius) < 1e-14
        S = np.array(joint.jacobian([s]), float)[:, 0]
        assert np.abs(S[3:] + np.cross(S[:3], contact.astype(float))).max() < tolerance


def test_a_wheel_inside_a_half_circle_turns_as_guenter_and_lee_have_it():
    ring, wheel, q = 1.5, 0.25, 0.8
    pose = plain(joints.RollingWheel(wheel, curves.Circle(ring)), [q])
    assert np.allclose(pose[:2, 3], (ring - wheel) * np.array([math.cos(q), math.sin(q)]))
    start = plain(joints.RollingWheel(wheel, curves.Circle(ring)), [0.0])
    turned = pose[:3, :3] @ start[:3, :3].T
    angle = -(ring / wheel - 1) * q
    assert np.allclose(turned[:2, 0], [math.cos(angle), math.sin(angle)])


def test_arc_length_of_a_closed_curve_goes_on_round_after_round():
    path = curves.Ellipse(1.2, 0.7)
    total = path.arc_table.total
    from scipy.special import ellipe

    assert abs(total - 4 * 1.2 * ellipe(1 - (0.7 / 1.2) ** 2)) < 1e-12
    for s in (-4.0, 0.3, 2.0):
        assert abs(path.arc_length(s + 2 * math.pi) - path.arc_length(s) - total) < 1e-12


@pytest.mark.parametrize("lengths", [(1.6, 0.5, 1.4, 1.0), (1.0, 0.8, 0.5, 0.6), (0.5, 1.0, 1.1, 0.9)])
@pytest.mark.parametrize("branch", [1, -1])
def test_a_four_bar_linkage_closes(lengths, branch):
    ground, crank, coupler, rocker = lengths
    linkage, swing = (joints.FourBar(*lengths, branch=branch, body=body) for body in ("coupler", "rocker"))
    for q, _ in configurations(linkage, 30):
        tip = plain(linkage, q) @ [coupler, 0, 0, 1]
        assert np.allclose(tip, plain(swing, q) @ [rocker, 0, 0, 1], atol=1e-12)
        assert abs(np.hypot(tip[0] - ground, tip[1]) - rocker) < 1e-12
        assert np.allclose(plain(linkage, q)[:2, 3], crank * np.array([math.cos(q[0]), math.sin(q[0])]))


SOLIDS = [surfaces.Torus(1.0, 0.3), surfaces.Sphere(0.5), surfaces.Ellipsoid(1.0, 0.8, 0.6), surfaces.Cylinder(0.4)]


@pytest.mark.parametrize("first", SOLIDS, ids=lambda s: s.name)
@pytest.mark.parametrize("second", SOLIDS, ids=lambda s: s.name)
def test_solids_touch_at_one_point_with_opposed_normals(first, second):
    joint = joints.Contact(first, second)
    for q, _ in configurations(joint, 5):
        u1, v1, u2, v2, _ = (float(x) for x in q)
        G = plain(joint, q)
        assert np.allclose((G @ [*second.point(u2, v2), 1])[:3], np.array(first.point(u1, v1), float), atol=1e-14)
        n1, n2 = first.normal(u1, v1).astype(float), second.normal(u2, v2).astype(float)
        assert np.allclose(G[:3, :3] @ n2, -n1, atol=1e-14)


def test_surface_surface_is_the_product_of_frames():
    joint = KINDS["paraboloid-ellipsoid"]
    q = [0.3, 0.2, 0.5, 1.0]
    frames = [s.frame(*q[i : i + 2]).matrix for s, i in ((joint.surface1, 0), (joint.surface2, 2))]
    expected = frames[0] @ np.diag([1.0, -1, -1, 1]) @ np.linalg.inv(frames[1])  # [GL eq. 15], normals opposed
    assert np.allclose(joint.pose(q).matrix, expected, atol=1e-14)
    contact = joints.Contact(joint.surface1, joint.surface2)
    assert np.allclose(contact.pose([*q, 0.0]).matrix, expected, atol=1e-14)


@pytest.mark.parametrize("twist", [0.3, math.pi / 2, -1.0])
def test_a_twisted_surface_joint_is_a_contact_at_fixed_psi(twist):
    q = [0.3, 0.2, 0.5, 1.0]
    twisted, contact = joints.SurfaceSurface(SOLIDS[0], SOLIDS[2], twist=twist), joints.Contact(SOLIDS[0], SOLIDS[2])
    assert np.allclose(twisted.pose(q).matrix, contact.pose([*q, twist]).matrix, atol=1e-14)


def test_contact_matrix_of_pai_ascher_and_kry():
    joint = joints.Contact(SOLIDS[2], SOLIDS[0])
    q = [0.3, 0.7, 0.5, 1.0, 0.4]

    def frame_twists(surface, u, v):
        """H_k: twists of the contact frame in itself, per surface parameter [PAK eq. 9], by a complex step."""
        E, columns = surface.frame(u, v).matrix, []
        for du, dv in ((1e-30j, 0), (0, 1e-30j)):
            M = np.linalg.inv(E) @ (np.asarray(surface.frame(u + du, v + dv).matrix, complex).imag / 1e-30)
            columns.append([M[2, 1], M[0, 2], M[1, 0], *M[:3, 3]])
        return np.array(columns).T

    psi = q[4]
    R = np.array([[math.cos(psi), -math.sin(psi), 0], [-math.sin(psi), -math.cos(psi), 0], [0, 0, -1]])
    assert np.allclose(R @ R, np.eye(3))  # the paper: E is idempotent
    zero = np.zeros((3, 3))
    H1 = frame_twists(joint.surface1, *q[:2])
    H2 = np.block([[R, zero], [zero, R]]) @ frame_twists(joint.surface2, *q[2:4])  # [PAK eq. 10]
    Hpsi = np.array([[0, 0, -1, 0, 0, 0]]).T  # [PAK eq. 11]
    H = np.hstack([H1, -H2, Hpsi])  # [PAK eq. 12]; the sum above it gives psi the sign +, the print has -
    ours = np.array(joint.motion(q, [0.0] * 5).S, float)  # in frame 2c
    assert np.allclose(np.block([[R, zero], [zero, R]]) @ ours, H, atol=1e-13)


def test_a_sliding_surface_is_the_inverse_of_a_ridden_one():
    ride, slide = (joints.OnSurface(SOLIDS[0], spin=True, slide=s) for s in (False, True))
    q = [0.3, 0.4, 0.5]
    assert np.allclose(ride.pose(q).matrix @ slide.pose(q).matrix, np.eye(4), atol=1e-15)


def test_curves_touch_with_opposed_normals_outside():
    joint = KINDS["discs"]
    q = [0.4, 1.3]
    G = joint.pose(q).matrix
    first, second = joint.curve1.frenet(q[0]).matrix, joint.curve2.frenet(q[1]).matrix
    assert np.allclose(G @ second[:, 3], first[:, 3])
    assert np.allclose(G @ second[:, 1], -first[:, 1])


def test_rotation_minimising_frames_do_not_turn_about_the_tangent():
    joint = KINDS["on-open-spline"]
    for q, _ in configurations(joint, 20):
        assert abs(float(joint.jacobian([float(q[0])])[0, 0])) < 2e-6
    flat = joints.OnCurve(curves.Helix(0.7, 0.2), frame="rotation-minimising")
    assert max(abs(float(flat.jacobian([float(s)])[0, 0])) for s in np.linspace(-6, 6, 25)) < 1e-5


def test_fixed_up_and_rotation_minimising_frames_pass_an_inflection_that_flips_frenet():
    wave = curves.curve(lambda s: (s, sin(s), 0.0 * s))
    flip = wave.frenet(-0.1).R[:, 2].astype(float) @ wave.frenet(0.1).R[:, 2].astype(float)
    assert flip < -0.99
    for frame in (wave.fixed_up, wave.rotation_minimising):
        assert np.abs(frame(-1e-6).matrix - frame(1e-6).matrix).max() < 1e-5


def test_coupled_joints_follow_their_source():
    gear = joints.Coupled(joints.Revolute(), -2.5, "pinion")
    assert (gear.nq, gear.nv, gear.inner_coordinates([0.4])) == (0, 0, [-1.0])
    both = joints.Coupled(joints.Universal(), [lambda q: q[0] * q[1], 2], "stick")
    assert both.inner_coordinates([2.0, 3.0]) == [6.0, 4.0]
    free = joints.Coupled(joints.Planar(), lambda q: (q[0], derivative(lambda x: x * x, q[0])), "cam")
    assert free.inner_coordinates([3.0]) == [3.0, 6.0]


def test_the_derivative_of_a_frame_at_a_fixed_parameter_is_right():
    """Perturbations of different differentiations must not mix: u is a plain number while v moves."""
    bowl = surfaces.surface(lambda u, v: (u, v, u * u * v + v * v * u))
    joint = joints.joint(dof=1)(lambda q: bowl.frame(0.3, q[0]))
    q, h = 0.4, 1e-6
    before, after = (joint.pose([q + s * h]).matrix for s in (-1, 1))
    M = np.linalg.inv(joint.pose([q]).matrix) @ (after - before) / (2 * h)
    assert np.allclose(np.array(joint.jacobian([q]), float)[:, 0], [M[2, 1], M[0, 2], M[1, 0], *M[:3, 3]], atol=1e-8)


def test_translation_first_is_the_other_order():
    q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    first = joints.Free(order="translation-first").pose(q).matrix
    spherical = joints.Spherical().pose(q[3:]).matrix
    assert np.allclose(first, Pose.translation(*q[:3]).matrix @ spherical)


def test_several_dense_rotations_are_passed_as_one():
    oblique = joints.Composite(*[joints.Revolute((1, 2, 3))] * 3)
    A = oblique.motion([0.1, 0.2, 0.3], [0.0] * 3).A
    assert len(A.factors) == 2
    assert np.allclose(A.matrix, oblique.pose([0.1, 0.2, 0.3]).matrix, atol=1e-15)
