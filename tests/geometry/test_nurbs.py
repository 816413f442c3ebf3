"""Rational splines: SciPy's splines in one dimension more, and circles, tori and spheres to rounding error."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.errors import AnyjointError
from anyjoint.geometry import curves, surfaces

RNG = np.random.default_rng(5)
POINTS, WEIGHTS = RNG.normal(size=(8, 3)), RNG.uniform(0.5, 2.0, 8)
UNEVEN = [0, 0, 0, 0, 0.5, 0.5, 2, 3.5, 4, 4, 4, 4]
ROUNDING = 4e-16
SPEED = np.array([0.7, -0.4, 1.2])


def lifted_spline(points, weights, degree, knots, s):
    """The projection of SciPy's spline of (w x, w y, w z, w)."""
    from scipy.interpolate import BSpline

    w = np.asarray(weights)[:, None]
    value = BSpline(knots, np.hstack([points * w, w]), degree)(s)
    return value[:3] / value[3]


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_rational_curves_project_splines_of_one_dimension_more(degree):
    knots = UNEVEN if degree == 3 else [0] * degree + list(range(9 - degree)) + [8 - degree] * degree
    ours = curves.NURBS(POINTS, WEIGHTS, degree, knots if degree == 3 else None)
    for s in np.linspace(*ours.domain, 23)[:-1]:
        theirs = lifted_spline(POINTS, WEIGHTS, degree, knots, s)
        assert np.allclose(ours.point(float(s)).astype(float), theirs, atol=1e-13)


def test_knots_need_not_be_clamped():
    loose = [0, 0.3, 1, 1.5, 2, 3, 3.2, 4, 5, 5.5, 6, 7.5]
    ours = curves.NURBS(POINTS, WEIGHTS, 3, loose)
    assert ours.domain == (1.5, 5.0)
    for s in np.linspace(1.5, 5.0, 23)[:-1]:
        assert np.allclose(ours.point(float(s)).astype(float), lifted_spline(POINTS, WEIGHTS, 3, loose, s), atol=1e-13)


def test_surfaces_are_tensor_products_of_curves():
    grid, weights = RNG.normal(size=(5, 4, 3)), RNG.uniform(0.5, 2, (5, 4))
    knots = ([0, 0, 0, 1, 2.5, 4, 4, 4], [0, 0, 0, 0, 2, 2, 2, 2])
    surface = surfaces.NURBS(grid, weights, (2, 3), knots)
    for u, v in RNG.uniform(0, 1, (10, 2)) * (4, 2):
        lines = [curves.NURBS(grid[:, j], weights[:, j], 2, knots[0]) for j in range(4)]
        across = [line.point(u).astype(float) for line in lines]
        basis = [curves.NURBS(np.repeat(weights[:, j : j + 1], 3, axis=1), None, 2, knots[0]) for j in range(4)]
        heavy = [float(line.point(u)[0]) for line in basis]  # the weights at u, as a curve of their own
        expected = curves.NURBS(across, heavy, 3, knots[1]).point(v).astype(float)
        assert np.allclose(surface.point(u, v).astype(float), expected, atol=1e-12)


def test_equal_weights_are_the_plain_spline():
    plain, rational = curves.BSpline(POINTS), curves.NURBS(POINTS)
    for s in np.linspace(0.0, 5.0, 21):
        assert np.allclose(plain.point(float(s)).astype(float), rational.point(float(s)).astype(float), atol=1e-15)


def test_the_circle_is_a_circle_to_rounding_and_closes():
    circle = curves.NURBS.circle(0.7)
    for s in np.linspace(-5.0, 9.0, 141):
        x, y, z = map(float, circle.point(float(s)))
        assert abs(math.hypot(x, y) - 0.7) < ROUNDING * 0.7
        assert z == 0
    for quarter, expected in enumerate([(0.7, 0), (0, 0.7), (-0.7, 0), (0, -0.7), (0.7, 0)]):
        assert np.allclose(circle.point(float(quarter)).astype(float)[:2], expected, atol=1e-16)
    assert circle.continuity == math.inf


def test_continuity_is_that_of_the_curve_and_not_of_its_parameter():
    assert curves.NURBS(POINTS, WEIGHTS, 3, UNEVEN).continuity == 1  # a double knot
    assert curves.NURBS(POINTS, WEIGHTS).continuity == 2
    assert curves.NURBS(POINTS, degree=4).continuity == 3
    assert curves.NURBS([(0, 0, 0), (1, 0, 0), (1, 1, 0)], degree=1).continuity == 0  # a corner
    with pytest.raises(AnyjointError, match="continuous derivatives"):
        joints.OnCurve(curves.NURBS(POINTS, WEIGHTS, 3, UNEVEN), frame="fixed-up")


