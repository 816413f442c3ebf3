"""Packed tracks: what comes out of a page is what went in, to half a step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from anyjoint.spatial.quaternions import quaternions
from anyjoint.view.tracks import continuous, packed_tracks, pose_tracks
from tests.view.unpacking import unpacked

SHAPES = st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(1, 3))
# No subnormal numbers: some oracles of other tests switch them off for the whole process.
TRACKS = arrays.arrays(float, SHAPES, elements=st.floats(-1e3, 1e3, allow_subnormal=False))


@given(TRACKS)
def test_a_round_trip_is_right_to_half_a_step(values):
    low, extent = values.min(axis=(0, 1)), np.ptp(values, axis=(0, 1))
    step = extent / 65535
    seen = unpacked(packed_tracks(values, low, step))
    # Half a step, and rounding of the sum low + i step.
    assert (np.abs(seen - values) <= 0.5 * step * (1 + 1e-9) + 1e-15 * (np.abs(low) + extent)).all()


@given(arrays.arrays(np.uint16, (6, 5, 2)))
def test_levels_come_back_exactly_however_wild_they_are(levels):
    seen = unpacked(packed_tracks(levels.astype(float), np.zeros(2), np.ones(2)))
    assert np.array_equal(seen, levels)


def random_rotations(n, seed=0):
    q = np.random.default_rng(seed).normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def test_poses_keep_within_the_stated_error():
    n, nb = 200, 30
    rng = np.random.default_rng(2)
    positions = rng.uniform(-3, 5, (n, nb, 3))
    turns = random_rotations(n * nb).reshape(n, nb, 4)
    seen = unpacked(pose_tracks(positions, turns))
    assert np.abs(seen[..., :3] - positions).max() <= np.ptp(positions, axis=(0, 1)).max() / 131070 * (1 + 1e-9)
    q = seen[..., 3:] / np.linalg.norm(seen[..., 3:], axis=-1, keepdims=True)
    angle = 4 * np.arcsin(np.minimum(np.linalg.norm(q - turns, axis=-1), np.linalg.norm(q + turns, axis=-1)) / 2)
    assert angle.max() < 1.3e-4


def test_turning_on_and_on_makes_no_jump():
    angle = np.linspace(0, 50, 400)
    zero = 0 * angle
    R = np.stack(
        [np.stack(r, axis=-1) for r in ((np.cos(angle), -np.sin(angle), zero), (np.sin(angle), np.cos(angle), zero),
                                        (zero, zero, zero + 1))], axis=-2)  # fmt: skip
    q = continuous(quaternions(R)[:, None])
    assert np.linalg.norm(np.diff(q, axis=0), axis=-1).max() < 0.07  # half the angle between two frames


@pytest.mark.parametrize("n", [1, 2])
def test_what_stands_still_is_exact(n):
    seen = unpacked(pose_tracks(np.ones((n, 1, 3)), np.broadcast_to([0.0, 0.0, 0.0, 1.0], (n, 1, 4))))
    assert seen[0, 0, :3].tolist() == [1, 1, 1]
    assert seen[-1, 0, 3:] == pytest.approx([0, 0, 0, 1], abs=1e-15)
