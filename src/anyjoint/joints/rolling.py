"""Two surfaces that roll on each other: contact coordinates whose rates obey rolling without slip [PAK section 6]."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.frozen import frozen
from anyjoint.geometry.frame import FrameTurn
from anyjoint.geometry.surfaces import as_surface
from anyjoint.scalar import Scalar, atan2, is_number, plain, select
from anyjoint.spatial import Matrix, Pose, vector, zeros

from .chart_change import nearest_chart, turn_between
from .condense import condensed
from .contact_coordinates import contact_coordinates, contact_legs
from .joint import Coordinate, Joint
from .product_rule import Motion
from .quaternion import turn_of
from .wandering import ALIKE, Wandering, determinant, inverse, relative_curvature, towards_first

NO_PLANE = "the parametrisation of its surface has no tangent plane; choose other parameters for the surface"
FLAT = 1e-6  # share of the surfaces' own curvatures below which their difference is none
PROBES = 5


@frozen
class Rolling(Joint):
    """Two surfaces rolling on each other without slip, Q as for Contact; q = (u1, v1, u2, v2, psi), three velocities.

    v = the angular velocity in the contact frame: rolling about its two tangents, spinning about its normal. S is then
    constant, and dq/dt = N(q) v. This is not holonomic: three velocities, yet all five coordinates can be reached.
    Spheres and ellipsoids get a second chart, so that they roll over their poles. With `slip` there are two velocities
    more: those of slipping along the tangents. It then moves as Contact does, and rolls over poles, too.
    """

    surface1: Any
    surface2: Any
    wrap: bool = False
    slip: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "surface1", as_surface(self.surface1).all_charts())
        object.__setattr__(self, "surface2", as_surface(self.surface2).all_charts())
        check_bend(self)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return contact_coordinates(self.surface1, self.surface2, self.wrap)

    @property
    def nv(self) -> int:
        return 5 if self.slip else 3

    @property
    def velocity_names(self) -> tuple[str, ...]:
        return "roll_x", "roll_y", "spin", *(("slip_x", "slip_y") if self.slip else ())

    def legs(self, q: Sequence[Scalar]) -> tuple[Pose, Pose]:
        return contact_legs(self.surface1, self.surface2, q)

    def motion(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
        """S = (1, 0) in the contact frame, so that c = 0; leg B goes with the contact point, leg A does the rest."""
        first, second = self._wandering(q)
        n = self.nv
        S, S_B, W = zeros(6, n), zeros(6, n), self._wandered(first, second, q[4])
        for k in range(n):
            S[k, k] = 1
        for columns, over in zip((slice(0, 2), slice(3, 5)), W, strict=False):
            S_B[:2, columns], S_B[2, columns] = -(second.tilt @ over), -(second.spin @ over)
            S_B[3:5, columns] = -over
        A, B = self.legs(q)
        return Motion(condensed(A), condensed(B), S - S_B, S_B, zeros(6))

    def _wandered(self, first: Wandering, second: Wandering, psi: Scalar) -> list[Matrix]:
        """How fast the contact point wanders over surface 2 for unit rolling, and for unit slipping if there is some.

        It wanders over surface 1 faster by the slip, which tilts frame 1c: omega = K w + (R^T tilt R) slip.
        """
        W = inverse(relative_curvature(first, second, psi))
        R = towards_first(psi)
        return [W, -(W @ (R.T @ first.tilt @ R))] if self.slip else [W]

    def rate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        """N(q) v: the contact point wanders over surface 2 at velocity w, and over surface 1 faster by the slip."""
        first, second = self._wandering(q)
        parts = zip(self._wandered(first, second, q[4]), (v[:2], v[3:5]), strict=False)
        w = sum((W @ vector(*u) for W, u in parts), zeros(2))
        w1 = towards_first(q[4]) @ (w + vector(*v[3:5]) if self.slip else w)
        psi = v[2] + first.spin @ w1 + second.spin @ w
        return [*(first.rates @ w1), *(second.rates @ w), psi]

    @property
    def changes_pieces(self) -> bool:
        """From one chart of a surface to another one."""
        return True

    def barriers(self, q: Sequence[Scalar]) -> list[Scalar]:
        """None: charts change before poles are met, and what is left never turns over, see `sides`."""
        return []

    def chart(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]] | None:
        """Away from poles: the other chart of a surface turns its frame about the normal by theta, and psi with it.

        Velocities are seen in the frame of surface 2, and turn when that one turns.
        """
        at, rates, rewritten = list(q), list(v), False
        for k, surface in ((0, self.surface1), (2, self.surface2)):
            change = surface.other_chart(at[k], at[k + 1])
            if change is None:
                continue
            better, *new = change
            c, s = turn_between(surface, at[k : k + 2], new)
            new_q = [*at[:k], *new, *at[k + 2 : 4], at[4] + atan2(s, c)]
            new_v = [*_seen(rates[:2], c, s), rates[2], *_seen(rates[3:], c, s)] if k else rates
            at = [select(better, x, y) for x, y in zip(new_q, at, strict=True)]
            rates = [select(better, x, y) for x, y in zip(new_v, rates, strict=True)]
            rewritten = True
        return super().chart(at, rates) or ((at, rates) if rewritten else None)

    def nearest(self, q: Sequence[Scalar], to: Sequence[Scalar]) -> Sequence[Scalar]:
        return nearest_chart(self, [(0, self.surface1), (2, self.surface2)], q, to, 4, 1)

    def deflection(self, q: Sequence[Scalar], rest: Sequence[Scalar]) -> Sequence[Scalar]:
        """How far the body is turned away from its attitude at rest; with slip also how far it is away in x and y."""
        there, here = self.pose(rest), self.pose(q)
        way = [here.p[k] - there.p[k] for k in range(2)] if self.slip else []
        return [*turn_of(there.R.T @ here.R), *way]

    def sides(self, q: Sequence[Scalar]) -> list[tuple[str, Sequence[Scalar]]]:
        """The relative curvature, and normals of surfaces whose frames are differentiated: they turn over at poles."""
        normals = [factor.edges[-1] for leg in self.legs(q) for factor in leg.factors if isinstance(factor, FrameTurn)]
        curvature = determinant(relative_curvature(*self._wandering(q), q[4]))
        return [(ALIKE, [curvature]), *((NO_PLANE, normal.tolist()) for normal in normals)]

    def edges(self, q: Sequence[Scalar]) -> list[Scalar]:
        share = self.share(q)
        return [*super().edges(q), share * share]

    def ranks(self, q: Sequence[Scalar]) -> list[Scalar]:
        """S is constant, but rates are infinite at poles."""
        return [*self.surface1.poles(q[0], q[1]), *self.surface2.poles(q[2], q[3])]

    def singularity(self, q: Sequence[float]) -> str | None:
        at = [float(x) for x in q]
        pole: str | None = self.surface1.singularity(at[0], at[1]) or self.surface2.singularity(at[2], at[3])
        if pole or abs(self.share(at)) > FLAT:
            return pole
        return f"{ALIKE}; start elsewhere, or let a smaller body roll"

    def parts_around(self, q: Sequence[float]) -> bool:
        """Whether the surfaces part around the point where they touch, in all directions; else solids would overlap."""
        K = relative_curvature(*self._wandering(q), q[4])
        return bool(K[0, 1] > 0 and determinant(K) > 0)

    def _wandering(self, q: Sequence[Scalar]) -> tuple[Wandering, Wandering]:
        return Wandering.over(self.surface1, q[0], q[1]), Wandering.over(self.surface2, q[2], q[3])

    def share(self, q: Sequence[Scalar]) -> Scalar:
        """The relative curvature det K as a share of the surfaces' own; 0 where they bend alike."""
        first, second = self._wandering(q)
        size = first.bend + second.bend
        return determinant(relative_curvature(first, second, q[4])) / size if plain(size) != 0 else 0.0


