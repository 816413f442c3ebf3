"""The numbers of a joint that may change at run time, and what stays of the joint when they are left out."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from anyjoint.scalar import Scalar


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A run-time number: where it sits in the joint, its value, where it usually is and where it may go."""

    path: tuple[str, ...]
    value: float
    domain: tuple[float, float]
    bounds: tuple[float, float] = (-math.inf, math.inf)


def parameters(thing: Any, path: tuple[str, ...] = ()) -> list[Parameter]:
    """All run-time numbers of a joint or of geometry inside it, in field order."""
    found = []
    for name, value, domain in _fields(thing):
        if domain is not None:
            found.append(Parameter((*path, name), float(value), domain, _bounds(thing, name)))
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            found += parameters(value, (*path, name))
        elif isinstance(value, tuple):
            for k, item in enumerate(value):
                if not isinstance(item, (int, float)) and dataclasses.is_dataclass(item):
                    found += parameters(item, (*path, name, str(k)))
    return found


def bind(thing: Any, values: Sequence[Scalar]) -> Any:
    """The same joint with its run-time numbers replaced, in the order of `parameters`."""
    return _bind(thing, iter(values))


def _bind(thing: Any, values: Iterator[Scalar]) -> Any:
    changes: dict[str, Any] = {}
    for name, value, domain in _fields(thing):
        if domain is not None:
            changes[name] = next(values)
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            changes[name] = _bind(value, values)
        elif isinstance(value, tuple) and any(dataclasses.is_dataclass(item) for item in value):
            changes[name] = tuple(_bind(item, values) if dataclasses.is_dataclass(item) else item for item in value)
    changes = {name: new for name, new in changes.items() if new is not getattr(thing, name)}
    return dataclasses.replace(thing, **changes) if changes else thing


def signature(thing: Any) -> Hashable:
    """What makes two joints the same kind: everything but their run-time numbers."""
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        parts = tuple((name, signature(value)) for name, value, domain in _fields(thing) if domain is None)
        return (type(thing), parts)
    if isinstance(thing, (list, tuple)):
        return (type(thing), tuple(signature(item) for item in thing))
    if isinstance(thing, np.ndarray):
        return ("array", thing.shape, thing.tobytes())
    if isinstance(thing, Hashable):
        return thing
    return ("object", id(thing))


def _bounds(thing: Any, name: str) -> tuple[float, float]:
    field = next(field for field in dataclasses.fields(thing) if field.name == name)
    lo, hi = field.metadata.get("bounds", (-math.inf, math.inf))
    return lo, hi


def _fields(thing: Any) -> Iterator[tuple[str, Any, tuple[float, float] | None]]:
    for name, domain in _declared(thing.__class__):
        yield name, getattr(thing, name), domain


@cache
def _declared(kind: Any) -> tuple[tuple[str, tuple[float, float] | None], ...]:
    """Names of a dataclass's fields and the domains of those that are run-time numbers."""
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    return tuple((field.name, field.metadata.get("domain")) for field in fields if field.init)
