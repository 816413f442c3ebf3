"""Laws of every joint that the gallery uses, at random places: S and c against complex steps of the pose."""

import math

import numpy as np
import pytest

from anyjoint.joints import Coupled, Joint
from anyjoint.mechanism import Mechanism, gallery
from anyjoint.mechanism.probing import random_coordinates

NAMES = [
    "torus_chain", "torus_chain_on_spline", "windmill", "board_on_spline_surface", "beads_on_wires", "rolling_wheels",
    "tongs_with_fish", "four_bar_knee", "shoulder_blade",
]  # fmt: skip
STEP = 1e-30


def distinct_joints(mech: Mechanism) -> list[Joint]:
    """Every joint once, the inner one for a coupled joint."""
    inner = (b.joint.joint if isinstance(b.joint, Coupled) else b.joint for b in mech.bodies)
    return list({repr(j): j for j in inner if j.nv}.values())


def twist(G: np.ndarray, dG: np.ndarray) -> np.ndarray:
    W = np.linalg.inv(G) @ dG
    return np.array([W[2, 1], W[0, 2], W[1, 0], *W[:3, 3]])


def moved(q: list[float], direction: np.ndarray) -> list[complex]:
    return [complex(x, STEP * d) for x, d in zip(q, direction, strict=True)]


def check_laws(joint: Joint, q: list[float], v: np.ndarray) -> None:
    G = joint.pose(q).matrix
    assert np.abs(G[:3, :3] @ G[:3, :3].T - np.eye(3)).max() < 1e-13
    assert np.linalg.det(G[:3, :3]) == pytest.approx(1, abs=1e-12)
    S = np.asarray(joint.jacobian(q), dtype=float)
    scale = max(1.0, np.abs(S).max())
    for j in range(joint.nv):
        dG = joint.pose(moved(q, np.eye(joint.nv)[j])).matrix.imag / STEP
        assert np.abs(S[:, j] - twist(G, dG)).max() < 1e-12 * scale
    motion = joint.motion(q, list(v))
    if not motion.B.factors:  # the working frame is the child's: c is the rate of S v there
        along = np.asarray(joint.jacobian(moved(q, v)), dtype=complex).imag / STEP
        assert np.abs(np.asarray(motion.c, dtype=float) - along @ v).max() < 1e-10 * scale**2 * (1 + v @ v)


@pytest.mark.parametrize("count", [12, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_gallery_joints_obey_the_laws(name, count):
    rng = np.random.default_rng(11)
    for joint in distinct_joints(getattr(gallery, name)()):
        for _ in range(count):
            q = [float(x) for x in random_coordinates(joint, rng)]
            check_laws(joint, q, rng.normal(size=joint.nv))


@pytest.mark.parametrize("name", NAMES)
def test_gallery_joints_have_full_rank_where_they_start(name):
    mech = getattr(gallery, name)()
    rng = np.random.default_rng(12)
    for body in mech.bodies:
        for _ in range(3 if body.joint.nv else 0):
            q = [float(x) + 0.05 * rng.normal() for x in mech.start[0][body.q]]
            S = np.asarray(body.joint.jacobian(q), dtype=float)
            values = np.linalg.svd(S / np.linalg.norm(S, axis=0), compute_uv=False)
            assert values[-1] > 1e-3, (body.name, q)


def test_linked_tori_are_regular_everywhere():
    """For R > 2 r the curvatures of crossed rings never cancel, so no contact is singular."""
    joint = gallery.torus_chain(2)["torus1"].joint
    rng = np.random.default_rng(13)
    for _ in range(100):
        S = np.asarray(joint.jacobian(rng.uniform(-math.pi, math.pi, 4).tolist()), dtype=float)
        assert np.linalg.matrix_rank(S, tol=1e-3) == 4
