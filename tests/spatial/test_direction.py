"""Constant unit vectors and frames: every entry is the float next to the real number."""

import math
from fractions import Fraction

import numpy as np
import pytest

from anyjoint.spatial import at_unit_length, frame_about, unit_axis
from anyjoint.spatial.direction import root

AXES = [(1, 1, 0), (1, 2, 3), (0, 0.6, 0.8), (1, 2, 2), (-3, 1e-9, 4), (0.1, 0.2, 0.2), (1e200, 1e200, 0), (0, 0, -5)]


def is_rounded(x: float, square: Fraction) -> bool:
    """Is |x| the float next to the root of a fraction?"""
    exact, half = Fraction(abs(x)), Fraction(math.ulp(x)) / 2
    return max(exact - half, Fraction(0)) ** 2 <= square <= (exact + half) ** 2


@pytest.mark.parametrize("axis", AXES)
def test_unit_vectors(axis):
    squares = [Fraction(float(x)) ** 2 for x in axis]
    for x, given, square in zip(at_unit_length(axis), axis, squares, strict=True):
        assert is_rounded(x, square / sum(squares))
        assert x * given >= 0


@pytest.mark.parametrize("axis", [(1, 1, 0), (1, 2, 3), (0, 0.6, 0.8), (1, 2, 2), (0, 0, -5), (2, -1, 5)])
def test_frames(axis):
    """Orthogonal to the last bit in real numbers: each entry is the rounded root of a simple fraction."""
    Q = frame_about(unit_axis(axis))
    assert np.linalg.det(Q) == pytest.approx(1, abs=1e-15)
    assert np.abs(Q.T @ Q - np.eye(3)).max() < 4e-16
    for x in Q.ravel():
        assert is_rounded(x, Fraction(x * x).limit_denominator(1000))


@pytest.mark.parametrize("square", [Fraction(2), Fraction(1, 3), Fraction(1, 10**40), Fraction(10**40, 7), Fraction(0)])
def test_roots_are_rounded_once(square):
    assert is_rounded(root(square, 1.0), square)
    assert root(square, -1.0) == -root(square, 1.0)


def test_unit_vectors_stay_as_they_are():
    """So a file that holds one says the same again."""
    rng = np.random.default_rng(5)
    for k in range(300):
        axis = rng.normal(size=3) if k % 2 else rng.integers(-9, 9, 3) + 0.0
        unit = at_unit_length(axis / np.linalg.norm(axis) if k % 3 else axis)
        assert at_unit_length(unit) == unit
