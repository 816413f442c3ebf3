"""Constraints on the links of a tree: the frames that they see, and their rows as the links' K, N and gamma."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from anyjoint.constraints import Constraint, Rows, Standing, Touched
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Matrix, Pose, Scalars, Vector, as_matrix, dot, vector, zeros
from anyjoint.tree.closures import GROUND, ClosedPlan
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .kinematics import place
from .velocity import centripetal_acceleration


def stand(body: Record, parent: Parent) -> None:
    """Outward: where a link is in the world, and seen from the nearest hub below it."""
    place(body, parent)
    G, R, p = body.A @ body.W, parent.R_hub, parent.p_hub
    body.R_hub, body.p_hub = (G.R, G.p) if body.columns.on_hub else (R @ G.R, R @ G.p + p)


def move(body: Record, parent: Parent) -> None:
    """Outward: the same, and the link's twist."""
    stand(body, parent)
    body.v = body.W.motion(body.A.motion(parent.v) + (body.S_A + body.S_B) @ body.qd)  # [SG eq. 18, 20]


PLACES = ["R", "p", "R_hub", "p_hub"]
MOVING_FRAMES = algorithm("link frames", ("outward", move), inputs=["q", "v"], results=[*PLACES, "v"])
STANDING_FRAMES = algorithm("link places", ("outward", stand), inputs=["q"], results=PLACES)

RowsOf = Callable[[Constraint, Sequence[Touched], Sequence[Scalar], Sequence[Scalar], Scalar], Rows]


class LinkFrames:
    """Where links are and how they move, from records that know their angular velocities; computed when asked for."""

    def __init__(self, records: Sequence[Record], parents: Sequence[int]) -> None:
        self.records, self.parents = records, parents
        self._poses: dict[tuple[int, int], tuple[Matrix, Vector]] = {}
        self._twists: dict[int, Vector] = {}
        self._drifts: dict[int, Vector] = {}

    def pose(self, link: int, base: int) -> tuple[Matrix, Vector]:
        """Rotation and origin of a link in the frame of an ancestor, or of the world (-1)."""
        if link == base:
            return as_matrix(np.eye(3, dtype=int)), zeros(3)
        if (link, base) not in self._poses:
            R, p = self.pose(self.parents[link], base)
            step = self.records[link].A @ self.records[link].W
            self._poses[link, base] = R @ step.R, R @ step.p + p
        return self._poses[link, base]

    def twist(self, link: int) -> Vector:
        """The twist of a link in its own axes [SG eq. 18, 20]."""
        if link == GROUND:
            return zeros(6)
        if link not in self._twists:
            record = self.records[link]
            moved = record.A.motion(self.twist(self.parents[link])) + (record.S_A + record.S_B) @ record.qd
            self._twists[link] = record.W.motion(moved)
        return self._twists[link]

    def drift(self, link: int) -> Vector:
        """The acceleration of a link, in its own axes, that velocities alone cause."""
        if link == GROUND:
            return zeros(6)
        if link not in self._drifts:
            record = self.records[link]
            S = record.S_A + record.S_B
            moved = record.A.motion(self.drift(self.parents[link])) + record.a + S @ record.second
            self._drifts[link] = record.W.motion(moved) + centripetal_acceleration(record)
        return self._drifts[link]


@frozen
class LinkTouched:
    """A link as a constraint sees it, in the frame of `base`."""

    frames: LinkFrames
    link: int
    base: int
    X: Pose

    @property
    def R(self) -> Matrix:
        return self.frames.pose(self.link, self.base)[0]

    @property
    def p(self) -> Vector:
        return self.frames.pose(self.link, self.base)[1]

    @property
    def w(self) -> Vector:
        return self.frames.records[self.link].w  # type: ignore[no-any-return]

    @cached_property
    def u(self) -> Vector:
        return self.frames.twist(self.link)[3:]


def touched(frames: LinkFrames, link: int, base: int, X: Pose) -> Touched:
    """A link, or the ground, as a constraint sees it."""
    return Standing(X) if link == GROUND else LinkTouched(frames, link, base, X)


def constraint_rows(
    closed: ClosedPlan,
    constraints: Sequence[Constraint],
    relative: Sequence[bool],
    frames: LinkFrames,
    X: Sequence[Sequence[Pose]],
    coordinates: Callable[[tuple[int, int]], tuple[Scalar, Scalar]],
    t: Scalar,
    rows_of: RowsOf,
) -> list[Rows]:
    """The rows of all constraints; `coordinates` gives a coordinate and its rate, X the frames of the rows.

    Rows that do not change when everything moves together are seen from the hub, others from the world.
    """
    made = []
    for k, constraint in enumerate(constraints):
        base = closed.hubs[k] if relative[k] else GROUND
        links = [closed.plan.link_of(body) for body in constraint.bodies]
        bodies = [touched(frames, link, base, frame) for link, frame in zip(links, X[k], strict=True)]
        pairs = [coordinates(place) for place in constraint.coordinates]
        made.append(rows_of(constraint, bodies, [q for q, _ in pairs], [v for _, v in pairs], t))
    return made


def give_rows(
    closed: ClosedPlan,
    constraints: Sequence[Constraint],
    relative: Sequence[bool],
    frames: LinkFrames,
    found: Sequence[Rows],
    right: Sequence[Scalars],
    up: Vector,
    velocity_of: Callable[[tuple[int, int]], tuple[int, int]],
) -> None:
    """Give links their K and N, closures what accelerations have to make up for: `right`, row by row.

    Links' accelerations are counted against gravity: `up` takes it off again where a row feels it.
    """
    made_K = [zeros(6 * len(starts)) for starts in closed.starts]
    made_N = [zeros(len(record.qd) * len(own)) for record, own in zip(frames.records, closed.joints, strict=True)]
    made_gamma = [zeros(0) for _ in frames.records]
    columns = [{place: k for k, place in enumerate(row)} for row in closed.starts]
    joints = [{place: k for k, place in enumerate(row)} for row in closed.joints]
    for k, (constraint, rows) in enumerate(zip(constraints, found, strict=True)):
        gamma = list(right[k])
        for body, K in zip(constraint.bodies, rows.K, strict=True):
            link = closed.plan.link_of(body)
            if link == GROUND and not relative[k]:
                continue  # the ground stands still
            at = closed.where[k] if link == closed.hubs[k] else link
            for row in range(constraint.count):
                column = slice(6 * columns[at][k, row], 6 * columns[at][k, row] + 6)
                made_K[at][column] = made_K[at][column] + K[:, row]
                if not relative[k] and not constraint.compliance:
                    gamma[row] = gamma[row] - dot(K[3:, row], frames.pose(link, GROUND)[0].T @ up)
        for coordinate, N in zip(constraint.coordinates, rows.N, strict=True):
            link, index = velocity_of(coordinate)
            for row in range(constraint.count):
                at = len(frames.records[link].qd) * joints[link][k, row] + index
                made_N[link][at] = made_N[link][at] + N[row]
        made_gamma[closed.where[k]] = vector(*gamma)
    for record, *given in zip(frames.records, made_K, made_N, made_gamma, strict=True):
        record.K, record.N, record.gamma = given
