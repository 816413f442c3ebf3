"""Curves and surfaces: closed frames against differentiated ones, splines across their pieces, drawing, bad input."""

import math

import numpy as np
import pytest

from anyjoint.errors import AnyjointError
from anyjoint.geometry import curves, functions, surfaces
from anyjoint.geometry.curves import Curve
from anyjoint.geometry.surfaces import Surface
from anyjoint.scalar import derivative

LOOP = [(1, 0, 0), (0, 1, 0.3), (-1, 0.2, 0), (0, -1, -0.2), (0.6, -0.6, 0.1)]
HILLS = [[(i, j, 0.3 * math.sin(i + 2.0 * j)) for j in range(6)] for i in range(5)]
CURVES = {
    "circle": curves.Circle(0.7),
    "ellipse": curves.Ellipse(1.2, 0.7),
    "helix": curves.Helix(0.7, 0.2),
    "bezier": curves.Bezier(LOOP),
    "spline": curves.BSpline(LOOP),
    "uniform spline": curves.BSpline(LOOP, clamped=False),
    "closed spline": curves.BSpline(LOOP, closed=True),
}
SURFACES = {
    "plane": surfaces.Plane(),
    "sphere": surfaces.Sphere(0.5),
    "sphere x": surfaces.Sphere(0.5, axis="x"),
    "sphere y": surfaces.Sphere(0.5, axis="y"),
    "ellipsoid": surfaces.Ellipsoid(1.0, 0.8, 0.6),
    "ellipsoid x": surfaces.Ellipsoid(1.0, 0.8, 0.6, axis="x"),
    "ellipsoid y": surfaces.Ellipsoid(1.0, 0.8, 0.6, axis="y"),
    "sphere zx": surfaces.Sphere(0.5, axis="zx"),
    "ellipsoid yz": surfaces.Ellipsoid(1.0, 0.8, 0.6, axis="yz"),
    "cylinder": surfaces.Cylinder(0.4),
    "inside of a torus": surfaces.Inside(surfaces.Torus(1.0, 0.3)),
    "inside of an ellipsoid": surfaces.Inside(surfaces.Ellipsoid(1.0, 0.8, 0.6)),
    "torus": surfaces.Torus(1.0, 0.3),
    "bezier": surfaces.Bezier(np.array(HILLS)[:4, :4]),
    "spline": surfaces.BSpline(HILLS),
}


def inside(domain, count, seed=0):
    share = np.random.default_rng(seed).uniform(0.02, 0.98, count)
    return [float(x) for x in domain[0] + share * (domain[1] - domain[0])]


@pytest.mark.parametrize("name", CURVES)
def test_frenet_frames_are_tangent_normal_binormal(name):
    curve = CURVES[name]
    for s in inside(curve.domain, 20):
        assert np.abs(curve.frenet(s).matrix - Curve.frenet(curve, s).matrix).max() < 1e-12
        f_q = np.array(derivative(lambda x: list(curve.point(x)), s), float)
        f_qq = np.array(derivative(lambda x: list(curve.velocity(x)), s), float)
        R = curve.frenet(s).R.astype(float)
        assert np.allclose(R[:, 0], f_q / np.linalg.norm(f_q), atol=1e-13)
        assert R[:, 1] @ f_qq > 0
        assert abs(R[:, 2] @ f_qq) < 1e-11


TWO_CHARTS = [
    surfaces.Sphere(0.5, axis="zx"),
    surfaces.Ellipsoid(1.0, 0.8, 0.6, axis="zx"),
    surfaces.Ellipsoid(1.0, 0.8, 0.6, axis="xy"),
    surfaces.Inside(surfaces.Sphere(2.0, axis="yz")),
]


@pytest.mark.parametrize("surface", TWO_CHARTS)
def test_two_charts_show_the_same_surface_with_poles_elsewhere(surface):
    """Point and normal stay; where one chart is at its pole, the other is far from its own; twice is back again."""
    for u in inside((-math.pi, math.pi), 10):
        for v in (0.0, 1e-9, 0.3, 1.0, 2.0, 3.0, math.pi):
            for sheet in (v, v + 2 * math.pi):
                better, *other = surface.other_chart(u, sheet)
                assert better == (math.sin(v) < 0.5)
                assert (other[1] > 1.5 * math.pi) == (sheet < 1.5 * math.pi)
                assert not better or math.sin(other[1]) > 0.86
                here, there = (surface.frame(*at).matrix.astype(float) for at in ((u, sheet), other))
                assert np.abs(here[:3, 2:] - there[:3, 2:]).max() < 1e-14
                back = surface.frame(*surface.other_chart(*other)[1:]).matrix.astype(float)
                assert np.abs(back[:3, 2:] - here[:3, 2:]).max() < 1e-14


