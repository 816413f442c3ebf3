"""Which coordinates move no inertia? Those make the mass matrix singular, everywhere or at one place.

Bodies whose own inertia is definite are safe at once, unless their joint is made of functions, which may not change
with a coordinate; for the others the articulated inertia is formed on floats.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import AnyjointError, SingularityError
from anyjoint.joints import FreeQuaternion, Helical, Joint, Prismatic, Revolute, SphericalQuaternion
from anyjoint.scalar import known
from anyjoint.spatial import Matrix

from .inertia import are_definite, spatial_inertias
from .probing import PROBES, expressions, joint_pose, needs_probing, numeric, random_coordinates

if TYPE_CHECKING:
    from .body import Body
    from .mechanism import Mechanism

SCREWS = (Revolute, Prismatic, Helical)
STEADY = (*SCREWS, FreeQuaternion, SphericalQuaternion)  # their twists are constant by construction
SMALL = 1e-11  # relative to the inertia met
LOST = 9 / 16  # power of a rounding: a pivot below that share of what it was made from leaves seven digits of sixteen
NEIGHBOURS = 4
LIGHT = 1e-9  # an inertia below this share of the largest may be lost in it


def singular_coordinates(mech: Mechanism) -> Iterator[tuple[Body, str]]:
    """(body, coordinate) where the joint-space inertia vanishes at a generic configuration."""
    definite = are_definite([body.inertia for body in mech.bodies])
    bodies = zip(mech.bodies, definite, strict=True)
    suspects = [b for b, fine in bodies if b.joint.nv and (not fine or _never_moves(b.joint))]
    if not suspects:
        return
    sources = _sources(mech)
    tree = _Articulated(mech)
    for body in suspects:
        try:
            if tree.moves_itself(body):
                continue
            idle = tree.idle(body)
            if idle and body.name in sources:
                idle = _leading_nothing(mech, body, idle)
        except (AnyjointError, np.linalg.LinAlgError):  # joints and numbers that are none are other rules' business
            continue
        for k in idle:
            yield body, _velocity(body, k)


def _never_moves(joint: Joint) -> bool:
    """Whether some mix of velocities of a joint made of functions moves nothing, at each of some random places."""
    if isinstance(joint, STEADY):
        return False
    from anyjoint.joints import FunctionBased  # most robots have none

    if not isinstance(joint, FunctionBased):
        return False  # others have rank, or are probed
    rng, solid = np.random.default_rng(5), np.eye(6)
    places = (random_coordinates(joint, rng).tolist() for _ in range(PROBES))
    try:
        return all(_null(numeric(joint.jacobian(q)), solid, (0.0,) * joint.nv).size for q in places)
    except AnyjointError:  # another rule's business
        return False


def _leading_nothing(mech: Mechanism, leader: Body, coordinates: list[int]) -> list[int]:
    """Those coordinates of a leader that move no inertia of its followers either."""
    rng = np.random.default_rng(11)
    q = np.concatenate([np.empty(0), *(random_coordinates(b.joint, rng) for b in mech.bodies if b.joint.nq)])
    inertias, step = [b.inertia.spatial() for b in mech.bodies], 1e-5
    found = []
    for k in coordinates:
        ahead, behind = q.copy(), q.copy()
        ahead[leader.q.start + k] += step
        behind[leader.q.start + k] -= step
        energy = 0.0
        for T, T1, T0, J in zip(*(mech.poses(_plain(x)) for x in (q, ahead, behind)), inertias, strict=True):
            V = np.linalg.solve(numeric(T.matrix), numeric(T1.matrix) - numeric(T0.matrix)) / (2 * step)
            twist = np.array([V[2, 1], V[0, 2], V[1, 0], *V[:3, 3]])
            energy += float(twist @ J @ twist)
        if energy <= SMALL * max(float(np.abs(J).max()) for J in inertias):
            found.append(k)
    return found


def loses_inertia(mech: Mechanism) -> bool:
    """Whether some body has so little inertia that it could get lost beside others."""
    moving = [b for b in mech.bodies if b.joint.nv]
    largest = float(np.abs(spatial_inertias([b.inertia for b in mech.bodies])).max(initial=0.0))
    if not moving:
        return False
    return bool(np.linalg.eigvalsh(spatial_inertias([b.inertia for b in moving]))[:, 0].min() <= LIGHT * largest)


def changes_twists(mech: Mechanism) -> bool:
    """Whether twists of some joint change with q, so that a place could be singular."""
    if mech.followers:
        return True
    kinds = {_joint_key(b.joint): b.joint for b in mech.bodies if b.joint.nv and not isinstance(b.joint, STEADY)}
    return any(not _constant_twists(joint) for joint in kinds.values())


def _constant_twists(joint: Joint) -> bool:
    """Whether S is the same everywhere; of a user's function, which may change anywhere, only expressions tell."""
    if needs_probing(joint):
        return all(known(x) is not None for x in joint.jacobian(expressions(joint)).flat)
    rng = np.random.default_rng(3)
    try:
        first, second = (numeric(joint.jacobian(random_coordinates(joint, rng).tolist())) for _ in range(2))
    except AnyjointError:
        return False
    return bool(np.abs(first - second).max() < 1e-12 * np.abs(first).max())


