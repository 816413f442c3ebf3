"""Ways around ellipsoids, and around two obstacles on one segment: closed forms, and lengths of relaxed polygons."""

import numpy as np
import pytest
from scipy.optimize import minimize

import anyjoint as aj
from anyjoint import forces, joints
from anyjoint.spatial import Pose, vector

RADII = np.array([0.035, 0.025, 0.02])


@pytest.fixture(scope="module")
def bead():
    mech = aj.Mechanism("bead")
    mech.add_body("bead", None, joints.Translational(), inertia=aj.Inertia.sphere(1.0, 0.1))
    return mech.compile()


def length(model, start, *obstacles, end):
    return float(model.path_length(np.array(end, dtype=float), [(None, tuple(start)), *obstacles, ("bead", (0, 0, 0))]))


def shortest(p, q, radii, start, points=20):
    """The shortest polygon whose corners are on an ellipsoid, beginning at corners `start`, of infinitely many corners.

    A curve is longer than its polygon by the square of the distance between corners.
    """

    def relaxed(count):
        t = np.linspace(0, 1, count)[:, None]
        first = ((1 - t) * start[0] + t * start[1]) / radii

        def polygon(z):
            y = z.reshape(count, 3)
            size = np.linalg.norm(y, axis=1)[:, None]
            edges = np.diff(np.vstack([p, radii * y / size, q]), axis=0)
            sizes = np.linalg.norm(edges, axis=1)
            units = edges / sizes[:, None]
            slope = (units[:-1] - units[1:]) * radii
            slope = (slope - (slope * y).sum(1)[:, None] * y / size**2) / size
            return sizes.sum(), slope.ravel()

        options = {"maxiter": 5000, "ftol": 1e-16, "gtol": 1e-12, "maxfun": 10000}
        return minimize(polygon, first.ravel(), jac=True, method="L-BFGS-B", options=options).fun

    coarse, fine = relaxed(points), relaxed(2 * points)
    return fine + (fine - coarse) / 3


def crossings(count, seed=0):
    """Ends of lines that go through an ellipsoid, away from its middle."""
    random, found = np.random.default_rng(seed), []
    while len(found) < count:
        p = random.normal(size=3)
        p *= 0.06 / np.linalg.norm(p)
        q = -p + random.normal(scale=0.02, size=3)
        a, b = p / RADII, q / RADII
        line = (b - a) / np.linalg.norm(b - a)
        height = np.linalg.norm(a - (a @ line) * line)
        if 0.4 < height < 0.95 and min(a @ a, b @ b) > 1.1:
            found.append((p, q))
    return found


def test_a_ball_is_an_ellipsoid(bead):
    turn = np.asarray(aj.Pose.rpy(0.3, -0.8, 1.2).R, dtype=float)
    for p, q in crossings(5):
        ball = forces.WrapSphere(None, (0.01, 0, 0), 0.03)
        egg = forces.WrapEllipsoid(None, (0.01, 0, 0), (0.03, 0.03, 0.03), turn.tolist())
        assert length(bead, p, egg, end=q) == pytest.approx(length(bead, p, ball, end=q), rel=1e-12)


@pytest.mark.slow  # how good plane curves are; that they are found is told by balls
def test_the_way_around_an_ellipsoid_is_nearly_the_shortest(bead):
    """The shortest ways are no plane curves; those are longer by less than one in ten thousand."""
    from anyjoint.forces.wrap_ellipsoid import around_ellipsoid

    egg = forces.WrapEllipsoid(None, (0, 0, 0), tuple(RADII))
    for p, q in crossings(2):
        way = around_ellipsoid(vector(*p), vector(*q), egg.kind, Pose(), np.array(egg.numbers()))
        wanted = shortest(p, q, RADII, (np.array(way.enter, float), np.array(way.leave, float)))
        found = length(bead, p, egg, end=q)
        assert wanted * (1 - 1e-5) < found < wanted * (1 + 1e-4)
        assert found > np.linalg.norm(p - q)


def test_sides_of_an_ellipsoid(bead):
    """A line that passes the middle at +y: by itself it goes around there, with a side where that says."""
    p, q = np.array([-0.1, 0.005, 0]), np.array([0.1, 0.005, 0])
    free, above, below = (
        length(bead, p, forces.WrapEllipsoid(None, (0, 0, 0), tuple(RADII), side=side), end=q)
        for side in (None, (0, 1, 0), (0, -1, 0))
    )
    assert free == above < below
    passing = forces.WrapEllipsoid(None, (0, 0, 1), tuple(RADII), side=(0, -1, 0))
    assert length(bead, p, passing, end=q) == pytest.approx(0.2, abs=1e-15)


