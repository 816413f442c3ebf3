"""At singular places forward dynamics raise, whatever the state; finite numbers that mean nothing never come back."""

import math
import zlib
from functools import cache

import mpmath
import numpy as np
import pytest

import anyjoint as aj
from anyjoint import curves, joints, surfaces
from anyjoint.errors import SingularityError
from anyjoint.symbolic import Graph
from anyjoint.symbolic.interpret import evaluate

pytestmark = pytest.mark.fast_code
HINGE = joints.Revolute
TAU = 2 * math.pi
GRAVITY = (1.3, -4.2, -8.0)
LOAD = aj.Inertia(7.0, (0.3, 0.1, 0.2), np.diag([1.1, 1.2, 1.3]))
BODY = aj.Inertia(mass=1.3, com=(0.05, 0.2, 0.1), tensor=np.diag([0.02, 0.03, 0.025]).tolist())


def sphere(u, v):
    return aj.cos(u) * aj.sin(v), aj.sin(u) * aj.sin(v), aj.cos(v)


def on(rng, *fixed):
    """Random coordinates but for those that are given."""
    return [rng.uniform(-1.5, 1.5) if x is None else x for x in fixed]


def direction(rng):
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def ball(q):
    return aj.Pose.rotation_z(q[0]) @ aj.Pose.rotation_y(q[1]) @ aj.Pose.rotation_z(q[2])


# Joint, and a function of a random generator that gives coordinates at which it is singular.
PLACES = {
    "Spherical": (joints.Spherical(), lambda r: TAU * r.integers(1, 4) * direction(r)),
    "Free": (joints.Free(), lambda r: [*(TAU * direction(r)), *r.normal(size=3)]),
    "Free, translation first": (
        joints.Free(order="translation-first"), lambda r: [*r.normal(size=3), *(TAU * direction(r))]
    ),
    "ZYZ": (
        joints.Composite(HINGE("z"), HINGE("y"), HINGE("z")), lambda r: on(r, None, math.pi * r.integers(-2, 3), None)
    ),
    "ZYX": (
        joints.Composite(HINGE("z"), HINGE("y"), HINGE("x")),
        lambda r: on(r, None, math.pi * (r.integers(-2, 3) + 0.5), None),
    ),
    "a user's ZYZ": (aj.joint(dof=3)(ball), lambda r: on(r, None, math.pi * r.integers(-2, 3), None)),
    "a user's sphere": (
        joints.OnSurface(surfaces.surface(sphere, flip=True)), lambda r: on(r, None, math.pi * r.integers(-2, 3))
    ),
    "a user's sphere with spin": (
        joints.OnSurface(surfaces.surface(sphere, flip=True), spin=True),
        lambda r: on(r, None, math.pi * r.integers(-2, 3), None),
    ),
    "a user's sphere that slides": (
        joints.OnSurface(surfaces.surface(sphere, flip=True), slide=True),
        lambda r: on(r, None, math.pi * r.integers(-2, 3)),
    ),
    "a sphere with spin": (
        joints.OnSurface(surfaces.Sphere(0.7), spin=True), lambda r: on(r, None, math.pi * r.integers(-2, 3), None)
    ),
    "an ellipsoid with spin": (
        joints.OnSurface(surfaces.Ellipsoid(0.7, 0.9, 0.4), spin=True),
        lambda r: on(r, None, math.pi * r.integers(-2, 3), None),
    ),
    "contact at a pole": (
        joints.Contact(surfaces.Plane(), surfaces.Sphere(0.3)),
        lambda r: on(r, None, None, None, math.pi * r.integers(0, 2), None),
    ),
    "contact at a pole of the user's": (
        joints.Contact(surfaces.surface(sphere, flip=True), surfaces.Sphere(0.3)),
        lambda r: on(r, None, math.pi * r.integers(0, 2), None, 1.0, None),
    ),
    "tori on top of each other": (
        joints.SurfaceSurface(surfaces.Torus(1.0, 0.3), surfaces.Torus(1.0, 0.3)),
        lambda r: on(r, None, math.pi / 2, None, -math.pi / 2),
    ),
    "a dwelling cam": (
        aj.joint(dof=1)(lambda q: aj.Pose.translation(aj.cos(q[0]), 0, 0)), lambda r: [math.pi * r.integers(-3, 4)]
    ),
    "a cam that stops": (aj.joint(dof=1)(lambda q: aj.Pose.translation(q[0] ** 3, 0, 0)), lambda r: [0.0]),
    "a cusp": (joints.OnCurve(lambda s: (s**2, s**3, s**2), frame="fixed-up"), lambda r: [0.0]),
    "an inflection": (
        joints.OnCurve(lambda s: (s, 0 * s, aj.sin(s))), lambda r: [math.pi * r.integers(-3, 4)]
    ),
    "an upright tangent": (
        joints.OnCurve(lambda s: (aj.cos(s), 0 * s, aj.sin(s)), frame="fixed-up"),
        lambda r: [math.pi * r.integers(-3, 4)],
    ),
    "a stretched four-bar": (joints.FourBar(1.0, 1.0, 0.5, 0.5), lambda r: [r.choice([-1, 1]) * math.acos(0.5)]),
    "a wheel in a dip of its size": (
        joints.RollingWheel(0.5, curves.curve(lambda s: (s, s * s, 0 * s), domain=(-1, 1))), lambda r: [0.0]
    ),
    "a bent function": (
        joints.FunctionBased(translations=[((1, 0, 0), aj.cos, (0,))]), lambda r: [math.pi * r.integers(-3, 4)]
    ),
}  # fmt: skip


