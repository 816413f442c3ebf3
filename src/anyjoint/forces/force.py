"""What a force is: on which speeds it works with which effort, and the energy that it stores.

Forces are traced once into expressions of the state, so that they run inside the compiled step loop. A new kind of
force is one file with a class that has these two methods.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from anyjoint.errors import InputError
from anyjoint.scalar import Scalar, reals

from .trace import ForceTrace

Vector3 = Sequence[Any]
Effort = tuple[Any, Any]  # a force or torque, and the speed that it works on


class Force(Protocol):
    """Something that pushes: it gives generalized forces, and an energy where it has a potential."""

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        """Pairs (effort, speed that it works on); power is their product, and the speed is linear in v."""

    def potential(self, trace: ForceTrace) -> Scalar:
        """The energy stored, or 0."""


def is_number(x: Any) -> bool:
    """Whether x is a real number, and not a truth value."""
    return isinstance(x, (int, float, np.integer, np.floating)) and not isinstance(x, bool)


def check_number(what: str, name: str, value: Any, least: float) -> None:
    """Refuse what is not a finite number of at least `least`."""
    if not is_number(value) or not least <= float(value) < math.inf:
        raise InputError(f"{what}: {name}={value!r}; expected a finite number of at least {least:g}")


def checked_vector(what: str, name: str, value: Any) -> tuple[float, ...]:
    """Three finite numbers, as a tuple."""
    try:
        numbers = reals(value)
    except (TypeError, ValueError):
        numbers = np.full(0, np.nan)
    if numbers.shape != (3,) or not np.isfinite(numbers).all():
        raise InputError(f"{what}: {name}={value!r}; expected three finite numbers")
    return tuple(float(x) for x in numbers)
