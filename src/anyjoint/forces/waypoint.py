"""What a path may pass beside points of bodies: points that move or come and go, drums, pulleys."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anyjoint.frozen import frozen
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar

from .force import Values, Vector3


@frozen(eq=False)
class MovingPoint:
    """A point that moves on its body (None: the ground) with coordinates: position(x, ...) gives its three numbers.

    `coordinates` are (body, number) each. `position` is differentiated as joints are.
    """

    body: Where
    position: Callable[..., Values]
    coordinates: Sequence[tuple[Where, int]]


@frozen
class ConditionalPoint:
    """A point of a body (None: the ground) that a path passes only while a coordinate is within a range.

    `coordinate` is (body, number); with `function`, that of the coordinate has to be within the range. The length of
    the path jumps where the point comes and goes, unless the path passes it just then.
    """

    body: Where
    point: Vector3
    coordinate: tuple[Where, int]
    range: tuple[float, float]
    function: Callable[[Scalar], Scalar] | None = None


@frozen
class Drum:
    """A drum that turns with a coordinate of a body and winds the path up: its length has radius * (q - zero) more.

    A path of drums alone is a weighted sum of coordinates, as fixed tendons of MuJoCo are.
    """

    body: Where
    radius: float
    coordinate: int = 0
    zero: float = 0.0


@frozen
class Pulley:
    """Ends a branch of a path; the next one counts 1 / divisor of its length, as behind a block and tackle."""

    divisor: float
