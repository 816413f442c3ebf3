"""The papers' mechanisms: sizes, soundness, and that what should touch does touch."""

import math
from itertools import pairwise

import numpy as np
import pytest

from anyjoint.errors import AnyjointError
from anyjoint.mechanism import Mechanism, gallery, shapes
from anyjoint.mechanism.gallery.tongs import HALF
from anyjoint.mechanism.gallery.tori import MAJOR, MINOR

COUNTS = {
    "arm": (6, 4),
    "torus_chain": (20, 78),
    "torus_chain_on_spline": (8, 30),
    "windmill": (19, 73),
    "board_on_spline_surface": (4, 7),
    "beads_on_wires": (12, 18),
    "shoulder_blade": (3, 7),
    "revolute_chain": (20, 20),
    "tongs_with_fish": (33, 3),
    "four_bar_knee": (4, 2),
    "rolling_wheels": (4, 4),
    "four_bar": (3, 3),
    "chain_of_four_bars": (120, 120),
    "slider_crank": (11, 11),
    "squeezer": (7, 7),
    "stewart_platform": (13, 21),
    "delta_robot": (10, 18),
    "bicycle": (4, 9),
    "differential": (6, 6),
    "peaucellier": (7, 7),
    "scissor_lift": (10, 10),
    "bracelet": (9, 34),
    "tensegrity": (9, 27),
}


def world(mech: Mechanism) -> list[np.ndarray]:
    return [pose.matrix for pose in mech.poses([float(x) for x in mech.start[0]])]


@pytest.mark.parametrize("name", COUNTS)
def test_sizes_and_soundness(name):
    mech = getattr(gallery, name)()
    assert (mech.nb, mech.nv) == COUNTS[name]
    assert mech.check() == []
    q, v = mech.start
    assert q.shape == (mech.nq,)
    assert v.shape == (mech.nv,)
    assert all(body.shapes for body in mech.bodies)


@pytest.mark.parametrize("name", COUNTS)
def test_starting_states_are_regular(name):
    mech = getattr(gallery, name)()
    q = mech.start[0]
    assert all(np.isfinite(T).all() for T in world(mech))
    for body in mech.bodies:
        here = [float(x) for x in q[body.q]]
        if body.joint.nv:
            assert body.joint.singularity(here) is None
            S = np.asarray(body.joint.jacobian(here), dtype=float)
            values = np.linalg.svd(S / np.linalg.norm(S, axis=0), compute_uv=False)
            assert values[-1] > 1e-2, body.name


@pytest.mark.parametrize(("n", "coordinates"), [(10, 38), (20, 78)])
def test_torus_chains_have_the_papers_sizes(n, coordinates):
    assert gallery.torus_chain(n).nq == coordinates


def torus_points(n: int = 60) -> np.ndarray:
    u, v = (x.ravel() for x in np.meshgrid(*[np.linspace(0, 2 * np.pi, n, endpoint=False)] * 2))
    ring = MAJOR + MINOR * np.cos(v)
    return np.stack([ring * np.cos(u), ring * np.sin(u), MINOR * np.sin(v)], axis=1)


def gap(points: np.ndarray) -> float:
    """How far points (in the frame of a torus) are from its surface; negative inside."""
    return float((np.hypot(np.hypot(points[:, 0], points[:, 1]) - MAJOR, points[:, 2]) - MINOR).min())


def test_neighbouring_tori_touch_and_no_two_cut_each_other():
    frames = world(gallery.torus_chain(8))
    for i in range(8):
        for j in range(i + 1, 8):
            T = np.linalg.inv(frames[i]) @ frames[j]
            distance = gap(torus_points() @ T[:3, :3].T + T[:3, 3])
            assert distance > (-1e-9 if j == i + 1 else 0.05)
            assert j > i + 1 or distance < 1e-3


