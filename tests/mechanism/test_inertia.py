"""Inertias against closed forms, meshes and random sums of points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyjoint.errors import AnyjointError
from anyjoint.mechanism import Inertia, shapes
from anyjoint.spatial import Pose

SIZE = st.floats(0.1, 3.0)
CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
CUBE_FACES = np.array([
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
    [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
])  # fmt: skip


def cloud(points: np.ndarray, masses: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, com and tensor about the com of point masses: the definition."""
    mass = masses.sum()
    com = masses @ points / mass
    d = points - com
    tensor = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, d, strict=True))
    return mass, com, tensor


def quadrature(inside, half: np.ndarray, n: int = 60) -> np.ndarray:
    """Tensor per mass of a solid given by its indicator, on a fine grid."""
    axes = [(np.arange(n) + 0.5) / n * 2 * h - h for h in half]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    points = points[inside(*points.T)]
    second = points.T @ points / len(points)
    return np.trace(second) * np.eye(3) - second


def in_capsule(x, y, z):
    return x * x + y * y + np.maximum(abs(z) - 0.6, 0) ** 2 < 0.16


SOLIDS = {
    "box": (Inertia.box(1.0, 0.6, 1.0, 1.4), lambda x, y, z: abs(x) < 9, (0.3, 0.5, 0.7)),
    "sphere": (Inertia.sphere(1.0, 0.7), lambda x, y, z: x * x + y * y + z * z < 0.49, (0.7, 0.7, 0.7)),
    "ellipsoid": (Inertia.ellipsoid(1.0, 1, 2, 3), lambda x, y, z: x**2 + (y / 2) ** 2 + (z / 3) ** 2 < 1, (1, 2, 3)),
    "cylinder": (Inertia.cylinder(1.0, 0.4, 1.2), lambda x, y, z: x * x + y * y < 0.16, (0.4, 0.4, 0.6)),
    "capsule": (Inertia.capsule(1.0, 0.4, 1.2), in_capsule, (0.4, 0.4, 1)),
    "torus": (Inertia.torus(1.0, 1.0, 0.4), lambda x, y, z: (np.hypot(x, y) - 1) ** 2 + z * z < 0.16, (1.4, 1.4, 0.4)),
}  # fmt: skip


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_agree_with_volume_integrals(name):
    inertia, inside, half = SOLIDS[name]
    want = quadrature(inside, np.array(half), n=100 if name != "box" else 60)
    assert np.allclose(inertia.tensor, want, rtol=0, atol=4e-3 * np.abs(want).max())


def test_a_capsule_tends_to_a_ball_and_to_a_rod():
    assert np.allclose(Inertia.capsule(2.0, 0.5, 1e-12).tensor, Inertia.sphere(2.0, 0.5).tensor)
    assert np.allclose(Inertia.capsule(2.0, 1e-9, 3.0).tensor, Inertia.cylinder(2.0, 1e-9, 3.0).tensor)


@given(SIZE, SIZE, SIZE, SIZE)
def test_a_box_as_a_mesh_is_a_box(x, y, z, density):
    shift = np.array([0.3, -2.0, 5.0])
    mesh = Inertia.mesh(CUBE * [x, y, z] + shift, CUBE_FACES, density=density)
    want = Inertia.box(density * x * y * z, x, y, z)
    assert mesh.mass == pytest.approx(want.mass, rel=1e-12)
    assert np.allclose(mesh.com, shift, atol=1e-12)
    assert np.allclose(mesh.tensor, want.tensor, rtol=1e-10, atol=1e-12)


def test_a_fine_mesh_of_a_torus_tends_to_the_torus():
    def point(u, v):
        return ((1 + 0.3 * np.cos(v)) * np.cos(u), (1 + 0.3 * np.cos(v)) * np.sin(u), 0.3 * np.sin(v))

    n = 120
    grid = [point(2 * np.pi * i / n, 2 * np.pi * j / n) for i in range(n) for j in range(n)]
    faces = []
    for i in range(n):
        for j in range(n):
            a, b, c, d = ((i + s) % n * n + (j + t) % n for s, t in ((0, 0), (1, 0), (1, 1), (0, 1)))
            faces += [(a, b, c), (a, c, d)]
    mesh, want = Inertia.mesh(grid, faces, density=1000.0), shapes.Torus(1.0, 0.3).inertia(density=1000.0)
    assert mesh.mass == pytest.approx(want.mass, rel=3e-3)
    assert np.allclose(mesh.tensor, want.tensor, rtol=5e-3, atol=1e-9 * want.mass)


def test_sums_and_moves_of_points_follow_the_definition():
    rng = np.random.default_rng(3)
    points, masses = rng.normal(size=(7, 3)), rng.uniform(0.1, 2, 7)
    total = Inertia.point(0.0)
    for p, m in zip(points, masses, strict=True):
        total = total + Inertia.point(m, p)
    mass, com, tensor = cloud(points, masses)
    assert total.mass == pytest.approx(mass)
    assert np.allclose(total.com, com)
    assert np.allclose(total.tensor, tensor)
    pose = Pose.translation(1, -2, 3) @ Pose.rotation((1, 2, 3), 0.7)
    T = pose.matrix
    _, com, tensor = cloud(points @ T[:3, :3].T + T[:3, 3], masses)
    assert np.allclose(total.moved(pose).com, com)
    assert np.allclose(total.moved(pose).tensor, tensor)
    assert np.allclose(total.rotated(T[:3, :3]).tensor, tensor)