def singular_place(mech: Mechanism, q: Any, rounding: float, held: Collection[int] = ()) -> str | None:
    """A sentence if a joint's coordinates break down at q, or if some coordinate there moves no inertia.

    The joints of bodies that are `held`, by index, have given accelerations, and may do so.
    """
    for body in mech.bodies:
        reason = None if body.index in held else joint_reason(body, q)
        if reason:
            return f"body {body.name!r} at q = {_plain(q[body.q])}: {reason}"
    sources = _sources(mech)
    tree = _Articulated(mech, q, held)
    neighbours = [_Articulated(mech, x, held) for x in _beside(q, rounding)]
    for body in reversed(mech.bodies):  # a child's pivot decides what its parent feels
        if not body.joint.nv or body.name in sources or body.index in held:
            continue
        share, weakest, k = tree.pivot(body)
        if share > rounding**LOST and all(abs(t.pivot(body)[1] - weakest) <= 0.1 * weakest for t in neighbours):
            continue
        return (
            f"the mass matrix is singular at q = {_plain(q)}: nothing resists the coordinate "
            f"{f'{body.name}/{_velocity(body, k)}'!r} of body {body.name!r} there. Give this body or its descendants "
            "inertia, or move away from here."
        )
    return None


def _beside(q: Any, rounding: float) -> list[Matrix]:
    """Neighbours of q in a few random directions, half of the digits away."""
    at, rng = np.asarray(q, dtype=float), np.random.default_rng(5)
    steps = rounding**0.5 * np.maximum(1.0, np.abs(at))
    return [at + steps * rng.choice([-1.0, 1.0], len(at)) for _ in range(NEIGHBOURS)]


def joint_reason(body: Body, q: Any) -> str | None:
    """Why a body's joint breaks down at coordinates q of the mechanism, or None."""
    if not body.joint.nq:
        return None
    try:
        return body.joint.singularity(_plain(q[body.q]))
    except SingularityError as error:
        return str(error)


def _sources(mech: Mechanism) -> set[str]:
    """Bodies whose coordinates also move followers."""
    return {b.joint.follows for b in mech.followers if b.joint.follows}


def _velocity(body: Body, k: int) -> str:
    return body.joint.coordinates[k].name if body.joint.rates_are_velocities else f"velocity {k}"


def _plain(q: Any) -> list[float]:
    return [float(x) for x in q]


