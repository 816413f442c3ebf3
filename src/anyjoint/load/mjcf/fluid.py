"""The medium of an MJCF: each body feels it as the box that has its inertia."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from anyjoint.forces import BoxDrag

from .compiled import MjModel
from .shapes import pose_of
from .welded import welded

LEAST = 1e-15  # mjMINVAL


def flows(m: MjModel) -> bool:
    """Whether there is a medium at all."""
    return bool(m.opt.density or m.opt.viscosity)


def by_ellipsoids(m: MjModel) -> list[int]:
    """Bodies that feel the medium as the ellipsoids of their geoms instead."""
    return sorted({int(m.geom_bodyid[k]) for k in np.flatnonzero(m.geom_fluid[:, 0] > 0)})


def read_fluid(m: MjModel, last: Mapping[int, str | None]) -> list[BoxDrag]:
    """Drag of all bodies that move and have mass."""
    if not flows(m):
        return []
    medium: dict[str, Any] = {"density": float(m.opt.density), "viscosity": float(m.opt.viscosity)}
    medium["wind"] = tuple(float(x) for x in m.opt.wind)
    others, to = by_ellipsoids(m), welded(m)
    made = []
    for k in range(1, m.nbody):
        if to[k] and m.body_mass[k] >= LEAST and k not in others:
            a, b, c = m.body_inertia[k]
            square = np.maximum([b + c - a, c + a - b, a + b - c], LEAST) / m.body_mass[k] * 6
            size = tuple(float(x) for x in np.sqrt(square))
            made.append(BoxDrag(last[k], size, pose=pose_of(m.body_ipos[k], m.body_iquat[k]), **medium))
    return made
