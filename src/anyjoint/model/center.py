"""The centre of mass of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import InputError
from anyjoint.scalar.array import ArrayLike, Floats

if TYPE_CHECKING:
    from .model import Model


def center_of_mass(model: Model, q: ArrayLike) -> Floats:
    """Centre of mass of all moving bodies; of all bodies where nothing moves."""
    if not model.plan.links:
        return _fixed_center(model, np.shape(q)[:-1])
    moment, mass = model.mass_moments(q)
    if not np.all(mass > 0):
        raise InputError(f"center_of_mass: nothing that moves in {model.mechanism.name!r} has mass")
    return np.asarray(moment / np.asarray(mass)[..., None])


def _fixed_center(model: Model, batch: tuple[int, ...]) -> Floats:
    bodies = model.mechanism.bodies
    mass = sum(body.inertia.mass for body in bodies)
    if not mass > 0:
        raise InputError(f"center_of_mass: nothing in {model.mechanism.name!r} has mass")
    poses = [ride.frame for ride in model.plan.placed]
    moments = [b.inertia.mass * (T[:3, :3] @ b.inertia.com + T[:3, 3]) for b, T in zip(bodies, poses, strict=True)]
    return np.broadcast_to(np.sum(moments, axis=0) / mass, (*batch, 3)).copy()
