"""Numbers of forces that may be functions of time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from anyjoint.errors import AnyjointError, InputError
from anyjoint.scalar import Scalar, is_real

Signal = float | Callable[[float], float]
Functions = tuple[Callable[[float], float], ...]


class BadInput(AnyjointError):
    """An input that is no number ends the run."""

    def __init__(self, sentence: str, time: float) -> None:
        super().__init__(sentence)
        self.time = time


def check_signal(what: str, name: str, value: object) -> None:
    """Refuse what is neither a finite number nor a function."""
    if not callable(value) and not (is_real(value) and math.isfinite(value)):
        raise InputError(f"{what}: {name}={value!r}; expected a finite number or a function of time")


def signal_at(function: Callable[[float], float], t: float) -> float:
    """A force's function of time."""
    given = function(t)
    try:
        found = float(given)
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found):
        name = getattr(function, "__name__", "a function")
        raise BadInput(f"{name}(t), which a force depends on, returned {given!r} at t = {t:.6g} s", t)
    return found


def parted(values: Sequence[Signal]) -> tuple[tuple[float, ...], Functions, tuple[bool, ...]]:
    """Numbers (0 for functions), the functions, and which of the values are functions."""
    numbers = tuple(0.0 if callable(x) else float(x) for x in values)
    return numbers, tuple(x for x in values if callable(x)), tuple(callable(x) for x in values)


def joined(numbers: Sequence[Scalar], signals: Sequence[Scalar], timed: Sequence[bool]) -> list[Scalar]:
    """The values again, from numbers and what functions of time say now."""
    at = iter(signals)
    return [next(at) if moving else x for x, moving in zip(numbers, timed, strict=True)]
