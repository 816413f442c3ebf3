"""Rows of constraints that repeat others but for the last digits of a file.

A loop in a plane whose axes are parallel to 1e-9 is a mechanism, and its rows across the plane are none; to the letter
they are, of a size of 1e-9, and leave fewer motions. No states tell the two apart, since none closes better than that,
and moment arms of an engine that counts them are made of rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anyjoint.model.allowed import RANK

from .answer import Floats

EXACT = 1e-12  # of rows beside the strongest: what is less repeats others exactly
WEAK = 10 * RANK["float64"]


def weak_rows(model: Any, q: Floats) -> int:
    """How many rows there are in effect that are neither rows nor none."""
    rows = np.asarray(model.constraint_jacobian(q))[model.hard_rows]
    sizes = np.linalg.svd(rows, compute_uv=False) if rows.size else np.zeros(1)
    return int(((sizes > EXACT * sizes[0]) & (sizes < WEAK * sizes[0])).sum())
