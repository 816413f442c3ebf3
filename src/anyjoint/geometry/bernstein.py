"""Bezier curves and uniform B-splines as polynomials in powers."""

from collections.abc import Sequence
from math import comb

import numpy as np

from anyjoint.scalar import Scalar

from .check import Table

# The uniform cubic B-spline: row i holds the powers of basis function i [RM eq. 53].
CUBIC_BASIS = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6


def to_powers(count: int) -> Table:
    """The matrix that turns `count` Bezier control values into coefficients of powers 0 .. count-1."""
    degree = count - 1
    M = np.zeros((count, count))
    for i in range(count):
        for k in range(i, count):
            M[k, i] = (-1) ** (k - i) * comb(degree, k) * comb(k, i)
    return M


def horner(coefficients: Sequence[Scalar], x: Scalar) -> Scalar:
    """A polynomial, lowest power first."""
    total = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total


def cubic_pieces(points: Table, *, closed: bool, clamped: bool) -> Table:
    """Coefficients [piece, power, component] of the cubic B-spline of control points (n, k), C2 across its pieces."""
    n = len(points)
    if closed:
        windows = np.stack([points[(np.arange(4) + i) % n] for i in range(n)])
        return np.asarray(np.einsum("ip,sik->spk", CUBIC_BASIS, windows))
    if not clamped:
        windows = np.stack([points[i : i + 4] for i in range(n - 3)])
        return np.asarray(np.einsum("ip,sik->spk", CUBIC_BASIS, windows))
    knots = np.concatenate([[0] * 3, np.arange(n - 2), [n - 3] * 3]).astype(float)
    return np.stack([_blossom_powers(points[i : i + 4], knots[i + 1 : i + 7]) for i in range(n - 3)])


def _blossom_powers(window: Table, knots: Table) -> Table:
    """Powers on the middle interval (of unit width) of six knots from four control points, by their Bezier points."""
    left, right = knots[2], knots[3]
    bezier = [_blossom(window, knots, [right] * k + [left] * (3 - k)) for k in range(4)]
    return to_powers(4) @ np.stack(bezier)


def _blossom(window: Table, knots: Table, at: Sequence[float]) -> Table:
    """de Boor's triangle with a different argument on each level."""
    d = [window[i] for i in range(4)]
    for level, t in enumerate(at):
        for i in range(3 - level):
            low, high = knots[i + level], knots[i + 3]
            w = (t - low) / (high - low)
            d[i] = (1 - w) * d[i] + w * d[i + 1]
    return np.asarray(d[0])