def test_the_torus_and_the_sphere_of_revolution_are_exact():
    torus = surfaces.NURBS.torus(1.0, 0.3)
    half = [(0, 0, -1), (1, 0, -1), (1, 0, 0), (1, 0, 1), (0, 0, 1)]
    meridian = curves.NURBS(half, (1, math.sqrt(0.5), 1, math.sqrt(0.5), 1), 2, (0, 0, 0, 1, 1, 2, 2, 2))
    sphere = surfaces.NURBS.revolved(meridian)
    for u, v in RNG.uniform(0.0, 4.0, (100, 2)):
        p = torus.point(u, v).astype(float)
        ring = p[:2] / math.hypot(*p[:2])
        spoke = p - [*ring, 0]
        assert abs(np.linalg.norm(spoke) - 0.3) < 2 * ROUNDING
        assert np.allclose(torus.normal(u, v).astype(float), spoke / 0.3, atol=2e-14)
        p = sphere.point(u, v / 2).astype(float)
        assert abs(np.linalg.norm(p) - 1) < ROUNDING
        assert np.allclose(sphere.normal(u, v / 2).astype(float), p, atol=1e-12)
    assert sphere.singularity(1.3, 0.0) is not None
    assert torus.singularity(1.3, 0.0) is None


def test_a_bead_moves_on_the_rational_circle_as_on_the_circle():
    """The same pendulum in two parametrisations: the same place at the same time, the same energy."""
    angles, drifts = [], []
    for wire, start, speed in ((curves.Circle(0.7), 0.3, 1.0), (curves.NURBS.circle(0.7), None, None)):
        mech = aj.Mechanism("bead", gravity=(0, -9.81, 0))
        mech.add_body("bead", joint=joints.OnCurve(wire), inertia=aj.Inertia.sphere(1.0, 0.05))
        model = mech.compile()
        if start is None:  # the same point and velocity by the quarter's parameter
            start = float(_parameter(wire, 0.3))
            tangent = np.array(wire.velocity(start), float)
            speed = 0.7 / np.linalg.norm(tangent)
        run = model.simulate([start], [speed], duration=1.0, method="dopri5", rtol=1e-11, atol=1e-11)
        x, y, _ = model.body_poses(run.q[-1])[0][:3, 3]
        angles.append(math.atan2(y, x))
        drifts.append(np.ptp(np.sum(run.energy(), axis=0)))
    assert abs(angles[0] - angles[1]) < 1e-8
    assert max(drifts) < 1e-7  # the parameter's acceleration jumps at the quarters, which costs a step some digits


def test_a_body_on_the_rational_torus_accelerates_as_on_the_torus():
    """Whatever the parameters: the same pose and twist give the same acceleration of the body."""
    found = []
    for surface in (surfaces.Torus(1.0, 0.3), surfaces.NURBS.torus(1.0, 0.3)):
        mech = aj.Mechanism("body")
        inertia = aj.Inertia(2.0, (0.05, -0.1, 0.2), np.diag([0.03, 0.04, 0.02]))
        mech.add_body("body", joint=joints.OnSurface(surface, spin=True), inertia=inertia)
        model, quarters = mech.compile(), isinstance(surface, surfaces.NURBS)
        turn = [_parameter(curves.NURBS.circle(), angle) if quarters else angle for angle in (0.4, 1.1)]
        q = np.array([*turn, 0.6])
        J = model.body_jacobian(q, "body")
        v = np.linalg.lstsq(J, found[0][1], rcond=None)[0] if found else SPEED
        a = model.forward_dynamics(q, v)
        rate = model.jacobian_rate_times(q, v, v)[0]
        found.append((model.body_poses(q)[0], J @ v, J @ a + rate))
    for one, other in zip(*found, strict=True):
        assert np.allclose(one, other, atol=1e-10)


def _parameter(circle, angle):
    from scipy.optimize import brentq

    return brentq(lambda s: math.atan2(*map(float, circle.point(s)[1::-1])) - angle, 0.0, 1.0, xtol=1e-15)


WRONG = {
    "weights": (lambda: curves.NURBS(POINTS, -WEIGHTS), "above zero"),
    "weights of another shape": (lambda: surfaces.NURBS(np.zeros((4, 4, 3)), np.ones(4)), "shape"),
    "knots": (lambda: curves.NURBS(POINTS, knots=[0, 1, 2]), "12"),
    "knots that go back": (lambda: curves.NURBS(POINTS, knots=[0, 0, 0, 0, 2, 1, 3, 4, 5, 5, 5, 5]), "decrease"),
    "a torn spline": (lambda: curves.NURBS(POINTS, degree=2, knots=[0, 0, 0, 1, 1, 1, 2, 3, 4, 4, 4]), "tear"),
    "degree": (lambda: curves.NURBS(POINTS, degree=9), "1 to 7"),
    "few points": (lambda: curves.NURBS(POINTS[:3]), "needs 4"),
    "open curve": (lambda: curves.NURBS(POINTS, closed=True), "does not end where it starts"),
    "open surface": (lambda: surfaces.NURBS(RNG.normal(size=(4, 4, 3)), closed=(True, False)), "does not end"),
    "profile beyond the axis": (lambda: surfaces.NURBS.revolved(curves.NURBS.circle()), "y = 0"),
    "profile": (lambda: surfaces.NURBS.revolved(curves.Circle(1.0)), "curves.NURBS"),
    "spindle": (lambda: surfaces.NURBS.torus(0.2, 0.3), "exceed"),
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_input_is_refused_with_a_remedy(name):
    make, words = WRONG[name]
    with pytest.raises(AnyjointError, match=words):
        make()