def test_the_first_of_two_charts_is_the_only_one_of_the_others():
    for one, two in ((surfaces.Sphere(0.5, axis="y"), "yz"), (surfaces.Ellipsoid(1.0, 0.8, 0.6, axis="x"), "xy")):
        both = one.all_charts()
        assert both.axis == two
        assert both.all_charts() == both
        assert np.array_equal(one.frame(0.4, 0.7).matrix, both.frame(0.4, 0.7).matrix)
        assert one.other_chart(0.4, 0.7) is None
    assert surfaces.Torus(1.0, 0.3).all_charts() == surfaces.Torus(1.0, 0.3)


def test_the_inside_has_the_same_points_and_the_other_normal():
    bowl, ball = surfaces.Inside(surfaces.Sphere(0.5)), surfaces.Sphere(0.5)
    for u, v in zip(inside(ball.domain[0], 10), inside(ball.domain[1], 10, 1), strict=True):
        assert np.array_equal(np.array(bowl.point(u, v), float), np.array(ball.point(u, v), float))
        assert np.array_equal(np.array(bowl.normal(u, v), float), -np.array(ball.normal(u, v), float))


@pytest.mark.parametrize("name", SURFACES)
def test_surface_frames_are_p0_nxp0_n(name):
    surface = SURFACES[name]
    for u, v in zip(inside(surface.domain[0], 20), inside(surface.domain[1], 20, 1), strict=True):
        assert np.abs(surface.frame(u, v).matrix - Surface.frame(surface, u, v).matrix).max() < 1e-12
        assert np.allclose(surface.frame(u, v).p.astype(float), surface.point(u, v).astype(float), atol=1e-15)


ROUND = ["sphere", "sphere x", "sphere y", "ellipsoid", "ellipsoid x", "ellipsoid y", "cylinder"]


@pytest.mark.parametrize("name", ROUND)
def test_normals_of_round_solids_point_outward(name):
    surface = SURFACES[name]
    for u, v in zip(inside(surface.domain[0], 20), inside(surface.domain[1], 20, 1), strict=True):
        p = surface.point(u, v).astype(float)
        if name == "cylinder":
            p[2] = 0
        assert surface.normal(u, v).astype(float) @ p > 0


def test_the_normal_of_a_torus_points_away_from_its_ring():
    torus = SURFACES["torus"]
    for u, v in zip(inside(torus.domain[0], 20), inside(torus.domain[1], 20, 1), strict=True):
        centre = np.array([math.cos(u), math.sin(u), 0]) * torus.R
        spoke = torus.point(u, v).astype(float) - centre
        assert np.allclose(torus.normal(u, v).astype(float) * torus.r, spoke, atol=1e-14)


@pytest.mark.parametrize("axis", "xyz")
def test_charts_of_an_ellipsoid_lie_on_the_same_solid(axis):
    solid = surfaces.Ellipsoid(1.0, 0.8, 0.6, axis=axis)
    for u, v in zip(inside(solid.domain[0], 20), inside(solid.domain[1], 20, 1), strict=True):
        x, y, z = solid.point(u, v)
        assert abs(x * x + (y / 0.8) ** 2 + (z / 0.6) ** 2 - 1) < 1e-14
    pole = np.argmax(np.abs(solid.point(0.3, 0.0).astype(float)))
    assert "xyz"[pole] == axis


@pytest.mark.parametrize("name", ["sphere", "ellipsoid", "ellipsoid y", "torus"])
def test_meshes_are_oriented_outward_and_have_the_volume_of_the_solid(name):
    vertices, faces = SURFACES[name].mesh(96, 96)
    a, b, c = vertices[faces].transpose(1, 0, 2)
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
    exact = {"sphere": 4 / 3 * math.pi * 0.125, "torus": 2 * math.pi**2 * 0.09}.get(name, 4 / 3 * math.pi * 0.48)
    assert abs(volume / exact - 1) < 5e-3


@pytest.mark.parametrize("name", ["spline", "uniform spline", "closed spline"])
def test_spline_curves_are_twice_differentiable_across_pieces(name):
    curve = CURVES[name]
    knots = range(1, curve.count) if not curve.closed else range(curve.count + 1)
    for knot in knots:
        for order in range(3):
            f = lambda s: list(curve.point(s))  # noqa: E731
            for _ in range(order):
                f = lambda s, g=f: derivative(g, s)  # noqa: E731
            left, right = (np.array(f(knot + side), float) for side in (-1e-9, 1e-9))
            assert np.allclose(left, right, atol=1e-7)


