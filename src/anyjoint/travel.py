"""How mechanisms, models and trajectories travel between processes: pickled, a user's own functions with them.

Plain pickle stores a function as the name under which its module holds it. Functions without such a name (lambdas,
functions inside functions, those of a notebook) travel by value through cloudpickle, where that is installed.
Loading a pickle runs code: load only what comes from someone you trust.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

from anyjoint.errors import AnyjointError

REFUSALS = (pickle.PicklingError, AttributeError, TypeError)  # what picklers raise for what they cannot store


class Parcel:
    """Something that may hold functions of the user's own; pickled as one string of bytes, copied as it is."""

    def __init__(self, content: Any) -> None:
        self.content = content

    def __reduce__(self) -> tuple[Any, ...]:
        return unpacked, (packed(self.content),)

    def __copy__(self) -> Parcel:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Parcel:
        return Parcel(copy.deepcopy(self.content, memo))


def packed(content: Any) -> bytes:
    """The content as bytes, or an error that says what cannot travel."""
    by_value = _cloudpickle()
    try:
        return (by_value or pickle.dumps)(content)
    except REFUSALS as error:
        remedy = "define it at the top of a module"
        if by_value is None:
            remedy += ", or run: pip install cloudpickle, which takes lambdas and inner functions along"
        raise AnyjointError(f"pickle: something of the user's own cannot be stored: {error}; {remedy}") from error


def unpacked(data: bytes) -> Parcel:
    """The content again; runs inside the caller's own pickle.loads, whose trust it shares."""
    return Parcel(pickle.loads(data))  # noqa: S301


def _cloudpickle() -> Callable[[Any], bytes] | None:
    try:
        from cloudpickle import dumps
    except ImportError:
        return None
    found: Callable[[Any], bytes] = dumps
    return found
