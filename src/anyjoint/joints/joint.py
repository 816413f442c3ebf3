"""What a joint is: a function from a few coordinates to a pose, with names, domains and charts around it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anyjoint.errors import InputError, SingularityError
from anyjoint.frozen import frozen
from anyjoint.geometry.check import EVERYWHERE, parameter
from anyjoint.geometry.frame import FrameTurn, FrenetTurn
from anyjoint.scalar import Scalar, absolute, floor, less, plain, select
from anyjoint.spatial import Matrix, Pose, dot

from .product_rule import Motion, motion_of

__all__ = ["Coordinate", "Joint", "parameter", "wrapped"]


@frozen
class Coordinate:
    """One generalized coordinate of a joint.

    `domain` is where the joint is meant to be used and where checks sample; `defined` is the interval outside of which
    the joint means nothing (the end of an open spline), which calls and simulations enforce; `limits` is where the user
    wants it; `period` says that q and q + period are the same pose, `wrap` that the chart may take whole periods off;
    `neutral` is a regular starting value.
    """

    name: str
    domain: tuple[float, float] = (-math.pi, math.pi)
    limits: tuple[float, float] = (-math.inf, math.inf)
    period: float | None = None
    neutral: float = 0.0
    unit: str = "rad"
    wrap: bool = False
    defined: tuple[float, float] = EVERYWHERE


CLEAR = 1e-5  # a singular value of S that no singular place is near to
NOISE = 1e-14  # one that is nothing but rounding
NEAR = 1e-8  # relative distance to neighbours


def wrapped(coordinate: Coordinate, x: Scalar) -> Scalar:
    """x without its whole periods, once it is more than a period away from the neutral value (so it seldom jumps)."""
    period = coordinate.period
    if not coordinate.wrap or period is None:
        return x
    away = x - coordinate.neutral
    back = x - period * floor(away / period + 0.5)
    return select(less(absolute(away), period), x, back)


def nearest_of(
    coordinates: Sequence[Coordinate], options: Sequence[Sequence[float]], to: Sequence[float]
) -> list[float]:
    """The nearest of several coordinates of one pose, without the whole periods between them and others."""
    made = []
    for q in options:
        rows = zip(coordinates, q, to, strict=True)
        made.append([x + c.period * round((y - x) / c.period) if c.period else x for c, x, y in rows])
    return min(made, key=lambda q: math.dist(q, to))


def check_count(owner: str, velocities: int) -> None:
    """Refuse more velocities than a body has ways to move: their mass matrix would be singular everywhere."""
    if velocities > 6:
        raise InputError(
            f"{owner}: {velocities} coordinates for one joint, but a body moves in six ways only, so that some mix of "
            "them would move nothing; split the joint: hang a body with inertia on the first coordinates, and the next "
            "body on it by the others; or make coordinates functions of others, as joints.Coupled does"
        )


class Joint:
    """Base of every joint. A subclass gives `coordinates` and `pose(q)` (or `legs(q)`); the rest follows.

    Numbers that may change at run time are dataclass fields made with `parameter(domain)`, also in nested geometry.
    """

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        raise TypeError(f"{type(self).__name__} does not say what its coordinates are")

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """Number of velocities; differs from nq where they are no rates of coordinates: quaternions, rolling."""
        return self.nq

    @property
    def rates_are_velocities(self) -> bool:
        """Whether velocities are the rates of coordinates themselves: a joint whose are not has a `rate` of its own."""
        return self.nq == self.nv and type(self).rate is Joint.rate

    @property
    def follows(self) -> str | None:
        """The body whose joint leads this one; None for a joint with coordinates of its own."""
        return None

    @property
    def inner(self) -> Joint:
        """The joint that makes the pose, out of its `inner_coordinates`."""
        return self

    def inner_coordinates(self, q: Sequence[Scalar]) -> Sequence[Scalar]:
        """The inner joint's coordinates for those that move it: its own, or the leader's."""
        return q

    def pose(self, q: Sequence[Scalar]) -> Pose:
        """The child's pose in the joint frame, G(q)."""
        A, B = self.legs(q)
        return A @ B.inverse()

    def legs(self, q: Sequence[Scalar]) -> tuple[Pose, Pose]:
        """Poses A, B with G = A B^-1: parent to working frame, body to working frame. Most joints need no B."""
        return self.pose(q), Pose()

    def motion(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
        """Legs, joint Jacobian and c = Sdot*qdot at (q, v), by the product rule."""
        return motion_of(self.legs, q, v)

    def jacobian(self, q: Sequence[Scalar]) -> Matrix:
        """S = vee(G^-1 dG/dq) in the child's frame [SG eq. 1, 9]."""
        return self.motion(q, [0.0] * self.nv).jacobian()

    def rate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        """dq/dt for the velocity v."""
        return v

    def carry(self, q: Sequence[Scalar], to: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        """Velocities v at q as they are at `to` if the body goes straight on; v itself unless its axes turn."""
        return v

    def chart(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]] | None:
        """(q, v) rewritten after a step, the same pose and twist; None where nothing is ever rewritten."""
        if not any(coordinate.wrap for coordinate in self.coordinates):
            return None
        return [wrapped(coordinate, x) for coordinate, x in zip(self.coordinates, q, strict=True)], v

    def nearest(self, q: Sequence[Scalar], to: Sequence[Scalar]) -> Sequence[Scalar]:
        """Other coordinates of the same pose, if some are nearer to `to`; periods count as a way that was gone, but
        not where charts, which do not know of any, have changed on it."""
        return q

    @property
    def changes_pieces(self) -> bool:
        """Whether `chart` goes over to another piece of the joint's functions: the same pose, by other coordinates."""
        return False

    def deflection(self, q: Sequence[Scalar], rest: Sequence[Scalar]) -> Sequence[Scalar]:
        """How far springs that relax at `rest` are stretched, one number per velocity; the same in every chart."""
        return [x - r for x, r in zip(q, rest, strict=True)]

    @property
    def deflects_by_coordinates(self) -> bool:
        """Whether springs are stretched by differences of coordinates, so that they pull on velocities one by one."""
        return type(self).deflection is Joint.deflection

    def speeds(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        """What dampers feel, one number per velocity, linear in v; the same in every chart."""
        return v

    @property
    def speeds_are_velocities(self) -> bool:
        """Whether dampers feel velocities themselves, one by one."""
        return type(self).speeds is Joint.speeds

    def singularity(self, q: Sequence[float]) -> str | None:
        """A sentence (what is singular and a way out) if the coordinates break down at q, else None."""
        return self.stuck(q)

    @property
    def lock(self) -> str:
        """What a motion that comes near a singular place has met, and a way out; empty where that is not known."""
        return ""

    def edges(self, q: Sequence[Scalar]) -> list[Scalar]:
        """Numbers that vanish where a frame inside the joint breaks down."""
        A, B = self.legs(q)
        frames = [factor for factor in (*A.factors, *B.factors) if isinstance(factor, FrameTurn)]
        return [dot(vector, vector) for frame in frames for vector in frame.edges]

    def sides(self, q: Sequence[Scalar]) -> list[tuple[str, Sequence[Scalar]]]:
        """Vectors (or numbers) that never turn over, each with what holds where it is 0 and a motion cannot go on."""
        return []

    def ranks(self, q: Sequence[Scalar]) -> list[Scalar]:
        """Numbers that vanish where some mix of velocities moves nothing though frames are regular.

        They are what is left of a column of S after the ones before, as a share of it, squared.
        """
        if self.nv < 2:
            return []
        S = self.motion(q, [0] * self.nv).S
        left, shares = [list(S[:, k]) for k in range(self.nv)], []
        for k, column in enumerate(left):
            square = dot(column, column)
            if k:
                shares.append(square / dot(S[:, k], S[:, k]))
            for j in range(k + 1, self.nv):
                share = dot(column, left[j])
                if plain(share) != 0:  # most columns of simple joints are perpendicular from the start
                    left[j] = [x - share / square * y for x, y in zip(left[j], column, strict=True)]
        return shares

    def barriers(self, q: Sequence[Scalar]) -> list[Scalar]:
        """Numbers that vanish where no motion passes: velocities move nothing, or a frame turns over.

        Frenet frames are looked at elsewhere: curvature may vanish and the frame go on as it was.
        """
        A, B = self.legs(q)
        frames = [x for x in (*A.factors, *B.factors) if isinstance(x, FrameTurn) and not isinstance(x, FrenetTurn)]
        S = self.motion(q, [0] * self.nv).S
        columns = [S[:, k] for k in range(self.nv)]
        vectors = [*(vector for frame in frames for vector in frame.edges), *columns]
        return [*(dot(vector, vector) for vector in vectors), *self.ranks(q)]

    def stuck(self, q: Sequence[float]) -> str | None:
        """A sentence if some mix of velocities moves nothing at q or within rounding of q (S loses rank), else None.

        A small S alone is nothing bad, as for q -> exp(q) at -20. At a singular place S is small *and* changes much
        where coordinates change in their ninth digit: such a place is less than about 1e-7 away.
        """
        at = [float(x) for x in q]
        try:
            S = self._twists(at)
            if not S.size:
                return None
            _, size, mixes = np.linalg.svd(S)
            clear = size[-1] > CLEAR * max(1.0, size[0])
            if clear or (size[-1] > NOISE * size[0] and self._steady(at, size[-1])):
                return None
        except SingularityError as error:
            return str(error)
        named = zip(self.velocity_names, mixes[-1], strict=True)
        mix = ", ".join(f"{name}: {x:.3g}" for name, x in named if abs(x) > 1e-6)
        return (
            f"{type(self).__name__} is singular at q = {tuple(map(float, q))}: the velocities ({mix}) move nothing; "
            "start elsewhere, or choose coordinates or shapes that are regular there"
        )

    def _twists(self, q: list[float]) -> Matrix:
        return np.asarray(self.jacobian(q), dtype=np.float64)

    def _steady(self, q: list[float], weakest: float) -> bool:
        """Whether the smallest singular value of S is much the same at the neighbours of q."""
        for k, x in enumerate(q):
            for step in (-NEAR, NEAR):
                beside = [*q[:k], x + step * max(1.0, abs(x)), *q[k + 1 :]]
                if abs(np.linalg.svd(self._twists(beside))[1][-1] - weakest) > 0.1 * weakest:
                    return False
        return True

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Names of the velocities: those of the coordinates, or numbers where they are no rates of them."""
        if self.rates_are_velocities:
            return tuple(coordinate.name for coordinate in self.coordinates)
        return tuple(f"v{k}" for k in range(self.nv))

    def velocity_of(self, k: int) -> int | None:
        """Which velocity is the rate of coordinate k; None where none is, as for quaternions and rolling."""
        return k if self.rates_are_velocities else None
