"""Where a user's code failed: the line, the part of it that was being evaluated, the libraries that it had called."""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterator
from types import CodeType, TracebackType
from typing import Any

from anyjoint.frozen import frozen

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STANDARD = os.path.dirname(os.path.abspath(os.__file__))  # the standard library


@frozen
class CodeLine:
    """A line of a user's code: the part of it that failed, and the libraries that it had called."""

    file: str
    number: int
    line: str = ""
    expression: str = ""
    libraries: str = ""

    def __str__(self) -> str:
        shown = self.expression if self.expression and self.expression in self.line else ""
        return f"{readable(self.file)}:{self.number}" + (f": `{shown}`" if shown else "")


def definition(function: Any) -> CodeLine | None:
    """Where a user wrote a function; None for what is of this library, or not written in Python."""
    code = _code(function)
    own = code is None or code.co_filename.startswith(PACKAGE + os.sep)
    return None if code is None or own else CodeLine(code.co_filename, code.co_firstlineno)


def line_of(error: BaseException, function: Any = None) -> CodeLine | None:
    """The last line of user code that an error went through; where the function was written if it went through none."""
    home = _code(function)
    frames = list(_walk(error.__traceback__))
    for k in range(len(frames) - 1, -1, -1):
        code = frames[k].tb_frame.f_code
        if not _is_library(code.co_filename) or (home and code.co_filename == home.co_filename):
            libraries = " ".join(str(f.tb_frame.f_globals.get("__name__", "")) for f in frames[k + 1 :])
            return _line(frames[k], libraries)
    return definition(function)


def _walk(at: TracebackType | None) -> Iterator[TracebackType]:
    while at is not None:
        yield at
        at = at.tb_next


def _line(at: TracebackType, libraries: str) -> CodeLine:
    code = at.tb_frame.f_code
    line = linecache.getline(code.co_filename, at.tb_lineno, at.tb_frame.f_globals).strip("\n")
    # Without a source (a function from `eval`), the names that the code uses still tell what it called.
    expression = _part(at, line) if line else ".".join(code.co_names)
    return CodeLine(code.co_filename, at.tb_lineno, line.strip(), expression, libraries)


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
