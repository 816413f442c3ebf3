"""Velocities and forces of bodies in the world's axes, and back to generalized ones [LJ section 6]."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.dynamics import conversion
from anyjoint.dynamics.blocks import skew
from anyjoint.errors import InputError
from anyjoint.mechanism import Body
from anyjoint.scalar import reals
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.tree.rigid import adjoint

if TYPE_CHECKING:
    from .model import Model


class Cartesian:
    """A model at one configuration, seen body by body in world axes.

    Velocities and forces are (nb, 3), at the bodies' centres of mass or at other `points` given in body frames.
    """

    def __init__(self, model: Model, q: ArrayLike, points: ArrayLike | None = None) -> None:
        self.model, self.q = model, _row(q, model.nq, "q")
        coms = np.array([body.inertia.com for body in model.mechanism.bodies]).reshape(model.nb, 3)
        self.points = coms if points is None else self._per_body(points, "points")

    @property
    def _bodies(self) -> list[Body]:
        return self.model.mechanism.bodies

    @cached_property
    def _poses(self) -> Floats:
        poses: Floats = self.model.body_poses(self.q)
        return poses

    @property
    def rotations(self) -> Floats:
        """R of every body in the world, (nb, 3, 3)."""
        return self._poses[:, :3, :3]

    @cached_property
    def _twists(self) -> Floats:
        """All body Jacobians, (nb, 6, nv): products with unit vectors, in linear time each."""
        return np.moveaxis(self.model.body_twists(self.q, np.eye(self.model.nv)), 0, -1)

    @cached_property
    def J_v(self) -> Floats:
        """Linear Jacobians (nb, 3, nv) [LJ eq. 28, 57, 58, 60; RM eq. 4]."""
        return np.asarray(self.rotations @ (self._twists[:, 3:] - skew(self.points) @ self._twists[:, :3]))

    @cached_property
    def J_w(self) -> Floats:
        """Angular Jacobians (nb, 3, nv) [LJ eq. 29-31, 49-51, 60]."""
        return np.asarray(self.rotations @ self._twists[:, :3])

    def jacobian_rates(self, v: ArrayLike) -> tuple[Floats, Floats]:
        """Time derivatives of J_v and J_w at velocities v."""
        v = _row(v, self.model.nv, "v")
        rates = np.moveaxis(self.model.jacobian_rate_times(self.q, v, np.eye(self.model.nv)), 0, -1)
        spin = skew(self._twists[:, :3] @ v)  # Rdot = R [w]
        local = [J[:, 3:] - skew(self.points) @ J[:, :3] for J in (self._twists, rates)]
        angular = spin @ self._twists[:, :3] + rates[:, :3]
        return self.rotations @ (spin @ local[0] + local[1]), self.rotations @ angular

    def velocities(self, v: ArrayLike) -> tuple[Floats, Floats]:
        """(v, omega) of all bodies [LJ eq. 60]."""
        return conversion.cartesian_velocities(self.J_v, self.J_w, _row(v, self.model.nv, "v"))

    def generalized_velocities(self, velocities: ArrayLike, omegas: ArrayLike) -> tuple[Floats, float]:
        """Velocities of the mechanism nearest to the given ones, and what is left of them [LJ eq. 61]."""
        given = (self._per_body(velocities, "velocities"), self._per_body(omegas, "omegas"))
        return conversion.generalized_velocities(self.J_v, self.J_w, *given)

    def generalized_forces(self, forces: ArrayLike, torques: ArrayLike) -> Floats:
        """Generalized forces of forces at the points and torques on the bodies [LJ eq. 67]."""
        given = (self._per_body(forces, "forces"), self._per_body(torques, "torques"))
        return conversion.generalized_forces(self.J_v, self.J_w, *given)

    def forces(self, generalized: ArrayLike) -> tuple[Floats, Floats]:
        """The smallest forces and torques that have the given generalized forces [LJ eq. 70]."""
        return conversion.cartesian_forces(self.J_v, self.J_w, _row(generalized, self.model.nv, "generalized"))

    # -- equations of motion ------------------------------------------------------------------------------------------

    @property
    def _at_centres(self) -> Cartesian:
        """The same with the centres of mass as points."""
        return Cartesian(self.model, self.q)

    @cached_property
    def inertias(self) -> Floats:
        """I_c = R I_0 R^T, the bodies' tensors about their centres of mass in world axes, (nb, 3, 3) [LJ eq. 21]."""
        own = np.array([body.inertia.tensor for body in self._bodies]).reshape(self.model.nb, 3, 3)
        return np.asarray(self.rotations @ own @ np.swapaxes(self.rotations, 1, 2))

    def mass_matrix(self) -> Floats:
        """M(q) = sum J^T M_c J over the bodies, without the joints' armature [LJ eq. 16, 32, 48, 59]."""
        at = self._at_centres
        return conversion.mass_matrix(self._masses, self.inertias, at.J_v, at.J_w)

    def coriolis(self, v: ArrayLike) -> Floats:
        """Centrifugal and Coriolis forces, sum (J^T M_c Jdot + J^T [w~] M_c J) v over the bodies [LJ eq. 45-48, 59]."""
        at, v = self._at_centres, _row(v, self.model.nv, "v")
        return conversion.coriolis(self._masses, self.inertias, (at.J_v, at.J_w), at.jacobian_rates(v), v)

    def lagrange(self, v: ArrayLike) -> Floats:
        """The same by Lagrange's equation, Mdot v - 1/2 d(v^T M v)/dq, from derivatives of M [LJ eq. 13, 14, 17].

        Lagrange's equation is about coordinates and their rates: joints whose velocities are no rates are refused.
        """
        v = _row(v, self.model.nv, "v")
        for body in self._bodies:
            if not body.joint.rates_are_velocities:
                raise InputError(
                    f"cartesian: the velocities of body {body.name!r} are no rates of coordinates, which Lagrange's "
                    "equation is about; use coriolis(v)"
                )
        still = np.zeros(self.model.nv)
        slopes = [self.model.inverse_dynamics_derivatives(self.q, still, a).q for a in (v, still)]
        slope = np.asarray(slopes[0] - slopes[1])  # d(M v)/dq, gravity and springs taken off
        return np.asarray(slope @ v - 0.5 * slope.T @ v)  # [LJ eq. 17]

    @property
    def _masses(self) -> Floats:
        return np.array([body.inertia.mass for body in self._bodies])

    # -- joint by joint -----------------------------------------------------------------------------------------------

    @cached_property
    def _turns(self) -> Floats:
        """R^T D J_w: angular velocities of the joints in their parents' frames, (nb, 3, nv) [LJ eq. 65]."""
        return conversion.relative_angular_velocities(self.rotations, self._parents, self.J_w)

    @property
    def J_hat(self) -> list[Floats]:
        """Angular Jacobians of the joints (3 x velocities of their own), in their parents' frames [LJ eq. 65]."""
        return [self._turns[body.index][:, body.v] for body in self._bodies]

    def joint_velocities(self, omegas: ArrayLike, velocities: ArrayLike | None = None) -> Floats:
        """Velocities joint by joint: from angular velocities of the bodies, where joints only turn [LJ eq. 66].

        With the linear `velocities` of the points as well, by whole twists, for all joints that follow no other.
        """
        omegas = self._per_body(omegas, "omegas")
        if velocities is None:
            self._check_turning("joint_velocities(omegas)", "joint_velocities(omegas, velocities)")
            hats = conversion.relative_angular_velocities(self.rotations, self._parents, omegas)
            return conversion.solved_by_joint(self.J_hat, hats)
        self._check_free("joint_velocities", "generalized_velocities(velocities, omegas)")
        twists = self._own_twists(omegas, self._per_body(velocities, "velocities"))
        return conversion.solved_by_joint(
            [self._twists[body.index][:, body.v] for body in self._bodies],
            np.stack([twist - self._carried(body, twists) for body, twist in zip(self._bodies, twists, strict=True)]),
        )

    def _own_twists(self, omegas: Floats, velocities: Floats) -> Floats:
        """Twists of the bodies in their own frames from (omega, v) at the points in world axes, (nb, 6)."""
        local = np.swapaxes(self.rotations, 1, 2)
        spin, shift = (np.einsum("kab,kb->ka", local, x) for x in (omegas, velocities))
        return np.concatenate([spin, shift + np.cross(self.points, spin)], axis=1)

    def _carried(self, body: Body, twists: Floats) -> Floats:
        """The twist of a body's parent, seen from the body."""
        if body.parent < 0:
            return np.zeros(6)
        between = np.linalg.inv(self._poses[body.index]) @ self._poses[body.parent]
        return np.asarray(adjoint(between) @ twists[body.parent])

    def _check_free(self, asked: str, instead: str) -> None:
        """Refuse joints that follow others: they cannot be solved one by one."""
        for body in self._bodies:
            if body.joint.follows:
                raise InputError(
                    f"cartesian: {asked} goes joint by joint, but the joint of body {body.name!r} follows another; use "
                    f"{instead}"
                )

    def body_torques(self, joint_torques: ArrayLike) -> Floats:
        """Torques on the bodies in world axes from torques of the joints in their parents' frames [LJ eq. 68]."""
        given = self._per_body(joint_torques, "joint torques")
        return conversion.body_torques(self.rotations, self._parents, given)

    def generalized_from_joints(self, forces: ArrayLike, joint_torques: ArrayLike) -> Floats:
        """Generalized forces of forces at the points and torques of the joints in their parents' frames [LJ eq. 69]."""
        pushed = self.generalized_forces(forces, np.zeros((self.model.nb, 3)))
        turned = np.einsum("kai,ka->i", self._turns, self._per_body(joint_torques, "joint torques"))
        return np.asarray(pushed + turned)

    def joint_torques(self, generalized: ArrayLike) -> Floats:
        """The smallest torques of the joints, in their parents' frames, for generalized forces [LJ eq. 71]."""
        self._check_turning("joint_torques", "forces(generalized)")
        Q = _row(generalized, self.model.nv, "generalized")
        parts = [Q[body.v] for body in self._bodies]
        return conversion.torques_by_joint(self.J_hat, parts)

    @property
    def _parents(self) -> list[int]:
        return [body.parent for body in self._bodies]

    def _check_turning(self, asked: str, instead: str) -> None:
        """Refuse joints that do more than turn, or that follow others."""
        self._check_free(asked, instead)
        for body, J in zip(self._bodies, self.J_hat, strict=True):
            if np.linalg.matrix_rank(J) < J.shape[1]:
                raise InputError(
                    f"cartesian: {asked} goes by what joints turn alone, but that of body {body.name!r} does more; use "
                    f"{instead}"
                )

    def _per_body(self, x: ArrayLike, what: str) -> Floats:
        return _finite(x, (self.model.nb, 3), what)


def _row(x: ArrayLike, n: int, what: str) -> Floats:
    return _finite(x, (n,), what)


def _finite(x: ArrayLike, shape: tuple[int, ...], what: str) -> Floats:
    try:
        made = reals(x)
    except (TypeError, ValueError):
        raise InputError(f"cartesian: {what} are not real numbers; expected {shape} finite numbers") from None
    if made.shape != shape or not np.isfinite(made).all():
        raise InputError(f"cartesian: {what} of shape {made.shape}; expected {shape} finite numbers")
    return made
