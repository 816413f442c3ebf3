"""Signed distances: true ones against nearest points, gradients of length 1, and what is refused."""

import numpy as np
import pytest

from anyjoint import InputError, distances
from anyjoint.constraints.touch import gap_and_normal, gradient, tangents
from anyjoint.spatial import vector

TRUE = [
    distances.HalfSpace((1, 2, 3), 0.3),
    distances.Sphere(0.7),
    distances.Sphere(2.0, inside=True),
    distances.Box(0.4, 0.8, 1.2),
    distances.Cylinder(0.5, 1.4),
    distances.Capsule(0.3, 0.9),
]
POINTS = np.random.default_rng(0).normal(size=(40, 3))


@pytest.mark.parametrize("distance", TRUE, ids=lambda d: type(d).__name__)
def test_gradients_have_length_one_and_lead_to_the_surface(distance):
    for p in POINTS:
        gap, normal = gap_and_normal(distance, vector(*p))
        assert float(gap) == pytest.approx(float(distance(p)), abs=1e-15)
        assert np.linalg.norm(normal.astype(float)) == pytest.approx(1.0, abs=1e-12)
        assert float(distance(p - float(gap) * normal.astype(float))) == pytest.approx(0.0, abs=1e-12)


def test_a_box_is_as_far_as_its_nearest_point():
    box, half = distances.Box(0.4, 0.8, 1.2), np.array([0.2, 0.4, 0.6])
    for p in POINTS:
        outside = np.linalg.norm(p - np.clip(p, -half, half))
        assert float(box(p)) == pytest.approx(outside or (np.abs(p) - half).max(), abs=1e-12)


def test_any_function_has_nearest_points():
    """An ellipsoid by its equation, far from a distance: the way to the point found is normal to the surface there."""
    ellipsoid = distances.distance(lambda p: (p[0] / 2) ** 2 + p[1] ** 2 + (p[2] / 0.5) ** 2 - 1)
    for way in POINTS:
        p = 1.1 * way / np.linalg.norm(way) * [2, 1, 0.5]
        gap, normal = gap_and_normal(ellipsoid, vector(*p))
        foot = p - float(gap) * normal.astype(float)
        value, slope = gradient(ellipsoid, vector(*foot))
        assert abs(float(value)) < 1e-6
        slope = slope.astype(float)
        assert np.linalg.norm(np.cross(slope / np.linalg.norm(slope), normal.astype(float))) < 1e-3


def test_height_fields_go_through_their_points_without_kinks():
    x, y = np.linspace(-1, 1, 7), np.linspace(-2, 2, 5)
    heights = np.sin(2 * x)[:, None] * np.cos(y)[None]
    field = distances.HeightField(heights, low=(-1, -2), high=(1, 2))
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            assert field.height(a, b) == pytest.approx(heights[i, j], abs=1e-12)
    for a, b in np.random.default_rng(1).uniform(-1, 1, size=(20, 2)):
        left, right = (float(gradient(field, vector(x[3] + e, b, 0))[1][0]) for e in (-1e-9, 1e-9))
        assert left == pytest.approx(right, abs=1e-6)
        slope = gradient(field, vector(a, b, 0.0))[1]
        assert float(slope[0]) == pytest.approx((field((a + 1e-6, b, 0)) - field((a - 1e-6, b, 0))) / 2e-6, abs=1e-6)


def test_tangents_are_perpendicular_wherever_the_normal_points():
    for n in [*(POINTS / np.linalg.norm(POINTS, axis=1)[:, None]), (0, 0, 1.0), (0, 0, -1.0)]:
        frame = np.array([n, *(t.astype(float) for t in tangents(vector(*n)))])
        assert np.abs(frame @ frame.T - np.eye(3)).max() < 1e-12


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: distances.HalfSpace((0, 0, 0)), "not all zero"),
        (lambda: distances.HalfSpace((0, 0, 1), float("nan")), "one number"),
        (lambda: distances.Sphere(-1.0), "above zero"),
        (lambda: distances.Box(1, 1, 0), "above zero"),
        (lambda: distances.Cylinder(float("inf"), 1), "finite"),
        (lambda: distances.Capsule("a", 1), "expected a number"),
        (lambda: distances.HeightField([[1.0, 2.0]]), "at least 2"),
        (lambda: distances.HeightField(np.zeros((3, 3)), low=(1, 1), high=(0, 2)), "low below high"),
        (lambda: distances.distance(3), "expected a function of a point"),
        (lambda: distances.distance(lambda p: None)(POINTS[0]), "is a `return` missing"),
        (lambda: distances.distance(lambda p: p)(POINTS[0]), "expected one number"),
    ],
)
def test_bad_distances_are_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()
