"""Subdivision surfaces against brute force: the limits of a mesh that is subdivided again and again."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.errors import AnyjointError
from anyjoint.geometry import surfaces
from anyjoint.geometry.subdivision import Mesh
from anyjoint.scalar import derivative
from tests.joints.zoo import CUBE, SIDES

PRISM = [(math.cos(a), math.sin(a), z) for z in (-0.6, 0.7) for a in 2 * math.pi / 5 * np.arange(5)]
PRISM_SIDES = [
    (4, 3, 2, 1, 0), (5, 6, 7, 8, 9), *((k, (k + 1) % 5, (k + 1) % 5 + 5, k + 5) for k in range(5)),
]  # fmt: skip
GRID = [(i, j, 0.3 * math.sin(i + 2.0 * j)) for i in range(4) for j in range(4)]
SQUARES = [(4 * i + j, 4 * i + 4 + j, 4 * i + 5 + j, 4 * i + 1 + j) for i in range(3) for j in range(3)]
STAR = surfaces.subdivide(PRISM, PRISM_SIDES)  # all quads, with vertices of 3 and of 5 edges
FIVE = next(f for f, face in enumerate(STAR[1]) if any(sum(v in g for g in STAR[1]) == 5 for v in face))
PATCHES = {
    "cube": surfaces.CatmullClark(CUBE, SIDES, 1),
    "beside a pentagon": surfaces.CatmullClark(PRISM, PRISM_SIDES, 3),
    "vertex of five edges": surfaces.CatmullClark(*STAR, FIVE),
    "regular": surfaces.CatmullClark(GRID, SQUARES, 4),
}
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))


def limits(mesh, quad, depth, at=(0.0, 0.0), width=1.0):
    """(u, v) and limit positions of the vertices of a face subdivided `depth` times."""
    if depth == 0:
        for (a, b), v in zip(CORNERS, quad, strict=True):
            yield (at[0] + a * width, at[1] + b * width), mesh.limit(v)
        return
    half = width / 2
    step = mesh.refined()
    for k, (a, b) in enumerate(CORNERS):
        child = step.corner(quad, k)
        child = child[-k:] + child[:-k] if k else child
        yield from limits(step.mesh.about(child), child, depth - 1, (at[0] + a * half, at[1] + b * half), half)


@pytest.mark.parametrize("name", PATCHES)
def test_patches_are_the_limit_of_subdivision(name):
    patch = PATCHES[name]
    mesh = Mesh(np.array(patch.vertices), patch.faces)
    for (u, v), point in limits(mesh, patch.quad, 3):
        # At the vertex itself the last of 24 rings answers; they shrink by 0.55 and less.
        cut = 1e-7 if (u, v) in patch.extraordinary else 1e-15
        assert np.abs(patch.point(u, v).astype(float) - point).max() < cut, (u, v)


def test_a_regular_patch_is_a_bicubic_spline():
    patch = PATCHES["regular"]
    assert patch.extraordinary == ()
    open_spline = surfaces.BSpline(np.array(GRID).reshape(4, 4, 3), closed=(True, True))  # its first patch is uniform
    for u, v in np.random.default_rng(0).uniform(0, 1, (20, 2)):
        assert np.allclose(patch.point(u, v).astype(float), open_spline.point(u, v).astype(float), atol=1e-15)


@pytest.mark.parametrize("name", ["cube", "beside a pentagon", "vertex of five edges"])
def test_rings_join_with_two_derivatives_and_normals_settle_at_the_vertex(name):
    patch = PATCHES[name]
    (a, b), *_ = patch.extraordinary
    for edge in (0.5, 0.25, 0.125):
        for order in (1, 2):
            sides = []
            for side in (-1e-9, 1e-9):
                f = lambda s: list(patch.point(s, 0.1))  # noqa: E731
                for _ in range(order):
                    f = lambda s, g=f: derivative(g, s)  # noqa: E731
                sides.append(np.array(f(edge + side), float))
            assert np.abs(sides[0] - sides[1]).max() < 1e-6
    spread = []
    for h in (0.5**12, 0.5**20):
        near, far = (patch.normal(abs(a - x * h), abs(b - y * h)).astype(float) for x, y in ((0.9, 0.2), (0.3, 0.8)))
        spread.append(np.linalg.norm(near - far))
    assert spread[1] < 1e-4
    assert spread[1] < 0.1 * spread[0]


def test_a_body_slides_past_an_extraordinary_vertex_and_keeps_its_energy():
    """Across rings third derivatives jump, and accelerations, as at the knots of cubic splines; energy does not."""
    mech = aj.Mechanism("pebble", gravity=(0, 0, 0))
    mech.add_body("bead", joint=joints.OnSurface(PATCHES["cube"]), inertia=aj.Inertia.sphere(1.0, 0.1))
    model = mech.compile()
    tight = {"method": "dopri5", "rtol": 1e-10, "atol": 1e-10}
    run = model.simulate([0.45, 0.02], [-1.0, 0.15], duration=0.4, dt=0.01, **tight)
    assert run.status.ok
    assert run.q[:, 0].min() < 0.07  # the last of several rings
    assert np.ptp(np.sum(run.energy(), axis=0)) < 1e-7


def test_the_cube_by_symmetry():
    patch = PATCHES["cube"]
    assert np.allclose(patch.normal(0.5, 0.5).astype(float), (1, 0, 0), atol=1e-14)
    assert "extraordinary" in patch.singularity(0.0, 1.0)
    assert patch.singularity(0.2, 0.7) is None
    corner = patch.normal(1e-6, 1e-6).astype(float)
    assert np.allclose(np.abs(corner), math.sqrt(1 / 3), atol=1e-3)


def test_subdivision_keeps_a_closed_mesh_closed():
    vertices, faces = surfaces.subdivide(PRISM, PRISM_SIDES)
    assert {len(face) for face in faces} == {4}
    assert len(vertices) == len(PRISM) + 15 + 7
    assert len(faces) == 2 * 5 + 5 * 4


WRONG = {
    "pentagon": (lambda: surfaces.CatmullClark(PRISM, PRISM_SIDES, 0), "subdivide"),
    "rim": (lambda: surfaces.CatmullClark(GRID, SQUARES, 0), "rim"),
    "no such face": (lambda: surfaces.CatmullClark(CUBE, SIDES, 6), "0 to 5"),
    "no such vertex": (lambda: surfaces.CatmullClark(CUBE, [(0, 1, 2, 8)]), "0 to 7"),
    "words": (lambda: surfaces.CatmullClark(CUBE, ["abc"]), "vertex numbers"),
    "turned face": (lambda: surfaces.CatmullClark(CUBE, [*SIDES[:5], SIDES[5][::-1]]), "counter-clockwise"),
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_input_is_refused_with_a_remedy(name):
    make, words = WRONG[name]
    with pytest.raises(AnyjointError, match=words):
        make()