def alone(joint):
    mech = aj.Mechanism("alone", gravity=GRAVITY)
    mech.add_body("body", joint=joint, inertia=BODY)
    return mech


def carried(joint):
    """Between two hinges."""
    mech = aj.Mechanism("carried")
    arm = mech.add_body("arm", joint=HINGE((0.3, 1, 0.2)), inertia=BODY)
    body = mech.add_body("body", arm, joint, aj.Pose.translation(0.1, 0.2, 0.3), BODY)
    mech.add_body("tip", body, HINGE((1, 0.4, 0.2)), aj.Pose.translation(0.3, 0.1, 0.2), BODY)
    return mech


@cache
def compiled(name, build):
    return build(PLACES[name][0]).compile()


def states(name, model, count=12):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    for _ in range(count):
        q = np.array(PLACES[name][1](rng), dtype=float)
        if model.nb == 3:
            q = np.concatenate([rng.normal(size=1), q, rng.normal(size=1)])
        speed = 10.0 ** rng.uniform(-3, 3)
        yield q, speed * rng.normal(size=model.nv), 10.0 ** rng.uniform(-3, 3) * rng.normal(size=model.nv)


@pytest.mark.parametrize("build", [alone, carried])
@pytest.mark.parametrize("name", PLACES)
def test_singular_places_raise(name, build):
    model = compiled(name, build)
    for q, v, tau in states(name, model):
        with pytest.raises(SingularityError, match="'body'"):
            model.forward_dynamics(q, v, tau)


@pytest.mark.parametrize("build", [alone, carried])
@pytest.mark.parametrize("name", PLACES)
def test_singular_places_raise_at_rest_too(name, build):
    """Where nothing moves and nothing pushes, accelerations are of ordinary size though they mean nothing."""
    model = compiled(name, build)
    for q, v, tau in states(name, model):
        for batch in (False, True):
            q, v, tau = ((np.tile(x, (5, 1)) if batch else x) for x in (q, 0 * v, 0 * tau))
            with pytest.raises(SingularityError, match="'body'"):
                model.forward_dynamics(q, v, tau)


