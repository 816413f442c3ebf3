"""Dataclasses that cannot be changed, as `@dataclass(frozen=True)`, but defined in a tenth of the time.

`dataclasses` writes six functions for a frozen class and has Python compile each of them, half a millisecond in all. A
start from the cache defines 160 such classes and makes objects of 50. Here `__init__` is written when it is first
asked for, and what only goes through the fields (comparing, hashing, showing, refusing) is written once for all.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, make_dataclass
from functools import cache, partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, eq: bool = True, kw_only: bool = False) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, /, *, eq: bool = True, kw_only: bool = False) -> Any:
    """A dataclass whose objects cannot be changed; `dataclasses.replace`, `fields` and subclasses work as ever."""
    if cls is None:
        return partial(frozen, eq=eq, kw_only=kw_only)
    inherits = any(is_dataclass(base) for base in cls.__mro__[1:])  # dataclasses asks that it be frozen like its base
    dataclass(frozen=inherits, init=False, repr=False, eq=False, kw_only=kw_only)(cls)
    cls.__dataclass_params__.frozen = True
    functions = {"__init__": _Init(cls), "__repr__": _shown, "__setattr__": _refuse, "__delattr__": _refuse}
    for name, function in (functions | ({"__eq__": _equal, "__hash__": _hash} if eq else {})).items():
        if cls.__dict__.get(name) is None or function is _refuse:  # a class may bring its own
            setattr(cls, name, function)
    return cls


class _Init:
    """An `__init__` that is written when it is first asked for, by a call or by a look at its signature."""

    def __init__(self, cls: Any) -> None:
        self.cls = cls

    def __get__(self, thing: Any, kind: type) -> Any:
        parts = {part.name: part for part in fields(self.cls)}
        after = {"__post_init__": self.cls.__post_init__} if hasattr(self.cls, "__post_init__") else {}
        twin: Any = make_dataclass(
            "twin", [(name, object, copy(part)) for name, part in parts.items()],
            namespace=after, frozen=True, repr=False, eq=False,
        )  # fmt: skip
        written = twin.__init__
        written.__qualname__ = f"{self.cls.__qualname__}.__init__"
        written.__annotations__ = {name: part.type for name, part in parts.items() if part.init} | {"return": None}
        self.cls.__init__ = written
        return written.__get__(thing, kind)


@cache
def _compared(kind: Any) -> Callable[[Any], Any]:
    """What two objects of a class are compared by."""
    names = [part.name for part in fields(kind) if part.compare]
    return attrgetter(*names) if names else lambda thing: ()


def _equal(self: Any, other: object) -> Any:
    compared = _compared(self.__class__)
    return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self.__class__)(self))


@recursive_repr()
def _shown(self: Any) -> str:
    parts = (f"{part.name}={getattr(self, part.name)!r}" for part in fields(self) if part.repr)
    return f"{type(self).__qualname__}({', '.join(parts)})"


def _refuse(self: Any, name: str, *value: object) -> None:
    raise FrozenInstanceError(
        f"{name!r} of a {type(self).__name__} cannot be changed: dataclasses.replace makes another"
    )
