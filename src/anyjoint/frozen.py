"""Dataclasses that cannot be changed, as `@dataclass(frozen=True)`, but defined in a hundredth of the time.

`dataclasses` looks through a class when it is defined, writes six functions for a frozen one and has Python compile
each of them, half a millisecond in all. A start from the cache defines 180 such classes and makes objects of 50, of
most of them few. Here a class is looked through when its fields are first asked for, its first objects are filled by a
loop over them, and `__init__` is written when more are made. What only goes through the fields (comparing, hashing,
showing, refusing) is written once for all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields, is_dataclass, make_dataclass
from functools import cache, cached_property, partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")
FEW = 200  # objects that a loop fills: writing a function takes as long as filling two hundred and fifty
_LATE = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
_put = object.__setattr__
_lock = threading.RLock()  # a class is looked through once, whoever asks


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, eq: bool = True, kw_only: bool = False) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, /, *, eq: bool = True, kw_only: bool = False) -> Any:
    """A dataclass whose objects cannot be changed; `dataclasses.replace`, `fields` and subclasses work as ever."""
    if cls is None:
        return partial(frozen, eq=eq, kw_only=kw_only)
    functions = {"__init__": _Init(cls), "__repr__": _shown, "__setattr__": _refuse, "__delattr__": _refuse}
    for name, function in (functions | ({"__eq__": _equal, "__hash__": _hash} if eq else {})).items():
        if cls.__dict__.get(name) is None or function is _refuse:  # a class may bring its own
            setattr(cls, name, function)
    for name in _LATE:
        setattr(cls, name, _Late(cls, name, kw_only))
    return cls


class _Late:
    """What `dataclasses` finds in a class, found when it is first asked for."""

    def __init__(self, cls: Any, name: str, kw_only: bool) -> None:
        self.cls, self.name, self.kw_only = cls, name, kw_only

    def __get__(self, thing: Any, kind: type) -> Any:
        with _lock:
            if self.cls.__dict__[self.name] is self:
                self._look()
        return self.cls.__dict__[self.name]

    def _look(self) -> None:
        cls = self.cls
        for name in (*_LATE, "__setattr__", "__delattr__"):
            delattr(cls, name)
        inherits = any(is_dataclass(base) for base in cls.__mro__[1:])  # it must then be frozen like its base
        dataclass(frozen=inherits, init=False, repr=False, eq=False, kw_only=self.kw_only)(cls)
        cls.__dataclass_params__.frozen = True
        cls.__setattr__ = cls.__delattr__ = _refuse


class _Init:
    """An `__init__` that goes through the fields for a few objects; then, or to be looked at, one that is written."""

    def __init__(self, cls: Any) -> None:
        self.cls, self.made = cls, 0

    def __get__(self, thing: Any, kind: type) -> Any:
        self.made += 1
        if thing is None or self.made > FEW:
            self.cls.__init__ = self._written()
            return self.cls.__init__.__get__(thing, kind)
        return partial(self._fill, thing)

    @cached_property
    def _places(self) -> list[tuple[str, bool, Any, Callable[[], Any] | None]]:
        """Of each field its name, whether it is given, its default and what makes one; those by position first."""
        parts = sorted(fields(self.cls), key=lambda part: not part.init or bool(part.kw_only))
        makers = [None if part.default_factory is MISSING else part.default_factory for part in parts]
        return [(part.name, part.init, part.default, made) for part, made in zip(parts, makers, strict=True)]

    @cached_property
    def _by_position(self) -> int:
        return sum(part.init and not part.kw_only for part in fields(self.cls))

    def _fill(self, thing: Any, /, *args: Any, **given: Any) -> None:
        count, named, wrong = len(args), 0, len(args) > self._by_position
        for k, (name, is_given, default, make) in enumerate(self._places):
            if k < count and not wrong:
                _put(thing, name, args[k])
            elif is_given and name in given:
                _put(thing, name, given[name])
                named += 1
            elif make is not None:
                _put(thing, name, make())
            elif is_given and default is MISSING:
                wrong = True
            elif is_given:
                _put(thing, name, default)
        if wrong or named != len(given):
            self._written()(thing, *args, **given)  # which tells what is wrong
        if hasattr(self.cls, "__post_init__"):
            thing.__post_init__()

    def _written(self) -> Any:
        parts = {part.name: part for part in fields(self.cls)}
        after = {"__post_init__": self.cls.__post_init__} if hasattr(self.cls, "__post_init__") else {}
        twin: Any = make_dataclass(
            "twin", [(name, object, copy(part)) for name, part in parts.items()],
            namespace={"__doc__": "Unseen."} | after, frozen=True, repr=False, eq=False,
        )  # fmt: skip
        written = twin.__init__
        written.__qualname__ = f"{self.cls.__qualname__}.__init__"
        written.__annotations__ = {name: part.type for name, part in parts.items() if part.init} | {"return": None}
        return written


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
