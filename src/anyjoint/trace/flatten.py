"""Values that sweeps pass on (poses, inertias, vectors, factorisations) as flat lists of scalars, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anyjoint.dynamics.small_matrix import LDL
from anyjoint.joints.product_rule import Motion, Piece
from anyjoint.scalar import Scalar, less, select
from anyjoint.spatial import BlockInertia, Pose, QuarterTurn, Rotation, Translation, Turn
from anyjoint.symbolic.rewrite import Flat, joined
from anyjoint.tree.columns import Columns


def flatten(value: Any) -> Flat:
    """The scalars of a value, and the function that makes the value again from other scalars."""
    if isinstance(value, np.ndarray):
        return list(value.ravel()), lambda flat: _array(flat, value.shape)
    if isinstance(value, BlockInertia):
        return value.entries(), lambda flat: BlockInertia.from_entries(list(flat))
    if isinstance(value, Pose):
        return _parts(value.factors, Pose)
    if isinstance(value, QuarterTurn):
        # Conditions are no numbers: one that is kept or passed on is 1 or 0.
        return [select(value.still, 1, 0)], lambda flat: QuarterTurn.about(value.axis, less(0.5, flat[0]), value.sign)
    if isinstance(value, Rotation):
        return list(value.sincos), lambda flat: Rotation.from_sincos(value.axis, *flat)
    if isinstance(value, Translation):
        return list(value.p), lambda flat: Translation(tuple(flat))
    if isinstance(value, Turn):
        return list(value.R.ravel()), lambda flat: Turn(_array(flat, (3, 3)))
    if isinstance(value, LDL):
        return _parts([value.L, value.inverse], lambda parts: LDL(*parts))
    if isinstance(value, Motion):
        return _parts([value.A, value.B, value.S_A, value.S_B, value.c], lambda parts: Motion(*parts))
    if isinstance(value, Piece):
        return _parts([value.pose, value.S, value.c], lambda parts: Piece(*parts))
    if isinstance(value, (list, tuple)) and not isinstance(value, Columns):
        return _parts(value, type(value))
    return [value], lambda flat: flat[0]


def _parts(values: Sequence[Any], make: Callable[[list[Any]], Any]) -> Flat:
    return joined([flatten(value) for value in values], make)


def _array(flat: Sequence[Scalar], shape: tuple[int, ...]) -> Any:
    out = np.empty(len(flat), dtype=object)
    out[:] = flat
    return out.reshape(shape)
