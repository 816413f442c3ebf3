"""Bezier curves and uniform B-splines as polynomials in powers."""

from collections.abc import Sequence
from math import comb, factorial

import numpy as np

from anyjoint.scalar import Scalar

from .check import Table


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


def spline_pieces(points: Table, degree: int = 3, *, closed: bool, clamped: bool) -> Table:
    """Coefficients [piece, power, component] of the B-spline of control points (n, k), C^(degree - 1) across pieces."""
    n, d = len(points), degree
    if closed or not clamped:
        windows = np.stack([points[(np.arange(d + 1) + i) % n] for i in range(n if closed else n - d)])
        return np.asarray(np.einsum("ip,sik->spk", uniform_basis(d), windows))
    knots = np.concatenate([[0] * d, np.arange(n - d + 1), [n - d] * d]).astype(float)
    return np.stack([interval_powers(points[i : i + d + 1], knots[i + 1 : i + 2 * d + 1]) for i in range(n - d)])


def uniform_basis(degree: int) -> Table:
    """The powers of the basis functions of uniform B-splines, row by row; whole numbers over degree!."""
    knots = np.arange(1.0 - degree, degree + 1.0)
    powers = interval_powers(np.eye(degree + 1), knots).T
    return np.round(powers * factorial(degree)) / factorial(degree)


def interval_powers(window: Table, knots: Table) -> Table:
    """Powers of t, 0 to 1 on the middle interval of 2 d knots, from d + 1 control points, by their Bezier points."""
    d = len(window) - 1
    left, right = knots[d - 1], knots[d]
    bezier = [_blossom(window, knots, [right] * k + [left] * (d - k)) for k in range(d + 1)]
    return to_powers(d + 1) @ np.stack(bezier)


def _blossom(window: Table, knots: Table, at: Sequence[float]) -> Table:
    """de Boor's triangle with a different argument on each level."""
    points, degree = list(window), len(at)
    for level, t in enumerate(at):
        for i in range(degree - level):
            low, high = knots[i + level], knots[i + degree]
            w = (t - low) / (high - low)
            points[i] = (1 - w) * points[i] + w * points[i + 1]
    return np.asarray(points[0])
