"""A user's function of parameters that returns a point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anyjoint.errors import InputError
from anyjoint.scalar import Scalar, user_code
from anyjoint.spatial import Vector, vector


def called(name: str, function: Callable[..., Any], *parameters: Scalar) -> Vector:
    """What the function of that name returns, if these are three numbers."""
    with user_code(name, function, parameters):
        p = function(*parameters)
    try:
        x, y, z = p
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected three numbers (x, y, z), got {p!r}") from error
    return vector(x, y, z)