def belt(radius, apart, reach, drop):
    """Over two balls at (+-apart, 0, 0) from (+-reach, -drop, 0): tangents, arcs, and the line between their tops."""
    x = reach - apart
    tangent = np.sqrt(x * x + drop * drop - radius**2)
    arc = np.pi / 2 - np.arctan2(-drop, x) - np.arctan2(tangent, radius)
    return 2 * (tangent + radius * arc + apart)


def obstacles(kind, radius, apart, **options):
    centers = ((-apart, 0, 0), (apart, 0, 0))
    if kind == "sphere":
        return [forces.WrapSphere(None, c, radius, (0, 1, 0), **options) for c in centers]
    if kind == "ellipsoid":
        return [forces.WrapEllipsoid(None, centers[0], (radius, 0.8 * radius, radius), side=(0, 1, 0), **options)]
    return [forces.WrapCylinder(None, c, (0, 0, 1), radius, (0, 1, 0), **options) for c in centers]


@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
@pytest.mark.parametrize("swapped", [False, True])
def test_over_two_obstacles(bead, kind, swapped):
    """Whichever of them is named first."""
    both = obstacles(kind, 0.2, 0.5)
    found = length(bead, (-1.2, -0.1, 0), *(both[::-1] if swapped else both), end=(1.2, -0.1, 0))
    assert found == pytest.approx(belt(0.2, 0.5, 1.2, 0.1), abs=1e-9)


def test_one_of_two_may_be_out_of_reach(bead):
    near, far = forces.WrapSphere(None, (-0.5, 0, 0), 0.2), forces.WrapSphere(None, (0.5, 3, 0), 0.2)
    alone = length(bead, (-1, 0.1, 0), near, end=(1, 0.1, 0))
    assert length(bead, (-1, 0.1, 0), near, far, end=(1, 0.1, 0)) == pytest.approx(alone, rel=1e-14)
    assert length(bead, (-1, 5, 0), near, far, end=(1, 5, 0)) == pytest.approx(2.0, rel=1e-14)


def test_one_may_push_the_path_onto_the_other(bead):
    """A straight line would miss the second ball; over the first one it does not."""
    first, second = forces.WrapSphere(None, (0, 0, 0), 0.5), forces.WrapSphere(None, (0.9, 0.35, 0), 0.1)
    path = (-1, 0.1, 0), (2, 0.1, 0)
    alone = length(bead, path[0], first, end=path[1])
    assert length(bead, path[0], second, end=path[1]) == pytest.approx(3.0, rel=1e-14)
    assert length(bead, path[0], first, second, end=path[1]) > alone + 1e-3


def test_two_obstacles_on_several_segments(bead):
    """Each is met where that is least; on the same segment both together."""
    both = obstacles("sphere", 0.2, 0.5, segments=2)
    path = [(None, (-1.2, -0.1, 0)), *both, (None, (1.2, -0.1, 0)), ("bead", (0, 0, 0))]
    found = float(bead.path_length(np.array([1.2, -3.0, 0]), path))
    assert found == pytest.approx(belt(0.2, 0.5, 1.2, 0.1) + 2.9, abs=1e-9)


@pytest.mark.parametrize("kind", ["sphere", "cylinder", "ellipsoid"])
def test_moment_arms_are_slopes(bead, kind):
    q, e = np.array([1.2, -0.2, 0.1]), 1e-6
    path = [(None, (-1.2, -0.1, 0)), *obstacles(kind, 0.2, 0.5), ("bead", (0, 0, 0))]
    slopes = [float(bead.path_length(q + e * x, path) - bead.path_length(q - e * x, path)) / (2 * e) for x in np.eye(3)]
    assert np.abs(bead.moment_arms(q, path) + slopes).max() < 1e-8


@pytest.mark.parametrize(("made", "words"), [
    (lambda: [forces.WrapSphere(None, (k, 0, 0), 0.1) for k in range(3)], "the third obstacle on a segment"),
    (lambda: [forces.WrapEllipsoid(None, (k, 0, 0), (0.1, 0.1, 0.1)) for k in range(2)], "gone around alone"),
    (lambda: [forces.WrapEllipsoid(None, (0, 0, 0), (1, 0, 1))], "radii"),
    (lambda: [forces.WrapEllipsoid(None, (0, 0, 0), (1, 1, 1), [[1, 0, 0], [0, 1, 0], [0, 0, -1]])], "rotation matrix"),
])  # fmt: skip
def test_bad_obstacles(bead, made, words):
    with pytest.raises(aj.AnyjointError, match=words):
        length(bead, (-1, 0, 0), *made(), end=(1, 0, 0))