def _seen(rates: Sequence[Scalar], c: Scalar, s: Scalar) -> list[Scalar]:
    """A velocity along the tangents, if there is one, in axes turned by an angle of this cosine and sine."""
    return [c * rates[0] + s * rates[1], c * rates[1] - s * rates[0]] if rates else []


def check_bend(joint: Rolling) -> None:
    """Refuse surfaces that touch along a line, or bend alike, wherever they touch."""
    rng = np.random.default_rng(11)
    low, high = np.array([c.domain for c in joint.coordinates]).clip(-10, 10).T
    try:
        probes = [(low + rng.uniform(0.1, 0.9, 5) * (high - low)).tolist() for _ in range(PROBES)]
        if not all(is_number(x) for s in (joint.surface1, joint.surface2) for x in s.point(*s.neutral)):
            return  # numbers are not known yet
        flat = all(abs(joint.share(q)) < FLAT for q in probes)
    except AnyjointError:
        return  # a surface of the user's own, which is checked elsewhere
    if flat:
        names = f"{joint.surface1.name}, {joint.surface2.name}"
        raise InputError(
            f"Rolling({names}): the surfaces touch along a line or over an area wherever they touch, so that no point "
            "says how they roll; use joints.RollingWheel for wheels in a plane, or a slightly bulging surface"
        )
