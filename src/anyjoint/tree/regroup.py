"""Inertia that a joint does not feel, moved to the parent, exactly: base parameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .moving_part import GENERAL, HINGE
from .rigid import Array, adjoint, inverse


def regroup_inertia(inertia: Array, kinds: Sequence[str], parents: Sequence[int], poses: Array) -> Array:
    """Inertias (..., links, 6, 6) after regrouping; `poses` are the links' in their parents at coordinate 0.

    A hinge about z does not feel a thin rod along z: mass, m*c_z and I_yy go to the parent, seven numbers stay.
    A slider does not feel rotational inertia at all.
    """
    out, X = inertia.copy(), adjoint(inverse(poses))
    for i in range(len(kinds) - 1, -1, -1):
        if kinds[i] == GENERAL:
            continue
        unfelt = (_rod if kinds[i] == HINGE else _couple)(out[..., i, :, :])
        out[..., i, :, :] -= unfelt
        if parents[i] >= 0:
            out[..., parents[i], :, :] += X[i].T @ unfelt @ X[i]
    return out


def _rod(J: Array) -> Array:
    """A thin rod along z with the body's mass, first moment and I_yy."""
    rod = np.zeros(J.shape)
    rod[..., 0, 0] = rod[..., 1, 1] = J[..., 1, 1]
    rod[..., 3, 3] = rod[..., 4, 4] = rod[..., 5, 5] = J[..., 3, 3]
    hz = J[..., 1, 3]  # J[:3, 3:] = [h]
    rod[..., 0, 4] = rod[..., 4, 0] = -hz
    rod[..., 1, 3] = rod[..., 3, 1] = hz
    return rod


def _couple(J: Array) -> Array:
    """The rotational block alone."""
    couple = np.zeros(J.shape)
    couple[..., :3, :3] = J[..., :3, :3]
    return couple
