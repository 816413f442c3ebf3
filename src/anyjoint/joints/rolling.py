"""Two surfaces that roll on each other: contact coordinates whose rates obey rolling without slip [PAK section 6].

Let w be the velocity at which the contact point wanders over both surfaces, the same over both, since nothing slips. A
surface's frame that goes with it turns by `tilt w` about the tangents and by `spin w` about the normal. The difference
of the tilts is the relative curvature K: omega = K w. So w = K^-1 omega, and all rates follow from omega.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from anyjoint.geometry.surfaces import Surface, as_surface
from anyjoint.scalar import Scalar, atan2, select, sincos
from anyjoint.spatial import Matrix, Pose, Vector, as_matrix, vector, zeros

from .condense import condensed
from .contact_coordinates import contact_coordinates, contact_legs
from .joint import Coordinate, Joint
from .product_rule import Motion, leg_motion


@dataclass(frozen=True)
class Wandering:
    """What a surface's frame does per unit of velocity of its origin across the surface, in its own axes."""

    rates: Matrix  # du/dt, dv/dt (2 x 2)
    tilt: Matrix  # angular velocity about the two tangents (2 x 2)
    spin: Vector  # angular velocity about the normal

    @classmethod
    def over(cls, surface: Surface, u: Scalar, v: Scalar) -> Self:
        """From the twists of the frame along u and v; the first axis is along f_u, so that u is eliminated first."""
        S = leg_motion(lambda x: surface.frame(x[0], x[1]), [u, v], [0, 0]).S
        along = 1 / S[3, 0]
        share = S[4, 0] * along
        across = 1 / (S[4, 1] - share * S[3, 1])
        back = S[3, 1] * along * across
        rates = as_matrix([[along + back * share, -back], [-across * share, across]])
        return cls(rates, S[:2] @ rates, S[2] @ rates)


@dataclass(frozen=True)
class Rolling(Joint):
    """Two surfaces rolling on each other without slip, Q as for Contact; q = (u1, v1, u2, v2, psi).

    v = the angular velocity in the contact frame: rolling about its two tangents, spinning about its normal. S is then
    constant, and dq/dt = N(q) v. It is not holonomic: five coordinates can be reached, three velocities are free.
    """

    surface1: Any
    surface2: Any
    wrap: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "surface1", as_surface(self.surface1).all_charts())
        object.__setattr__(self, "surface2", as_surface(self.surface2).all_charts())

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return contact_coordinates(self.surface1, self.surface2, self.wrap)

    @property
    def nv(self) -> int:
        return 3

    @property
    def velocity_names(self) -> tuple[str, ...]:
        return "roll_x", "roll_y", "spin"

    def legs(self, q: Sequence[Scalar]) -> tuple[Pose, Pose]:
        return contact_legs(self.surface1, self.surface2, q)

    def motion(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
        """S = (1, 0) in the contact frame, constant; leg B goes with the contact point, leg A does the rest."""
        first, second = self._wandering(q)
        W = inverse(relative_curvature(first, second, q[4]))
        S, S_B = zeros(6, 3), zeros(6, 3)
        for k in range(3):
            S[k, k] = 1
        S_B[:2, :2], S_B[2, :2], S_B[3:5, :2] = -(second.tilt @ W), -(second.spin @ W), -W
        A, B = self.legs(q)
        return Motion(condensed(A), condensed(B), S - S_B, S_B, zeros(6))

    def rate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        """N(q) v: the contact point wanders over both surfaces at the same velocity."""
        first, second = self._wandering(q)
        w2 = inverse(relative_curvature(first, second, q[4])) @ vector(*v[:2])
        w1 = towards_first(q[4]) @ w2
        psi = v[2] + first.spin @ w1 + second.spin @ w2
        return [*(first.rates @ w1), *(second.rates @ w2), psi]

    def chart(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]] | None:
        """Away from poles: a surface's other chart turns its frame about the normal by theta, and so does psi.

        Velocities are seen in the frame of surface 2, and turn with it.
        """
        at, rates, rewritten = list(q), list(v), False
        for k, surface in ((0, self.surface1), (2, self.surface2)):
            change = surface.other_chart(at[k], at[k + 1])
            if change is None:
                continue
            better, *new = change
            old, turned = surface.frame(at[k], at[k + 1]).R, surface.frame(*new).R
            c, s = old[:, 0] @ turned[:, 0], old[:, 1] @ turned[:, 0]
            new_q = [*at[:k], *new, *at[k + 2 : 4], at[4] + atan2(s, c)]
            new_v = [c * rates[0] + s * rates[1], c * rates[1] - s * rates[0], rates[2]] if k else rates
            at = [select(better, x, y) for x, y in zip(new_q, at, strict=True)]
            rates = [select(better, x, y) for x, y in zip(new_v, rates, strict=True)]
            rewritten = True
        wrapped = super().chart(at, rates)
        return wrapped or ((at, rates) if rewritten else None)

    def _wandering(self, q: Sequence[Scalar]) -> tuple[Wandering, Wandering]:
        return Wandering.over(self.surface1, q[0], q[1]), Wandering.over(self.surface2, q[2], q[3])


def towards_first(psi: Scalar) -> Matrix:
    """Tangents of frame 2c seen in frame 1c: the first two axes of R_psi."""
    s, c = sincos(psi)
    return as_matrix([[c, -s], [-s, -c]])


def relative_curvature(first: Wandering, second: Wandering, psi: Scalar) -> Matrix:
    """K of omega = K w, in frame 2c."""
    R = towards_first(psi)
    return R.T @ first.tilt @ R - second.tilt


def inverse(K: Matrix) -> Matrix:
    """The inverse of a 2 x 2 matrix."""
    (a, b), (c, d) = K
    share = 1 / (a * d - b * c)
    return as_matrix([[d * share, -b * share], [-c * share, a * share]])
