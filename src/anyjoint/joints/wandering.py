"""A contact point that wanders over two surfaces: how their frames turn with it, and their relative curvature.

Let w be its velocity across both surfaces, in the axes of frame 2c. A frame that goes with it turns by `tilt w` about
the tangents and by `spin w` about the normal. Where nothing slips, w is the same over both surfaces, and the bodies
turn against each other by the difference of the tilts: omega = K w, with the relative curvature K.
"""

from __future__ import annotations

from anyjoint.errors import SingularityError
from anyjoint.frozen import frozen
from anyjoint.geometry.surfaces import Surface
from anyjoint.scalar import Scalar, plain, sincos
from anyjoint.spatial import Matrix, Vector, as_matrix

from .product_rule import leg_motion

ALIKE = "both surfaces bend alike where they touch, so that the contact point would run away at infinite speed"


@frozen
class Wandering:
    """What a surface's frame does per unit of velocity of its origin across the surface, in its own axes."""

    rates: Matrix  # du/dt, dv/dt (2 x 2)
    tilt: Matrix  # angular velocity about the two tangents (2 x 2)
    spin: Vector  # angular velocity about the normal

    @staticmethod
    def over(surface: Surface, u: Scalar, v: Scalar) -> Wandering:
        """From the twists of the frame along u and v; u goes first, because the first axis is along it."""
        S = leg_motion(lambda x: surface.frame(x[0], x[1]), [u, v], [0, 0]).S
        along = reciprocal(S[3, 0], f"{surface.name}: u moves nothing here")
        share = S[4, 0] * along
        across = reciprocal(S[4, 1] - share * S[3, 1], f"{surface.name}: u and v move the same here")
        back = S[3, 1] * along * across
        rates = as_matrix([[along + back * share, -back], [-across * share, across]])
        return Wandering(rates, S[:2] @ rates, S[2] @ rates)

    @property
    def bend(self) -> Scalar:
        """The sum of the squares of all curvatures."""
        return sum((x * x for x in self.tilt.flat), 0)


def towards_first(psi: Scalar) -> Matrix:
    """Tangents of frame 2c seen in frame 1c: R_psi without the normals [PAK eq. 10]."""
    s, c = sincos(psi)
    return as_matrix([[c, -s], [-s, -c]])


def relative_curvature(first: Wandering, second: Wandering, psi: Scalar) -> Matrix:
    """K of omega = K w, in frame 2c."""
    R = towards_first(psi)
    return R.T @ first.tilt @ R - second.tilt


def determinant(K: Matrix) -> Scalar:
    """det K: the product of the two principal relative curvatures."""
    return K[0, 0] * K[1, 1] - K[0, 1] * K[1, 0]


def inverse(K: Matrix) -> Matrix:
    """w = K^-1 omega."""
    share = reciprocal(determinant(K), ALIKE)
    return as_matrix([[K[1, 1] * share, -K[0, 1] * share], [-K[1, 0] * share, K[0, 0] * share]])


def reciprocal(x: Scalar, trouble: str) -> Scalar:
    """1 / x; `trouble` says what is wrong if a plain number has none."""
    if plain(x) == 0:
        raise SingularityError(trouble)
    return 1 / x
