"""Which coordinates move no inertia? Those make the mass matrix singular.

Bodies whose own inertia is definite are safe at once; for the others the articulated inertia is formed on floats.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.joints import Coupled, Joint
from anyjoint.spatial import Matrix

from .probing import joint_pose, numeric, random_coordinates

if TYPE_CHECKING:
    from .body import Body
    from .mechanism import Mechanism

SMALL = 1e-11  # relative to the inertia met


def singular_coordinates(mech: Mechanism) -> Iterator[tuple[Body, str]]:
    """(body, coordinate) where the joint-space inertia vanishes at a generic configuration."""
    suspects = [b for b in mech.bodies if b.joint.nv and not b.inertia.is_definite]
    if not suspects:
        return
    sources = {b.joint.source for b in mech.bodies if isinstance(b.joint, Coupled)}  # they also move their followers
    tree = _Articulated(mech)
    for body in suspects:
        if body.name in sources or tree.moves_itself(body):
            continue
        for k in tree.idle(body):
            yield body, body.joint.coordinates[k].name if body.joint.nv == body.joint.nq else f"velocity {k}"


class _Articulated:
    """Articulated inertias at one random configuration, formed on demand."""

    def __init__(self, mech: Mechanism) -> None:
        self.mech = mech
        self.children: defaultdict[int, list[Body]] = defaultdict(list)
        for body in mech.bodies:
            self.children[body.parent].append(body)
        self.local: dict[Joint | int, tuple[Matrix, Matrix]] = {}
        self.done: dict[int, Matrix] = {}

    def joint(self, body: Body) -> tuple[Matrix, Matrix]:
        """(pose, Jacobian) of a body's joint, evaluated once for equal joints."""
        try:
            key: Joint | int = body.joint
            hash(key)
        except TypeError:
            key = id(body.joint)
        if key not in self.local:
            leader = self.mech[key.source].joint if isinstance(key, Coupled) else body.joint
            q = [float(x) for x in random_coordinates(leader, np.random.default_rng(7))]
            S = numeric(body.joint.jacobian(q)) if body.joint.nv else np.zeros((6, 0))
            self.local[key] = joint_pose(body.joint, q).matrix, S
        return self.local[key]

    def moves_itself(self, body: Body) -> bool:
        """True if the body's own inertia already resists every coordinate."""
        return not _null(self.joint(body)[1], body.inertia.spatial()).size

    def idle(self, body: Body) -> list[int]:
        """The coordinates of a joint that move no inertia, with the whole subtree taken into account."""
        null = _null(self.joint(body)[1], self.inertia(body))
        return [k for k in range(body.joint.nv) if null.size and np.abs(null[k]).max() > 1e-6]

    def inertia(self, body: Body) -> Matrix:
        """The articulated inertia of a body; iterative, deepest bodies first."""
        order = [body]
        for b in order:  # grows while it is read: all descendants, parents first
            order += self.children[b.index]
        for b in reversed(order):
            if b.index not in self.done:
                J = b.inertia.spatial()
                for child in self.children[b.index]:
                    J = J + self._seen_from_parent(child)
                self.done[b.index] = J
        return self.done[body.index]

    def _seen_from_parent(self, body: Body) -> Matrix:
        pose, S = (*self.joint(body),)
        J = self.done[body.index]
        if S.shape[1]:
            U = J @ S
            J = J - U @ np.linalg.pinv(S.T @ U, rcond=SMALL, hermitian=True) @ U.T
        T = (body.placement.matrix if body.placement.factors else np.eye(4)) @ pose
        X = _adjoint_of_inverse(T)
        return np.asarray(X.T @ J @ X)


def _null(S: Matrix, J: Matrix) -> Matrix:
    """A basis (columns) of the joint velocities without kinetic energy."""
    norms = np.linalg.norm(S, axis=0).clip(1e-300)
    D = (S / norms).T @ J @ (S / norms)
    values, vectors = np.linalg.eigh((D + D.T) / 2)
    return np.asarray(vectors[:, values <= SMALL * max(float(np.abs(J).max()), 1e-300)])


def _adjoint_of_inverse(T: Matrix) -> Matrix:
    """Ad(T^-1): twists of the parent side seen from the child."""
    R, p = T[:3, :3], T[:3, 3]
    P = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    return np.block([[R.T, np.zeros((3, 3))], [-R.T @ P, R.T]])
