"""Rewriting (q, v) after a step keeps the pose and the twist."""

import math
from dataclasses import replace

import numpy as np
import pytest

from anyjoint import joints
from anyjoint.errors import SingularityError
from anyjoint.geometry import surfaces
from anyjoint.symbolic import Graph
from anyjoint.symbolic.interpret import evaluate
from tests.joints.zoo import KINDS, configurations


def neutral(joint):
    return [c.neutral for c in joint.coordinates]


CHARTED = [name for name, joint in KINDS.items() if joint.chart(neutral(joint), [0.0] * joint.nv)]


def twist(joint, q, v):
    return np.array(joint.jacobian([float(x) for x in q]), float) @ np.array(v, float)


def far_out(joint, count=30):
    """Configurations up to several turns away, where charts have something to do."""
    rng = np.random.default_rng(2)
    for q, v in configurations(joint, count, seed=11):
        stretch = rng.uniform(1, 4)
        away = [
            c.neutral + stretch * (x - c.neutral) if c.wrap or c.name[-2:] in ("rx", "ry", "rz") else x
            for c, x in zip(joint.coordinates, q, strict=True)
        ]
        yield [float(x) for x in away], [float(x) for x in v]


@pytest.mark.parametrize("name", CHARTED)
def test_a_chart_keeps_pose_and_twist(name):
    joint = KINDS[name]
    rewritten = 0
    for q, v in far_out(joint):
        new_q, new_v = joint.chart(q, v)
        rewritten += list(new_q) != q
        assert np.abs(joint.pose(q).matrix - joint.pose(list(new_q)).matrix).max() < 1e-12
        before, after = twist(joint, q, v), twist(joint, new_q, new_v)
        assert np.abs(before - after).max() < 1e-12 * max(1.0, np.abs(before).max())
    assert rewritten


@pytest.mark.parametrize("name", CHARTED)
def test_charts_as_expressions_agree_with_floats(name):
    joint, g = KINDS[name], Graph()
    q = [g.variable(f"q{k}") for k in range(joint.nq)]
    v = [g.variable(f"v{k}") for k in range(joint.nv)]
    outputs = [x for part in joint.chart(q, v) for x in part]
    for at, rates in far_out(joint, 20):
        expected = [x for part in joint.chart(at, rates) for x in part]
        values = dict(zip(q + v, at + rates, strict=True))
        assert np.allclose(np.array(evaluate(outputs, values), float), np.array(expected, float), atol=1e-12)


@pytest.mark.parametrize("name", KINDS)
def test_the_nearest_coordinates_have_the_same_pose(name):
    """And are no farther away than the others: vectors that turn are whole turns apart, quaternions may be negative."""
    joint, rng = KINDS[name], np.random.default_rng(3)
    for q, _ in configurations(joint, 5, seed=4):
        to = np.array(q) + 2 * rng.normal(size=joint.nq)
        found = np.array(joint.nearest(q, to), dtype=float)
        assert np.asarray(joint.pose(found).matrix, float) == pytest.approx(np.asarray(joint.pose(q).matrix, float))
        assert np.linalg.norm(found - to) <= np.linalg.norm(q - to) + 1e-12
        assert joint.nearest(found, q) == pytest.approx(joint.nearest(q, q), abs=1e-12)


TURNS = 6 * math.pi


@pytest.mark.parametrize("switch", [False, True])
@pytest.mark.parametrize("order", ["xyz", "zyx", "zxz", "xyx"])
def test_angles_have_a_second_way_to_every_rotation(order, switch):
    """And come back from it, and from the other order; whole turns that they have gone count unless orders switch."""
    joint, rng = joints.EulerAngles(order, switch), np.random.default_rng(5)
    middle = joint.coordinates[1].neutral
    for _ in range(5):
        q = [rng.normal(), middle + rng.uniform(-1, 1), rng.normal()]
        other = [q[0] + math.pi, math.pi - 2 * middle - q[1], q[2] - math.pi]
        beside = [x + 0.1 * rng.normal() for x in q]
        assert joint.nearest(other, beside) == pytest.approx(q, abs=1e-12)
        assert joint.nearest([q[0] + TURNS, *q[1:]], beside)[0] == pytest.approx(q[0] + TURNS * (not switch))
    if switch:
        q = [0.3, middle + 1.3, -0.5]
        there, _ = joint.chart(q, [0.1, 0.2, 0.3])
        assert there[1] > 2 * math.pi
        assert joint.nearest(there, q) == pytest.approx(q, abs=1e-12)
        assert joint.nearest(q, there) == pytest.approx(np.array(there, dtype=float), abs=1e-12)


