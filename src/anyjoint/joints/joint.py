"""What a joint is: a function from a few coordinates to a pose, with names, domains and charts around it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anyjoint.errors import SingularityError
from anyjoint.geometry.check import parameter
from anyjoint.scalar import Scalar, absolute, floor, less, select
from anyjoint.spatial import Matrix, Pose

from .product_rule import Motion, motion_of

__all__ = ["Coordinate", "Joint", "parameter", "wrapped"]


@dataclass(frozen=True)
class Coordinate:
    """One generalized coordinate of a joint.

    `domain` is where the joint is regular and where checks sample; `limits` is where the user wants it;
    `period` says that q and q + period are the same pose, `wrap` that the chart may take whole periods off;
    `neutral` is a regular starting value.
    """

    name: str
    domain: tuple[float, float] = (-math.pi, math.pi)
    limits: tuple[float, float] = (-math.inf, math.inf)
    period: float | None = None
    neutral: float = 0.0
    unit: str = "rad"
    wrap: bool = False


def wrapped(coordinate: Coordinate, x: Scalar) -> Scalar:
    """x without its whole periods, once it is more than a period away from the neutral value (so it seldom jumps)."""
    period = coordinate.period
    if not coordinate.wrap or period is None:
        return x
    away = x - coordinate.neutral
    back = x - period * floor(away / period + 0.5)
    return select(less(absolute(away), period), x, back)


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
        """Number of velocities; differs from nq only for quaternions."""
        return self.nq

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
        """S = vee(G^-1 dG/dq) in the child's frame [SG eq. 9]."""
        return self.motion(q, [0.0] * self.nv).jacobian()

    def rate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        """dq/dt for the velocity v."""
        return v

    def chart(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]] | None:
        """(q, v) rewritten after a step, the same pose and twist; None where nothing is ever rewritten."""
        if not any(coordinate.wrap for coordinate in self.coordinates):
            return None
        return [wrapped(coordinate, x) for coordinate, x in zip(self.coordinates, q, strict=True)], v

    def singularity(self, q: Sequence[float]) -> str | None:
        """A sentence (what is singular and a way out) if the coordinates break down at q, else None."""
        return None

    def stuck(self, q: Sequence[float]) -> str | None:
        """A sentence if some mix of velocities moves nothing at q (S loses rank), else None."""
        try:
            S = np.asarray(self.jacobian([float(x) for x in q]), dtype=np.float64)
        except SingularityError as error:
            return str(error)
        if not S.size:
            return None
        _, size, mixes = np.linalg.svd(S)
        if size[-1] > 1e-9 * max(1.0, size[0]):
            return None
        named = zip(self.velocity_names, mixes[-1], strict=True)
        mix = ", ".join(f"{name}: {x:.3g}" for name, x in named if abs(x) > 1e-6)
        return (
            f"{type(self).__name__} is singular at q = {tuple(map(float, q))}: the velocities ({mix}) move nothing; "
            "start elsewhere, or choose coordinates or shapes that are regular there"
        )

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Names of the velocities: those of the coordinates, or numbers where there are fewer velocities."""
        if self.nv == self.nq:
            return tuple(coordinate.name for coordinate in self.coordinates)
        return tuple(f"v{k}" for k in range(self.nv))
