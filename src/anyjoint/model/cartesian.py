"""Velocities and forces of bodies in the world's axes, and back to generalized ones [LJ section 6]."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.dynamics import conversion
from anyjoint.dynamics.blocks import skew
from anyjoint.errors import InputError
from anyjoint.scalar import reals

if TYPE_CHECKING:
    from .model import Model

Floats = np.ndarray[Any, np.dtype[Any]]


class Cartesian:
    """A model at one configuration, seen body by body in world axes.

    Velocities and forces are (nb, 3), at the bodies' centres of mass or at other `points` given in body frames.
    """

    def __init__(self, model: Model, q: Any, points: Any = None) -> None:
        self.model, self.q = model, _row(q, model.nq, "q")
        coms = np.array([body.inertia.com for body in model.mechanism.bodies]).reshape(model.nb, 3)
        self.points = coms if points is None else self._per_body(points, "points")

    @cached_property
    def rotations(self) -> Floats:
        """R of every body in the world, (nb, 3, 3)."""
        poses: Floats = self.model.body_poses(self.q)[:, :3, :3]
        return poses

    @cached_property
    def _twists(self) -> Floats:
        """All body Jacobians, (nb, 6, nv): products with unit vectors, in linear time each."""
        return np.moveaxis(self.model.body_twists(self.q, np.eye(self.model.nv)), 0, -1)

    @cached_property
    def J_v(self) -> Floats:
        """Linear Jacobians (nb, 3, nv) [LJ eq. 60]."""
        return np.asarray(self.rotations @ (self._twists[:, 3:] - skew(self.points) @ self._twists[:, :3]))

    @cached_property
    def J_w(self) -> Floats:
        """Angular Jacobians (nb, 3, nv) [LJ eq. 60]."""
        return np.asarray(self.rotations @ self._twists[:, :3])

    def jacobian_rates(self, v: Any) -> tuple[Floats, Floats]:
        """Time derivatives of J_v and J_w at velocities v."""
        v = _row(v, self.model.nv, "v")
        rates = np.moveaxis(self.model.jacobian_rate_times(self.q, v, np.eye(self.model.nv)), 0, -1)
        spin = skew(self._twists[:, :3] @ v)  # Rdot = R [w]
        local = [J[:, 3:] - skew(self.points) @ J[:, :3] for J in (self._twists, rates)]
        angular = spin @ self._twists[:, :3] + rates[:, :3]
        return self.rotations @ (spin @ local[0] + local[1]), self.rotations @ angular

    def velocities(self, v: Any) -> tuple[Floats, Floats]:
        """(v, omega) of all bodies [LJ eq. 60]."""
        return conversion.cartesian_velocities(self.J_v, self.J_w, _row(v, self.model.nv, "v"))

    def generalized_velocities(self, velocities: Any, omegas: Any) -> tuple[Floats, float]:
        """Velocities of the mechanism nearest to the given ones, and what is left of them [LJ eq. 61]."""
        given = (self._per_body(velocities, "velocities"), self._per_body(omegas, "omegas"))
        return conversion.generalized_velocities(self.J_v, self.J_w, *given)

    def generalized_forces(self, forces: Any, torques: Any) -> Floats:
        """Generalized forces of forces at the points and torques on the bodies [LJ eq. 67]."""
        given = (self._per_body(forces, "forces"), self._per_body(torques, "torques"))
        return conversion.generalized_forces(self.J_v, self.J_w, *given)

    def forces(self, generalized: Any) -> tuple[Floats, Floats]:
        """The smallest forces and torques that have the given generalized forces [LJ eq. 70]."""
        return conversion.cartesian_forces(self.J_v, self.J_w, _row(generalized, self.model.nv, "generalized"))

    def _per_body(self, x: Any, what: str) -> Floats:
        return _finite(x, (self.model.nb, 3), what)


def _row(x: Any, n: int, what: str) -> Floats:
    return _finite(x, (n,), what)


def _finite(x: Any, shape: tuple[int, ...], what: str) -> Floats:
    try:
        made = reals(x)
    except (TypeError, ValueError):
        raise InputError(f"cartesian: {what} are not real numbers; expected {shape} finite numbers") from None
    if made.shape != shape or not np.isfinite(made).all():
        raise InputError(f"cartesian: {what} of shape {made.shape}; expected {shape} finite numbers")
    return made