@pytest.mark.filterwarnings("error")
def test_huge_accelerations_are_looked_at_without_a_warning():
    model = alone(joints.Spherical()).compile()
    for push in (1e150, 1e200, 1e300):
        a = model.forward_dynamics(np.array([0.1, 0.2, 0.3]), np.zeros(3), np.array([push, 0.0, 0.0]))
        assert np.isfinite(a).all()
        assert np.abs(a).max() > 0.1 * push


@pytest.mark.parametrize("method", ["rk4", "semi-implicit-euler"])
def test_a_step_from_a_singular_place_raises(method):
    """A ball joint after a whole turn, where a step went on with speeds of 1e10 and more."""
    model = carried(joints.Spherical()).compile()
    q, v = np.array([0.3, 2 * math.pi, 0.0, 0.0, 0.2]), np.ones(5)
    for rows in ((q, v), (np.tile(q, (3, 1)), np.tile(v, (3, 1)))):
        with pytest.raises(SingularityError, match=r"step.*:.* 'body'"):
            model.step(*rows, dt=1e-3, method=method)
    regular = model.step(0.3 * v, v, 1e7 * v, dt=1e-5, method=method)[1]
    assert np.abs(regular).max() > 1e2  # large forces are no singularity


@pytest.mark.parametrize("name", PLACES)
def test_a_batch_tells_which_state(name):
    joint = PLACES[name][0]
    model = compiled(name, carried)
    regular = np.array([c.domain[0] + 0.37 * (c.domain[1] - c.domain[0]) for c in joint.coordinates])
    for q, v, tau in states(name, model, 3):
        batch = np.tile(np.concatenate([[0.3], regular, [0.2]]), (11, 1))
        assert np.isfinite(model.forward_dynamics(batch, v, tau)).all()
        batch[7] = q
        with pytest.raises(SingularityError, match="'body'"):
            model.forward_dynamics(batch, v, tau)


@pytest.mark.parametrize("algorithm", ["articulated-body", "recursive", "composite-rigid-body", "augmented", "redmax"])
@pytest.mark.parametrize("name", ["Spherical", "ZYZ", "a user's sphere", "tori on top of each other"])
def test_every_formulation_raises(name, algorithm):
    model = carried(PLACES[name][0]).compile(algorithm)
    for q, v, tau in states(name, model, 3):
        with pytest.raises(SingularityError, match="'body'"):
            model.forward_dynamics(q, v, tau)


@pytest.mark.parametrize("name", ["Spherical", "ZYZ", "a user's sphere"])
def test_single_precision_raises_too(name):
    model = carried(PLACES[name][0]).compile(dtype="float32")
    for q, v, tau in states(name, model, 5):
        with pytest.raises(SingularityError, match="'body'"):
            model.forward_dynamics(*(x.astype(np.float32) for x in (q, v, tau)))


APPROACHES = {  # a joint, a singular place, a way out of it
    "Spherical": (joints.Spherical(), [0.0, TAU, 0.0], [0.3, -1.0, 0.2]),
    "ZYZ": (joints.Composite(HINGE("z"), HINGE("y"), HINGE("z")), [0.4, 0.0, 0.3], [0.2, 1.0, 0.3]),
    "a user's sphere": (
        joints.OnSurface(surfaces.surface(sphere, flip=True), spin=True),
        [0.4, math.pi, 0.1],
        [0.2, -1, 0],
    ),
    "a sphere": (joints.OnSurface(surfaces.Sphere(1.0), spin=True), [0.4, math.pi, 0.1], [0.2, -1, 0]),
    "an inflection": (joints.OnCurve(lambda s: (s, s**3, 0.5 * s**2 * s**2)), [0.0], [1.0]),
    "a four-bar": (joints.FourBar(1.0, 1.0, 0.5, 0.5), [math.acos(0.5)], [-1.0]),
}


