"""What every constraint is: a name, the bodies and coordinates that it touches, and its rows at a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .rows import Rows, Touched

Coordinate = tuple[int, int]  # a body and one of its coordinates


@frozen(eq=False, kw_only=True)
class Constraint:
    """Rows that accelerations satisfy. `bodies` are indices into `mech.bodies`, -1 for the ground.

    `frames` are the poses in the bodies' frames that the rows are written in. A row with a compliance is soft: it gives
    way by compliance times its multiplier, as a spring; a row on velocities alone, as a damper.
    """

    name: str
    bodies: tuple[int, ...]
    coordinates: tuple[Coordinate, ...] = ()
    frames: tuple[Pose, ...] = ()
    time: bool = False
    compliance: float = 0.0
    row_names: tuple[str, ...] = field(default=())

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.row_names)

    @property
    def alike(self) -> tuple[int, ...]:
        """A number for each row; rows of one number are components of one vector, and small only beside each other."""
        return tuple(range(self.count))

    @property
    def relative(self) -> bool | None:
        """Whether it does not change when all bodies move together; None if that is not known."""
        return None

    @property
    def holonomic(self) -> bool:
        """Whether it restricts positions, not velocities alone."""
        return True

    @property
    def stores(self) -> bool:
        """Whether it is soft, on positions, and the same at all times, so that it stores energy."""
        return bool(self.compliance) and self.holonomic and not self.time

    def rows(self, bodies: Sequence[Touched], q: Sequence[Scalar], qd: Sequence[Scalar], t: Scalar) -> Rows:
        """The rows at a state over any scalar."""
        raise TypeError(f"{type(self).__name__} does not say what its rows are")

    @property
    def described(self) -> str:
        """What messages call it."""
        return f"constraint {self.name!r}"
