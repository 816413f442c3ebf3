"""What resists: rates along rows, and forces that are the slopes of convex potentials of these rates.

Contacts, stops of joints and dry friction. Over a step the rows, the gap and what else a law asks for are those of its
beginning; the rates u that a law sees are those of its end, so that a step is the least of a convex function. From the
law everything else is derived by D*: its slope is what Newton's method puts into inertias and pivots.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field
from typing import Any

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, maximum, minimum, sqrt
from anyjoint.spatial import Matrix, Vector, zeros

from .constraint import Coordinate
from .push import Scalars
from .rows import Touched

FIRM = 25.0  # times the mass that a contact feels over the square of a step: no contact is stiffer


@frozen
class Begun:
    """Rows at the beginning of a step: K (6, rows) per body that moves, N (rows) per coordinate, the rates u, and what
    the law asks for beside them. A contact also shows its point and its normal, then its two tangents, in the world.

    `ahead` is how much rates change within half a step by motion alone, while links go straight on and turn evenly.
    """

    K: Sequence[Matrix]
    N: Sequence[Vector]
    u: Scalars
    data: Scalars
    shown: Scalars = ()
    ahead: Scalars = ()

    @property
    def parts(self) -> list[Scalar]:
        """All values, to be taken apart."""
        return [list(x) for x in (self.data, self.K, self.N, self.u, self.shown, self.ahead)]

    @classmethod
    def of(cls, parts: Sequence[Any]) -> Begun:
        """From its parts; the first of them are what the law asks for."""
        data, K, N, u, shown, ahead = parts
        return cls(K, N, u, data, shown, ahead)


@frozen(eq=False, kw_only=True)
class Resistance:
    """Rows and their law. `bodies` are indices into `mech.bodies`, -1 for the ground.

    Functions are of the numbers, so that resistances which differ in numbers alone share their code.
    """

    what: str
    bodies: tuple[int, ...] = ()
    coordinates: tuple[Coordinate, ...] = ()
    numbers: tuple[float, ...] = ()
    signals: tuple[Any, ...] = field(default=(), init=False)
    exact: bool = field(default=False, init=False)
    gapped = True  # whether what a law asks for first is what a gap pushes with

    @property
    def rows(self) -> int:
        """How many rows."""
        return 1

    @property
    def kind(self) -> Hashable:
        """What makes two of them the same expressions."""
        grounded = tuple(body < 0 for body in self.bodies)
        return type(self), grounded, len(self.coordinates), len(self.numbers)

    def begin(self, bodies: Sequence[Touched], q: Scalars, qd: Scalars, numbers: Scalars, h: Scalar) -> Begun:
        """The rows at the beginning of a step of length h; `bodies` are those that move."""
        raise TypeError(f"{type(self).__name__} does not say what its rows are")

    def law(self, u: Scalars, data: Scalars) -> list[Scalar]:
        """The forces along the rows at rates u: minus the slope of a convex function of u."""
        raise TypeError(f"{type(self).__name__} has no law")

    def knowing(self, begun: Begun, ahead: Scalars) -> tuple[Scalars, Scalars]:
        """What the law asks for, and how rates as it sees them differ from those along rows in the middle of the step,
        once it is known by how much rates change within half a step."""
        return begun.data, [0.0 for _ in begun.u]


def firmness(stiffness: Scalar, mass: Scalar, h: Scalar) -> Scalar:
    """A stiffness that steps of length h can follow: friction lags by a step, which rigid contacts do not bear."""
    return minimum(stiffness, FIRM * mass / (h * h))


def pushing(u: Scalar, f0: Scalar, hk: Scalar, d: Scalar) -> Scalar:
    """The normal force (f0 - h k u)+ (1 - d u)+ at the rate u; f0 = -k gap is not cut off, or feet would hover."""
    return maximum(f0 - hk * u, 0.0) * maximum(1 - d * u, 0.0)


def rubbing(u: Scalars, most: Scalar, slip: Scalar) -> list[Scalar]:
    """Dry friction against rates u: at most `most`, and nearly that from the rate `slip` on."""
    square = sum((x * x for x in u), slip * slip)
    share = most / sqrt(square)
    return [-share * x for x in u]


@frozen(eq=False, kw_only=True)
class Stop(Resistance):
    """A limit of a joint's coordinate. Its numbers: the limit, the side (1 below, -1 above), stiffness, mass."""

    def begin(self, bodies: Sequence[Touched], q: Scalars, qd: Scalars, numbers: Scalars, h: Scalar) -> Begun:
        end, side, stiffness, mass = numbers
        k = firmness(stiffness, mass, h)
        N = zeros(1)
        N[0] = side
        return Begun([], [N], [side * qd[0]], [-k * side * (q[0] - end), h * k])

    def law(self, u: Scalars, data: Scalars) -> list[Scalar]:
        return [pushing(u[0], data[0], data[1], 0.0)]


@frozen(eq=False, kw_only=True)
class Rub(Resistance):
    """Dry friction of a joint. Its numbers: the largest force, and the rate at which friction is nearly that."""

    gapped = False

    def begin(self, bodies: Sequence[Touched], q: Scalars, qd: Scalars, numbers: Scalars, h: Scalar) -> Begun:
        N = zeros(1)
        N[0] = 1
        return Begun([], [N], [qd[0]], list(numbers))

    def law(self, u: Scalars, data: Scalars) -> list[Scalar]:
        return rubbing(u, data[0], data[1])
