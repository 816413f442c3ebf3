"""Free motion: rotation and translation, six coordinates [RM section 4.8]."""

from collections.abc import Sequence

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, cross, vector

from .composite import Composite
from .joint import Coordinate, Joint
from .product_rule import Motion
from .spherical import Spherical
from .translational import Translational

ORDERS = {
    "rotation-first": Composite(Spherical(), Translational()),
    "translation-first": Composite(Translational(), Spherical()),
}


@frozen
class Free(Joint):
    """No constraint at all, Q = exp([q_r]) Trans(q_t) [RM eq. 42]; q = (rotation vector, translation).

    The translation is along the axes of the body. With `order="translation-first"`, Q = Trans(q_t) exp([q_r]) and
    q = (translation, rotation vector): the translation is along the axes of the parent. A body that turns freely keeps
    its energy better on `FreeQuaternion` (docs: Energy over long runs).
    """

    order: str = "rotation-first"

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise InputError(f"Free(order={self.order!r}): expected one of {sorted(ORDERS)}")

    @property
    def parts(self) -> Composite:
        """The two joints in a row that this one is."""
        return ORDERS[self.order]

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(coordinate for part in self.parts.joints for coordinate in part.coordinates)

    def pose(self, q: Sequence[Scalar]) -> Pose:
        return self.parts.pose(q)

    def motion(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
        return self.parts.motion(q, v)  # [RM eq. 43, 44]

    def chart(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]] | None:
        return self.parts.chart(q, v)

    def nearest(self, q: Sequence[Scalar], to: Sequence[Scalar]) -> Sequence[Scalar]:
        return self.parts.nearest(q, to)

    def deflection(self, q: Sequence[Scalar], rest: Sequence[Scalar]) -> Sequence[Scalar]:
        return self.parts.deflection(q, rest)

    def speeds(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        """The angular velocity in the body, and the velocity along its axes, or those of the parent where it is so."""
        made = self.parts.speeds(q, v)
        if self.order == "translation-first":
            return made
        omega = made[:3]
        return [*omega, *(vector(*v[3:]) + cross(omega, q[3:]))]

    def singularity(self, q: Sequence[float]) -> str | None:
        return self.parts.singularity(q)
