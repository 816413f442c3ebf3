"""Lagrange's equations before they are factored, a sum over all bodies for each coordinate [GL eq. 6].

Each coordinate projects what every body beyond it needs, a and b, by that body's own partial derivatives. Nothing is
summed before it is projected, so that the operations grow as the number of pairs: the baseline of [GL Fig. 6, 7].
"""

from collections.abc import Sequence

from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, cross, dot, zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm, run_sweeps
from .composite_world import twist_in_world
from .kinematics import place
from .newton_euler import accelerate
from .velocity import child_frame


def world(body: Record, parent: Parent) -> None:
    """Outward: a and b, what the body needs about its frame's origin, and twists of unit velocities; in the world.

    The page takes the centre of mass; the sum of both is the same for any point, and no mass is divided by.
    """
    place(body, parent)
    child_frame(body)
    accelerate(body, parent)
    body.S_world = [twist_in_world(body, body.S[:, j]) for j in range(body.S.shape[1])]
    body.force = body.R @ body.b[3:]  # [GL eq. 4]
    body.torque = body.R @ body.b[:3]  # [GL eq. 5]


MOTION = algorithm("unfactored", ("outward", world), inputs=["q", "v", "qdd"], results=["force", "torque"])


def unfactored_forces(bodies: Sequence[Record], parents: Sequence[int], root: Record) -> list[Scalar]:
    """Q_j = sum_i a_i . dr_i/dq_j + b_i . w_qj [GL eq. 6], links in order."""
    run_sweeps(MOTION, bodies, parents, root)
    own = [body.armature * body.qdd - body.passive for body in bodies]
    Q = [own[i] + zeros(len(body.S_world)) for i, body in enumerate(bodies)]
    for i, body in enumerate(bodies):
        j = i
        while j >= 0:
            for k, twist in enumerate(bodies[j].S_world):
                Q[j][k] = Q[j][k] + _projected(body, twist)
            j = parents[j]
    return [x for row in Q for x in row]


def _projected(body: Record, twist: Vector) -> Scalar:
    """What a body needs along one coordinate: dr/dq = u + w x r."""
    w = twist[:3]
    return dot(body.force, twist[3:] + cross(w, body.p)) + dot(body.torque, w)
