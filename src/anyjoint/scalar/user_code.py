"""Calling a user's function: what goes wrong inside is reported with its file and line and with what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from anyjoint.errors import AnyjointError, JointError, SingularityError

from .code_line import CodeLine, line_of
from .dual import real_part
from .functions import Scalar, is_number
from .remedy import remedy

# What arithmetic says where a function has no value; other ValueErrors are mistakes in the function, not places.
NO_VALUE = "math domain error|math range error|expected a (positive|nonnegative|number)|must be finite|[Ss]ingular"


@contextmanager
def user_code(name: str, function: Any, q: Sequence[Scalar], what: str = "joint") -> Iterator[None]:
    """Run code of a user's on coordinates q; floats follow the rules of compiled code (1 / 0 is infinite)."""
    try:
        with np.errstate(all="ignore"):
            yield
    except JointError:
        raise  # a joint inside a joint has told already
    except Exception as error:  # a user's function may raise anything
        raise failure(name, error, q, function, what) from error


def failure(
    name: str, error: Exception, q: Sequence[Scalar], function: Any = None, what: str = "joint"
) -> AnyjointError:
    """The error to raise instead: which function, where, at which coordinates, what went wrong, what to do."""
    place = line_of(error, function)
    where = f"{name} ({place})" if place else name
    if advice := _advice(error, place or _builtin(function), q):
        return JointError(f"{where} fails, because a {what} is traced with expressions instead of numbers: {advice}")
    at = at_numbers(q)
    if isinstance(error, SingularityError):
        return SingularityError(f"{where}{at}: {error}")
    said = str(error) if isinstance(error, AnyjointError) else f"{type(error).__name__}: {error}"
    placed = isinstance(error, ArithmeticError) or (isinstance(error, ValueError) and re.search(NO_VALUE, said))
    if at and placed:
        return SingularityError(f"{where} is not defined{at}: {said}; {_domain(place)}")
    return JointError(f"{where} fails{at}: {said}{_signature(error, len(q)) if what == 'joint' else ''}")


def at_numbers(q: Sequence[Scalar]) -> str:
    """Where, for a message, if coordinates are numbers; nothing if they are expressions."""
    if not len(q):
        return ""
    try:
        return f" at q = {[round(real_part(x), 6) for x in q]}"
    except (AnyjointError, TypeError):
        return ""


def _advice(error: Exception, place: CodeLine, q: Sequence[Scalar]) -> str | None:
    """What to write instead, unless all were plain numbers and none was asked to be an integer."""
    plain = all(is_number(x) for x in q) and "integer" not in str(error)
    return None if plain else remedy(error, place)


def _builtin(function: Any) -> CodeLine:
    """A stand-in for the line of a function that is not written in Python, such as math.sin itself."""
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__name__', '')}"
    return CodeLine("", 0, name, name)


def _domain(place: CodeLine | None) -> str:
    if place and "select" in place.line:
        return "both sides of aj.select are computed: guard the argument, as in aj.sqrt(aj.maximum(x, 0.0))"
    return "if the joint is meant for a part of its coordinates only, say which with domain=[(low, high)]"


def _signature(error: Exception, count: int) -> str:
    if isinstance(error, IndexError):
        return f"; a joint of dof={count} has the coordinates q[0] to q[{count - 1}]: use those or raise dof"
    if isinstance(error, TypeError) and "positional argument" in str(error):
        return "; a joint's function takes one argument, all coordinates: def f(q) with q[0], q[1], ..."
    return ""