@pytest.mark.parametrize("name", APPROACHES)
def test_what_comes_back_near_a_singular_place_is_right(name):
    """From rest: either an error, or the body's acceleration in space is right to 1e-6, against 50 digits."""
    joint, place, way = APPROACHES[name]
    model = alone(joint).compile()
    answered = 0
    for exponent in range(1, 18):
        q = np.array(place) + 10.0**-exponent * np.array(way, dtype=float)
        try:
            a = model.forward_dynamics(q, np.zeros(model.nv))
        except SingularityError:
            assert exponent >= 5
            continue
        answered += 1
        with mpmath.workdps(50):
            S, expected = falling(joint, q)
            error = S * mpmath.matrix(a.tolist()) - expected
            assert mpmath.norm(error, mpmath.inf) < 1e-6 * mpmath.norm(expected, mpmath.inf), exponent
    assert answered >= 4


def falling(joint, q):
    """S, by differences of the pose, and the acceleration S (S^T J S)^-1 S^T J g of a body that is let go."""
    h, at = mpmath.mpf(10) ** -20, [mpmath.mpf(float(x)) for x in q]
    here = pose(joint, at)
    S = mpmath.matrix(6, len(at))
    for k in range(len(at)):
        ahead, behind = ([x + s * h * (i == k) for i, x in enumerate(at)] for s in (1, -1))
        W = here**-1 * (pose(joint, ahead) - pose(joint, behind)) / (2 * h)
        for row, (i, j) in enumerate([(2, 1), (0, 2), (1, 0), (0, 3), (1, 3), (2, 3)]):
            S[row, k] = W[i, j]
    g = mpmath.matrix([0, 0, 0, *(here[:3, :3].T * mpmath.matrix(GRAVITY))])
    J = mpmath.matrix(BODY.spatial().tolist())
    return S, S * mpmath.lu_solve(S.T * J * S, S.T * J * g)


def pose(joint, q):
    graph = Graph()
    nodes = [graph.variable("q", c.domain) for c in joint.coordinates]
    entries = [list(row) for row in joint.pose(nodes).matrix]
    return mpmath.matrix(evaluate(entries, dict(zip(nodes, q, strict=True))))


# -- pivots --------------------------------------------------------------------------------------------------


def balance(x):
    """A weightless beam whose two weights may be set so that its axis passes through both."""
    mech = aj.Mechanism("balance")
    table = mech.add_body("table", joint=HINGE("x"), inertia=aj.Inertia.sphere(10.0, 1.0))
    mech.add_body("beam", table, HINGE("z"), aj.Pose.translation(0.5, 0, 0))
    mech.add_body("bob", "beam", joints.Prismatic("x"), aj.Pose.translation(-x, 0, 0), aj.Inertia.point(1.0))
    return mech


@pytest.mark.parametrize("offset", [0.3, 1 / 3, 0.1])
def test_a_pivot_below_rounding_raises(offset):
    model = balance(offset).compile()
    assert np.isfinite(model.forward_dynamics([0.1, 0.2, offset + 1e-3], [0.1, 1.0, 1.0])).all()
    for q in (offset, offset + 1e-17, np.nextafter(offset, 1.0)):
        with pytest.raises(SingularityError, match=r"mass matrix is singular.*'beam'"):
            model.forward_dynamics([0.1, 0.2, q], [0.1, 1.0, 1.0])


def test_an_inertia_that_gets_lost_in_its_load_raises():
    """Two hinges on one axis: between them a ring so light that rounding of the load hides it."""

    def between(inertia):
        mech = aj.Mechanism("ring")
        ring = mech.add_body("ring", joint=HINGE((1, 2, 3)), inertia=inertia)
        mech.add_body("load", ring, HINGE((1, 2, 3)), inertia=LOAD)
        return mech.compile()

    q, v, tau = [0.3, 0.4], [1.0, 2.0], [0.5, 0.1]
    assert np.isfinite(between(aj.Inertia.sphere(1e-3, 0.1)).forward_dynamics(q, v, tau)).all()
    with pytest.raises(SingularityError, match=r"mass matrix is singular.*'ring'"):
        between(aj.Inertia.sphere(1e-16, 0.1)).forward_dynamics(q, v, tau)


