"""Frozen dataclasses that get their methods when one is first asked for.

The standard library writes and compiles six functions for each, and did so for hundreds of them that a program never
makes: a quarter of the time from starting Python to a first answer went there. All else is as it was, by its own code.
"""

from __future__ import annotations

import dataclasses
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(kind: type | None = None, /, **options: Any) -> Any:
        """`dataclasses.dataclass`; a frozen one waits."""
        if kind is None:
            return lambda kind: dataclass(kind, **options)
        if not options.get("frozen"):
            return dataclasses.dataclass(kind, **options)
        _freeze(kind)
        _wait(kind, options)
        return kind


METHODS = {"init": ("__init__",), "repr": ("__repr__",), "eq": ("__eq__", "__hash__")}  # by the option that asks for it
ABOUT = "__dataclass_fields__"
NOT_COPIED = ("__dict__", "__weakref__", "__setattr__", "__delattr__")
LOCK = RLock()


class _Holder:
    """Stands in for what a class has not got yet, and fetches all of it when it is looked up."""

    def __init__(self, kind: type, name: str, options: dict[str, Any]) -> None:
        self.kind, self.name, self.options = kind, name, options

    def __get__(self, thing: object, owner: type | None = None) -> Any:
        with LOCK:
            if isinstance(vars(self.kind)[ABOUT], _Holder):
                _finish(self.kind, self.options)
        found = vars(self.kind)[self.name]
        return found if thing is None or self.name == ABOUT else found.__get__(thing)


def _wait(kind: type, options: dict[str, Any]) -> None:
    """Put holders where the standard library will put something."""
    names = [name for option, names in METHODS.items() if options.get(option, True) for name in names]
    for name in (ABOUT, *names):
        if vars(kind).get(name) is None:  # a class with an __eq__ of its own has None for its __hash__
            setattr(kind, name, _Holder(kind, name, options))


def _finish(kind: type, options: dict[str, Any]) -> None:
    """Let the standard library work on a copy, then take over what it has made: no thread sees a class half done."""
    own = vars(kind)
    held = [name for name, value in own.items() if isinstance(value, _Holder)]
    same = {name: value for name, value in own.items() if name not in NOT_COPIED and name not in held}
    made = vars(dataclasses.dataclass(type(kind)(kind.__name__, kind.__bases__, same), **options))
    for name in [name for name, value in same.items() if isinstance(value, dataclasses.Field)]:
        if name in made:
            setattr(kind, name, made[name])
        else:
            delattr(kind, name)
    for name in ("__dataclass_params__", "__match_args__", *(name for name in held if name != ABOUT), ABOUT):
        setattr(kind, name, made[name])


def _freeze(kind: Any) -> None:
    """Refuse assignments, as the standard library does; what it would compile for this knows its class by name."""

    def refuse(self: Any, name: str, what: str) -> None:
        if type(self) is kind or name in kind.__dataclass_fields__:
            raise dataclasses.FrozenInstanceError(f"cannot {what} field {name!r}")

    def assign(self: Any, name: str, value: Any) -> None:
        refuse(self, name, "assign to")
        super(kind, self).__setattr__(name, value)

    def delete(self: Any, name: str) -> None:
        refuse(self, name, "delete")
        super(kind, self).__delattr__(name)

    kind.__setattr__, kind.__delattr__ = assign, delete
