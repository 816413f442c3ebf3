"""What samples of a motion say between and beyond them: rows of states, jumps of charts, integrals, interpolation."""

from __future__ import annotations

import math

import numpy as np

from anyjoint.scalar.array import Floats


def flat_rows(x: Floats) -> Floats:
    """States of any shape as rows; there may be no numbers in a row."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def chart_changes(t: Floats, q: Floats, rates: Floats) -> Floats:
    """Between which samples the coordinates jump by far more than their rates allow, (samples - 1, ...)."""
    h = np.diff(t).reshape(-1, *(1 for _ in q.shape[1:]))
    moved = 0.5 * h * (rates[1:] + rates[:-1])
    allowed = 0.5 + 2 * h * np.maximum(np.abs(rates[1:]), np.abs(rates[:-1]))
    return np.asarray((np.abs(np.diff(q, axis=0) - moved) > allowed).any(axis=-1))


def integral(t: Floats, rate: Floats) -> Floats:
    """The integral of samples up to each of them: trapezoids, corrected by their slopes to fourth order.

    Between two samples of the same time the rate may jump.
    """
    if len(t) < 2:
        return np.zeros_like(rate)
    jumps = np.flatnonzero(np.diff(t) == 0) + 1
    if len(jumps):
        parts = [integral(*x) for x in zip(np.split(t, jumps), np.split(rate, jumps), strict=True)]
        before = np.cumsum([np.zeros_like(rate[0]), *(part[-1] for part in parts[:-1])], axis=0)
        return np.concatenate([part + start for part, start in zip(parts, before, strict=True)])
    slope = np.gradient(rate, t, axis=0, edge_order=2 if len(t) > 2 else 1)
    h = np.diff(t).reshape(-1, *(1 for _ in rate.shape[1:]))
    pieces = h / 2 * (rate[1:] + rate[:-1]) - h * h / 12 * np.diff(slope, axis=0)
    return np.concatenate([np.zeros_like(rate[:1]), np.cumsum(pieces, axis=0)])


def hermite(t: Floats, y: Floats, slope: Floats, k: Floats, at: Floats) -> Floats:
    """Cubic through values and slopes at t[k] and t[k + 1]."""
    shape = (-1, *(1 for _ in y.shape[1:]))
    h = (t[k + 1] - t[k]).reshape(shape)
    s = ((at - t[k]) / (t[k + 1] - t[k])).reshape(shape)
    r = 1 - s
    ends = y[k] * (1 + 2 * s) * r * r + y[k + 1] * (1 + 2 * r) * s * s
    return np.asarray(ends + h * s * r * (slope[k] * r - slope[k + 1] * s))
