"""Moment arms on constraints that rows decide which repeat others but for the last digits of a file.

A loop in a plane whose axes are parallel to 1e-9 is a mechanism, and its rows across the plane are none; to the letter
they are, of a size of 1e-9, and leave fewer motions. No states tell the two apart, since none closes better than that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anyjoint.model.allowed import allowed_motions

from .answer import Floats

ROUNDING = 1e-12  # of rows beside the strongest: what is less repeats others exactly
SAME = 1e-4  # digits that were rounded to six, as OpenSim does, are left with some of these in what weak rows decide


def decided_by_weak_rows(model: Any, q: Floats, paths: Any, theirs: Floats, weights: Floats | None = None) -> str:
    """How far another engine's moment arms are ours once every row counts, in words; "" where they are not."""
    every = allowed_motions(model.whole, "moment_arms", q, weights, rank=ROUNDING)
    ours = model.moment_arms(q, paths, constrained=True, weights=weights)
    held = model.moment_arms(q, paths) @ np.where(np.isfinite(every), every, 0.0)
    moving = np.isfinite(every).all(axis=0) & np.isfinite(ours).all(axis=0)
    scale = np.abs(theirs).max(initial=1e-300)
    away = np.abs(held - theirs)[:, moving].max(initial=0.0) / scale
    if not moving.any() or not away < SAME or np.abs(held - ours)[:, moving].max() < SAME * scale:
        return ""
    return f"moment arms on constraints: with rows that repeat others but for the last digits, they agree to {away:.1g}"