def test_a_clamped_spline_is_scipys_and_starts_and_ends_at_control_points():
    from scipy.interpolate import BSpline

    n = len(LOOP)
    knots = [0, 0, 0, *range(n - 2), n - 3, n - 3, n - 3]
    theirs = BSpline(knots, np.array(LOOP, float), 3)
    for s in np.linspace(0, n - 3, 21):
        assert np.allclose(curves.BSpline(LOOP).point(float(s)).astype(float), theirs(s), atol=1e-14)
    assert np.allclose(curves.BSpline(LOOP).point(0.0).astype(float), LOOP[0])


@pytest.mark.parametrize("degree", [3, 4, 5, 6, 7])
def test_splines_of_any_degree_are_scipys(degree):
    from scipy.interpolate import BSpline

    points = np.random.default_rng(degree).normal(size=(11, 3))
    n = len(points) - degree
    clamped = [0] * degree + list(range(n + 1)) + [n] * degree
    uniform = range(-degree, n + degree + 1)
    around = np.concatenate([points, points[:degree]])
    kinds = {
        curves.BSpline(points, degree=degree): BSpline(clamped, points, degree),
        curves.BSpline(points, degree=degree, clamped=False): BSpline(uniform, points, degree),
        curves.BSpline(points, degree=degree, closed=True): BSpline(range(-degree, 12 + degree), around, degree),
    }
    for ours, theirs in kinds.items():
        for s in np.linspace(*ours.domain, 41)[:-1]:
            assert np.allclose(ours.point(float(s)).astype(float), theirs(s), atol=1e-12)
        assert ours.continuity == degree - 1


