"""What a force is: pushes, each of which says what it measures and with which effort it works along that.

Forces are traced once into expressions of the state, so that they run inside the compiled step loop; how they change
with positions and velocities, which implicit steps want to know, is derived. A new kind of force is one file with a
class that has the method `pushes`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from anyjoint.constraints import Push
from anyjoint.errors import AnyjointError, InputError
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Body, Where
from anyjoint.scalar import is_real, reals
from anyjoint.scalar.code_line import line_of
from anyjoint.spatial import Pose

Vector3 = Sequence[float]
Values = Any  # vectors of any scalars, as functions of pushes take and return them


class Force(Protocol):
    """Something that pushes."""

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        """All that pushes on the bodies and coordinates of a mechanism."""


def body_index(mechanism: Mechanism, body: Where, what: str) -> int:
    """Index of a body given as itself, its name, its index, or None for the ground."""
    if body is None or body is mechanism.ground or body == "ground":
        return -1
    if isinstance(body, str):
        try:
            return int(mechanism[body].index)
        except InputError as error:
            raise InputError(f"{what}: {error}") from None
    index = getattr(body, "index", body)
    if isinstance(index, bool) or not isinstance(index, int) or not -1 <= index < mechanism.nb:
        raise InputError(
            f"{what}: {body!r} is not a body of {mechanism.name!r}; give a body, its name, or None for the ground"
        )
    return index


def two_bodies(mechanism: Mechanism, first: Where, second: Where, what: str) -> tuple[int, int]:
    """Indices of the bodies at both ends of a force, which are not the same."""
    a, b = (body_index(mechanism, body, what) for body in (first, second))
    if a == b:
        name = repr(mechanism.bodies[a].name) if a >= 0 else "the ground"
        raise InputError(f"{what}: both ends are on {name}, where it moves nothing; give another body at one of them")
    return a, b


def ask(what: str, function: Callable[..., Any], *given: Any) -> Any:
    """Call a function of the user's; what goes wrong in it is told with its place."""
    try:
        return function(*given)
    except AnyjointError:
        raise
    except Exception as error:  # it may raise anything
        raise InputError(f"{what} ({line_of(error, function)}) fails: {type(error).__name__}: {error}") from error


def moving_index(mechanism: Mechanism, body: Where, what: str) -> int:
    """Index of a body that is not the ground, on which forces do nothing."""
    index = body_index(mechanism, body, what)
    if index < 0:
        raise InputError(f"{what}: body={body!r} is the ground, which does not move; give a body or its name")
    return index


def driven_body(mechanism: Mechanism, body: Where, coordinate: int, what: str) -> Body:
    """A body of which one coordinate can be driven."""
    found = mechanism.bodies[moving_index(mechanism, body, what)]
    if not is_count(coordinate) or not found.joint.rates_are_velocities or coordinate >= found.joint.nv:
        raise InputError(
            f"{what}: body {found.name!r} has no coordinate {coordinate!r} to drive; it has {found.joint.nv}"
        )
    return found


def is_count(x: Any) -> bool:
    """Whether x is a whole number of at least 0, and not a truth value."""
    return isinstance(x, (int, np.integer)) and not isinstance(x, bool) and int(x) >= 0


def check_number(what: str, name: str, value: Any, least: float) -> None:
    """Refuse what is not a finite number of at least `least`."""
    if not is_real(value) or not least <= float(value) < math.inf:
        raise InputError(f"{what}: {name}={value!r}; expected a finite number of at least {least:g}")


def checked_range(what: str, name: str, value: Any) -> tuple[float, float]:
    """Two numbers in increasing order; they may be infinite."""
    try:
        low, high = value
    except (TypeError, ValueError):
        low = high = None
    if not is_real(low) or not is_real(high) or not low <= high:
        raise InputError(f"{what}: {name}={value!r}; expected two numbers in increasing order")
    return float(low), float(high)


def check_pose(what: str, name: str, value: object) -> None:
    """Refuse what is no pose, or not finite; poses are made of rotations alone."""
    if not isinstance(value, Pose) or not np.isfinite(value.matrix.astype(float)).all():
        raise InputError(f"{what}: {name}={value!r}; expected a Pose")


def checked_vector(what: str, name: str, value: object) -> tuple[float, ...]:
    """Three finite numbers, as a tuple."""
    try:
        numbers = reals(value)
    except (TypeError, ValueError):
        numbers = np.full(0, np.nan)
    if numbers.shape != (3,) or not np.isfinite(numbers).all():
        raise InputError(f"{what}: {name}={value!r}; expected three finite numbers")
    return tuple(float(x) for x in numbers)
