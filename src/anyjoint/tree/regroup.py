"""Inertia that a joint does not feel, moved to the parent, exactly: base parameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .moving_part import GENERAL, HINGE, SLIDER
from .rigid import Array, adjoint, inverse

# Entries that a joint does not feel: of a thin rod along z, and of the rotational block.
UNFELT = {kind: np.zeros((6, 6)) for kind in (HINGE, SLIDER)}
UNFELT[HINGE][[1, 3, 4, 5, 0, 4, 1, 3], [1, 3, 4, 5, 4, 0, 3, 1]] = 1.0
UNFELT[SLIDER][:3, :3] = 1.0


def regroup_inertia(inertia: Array, kinds: Sequence[str], parents: Sequence[int], poses: Array) -> Array:
    """Inertias (..., links, 6, 6) after regrouping; `poses` are the links' in their parents at coordinate 0.

    A hinge about z does not feel a thin rod along z: mass, m*c_z and I_yy go to the parent, seven numbers stay.
    A slider does not feel rotational inertia at all.
    """
    out, X = inertia.copy(), adjoint(inverse(poses))
    links = np.moveaxis(out, -3, 0)
    for i in range(len(kinds) - 1, -1, -1):
        if kinds[i] == GENERAL:
            continue
        unfelt = links[i] * UNFELT[kinds[i]]
        if kinds[i] == HINGE:
            unfelt[..., 0, 0] = unfelt[..., 1, 1]  # a rod turns about x as about y
        links[i] -= unfelt
        if parents[i] >= 0:
            links[parents[i]] += X[i].T @ unfelt @ X[i]
    return out