def test_a_long_spline_of_many_pieces():
    """[RM eq. 52-54]"""
    points = np.random.default_rng(0).normal(size=(300, 3))
    curve = curves.BSpline(points, closed=True)
    for s in (0.5, 150.25, 299.75):
        i = int(s)
        window, t = points[(np.arange(4) + i) % 300], s - i
        basis = np.array([(1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3]) / 6
        assert np.allclose(curve.point(s).astype(float), basis @ window, atol=1e-14)
    assert np.allclose(curve.point(10.3).astype(float), curve.point(310.3).astype(float), atol=1e-12)


def test_bezier_curves_and_patches_follow_de_casteljau():
    def casteljau(points, t):
        while len(points) > 1:
            points = (1 - t) * points[:-1] + t * points[1:]
        return points[0]

    seven = np.random.default_rng(1).normal(size=(7, 3))
    grid = np.random.default_rng(2).normal(size=(4, 5, 3))
    for u, v in ((0.0, 0.3), (0.4, 0.9), (1.0, 0.5)):
        assert np.allclose(curves.Bezier(seven).point(u).astype(float), casteljau(seven, u), atol=1e-13)
        expected = casteljau(np.array([casteljau(row, v) for row in grid]), u)
        assert np.allclose(surfaces.Bezier(grid).point(u, v).astype(float), expected, atol=1e-13)


def test_a_spline_surface_is_a_tensor_product_and_interpolates_its_corners():
    surface = SURFACES["spline"]
    assert np.allclose(surface.point(0.0, 0.0).astype(float), HILLS[0][0])
    assert np.allclose(surface.point(2.0, 3.0).astype(float), HILLS[4][5])
    across = curves.BSpline([curves.BSpline(row).point(1.3).astype(float) for row in HILLS])
    assert np.allclose(surface.point(0.7, 1.3).astype(float), across.point(0.7).astype(float), atol=1e-14)


def test_a_closed_rotation_minimising_frame_closes_up():
    curve = CURVES["closed spline"]
    assert np.abs(curve.rotation_minimising(1e-9).matrix - curve.rotation_minimising(5 - 1e-9).matrix).max() < 1e-6


def test_polylines_run_over_the_domain():
    assert CURVES["circle"].polyline(10).shape == (11, 3)
    assert np.allclose(CURVES["spline"].polyline(4)[[0, -1]], [LOOP[0], LOOP[-1]])


def test_a_cubic_of_thousands_of_knots_is_scipys():
    from scipy.interpolate import CubicSpline

    rng = np.random.default_rng(0)
    x, y = np.cumsum(rng.uniform(0.1, 2.0, 5000)), rng.normal(size=5000)
    ours, theirs = functions.NaturalCubic(x, y), CubicSpline(x, y, bc_type="natural")
    at = rng.uniform(x[0], x[-1], 20)
    assert [ours(float(s)) for s in at] == pytest.approx(theirs(at), rel=1e-9, abs=1e-9)


def test_piecewise_linear_and_polynomial_functions():
    line = functions.PiecewiseLinear([0, 1, 3], [0, 2, 0])
    assert [line(x) for x in (-1.0, 0.5, 1.0, 2.0, 4.0)] == [-2.0, 1.0, 2.0, 1.0, -1.0]
    assert functions.Polynomial([1, 2, 3])(2.0) == 17.0
    assert functions.Linear(2.0, 1.0)(3.0) == 7.0
    assert functions.Constant(4.0)(3.0) == 4.0
    assert [functions.Bounded(-1, 2)(x) for x in (-3.0, 0.5, 3.0)] == [-1, 0.5, 2]


def test_powers_go_up_in_the_last_argument_first():
    """OpenSim's order: 1, z, zz, zzz, y, yz, yzz, yy, yyz, yyy, x, ..."""
    x, y, z = 2.0, 3.0, 5.0
    terms = [1, z, z**2, z**3, y, y * z, y * z**2, y**2, y**2 * z, y**3, x, x * z, x * z**2, x * y, x * y * z,
             x * y**2, x**2, x**2 * z, x**2 * y, x**3]  # fmt: skip
    for k, term in enumerate(terms):
        assert functions.Powers([float(i == k) for i in range(20)], 3, 3)(x, y, z) == term


def test_steps_have_two_derivatives():
    step, e = functions.Step(1.0, 3.0, 4.0, -2.0), 1e-3
    assert [step(x) for x in (0.0, 1.0, 2.0, 3.0, 9.0)] == [4.0, 4.0, 1.0, -2.0, -2.0]
    for at, way in ((1.0, 1.0), (3.0, -1.0)):
        assert abs(step(at + way * e) - step(at)) < 10 * e**3


WRONG = {
    "negative radius": (lambda: surfaces.Sphere(-1.0), "above zero"),
    "NaN radius": (lambda: curves.Circle(float("nan")), "finite"),
    "spindle torus": (lambda: surfaces.Torus(0.3, 1.0), "must exceed"),
    "pole axis": (lambda: surfaces.Sphere(1.0, axis="w"), "'x', 'y' or 'z'"),
    "ellipsoid": (lambda: surfaces.Ellipsoid(1.0, 0.0, 1.0), "b=0.0"),
    "three control points": (lambda: curves.BSpline(LOOP[:3]), "at least 4"),
    "one Bezier point": (lambda: curves.Bezier(LOOP[:1]), "at least 2"),
    "flat control points": (lambda: curves.BSpline([(0, 1)] * 5), "n x 3"),
    "words": (lambda: curves.Bezier([("a", "b", "c")] * 4), "array of numbers"),
    "small grid": (lambda: surfaces.BSpline(np.zeros((3, 4, 3))), "at least 4"),
    "infinite control point": (lambda: surfaces.Bezier(np.full((2, 2, 3), np.inf)), "finite"),
    "line without direction": (lambda: curves.Line((0, 0, 0)), "no direction"),
    "Frenet frame of a line": (lambda: curves.Line().frenet(0.3), "fixed-up"),
    "knots that go back": (lambda: functions.PiecewiseLinear([0, 2, 1], [0, 0, 0]), "increase"),
    "a step without width": (lambda: functions.Step(1, 1), "start 1 must be below end 1"),
    "bounds the wrong way around": (lambda: functions.Bounded(2, 1), "low 2 must not be above high 1"),
    "too few powers": (lambda: functions.Powers([1, 2], 2, 1), "shape"),
    "powers of nothing": (lambda: functions.Powers([1], 0, 1), "0 arguments and order 1; expected 1 to 9"),
    "knots and values": (lambda: functions.NaturalCubic([0, 1, 2], [0, 1]), "shape"),
    "too many knots": (lambda: functions.NaturalCubic(range(20_000), range(20_000)), "20,000 knots .* at most 10,000"),
    "two knots": (lambda: functions.NaturalCubic([0, 1], [0, 1]), "at least 3"),
    "spline ends": (lambda: functions.NaturalCubic([0, 1, 2], [0, 1, 0], ends="free"), "natural"),
    "no polynomial": (lambda: functions.Polynomial([]), "at least 1"),
    "mesh": (lambda: surfaces.Plane().mesh(1, 4), "at least 2"),
    "polyline": (lambda: curves.Circle(1.0).polyline(0), "at least one"),
    "surface point": (lambda: surfaces.surface(lambda u, v: (u, v)).point(0.1, 0.2), "three numbers"),
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_input_is_refused_with_a_remedy(name):
    make, words = WRONG[name]
    with pytest.raises(AnyjointError, match=words):
        make()
