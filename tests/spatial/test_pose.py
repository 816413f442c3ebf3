"""Laws of poses: what passes factor by factor equals the dense adjoint."""

import numpy as np
import pytest

from anyjoint.errors import InputError
from anyjoint.spatial import BlockInertia, Pose, ad, ad_dual, rotation_problem, skew, vector


def adjoint(T):
    """The dense 6x6 adjoint [SG eq. 2]."""
    R, p = T[:3, :3], T[:3, 3]
    P = skew(p).astype(float)
    return np.block([[R, np.zeros((3, 3))], [P @ R, R]])


def random_pose(rng):
    return (
        Pose.rotation_x(rng.normal())
        @ Pose.translation(*rng.normal(size=3))
        @ Pose.rotation(rng.normal(size=3), rng.normal())
        @ Pose.rotation_z(rng.normal())
        @ Pose.rpy(*rng.normal(size=3))
        @ Pose.quaternion(*rng.normal(size=4))
        @ Pose.rotation_y(1.0)
    )


def random_inertia(rng):
    M = rng.normal(size=(6, 6))
    M = M @ M.T
    return BlockInertia(M[:3, :3].astype(object), M[:3, 3:].astype(object), M[3:, 3:].astype(object)), M


@pytest.mark.parametrize("seed", range(5))
def test_factor_by_factor_equals_dense(seed):
    """[SG eq. 2] [RM eq. 5, 6]"""
    rng = np.random.default_rng(seed)
    pose = random_pose(rng)
    X = adjoint(np.linalg.inv(pose.matrix))
    v = rng.normal(size=6)
    J, dense = random_inertia(rng)
    np.testing.assert_allclose(pose.motion(vector(*v)).astype(float), X @ v, rtol=0, atol=1e-13)
    np.testing.assert_allclose(pose.force(vector(*v)).astype(float), X.T @ v, rtol=0, atol=1e-13)
    np.testing.assert_allclose(pose.inertia(J).matrix().astype(float), X.T @ dense @ X, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose((J @ vector(*v)).astype(float), dense @ v, rtol=1e-13)
    np.testing.assert_allclose((pose @ pose.inverse()).matrix, np.eye(4), atol=1e-14)
    assert np.allclose(BlockInertia.from_entries(J.entries()).matrix().astype(float), dense)


def test_brackets_are_dual():
    """[SG eq. 3] [RM eq. 8]"""
    rng = np.random.default_rng(0)
    a, b, f = (vector(*rng.normal(size=6)) for _ in range(3))
    assert abs(ad(a, b) @ f - b @ ad_dual(a, f)) < 1e-13
    assert abs(ad(a, a).astype(float)).max() < 1e-15


@pytest.mark.parametrize(
    "make",
    [
        lambda: Pose.rotation((0, 0, 0), 1.0),
        lambda: Pose.rotation((0, float("nan"), 0), 1.0),
        lambda: Pose.translation(0, float("inf"), 0),
        lambda: Pose.quaternion(0, 0, 0, 0),
        lambda: Pose.from_matrix(np.eye(3)),
        lambda: Pose.from_matrix(2 * np.eye(4)),
        lambda: Pose.from_rotation(np.diag([1.0, 1.0, -1.0])),
        lambda: Pose.identity() @ np.eye(4),
    ],
)
def test_bad_input(make):
    with pytest.raises(InputError):
        make()


def test_one_function_says_what_keeps_matrices_from_being_rotations():
    turn = Pose.rpy(0.3, -0.2, 0.9).R.astype(float)
    assert rotation_problem(turn) is None
    assert rotation_problem(np.array([turn, turn.T])) is None
    mirrored = turn * [1, 1, -1]
    assert "det -1" in rotation_problem(mirrored)
    assert "det -1" in rotation_problem(np.array([turn, mirrored, turn]))
    assert "by 0.21" in rotation_problem(1.1 * turn)
    assert "not finite" in rotation_problem(np.full((3, 3), np.nan))
    nearly = turn.astype(np.float32)
    assert rotation_problem(nearly)
    assert rotation_problem(nearly, within=1e-6) is None