class _Articulated:
    """Articulated inertias at coordinates q, or at random ones; formed on demand, with the sizes of their terms."""

    def __init__(self, mech: Mechanism, q: Any = None, held: Collection[int] = ()) -> None:
        self.mech, self.q, self.held = mech, q, held
        self.children: defaultdict[int, list[Body]] = defaultdict(list)
        for body in mech.bodies:
            self.children[body.parent].append(body)
        self.local: dict[Joint | int, tuple[Matrix, Matrix]] = {}
        self.done: dict[int, tuple[Matrix, Matrix]] = {}

    def joint(self, body: Body) -> tuple[Matrix, Matrix]:
        """(pose, Jacobian) of a body's joint; at random coordinates it is evaluated once for equal joints."""
        key = _joint_key(body.joint) if self.q is None else body.index
        if key not in self.local:
            q = self._coordinates(body)
            S = numeric(body.joint.jacobian(q)) if body.joint.nv else np.zeros((6, 0))
            self.local[key] = joint_pose(body.joint, q).matrix, S
        return self.local[key]

    def _coordinates(self, body: Body) -> list[float]:
        leader = self.mech.leader(body)
        if self.q is not None:
            return _plain(self.q[leader.q])
        return _plain(random_coordinates(leader.joint, np.random.default_rng(7)))

    def moves_itself(self, body: Body) -> bool:
        """True if the body's own inertia already resists every coordinate."""
        return not _null(self.joint(body)[1], body.inertia.spatial(), body.armature).size

    def idle(self, body: Body) -> list[int]:
        """The coordinates of a joint that move no inertia, with the whole subtree taken into account."""
        J, size = self.inertia(body)  # which may have cancelled, as below free joints, but for rounding
        null = _null(self.joint(body)[1], J, body.armature, size)
        return [k for k in range(body.joint.nv) if null.size and np.abs(null[k]).max() > 1e-6]

    def pivot(self, body: Body) -> tuple[float, float, int]:
        """The smallest pivot of a joint: its share of what it was made from, its value, and which coordinate has it."""
        S, (J, size) = self.joint(body)[1], self.inertia(body)
        D = S.T @ J @ S + np.diag(body.armature)
        scale = np.sqrt(np.einsum("ik,ij,jk->k", np.abs(S), size, np.abs(S)) + body.armature)
        if not scale.all():
            return 0.0, 0.0, int(np.argmin(scale))
        values, vectors = np.linalg.eigh(D / np.outer(scale, scale))
        return float(values[0]), float(np.linalg.eigvalsh(D)[0]), int(np.argmax(np.abs(vectors[:, 0])))

    def inertia(self, body: Body) -> tuple[Matrix, Matrix]:
        """The articulated inertia of a body and the size of its terms; iterative, deepest bodies first."""
        order = [body]
        for b in order:  # grows while it is read: all descendants, parents first
            order += self.children[b.index]
        for b in reversed(order):
            if b.index not in self.done:
                J = b.inertia.spatial()
                size = np.abs(J)
                for child in self.children[b.index]:
                    more, terms = self._seen_from_parent(child)
                    J, size = J + more, size + terms
                self.done[b.index] = J, size
        return self.done[body.index]

    def _seen_from_parent(self, body: Body) -> tuple[Matrix, Matrix]:
        pose, S = (*self.joint(body),)
        J, size = self.done[body.index]
        if S.shape[1] and body.index not in self.held:
            U = J @ S
            D = S.T @ U + np.diag(body.armature)
            taken = U @ np.linalg.pinv(D, rcond=SMALL, hermitian=True) @ U.T
            J, size = J - taken, size + np.abs(taken)
        T = (body.placement.matrix if body.placement.factors else np.eye(4)) @ pose
        X = _adjoint_of_inverse(T)
        return np.asarray(X.T @ J @ X), np.abs(X).T @ size @ np.abs(X)


def _joint_key(joint: Joint) -> Joint | int:
    try:
        hash(joint)
    except TypeError:
        return id(joint)
    return joint


def _null(S: Matrix, J: Matrix, armature: Sequence[float], size: Matrix | None = None) -> Matrix:
    """A basis (columns) of the joint velocities without kinetic energy; `size` is that of the terms of J."""
    norms = np.linalg.norm(S, axis=0).clip(1e-150)  # whose square is above 0
    D = (S / norms).T @ J @ (S / norms) + np.diag(armature / norms**2)
    values, vectors = np.linalg.eigh((D + D.T) / 2)
    largest = float(np.abs(J if size is None else size).max())
    return np.asarray(vectors[:, values <= SMALL * max(largest, 1e-300)])


def _adjoint_of_inverse(T: Matrix) -> Matrix:
    """Ad(T^-1): twists of the parent side seen from the child."""
    R, p = T[:3, :3], T[:3, 3]
    P = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    return np.block([[R.T, np.zeros((3, 3))], [-R.T @ P, R.T]])