def test_spatial_inertia_gives_the_kinetic_energy():
    """[SG eq. 5] [LJ eq. 26, 27]"""
    rng = np.random.default_rng(4)
    points, masses = rng.normal(size=(5, 3)), rng.uniform(0.1, 2, 5)
    inertia = Inertia(*cloud(points, masses))
    twist = rng.normal(size=6)
    speeds = twist[3:] + np.cross(twist[:3], points)
    assert twist @ inertia.spatial() @ twist == pytest.approx(masses @ (speeds**2).sum(axis=1))


def test_shapes_with_poses_and_groups_add_up():
    bell = shapes.Group([
        shapes.Sphere(0.2, pose=Pose.translation(0, 0, 0.5)),
        shapes.Sphere(0.2, pose=Pose.translation(0, 0, -0.5)),
        shapes.Cylinder(0.05, 0.6),
    ])  # fmt: skip
    inertia = bell.inertia(density=1000.0)
    assert inertia.mass == pytest.approx(1000 * bell.volume)
    assert np.allclose(inertia.com, 0)
    ball = shapes.Sphere(0.2).inertia(density=1000.0)
    rod = shapes.Cylinder(0.05, 0.6).inertia(density=1000.0)
    want = 2 * ball.tensor[0, 0] + 2 * ball.mass * 0.25 + rod.tensor[0, 0]
    assert inertia.tensor[0, 0] == pytest.approx(want)
    assert np.allclose(bell.inertia(3.0).tensor, inertia.tensor * 3.0 / inertia.mass)


def test_a_massless_body_is_allowed_and_a_flat_one_too():
    assert Inertia(0.0).is_zero
    assert not Inertia(0.0).is_definite
    plate = Inertia(1.0, tensor=np.diag([1.0, 1.0, 2.0]))  # the triangle inequality may be an equality
    assert plate.is_definite


BAD = {
    "negative mass": (lambda: Inertia(-1.0), "mass -1.0"),
    "NaN mass": (lambda: Inertia(float("nan")), "mass nan"),
    "infinite mass": (lambda: Inertia.box(float("inf"), 1, 1, 1), "mass inf"),
    "negative mass of a box": (lambda: Inertia.box(-2.0, 1, 1, 1), "mass -2.0"),
    "NaN com": (lambda: Inertia(1.0, (0, float("nan"), 0)), "com"),
    "two-number com": (lambda: Inertia(1.0, (0, 0)), "com"),
    "wrong tensor shape": (lambda: Inertia(1.0, tensor=np.eye(2)), "3x3"),
    "asymmetric": (lambda: Inertia(1.0, tensor=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]), "not symmetric"),
    "negative moment": (lambda: Inertia(1.0, tensor=np.diag([1, 1, -0.1])), "never negative"),
    "triangle inequality": (lambda: Inertia(1.0, tensor=np.diag([1, 1, 2.1])), "triangle inequality: 1 \\+ 1 < 2.1"),
    "tensor without mass": (lambda: Inertia(0.0, tensor=np.eye(3)), "without mass"),
    "text": (lambda: Inertia("heavy"), "'heavy'"),
    "zero radius": (lambda: Inertia.sphere(1.0, 0.0), "radius = 0.0"),
    "torus that cuts itself": (lambda: Inertia.torus(1.0, 0.1, 0.2), "cut itself"),
    "open mesh": (lambda: Inertia.mesh(CUBE, CUBE_FACES[:-1], mass=1.0), "closed surface"),
    "inside-out mesh": (lambda: Inertia.mesh(CUBE, CUBE_FACES[:, ::-1], mass=1.0), "anticlockwise"),
    "mesh index": (lambda: Inertia.mesh(CUBE, CUBE_FACES + 1, mass=1.0), "vertex 8"),
    "mesh of floats": (lambda: Inertia.mesh(CUBE, CUBE_FACES * 1.0, mass=1.0), "integers"),
    "mass and density": (lambda: Inertia.mesh(CUBE, CUBE_FACES, mass=1.0, density=1.0), "either"),
    "tube as a solid": (lambda: shapes.Tube([[0, 0, 0], [1, 0, 0]]).inertia(1.0), "not a solid"),
    "negative size": (lambda: shapes.Box(1, -1, 1), "y = -1"),
    "colour": (lambda: shapes.Sphere(1.0, color="red; }"), "colour"),
    "opacity": (lambda: shapes.Sphere(1.0, opacity=1.5), "opacity = 1.5"),
    "two-point tube": (lambda: shapes.Tube([[0, 0, 0]]), "two finite points"),
    "nothing to draw": (lambda: shapes.curve(lambda s: (s, s, s)), "finite"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_impossible_bodies_are_refused_with_the_value(name):
    make, words = BAD[name]
    with pytest.raises(AnyjointError, match=words):
        make()


def test_tolerance_is_relative():
    noise = np.diag([1e-12, 1.0, 1.0 + 1e-10]) * 1e-6
    assert Inertia(1.0, tensor=noise).mass == 1.0


def test_unphysical_numbers_are_kept_where_asked():
    tensor = np.diag([1.0, 0.1, 0.1])
    with pytest.raises(AnyjointError, match="triangle inequality"):
        Inertia(1.0, tensor=tensor)
    kept = Inertia(1.0, (1, 0, 0), tensor, physical=False)
    assert (kept.tensor == tensor).all()
    moved = (kept + Inertia(0.0, physical=False)).moved(Pose.rotation_z(0.3)).scaled(2)
    assert not moved.physical
    assert "physical=False" in repr(moved)
    assert Inertia(0.0, tensor=tensor, physical=False).mass == 0
    for bad in ({"mass": -1.0}, {"mass": np.nan}, {"mass": 1.0, "com": (0, 0, np.inf)}):
        with pytest.raises(AnyjointError):
            Inertia(**bad, physical=False)