def linking_number(T: np.ndarray, n: int = 200) -> float:
    """Gauss's integral for the core circles of two tori, the second placed by T in the frame of the first."""
    t = np.linspace(0, 2 * np.pi, n, endpoint=False)
    a = MAJOR * np.stack([np.cos(t), np.sin(t), 0 * t], axis=1)
    da = MAJOR * np.stack([-np.sin(t), np.cos(t), 0 * t], axis=1)
    b, db = a @ T[:3, :3].T + T[:3, 3], da @ T[:3, :3].T
    d = a[:, None] - b[None]
    triple = np.einsum("ijk,ijk->ij", d, np.cross(da[:, None], db[None]))
    return float((triple / np.linalg.norm(d, axis=-1) ** 3).sum() * (2 * np.pi / n) ** 2 / (4 * np.pi))


def test_tori_hang_in_one_another():
    frames = world(gallery.torus_chain(6))
    for first, second in pairwise(frames):
        assert abs(linking_number(np.linalg.inv(first) @ second)) == pytest.approx(1, abs=1e-3)


def test_the_windmill_hangs_straight_down_and_uses_every_pair():
    mech = gallery.windmill()
    frames = world(mech)
    for arm in range(3):
        line = np.array([frames[body.index][:3, 3] for body in mech.bodies if body.name.startswith(f"arm{arm}")])
        assert np.allclose(line[:, :2], line[0, :2], atol=1e-9)
        assert (np.diff(line[:, 2]) < -0.1).all()
    kinds = {type(s).__name__ for b in mech.bodies[1:] for s in b.shapes}
    assert kinds == {"Sphere", "Ellipsoid", "Torus"}
    pairs = {frozenset((type(b.joint.surface1).__name__, type(b.joint.surface2).__name__)) for b in mech.bodies[1:]}
    wanted = ["Sphere Sphere", "Sphere Ellipsoid", "Sphere Torus", "Torus Torus", "Torus Ellipsoid"]
    assert pairs == {frozenset(pair.split()) for pair in wanted}


def test_beads_hang_down_from_their_wires():
    mech = gallery.beads_on_wires()
    for body, T in zip(mech.bodies, world(mech), strict=True):
        if not body.name.endswith("bob"):
            assert T[2, 2] > 0.9


def test_the_papers_splines_have_their_control_points():
    mech = gallery.torus_chain_on_spline()
    assert len(mech["torus0"].joint.curve.points) == 7
    grid = np.array(gallery.board_on_spline_surface()["board"].joint.surface.points)
    assert grid.shape == (5, 5, 3)


@pytest.mark.parametrize("seed", range(5))
def test_random_trees_use_every_kind_and_are_sound(seed):
    kinds = gallery.every_kind()
    mech = gallery.random_tree(seed, coupled=True)
    assert mech.bodies[-1].name == "follower"
    assert {body.name.rsplit("-", 1)[0] for body in mech.bodies[:-1]} == set(kinds)
    assert mech.check() == []
    q, v = mech.start
    assert (len(q), len(v)) == (mech.nq, mech.nv)
    assert all(np.isfinite(T).all() for T in world(mech))
    again = gallery.random_tree(seed, coupled=True)
    assert np.array_equal(again.start[0], q)
    assert [b.parent for b in again.bodies] == [b.parent for b in mech.bodies]


def test_the_loops_of_the_tongs_close_at_any_opening():
    """The lower end of each link meets the upper end of the next link of its other hand, and middles meet."""
    mech = gallery.tongs_with_fish()
    for opening in (0.2, 0.95, 1.4):
        frames = [pose.matrix for pose in mech.poses([opening, 0.1, 0.2])]
        at = {body.name: frames[body.index] for body in mech.bodies}
        for k in range(1, 16):
            middles = [(at[f"{hand}{k}"] @ [0, 0, -HALF, 1])[:3] for hand in "ab"]
            assert np.allclose(*middles, atol=1e-13)
            assert middles[0][0] == pytest.approx(0, abs=1e-12)
            assert middles[0][2] == pytest.approx(-2 * k * HALF * math.cos(opening))


