"""All that is below a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, reals
from anyjoint.spatial import Vector, at_unit_length, dot

from .distance import Distance


@frozen
class HalfSpace(Distance):
    """normal . p - offset: inside is below the plane; the normal points out of it."""

    normal: Sequence[float] = (0.0, 0.0, 1.0)
    offset: float = 0.0

    slides = 0
    endless = True

    def __post_init__(self) -> None:
        n, offset = _numbers(self.normal), _numbers(self.offset)
        size = float(np.linalg.norm(n)) if n.shape == (3,) else 0.0
        if not (np.isfinite(size) and size > 0 and offset.shape == () and np.isfinite(offset)):
            raise InputError(
                f"HalfSpace(normal={self.normal!r}, offset={self.offset!r}): expected three finite numbers that are"
                " not all zero, and one number"
            )
        object.__setattr__(self, "normal", tuple(at_unit_length(n.tolist())))
        object.__setattr__(self, "offset", float(offset))

    def __call__(self, p: Vector) -> Scalar:
        return dot(self.normal, p) - self.offset


def _numbers(given: Any) -> Any:
    try:
        return reals(given)
    except (TypeError, ValueError):
        return np.full((0, 0), np.nan)
