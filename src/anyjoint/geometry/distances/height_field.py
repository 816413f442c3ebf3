"""Ground whose height is given on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, floor, gather, maximum, minimum
from anyjoint.spatial import Vector

from ..check import table
from .distance import Distance


@frozen(eq=False)
class HeightField(Distance):
    """All below heights (nx, ny) at evenly spaced points from `low` to `high` in x and y, smooth between them.

    Between four points the height is a bicubic (Catmull and Rom's) that goes through all of them and has no kinks;
    beyond the edge it goes on level.
    """

    heights: Any
    low: Sequence[float] = field(default=(-1.0, -1.0))
    high: Sequence[float] = field(default=(1.0, 1.0))
    slides = 2  # what touches is small beside a cell
    endless = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "heights", table("HeightField heights", self.heights, (None, None), (2, 2)))
        try:
            corners = np.asarray([self.low, self.high], dtype=float)
        except (TypeError, ValueError):
            corners = np.zeros(0)
        if corners.shape != (2, 2) or not np.isfinite(corners).all() or (corners[0] >= corners[1]).any():
            raise InputError(f"HeightField: low={self.low!r}, high={self.high!r}; expected x and y, low below high")

    def __call__(self, p: Vector) -> Scalar:
        return p[2] - self.height(p[0], p[1])

    @cached_property
    def _padded(self) -> tuple[list[float], int]:
        """Heights with a rim around them, row by row, and the length of a row."""
        wide = np.pad(np.asarray(self.heights, dtype=float), 1, mode="edge")
        return wide.ravel().tolist(), wide.shape[1]

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        """The height at a place."""
        cells = np.shape(self.heights)
        (i, s), (j, t) = (self._cell(c, k, cells[k]) for k, c in enumerate((x, y)))
        values, stride = self._padded
        first = i * stride + j
        columns = [_cubic([gather(values, first + (a * stride + b)) for b in range(4)], t) for a in range(4)]
        return _cubic(columns, s)

    def _cell(self, x: Scalar, axis: int, count: int) -> tuple[Scalar, Scalar]:
        """The number of a cell, and the place in it from 0 to 1."""
        low, high = float(self.low[axis]), float(self.high[axis])
        at = maximum(minimum((x - low) * ((count - 1) / (high - low)), float(count - 1)), 0.0)
        cell = minimum(floor(at), float(count - 2))
        return cell, at - cell


def _cubic(y: Sequence[Scalar], t: Scalar) -> Scalar:
    """Through y[1] at 0 and y[2] at 1, with the slopes of the neighbours."""
    a = 0.5 * (3 * (y[1] - y[2]) + y[3] - y[0])
    b = y[0] - 2.5 * y[1] + 2 * y[2] - 0.5 * y[3]
    return y[1] + t * (0.5 * (y[2] - y[0]) + t * (b + t * a))
