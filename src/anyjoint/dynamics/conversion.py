"""Velocities and forces between Cartesian and generalized coordinates [LJ section 6], on NumPy floats.

Cartesian quantities are in the world's axes: v of the links' centres of mass, omega; forces at the centres of mass.
Stacks have one row per link: v, omega, f, tau are (links, 3); J_v and J_w are (links, 3, nv).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anyjoint.scalar.array import Floats

from .blocks import Block, apply, skew, starts
from .redmax import jacobian


def world_rotations(blocks: Sequence[Block], parents: Sequence[int]) -> Floats:
    """R of every link in the world."""
    made: list[Floats] = []
    for i, block in enumerate(blocks):
        made.append(made[parents[i]] @ block.R if parents[i] >= 0 else block.R)
    return np.stack(made)


def link_jacobians(blocks: Sequence[Block], parents: Sequence[int], points: Floats) -> tuple[Floats, Floats]:
    """J_v and J_w; `points` (links, 3) are the centres of mass, or points of application, in the links' frames."""
    J, R = np.stack(jacobian(blocks, parents)), world_rotations(blocks, parents)
    J_w, J_v = R @ J[:, :3], R @ (J[:, 3:] - skew(points) @ J[:, :3])
    return J_v, J_w


def cartesian_velocities(J_v: Floats, J_w: Floats, v: Floats) -> tuple[Floats, Floats]:
    """(v, omega) of every link [LJ eq. 60]."""
    return J_v @ v, J_w @ v


def generalized_velocities(J_v: Floats, J_w: Floats, velocities: Floats, omegas: Floats) -> tuple[Floats, float]:
    """qdot by least squares [LJ eq. 61], and how far (v, omega) are from any motion of the mechanism."""
    J = np.concatenate([_rows(J_v), _rows(J_w)])
    V = np.concatenate([velocities.ravel(), omegas.ravel()])
    solution = np.linalg.lstsq(J, V, rcond=None)[0]
    return solution, float(np.linalg.norm(J @ solution - V))


def relative_angular_velocities(R: Floats, parents: Sequence[int], omegas: Floats) -> Floats:
    """omega-hat = R^T D omega: each link against its parent, in the parent's frame [LJ eq. 64, 65]."""
    made = omegas.copy()
    for i, p in enumerate(parents):
        if p >= 0:
            made[i] = R[p].T @ (omegas[i] - omegas[p])  # [LJ eq. 62]
    return made


def joint_angular_jacobians(blocks: Sequence[Block]) -> list[Floats]:
    """J-hat of every joint (3 x its velocities), in the parent's frame: the blocks of the sparse form [LJ eq. 63]."""
    return [block.R @ block.S[:3] for block in blocks]


def rotational_velocities(blocks: Sequence[Block], parents: Sequence[int], omegas: Floats) -> Floats:
    """qdot joint by joint from angular velocities alone, for joints that only turn [LJ eq. 66]."""
    hats = relative_angular_velocities(world_rotations(blocks, parents), parents, omegas)
    return solved_by_joint(joint_angular_jacobians(blocks), hats)


def solved_by_joint(jacobians: Sequence[Floats], omegas: Floats) -> Floats:
    """qdot of every joint from its own angular velocity, one small pseudo-inverse each [LJ eq. 66]."""
    return np.concatenate([np.linalg.pinv(J) @ omega for J, omega in zip(jacobians, omegas, strict=True)])


def joint_velocities(
    blocks: Sequence[Block], parents: Sequence[int], points: Floats, velocities: Floats, omegas: Floats
) -> Floats:
    """qdot joint by joint for any joints: the sparse form [LJ eq. 66] with whole twists instead of rotations."""
    R, twists, made = world_rotations(blocks, parents), [], []
    for i, block in enumerate(blocks):
        omega = R[i].T @ omegas[i]
        twist = np.concatenate([omega, R[i].T @ velocities[i] + np.cross(points[i], omega)])
        twists.append(twist)
        before = twists[parents[i]] if parents[i] >= 0 else np.zeros(6)
        made.append(np.linalg.pinv(block.S) @ (twist - apply(block.to_child, before)))
    return np.concatenate(made)


def generalized_forces(J_v: Floats, J_w: Floats, forces: Floats, torques: Floats) -> Floats:
    """Q of forces at the points of J_v and body torques [LJ eq. 67]."""
    return np.asarray(_rows(J_v).T @ forces.ravel() + _rows(J_w).T @ torques.ravel())


def body_torques(R: Floats, parents: Sequence[int], joint_torques: Floats) -> Floats:
    """Torques on the links in the world's axes from joint torques in the parents' frames [LJ eq. 68]."""
    made = np.zeros_like(joint_torques)
    for i, p in enumerate(parents):
        torque = R[p] @ joint_torques[i] if p >= 0 else joint_torques[i]
        made[i] += torque
        if p >= 0:
            made[p] -= torque
    return made


def generalized_from_joint_torques(blocks: Sequence[Block], joint_torques: Floats) -> Floats:
    """Q of joint torques alone, joint by joint [LJ eq. 69]."""
    return np.concatenate([J.T @ t for J, t in zip(joint_angular_jacobians(blocks), joint_torques, strict=True)])


def cartesian_forces(J_v: Floats, J_w: Floats, generalized: Floats) -> tuple[Floats, Floats]:
    """The smallest forces and torques that have the given Q; many others have it too [LJ eq. 70]."""
    J = np.concatenate([_rows(J_v), _rows(J_w)])
    made = np.linalg.pinv(J.T) @ generalized
    return made[: len(made) // 2].reshape(-1, 3), made[len(made) // 2 :].reshape(-1, 3)


def joint_torques(blocks: Sequence[Block], generalized: Floats) -> Floats:
    """The smallest joint torques that have the given Q, joint by joint, for joints that only turn [LJ eq. 71]."""
    at = starts(blocks)
    parts = [generalized[at[i] : at[i + 1]] for i in range(len(blocks))]
    return torques_by_joint(joint_angular_jacobians(blocks), parts)


def torques_by_joint(jacobians: Sequence[Floats], generalized: Sequence[Floats]) -> Floats:
    """The smallest torque of every joint that has its own generalized forces [LJ eq. 71]."""
    return np.stack([np.linalg.pinv(J.T) @ Q for J, Q in zip(jacobians, generalized, strict=True)])


def mass_matrix(masses: Floats, inertias: Floats, J_v: Floats, J_w: Floats) -> Floats:
    """M = sum over links of J^T blockdiag(m I, I_c) J [LJ eq. 48, 59]."""
    linear = np.einsum("k,kai,kaj->ij", masses, J_v, J_v)
    return np.asarray(linear + np.einsum("kai,kab,kbj->ij", J_w, inertias, J_w))


def coriolis(
    masses: Floats, inertias: Floats, J: tuple[Floats, Floats], rates: tuple[Floats, Floats], v: Floats
) -> Floats:
    """C = sum over links of (J^T M_c Jdot + J^T [w~] M_c J) v, [w~] turning angular momenta alone [LJ eq. 48, 59]."""
    (J_v, J_w), (rate_v, rate_w) = J, rates
    forces = masses[:, None] * (rate_v @ v)
    omega = J_w @ v
    momenta = np.einsum("kab,kb->ka", inertias, omega)
    torques = np.einsum("kab,kb->ka", inertias, rate_w @ v) + np.cross(omega, momenta)
    return generalized_forces(J_v, J_w, forces, torques)


def _rows(J: Floats) -> Floats:
    return J.reshape(3 * len(J), J.shape[-1])