# -- large numbers that are right --------------------------------------------------------------------------------


def test_large_forces_and_speeds_are_no_singularity():
    model = carried(joints.Spherical()).compile()
    q = np.array([0.1, 0.4, 0.5, 0.6, 0.2])
    for size in (1e3, 1e6, 1e9):
        one, large = (model.forward_dynamics(q, s * np.ones(5), s * s * np.ones(5)) for s in (1e3, size))
        assert np.isfinite(large).all()
        assert np.abs(large).max() > 0.9 * (size / 1e3) ** 2 * np.abs(one).max()


def test_a_slow_coordinate_is_no_singularity():
    """q -> exp(q): far out a unit of q moves next to nothing, and all digits are right."""
    joint = aj.joint(dof=1)(lambda q: aj.Pose.translation(0, 0, aj.exp(q[0])))
    model = alone(joint).compile()
    for q in (-5.0, -20.0, -30.0):
        a = model.forward_dynamics([q], [0.0])  # z'' = g
        assert a[0] == pytest.approx(GRAVITY[2] * math.exp(-q), rel=1e-13)


def test_models_without_singular_places_are_not_looked_at():
    from anyjoint.mechanism import gallery

    assert gallery.revolute_chain(3).compile().screen is None
    assert alone(joints.Planar()).compile().screen is None
    assert alone(joints.FreeQuaternion()).compile().screen is None
    assert alone(joints.Spherical()).compile().screen is not None


def test_parameters_change_what_is_natural():
    model = carried(joints.Spherical()).compile()
    before = model.screen
    model.parameters["gravity"] = (0.0, 0.0, -1e6)
    assert model.screen.rest > 1e3 * before.rest


def test_a_function_that_is_singular_only_far_from_its_domain_is_watched_there():
    """Beyond q0 = 12 the two slides are parallel but for 1e-8, so that M is singular to rounding."""

    @aj.joint(dof=2)
    def slides(q):
        return aj.Pose.translation(q[0] + q[1], aj.select(q[0] > 12, 1e-8, 1.0) * q[1], 0)

    mech = aj.Mechanism("far")
    mech.add_body("body", joint=slides, inertia=aj.Inertia.sphere(1.3, 0.1))
    model = mech.compile()
    assert model.forward_dynamics([1.0, 2.0], [0.0, 0.0], [1.3, 1.3]) == pytest.approx([1.0, 0.0], abs=1e-14)
    with pytest.raises(SingularityError, match="body"):
        model.forward_dynamics([13.0, 2.0], [0.0, 0.0], [1.0, 2.0])


@pytest.mark.parametrize("both", [0.0, 1.0])
@pytest.mark.parametrize("held", [0.0, 0.5, 1.5])
def test_a_joint_that_is_flat_over_most_of_its_domain_works_elsewhere(both, held):
    """Below `held` the second coordinate moves nothing of its own (`both` = 0: nothing at all)."""
    mech = aj.Mechanism("flat")
    slides = aj.joint(dof=2)(lambda q: aj.Pose.translation(q[0] + both * q[1], aj.maximum(q[1], held), 0))
    mech.add_body("body", joint=slides, inertia=aj.Inertia.sphere(1.3, 0.1))
    model = mech.compile()
    a = model.forward_dynamics([0.5, 2.7], [0.1, 0.2], [1.3, 1.3])
    assert a == pytest.approx([1.0, 1.0 - both], abs=1e-14)
    with pytest.raises(SingularityError, match="move"):
        model.forward_dynamics([0.5, -0.7], [0.1, 0.2], [1.3, 1.3])
    with pytest.raises(SingularityError, match="state 1"):
        model.forward_dynamics([[0.5, 2.7], [0.5, -0.7]], [0.1, 0.2], [1.3, 1.3])
