"""Signed distances: functions of a point that are negative inside, whose gradient is the normal of what they bound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, definition, is_number, user_code
from anyjoint.spatial import Vector

TINY = 1e-36  # keeps roots of squares differentiable at 0, also in short numbers


class Distance:
    """Base of all signed distances."""

    slides = 5  # places on the way to the nearest one; 0 for true distances, whose gradients know it at once
    endless = False  # whether it has no other side to come out at, as grounds have none

    def __call__(self, p: Vector) -> Scalar:
        """The distance of a point, negative inside."""
        raise TypeError(f"{type(self).__name__} does not say how far a point is")


@frozen
class FunctionDistance(Distance):
    """The distance of `distances.distance(f)`."""

    function: Callable[[Vector], Scalar]

    @property
    def name(self) -> str:
        """What messages call it."""
        place = definition(self.function)
        return f"distance function {function_name(self.function)}" + (f" ({place})" if place else "")

    def __call__(self, p: Vector) -> Scalar:
        with user_code(f"distance function {function_name(self.function)}", self.function, list(p), "distance"):
            found = self.function(p)
        if found is None:
            raise InputError(f"{self.name} returned None; is a `return` missing?")
        made = list(np.ravel(np.asarray(found, dtype=object)))
        good = len(made) == 1 and (is_number(made[0]) or hasattr(made[0], "__rmul__"))
        if not good or isinstance(made[0], (bool, str)):
            raise InputError(f"{self.name} returned {found!r}; expected one number, negative inside")
        return made[0]


def function_name(function: Any) -> str:
    """What a function is called."""
    return str(getattr(function, "__name__", type(function).__name__))


def distance(f: Callable[[Vector], Scalar]) -> Distance:
    """A signed distance from any plain function of a point, p[0], p[1], p[2]: negative inside, 0 on the surface.

    It need not be the true distance: nearest points are found from its values and its gradient, which must not vanish.

    >>> from anyjoint import distances
    >>> bowl = distances.distance(lambda p: p[2] - 0.2 * (p[0] ** 2 + p[1] ** 2))
    """
    if not callable(f):
        raise InputError(f"distance({f!r}): expected a function of a point that returns a number, negative inside")
    return FunctionDistance(f)


def as_distance(given: Any) -> Distance:
    """The distance itself, or a plain function made into one."""
    return given if isinstance(given, Distance) else distance(given)