def test_wheels_roll_without_slipping():
    """The material point of each wheel that touches its track stands still on it."""
    mech = gallery.rolling_wheels()
    q = [float(x) for x in mech.start[0]]
    for body in mech.bodies:
        S = np.asarray(body.joint.jacobian(q[body.q]), dtype=float)[:, 0]
        T = body.joint.pose(q[body.q]).matrix
        contact = body.joint.path.point(q[body.q][0])
        local = np.linalg.inv(T) @ [*contact.astype(float), 1]
        assert np.allclose(S[3:] + np.cross(S[:3], local[:3]), 0, atol=1e-9)
        assert np.linalg.norm(local[:2]) == pytest.approx(body.joint.radius)


def test_the_knee_holds_its_ligaments():
    mech = gallery.four_bar_knee()
    frames = {b.name: T for b, T in zip(mech.bodies, world(mech), strict=True)}
    ligaments = (("anterior", 0.08), ("posterior", 0.07))
    tips = [(frames[f"{name} ligament"] @ [length, 0, 0, 1])[:3] for name, length in ligaments]
    ends = [(frames["shin"] @ [x, 0, 0, 1])[:3] for x in (0.0, 0.06)]
    assert np.allclose(tips, ends)


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "squeezer", "peaucellier", "bracelet", "bicycle"])
def test_loops_are_closed_at_the_start(name):
    """Positions by the poses of the bodies; the constraints' own functions for the others."""
    mech = getattr(gallery, name)()
    poses = mech.poses([float(x) for x in mech.start[0]])
    for constraint in mech.constraints:
        at = [poses[k] for k in constraint.bodies]
        if constraint.frames and hasattr(constraint, "closing"):
            first, second = ((T @ F).matrix for T, F in zip(at, constraint.frames, strict=True))
            assert np.allclose(first[:3, 3], second[:3, 3], atol=1e-14)
        elif constraint.holonomic:
            assert np.allclose(np.array(constraint.function(*at), dtype=float), 0, atol=1e-14)


def test_the_point_of_peaucellier_is_on_its_line():
    mech = gallery.peaucellier()
    model = mech.compile()
    q, _ = model.assemble(mech.start[0] + 0.02, hold="crank")
    places = []
    for angle in (-0.3, 0.0, 0.4):
        q, _ = model.assemble([*q[:2], angle, *q[3:]], hold="crank")
        T = model.body_poses(q)[mech["outer a"].index]
        end = mech.constraints[-1].frames[0].p.astype(float)
        places.append(T[:3, :3] @ end + T[:3, 3])
    assert np.ptp([p[0] for p in places]) < 1e-11
    assert np.ptp([p[2] for p in places]) > 0.2


def test_random_trees_of_chosen_kinds():
    kinds = {k: j for k, j in gallery.every_kind().items() if k in ("revolute", "prismatic")}
    mech = gallery.random_tree(3, n=9, kinds=kinds)
    assert mech.nb == mech.nv == 9


@pytest.mark.parametrize("geometry", ["generic", "simple"])
def test_chains_of_hinges(geometry):
    mech = gallery.revolute_chain(7, geometry, seed=2)
    assert mech.nv == 7
    zeros = sum(abs(x) < 1e-12 for b in mech.bodies for x in (*b.inertia.com, *b.inertia.tensor.ravel()))
    assert (zeros == 0) == (geometry == "generic")


@pytest.mark.parametrize(
    "wrong",
    [lambda: gallery.revolute_chain(0), lambda: gallery.revolute_chain(3, "odd"), lambda: gallery.torus_chain(0)],
)
def test_impossible_sizes_are_refused(wrong):
    with pytest.raises(AnyjointError):
        wrong()


def test_scenery_is_drawn():
    assert any(isinstance(s, shapes.Mesh) for s in gallery.board_on_spline_surface().ground.shapes)
    assert math.isclose(gallery.torus_chain(2).ground.shapes[0].radius, 0.4 * MINOR)
