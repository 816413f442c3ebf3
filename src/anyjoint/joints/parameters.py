"""The numbers of a joint that may change at run time, and what stays of the joint when they are left out."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Iterator, Sequence
from functools import cache
from types import MethodType
from typing import Any

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar


@frozen
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
        elif type(value) is not tuple and dataclasses.is_dataclass(value) and not isinstance(value, type):
            found += parameters(value, (*path, name))
        elif isinstance(value, tuple):
            for k, item in enumerate(value):
                if type(item) is not float and dataclasses.is_dataclass(item):
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


class Same:
    """A thing as a key: equal to itself alone, whatever it says about others, and alive as long as the key is."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.thing is other.thing

    def __hash__(self) -> int:
        return id(self.thing)


def signature(thing: Any, whole: bool = False) -> Hashable:
    """What makes two joints the same kind: everything but their run-time numbers; `whole` counts these too.

    Plain data are compared by value to the last bit; functions and other objects only equal themselves, because `==`
    of a user's class promises nothing about what its objects compute.
    """
    if isinstance(thing, type):
        return thing
    if _is_record(thing):
        fields = _fields(thing)
        parts = tuple((name, signature(value, whole)) for name, value, domain in fields if whole or domain is None)
        return (type(thing), parts)
    if type(thing) in (list, tuple):
        return (type(thing), tuple(signature(item, whole) for item in thing))
    if isinstance(thing, (np.ndarray, np.generic)) and thing.dtype.kind != "O":
        return ("array", thing.dtype.str, thing.shape, thing.tobytes())
    if type(thing) is float:
        return (float, thing.hex())  # 0.0 and -0.0 are different numbers
    if thing is None or type(thing) in (bool, int, complex, str, bytes):
        return (type(thing), thing)
    if isinstance(thing, MethodType):
        return ("method", Same(thing.__self__), Same(thing.__func__))
    return Same(thing)


def _is_record(thing: Any) -> bool:
    """A dataclass that is compared by value and holds nothing beside its fields."""
    if not dataclasses.is_dataclass(thing) or type(thing).__eq__ is object.__eq__:
        return False
    fields = {field.name for field in dataclasses.fields(thing)}
    return type(thing).__module__.startswith("anyjoint.") or fields >= getattr(thing, "__dict__", {}).keys()


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