BALL, EGG = surfaces.Sphere(0.3).all_charts(), surfaces.Ellipsoid(1.0, 0.8, 0.6).all_charts()
AMONG = {
    "riding": joints.OnSurface(EGG, spin=True),
    "sliding": joints.OnSurface(EGG, spin=True, slide=True),
    "contact": joints.Contact(EGG, BALL),
    "rolling": joints.Rolling(EGG, BALL),
    "atlas": joints.OnSurface(surfaces.atlas([surfaces.Sphere(1.0), surfaces.Sphere(1.0, axis="x")]), spin=True),
}


@pytest.mark.parametrize("name", AMONG)
def test_coordinates_of_another_chart_come_back(name):
    joint, rng, changed = AMONG[name], np.random.default_rng(6), 0
    for _ in range(20):
        q = [c.neutral + rng.uniform(-1.4, 1.4) for c in joint.coordinates]
        there = [float(x) for x in joint.chart(q, [0.0] * joint.nv)[0]]
        changed += not np.allclose(there, q)
        beside = [x + 0.01 * rng.normal() for x in q]
        found = np.array(joint.nearest(there, beside), dtype=float)
        assert np.abs(found - beside).max() < 0.1
        assert joint.pose(found.tolist()).matrix.astype(float) == pytest.approx(joint.pose(q).matrix.astype(float))
    assert changed


def test_exponential_coordinates_are_left_alone_below_three_half_turns_and_short_after():
    joint = joints.Spherical()
    q = [1.4 * math.pi, 0.0, 0.0]
    assert joint.chart(q, [1.0, 2.0, 3.0])[0] == q
    for turns in (1.6, 2.0, 2.4, 5.0, 100.3):
        short, _ = joint.chart([0.0, turns * math.pi, 0.0], [1.0, 2.0, 3.0])
        assert np.linalg.norm(np.array(short, float)) <= math.pi + 1e-12


def test_redmax_reparameterisation():
    q = np.array([3.0, -4.0, 2.5])
    expected = (1 - 2 * math.pi / np.linalg.norm(q)) * q  # [RM section 4.7]
    assert np.allclose(np.array(joints.Spherical().chart(q.tolist(), [0.0] * 3)[0], float), expected, atol=1e-15)


def test_angles_wrap_only_after_a_whole_turn():
    joint = joints.Revolute(wrap=True)
    assert joint.chart([6.0], [1.0])[0] == [6.0]
    assert np.allclose(joint.chart([7.0], [1.0])[0], [7.0 - 2 * math.pi])
    assert joints.Revolute().chart([7.0], [1.0]) is None


@pytest.mark.parametrize("solid", [surfaces.Sphere(0.5), surfaces.Ellipsoid(1.0, 0.8, 0.6)])
def test_a_spheres_other_chart_carries_pose_and_twist_over(solid):
    polar, other = (joints.OnSurface(replace(solid, axis=axis), spin=True) for axis in "zx")
    rng = np.random.default_rng(0)
    for v in (1e-3, 0.4, 1.5, math.pi - 1e-3):
        q, rates = [rng.uniform(-3, 3), v, rng.uniform(-3, 3)], rng.normal(size=3)
        new_q, new_rates = joints.rechart(polar, other, q, rates)
        assert np.abs(polar.pose(q).matrix - other.pose(new_q.tolist()).matrix).max() < 1e-12
        assert np.abs(twist(polar, q, rates) - twist(other, new_q, new_rates)).max() < 1e-12


def test_charts_that_cannot_show_the_same_motion_are_refused():
    polar, other = (joints.OnSurface(surfaces.Sphere(0.5, axis)) for axis in "zx")
    with pytest.raises(SingularityError, match="spin=True"):
        joints.rechart(polar, other, [0.3, 1.0], [1.0, 1.0])


@pytest.mark.parametrize("joint", [joints.SphericalQuaternion(), joints.FreeQuaternion()])
def test_the_rate_of_a_quaternion_moves_the_pose_by_the_twist(joint):
    for q, v in configurations(joint, 20):
        rate, h = np.array(joint.rate(q.tolist(), v.tolist()), float), 1e-6
        before, after = (joint.pose((q + s * h * rate).tolist()).matrix for s in (-1, 1))
        M = np.linalg.inv(joint.pose(q.tolist()).matrix) @ (after - before) / (2 * h)
        twist = np.array([M[2, 1], M[0, 2], M[1, 0], *M[:3, 3]])
        assert np.allclose(np.array(joint.jacobian(q.tolist()), float) @ v, twist, atol=1e-8)
