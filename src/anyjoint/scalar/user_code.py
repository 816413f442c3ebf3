"""Calling a user's function: what goes wrong inside is reported with its file and line and with what to do."""

from __future__ import annotations

import linecache
import os
import re
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, TracebackType
from typing import Any

import numpy as np

from anyjoint.errors import AnyjointError, JointError, SingularityError

from .dual import real_part
from .functions import Scalar, is_number
from .remedy import remedy

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STANDARD = sysconfig.get_path("stdlib")


MISUSE = "must be a|shape"  # what no other place would make good


@contextmanager
def user_code(name: str, function: Any, q: Sequence[Scalar]) -> Iterator[None]:
    """Run code of a user's on coordinates q; floats follow the rules of compiled code (1 / 0 is infinite)."""
    try:
        with np.errstate(all="ignore"):
            yield
    except JointError:
        raise  # a joint inside a joint has told already
    except Exception as error:  # a user's function may raise anything
        raise failure(name, error, q, function) from error


def failure(name: str, error: Exception, q: Sequence[Scalar], function: Any = None) -> AnyjointError:
    """The error to raise instead: which function, where, at which coordinates, what went wrong, what to do."""
    place = place_of(error, function)
    where = f"{name} ({place})" if place else name
    values = numbers(q)
    advice = remedy(error, place.expression, place.line, place.libraries) if place else _of_builtin(error, function)
    plain = all(is_number(x) for x in q) and "integer" not in str(error)  # then it is no matter of expressions
    if advice and not plain:
        return JointError(f"{where} fails, because a joint is traced with expressions instead of numbers: {advice}")
    at = at_numbers(q)
    if isinstance(error, SingularityError):
        return SingularityError(f"{where}{at}: {error}")
    said = str(error) if isinstance(error, AnyjointError) else f"{type(error).__name__}: {error}"
    if values is not None and isinstance(error, (ArithmeticError, ValueError)) and not re.search(MISUSE, said):
        return SingularityError(f"{where} is not defined{at}: {said}; {_domain(place)}")
    return JointError(f"{where} fails{at}: {said}{_signature(error, len(q))}")


def numbers(q: Sequence[Scalar]) -> list[float] | None:
    """Coordinates as plain numbers for a message, or None if they are expressions."""
    try:
        return [round(real_part(x), 6) for x in q]
    except (AnyjointError, TypeError):
        return None


def at_numbers(q: Sequence[Scalar]) -> str:
    """Where, for a message, if coordinates are numbers."""
    values = numbers(q)
    return "" if values is None else f" at q = {values}"


def _of_builtin(error: Exception, function: Any) -> str | None:
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__name__', '')}"
    return remedy(error, name, name, "")


def _domain(place: Place | None) -> str:
    if place and "select" in place.line:
        return "both sides of aj.select are computed: guard the argument, as in aj.sqrt(aj.maximum(x, 0.0))"
    return "if the joint is meant for a part of its coordinates only, say which with domain=[(low, high)]"


def _signature(error: Exception, count: int) -> str:
    if isinstance(error, IndexError):
        return f"; a joint of dof={count} has the coordinates q[0] to q[{count - 1}]: use those or raise dof"
    if isinstance(error, TypeError) and "positional argument" in str(error):
        return "; a joint's function takes one argument, all coordinates: def f(q) with q[0], q[1], ..."
    return ""


# -- places ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """A line of a user's code: the part of it that failed, and the libraries that it had called."""

    file: str
    number: int
    line: str = ""
    expression: str = ""
    libraries: str = ""

    def __str__(self) -> str:
        shown = self.expression if self.expression and self.expression in self.line else ""
        return f"{readable(self.file)}:{self.number}" + (f": `{shown}`" if shown else "")


def definition(function: Any) -> Place | None:
    """Where a function was written; None for what is not written in Python."""
    code = _code(function)
    return Place(code.co_filename, code.co_firstlineno) if code else None


def place_of(error: BaseException, function: Any = None) -> Place | None:
    """The last line of user code that an error went through; where the function was written if it went through none."""
    home = _code(function)
    frames = list(_walk(error.__traceback__))
    for k in range(len(frames) - 1, -1, -1):
        code = frames[k].tb_frame.f_code
        if not _is_library(code.co_filename) or (home and code.co_filename == home.co_filename):
            libraries = " ".join(str(f.tb_frame.f_globals.get("__name__", "")) for f in frames[k + 1 :])
            return _place(frames[k], libraries)
    return definition(function)


def _walk(at: TracebackType | None) -> Iterator[TracebackType]:
    while at is not None:
        yield at
        at = at.tb_next


def _place(at: TracebackType, libraries: str) -> Place:
    code = at.tb_frame.f_code
    line = linecache.getline(code.co_filename, at.tb_lineno, at.tb_frame.f_globals).strip("\n")
    # Without a source (a function from `eval`), the names that the code uses still tell what it called.
    expression = _part(at, line) if line else ".".join(code.co_names)
    return Place(code.co_filename, at.tb_lineno, line.strip(), expression, libraries)


def _part(at: TracebackType, line: str) -> str:
    """The part of a line that was being evaluated."""
    positions = list(at.tb_frame.f_code.co_positions())
    first, last, begin, end = positions[at.tb_lasti // 2]
    if first is None or begin is None or end is None:
        return line.strip()
    data = line.encode()
    return (data[begin:end] if first == last else data[begin:]).decode(errors="replace").strip()


def _code(function: Any) -> CodeType | None:
    """The code of a function, of a partial's function, or of an object that can be called."""
    inner = getattr(function, "func", function)
    method = vars(type(inner)).get("__call__")  # of an object that its class lets one call
    code = getattr(inner, "__code__", None) or getattr(method, "__code__", None)
    return code if isinstance(code, CodeType) else None


def _is_library(file: str) -> bool:
    """Anyjoint, the standard library, installed packages, and what is not Python text at all."""
    inside = file.startswith((PACKAGE + os.sep, STANDARD + os.sep)) or "-packages" + os.sep in file
    return inside or file.startswith("<frozen") or (not file.endswith((".py", ">")) and not os.path.exists(file))


def readable(file: str) -> str:
    """A path as one would type it here."""
    here = os.getcwd() + os.sep
    return file.removeprefix(here)
