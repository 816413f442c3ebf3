"""Polynomial patches side by side, over any scalar: piecewise polynomials of two parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar

from .bernstein import horner
from .check import Table, nested
from .piecewise import Grid, polynomial
from .spans import Spans


@frozen
class Patches:
    """`tables[component][power of u][power of v]` lists the coefficient of every patch, one row of v after another."""

    grids: tuple[Grid | Spans, Grid | Spans]
    tables: Any

    @staticmethod
    def of(coefficients: Table, cyclic: tuple[bool, bool] = (False, False)) -> Patches:
        """From coefficients [patch in u, patch in v, power of u, power of v, component]; one unit per patch."""
        m, n = coefficients.shape[:2]
        return Patches.between((Grid(0, 1, m, cyclic[0]), Grid(0, 1, n, cyclic[1])), coefficients)

    @staticmethod
    def between(grids: tuple[Grid | Spans, Grid | Spans], coefficients: Table) -> Patches:
        """The same on any grid of patches; in each, u and v run from 0 to 1."""
        m, n = coefficients.shape[:2]
        # What is left of differences of control points that should vanish would cost an operation each.
        noise = np.abs(coefficients) < 16 * np.finfo(float).eps * np.abs(coefficients).max(initial=0.0)
        flat = np.where(noise, 0.0, coefficients).reshape(m * n, *coefficients.shape[2:])
        return Patches(grids, nested(np.moveaxis(flat, (0, 3), (3, 0))))

    def __call__(self, u: Scalar, v: Scalar) -> list[Scalar]:
        i, s = self.grids[0].locate(u)
        j, t = self.grids[1].locate(v)
        index = i * self.grids[1].count + j
        return [horner([polynomial(row, index, t) for row in component], s) for component in self.tables]
