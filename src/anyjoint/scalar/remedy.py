"""What to write instead of code that takes plain numbers only, where a joint is traced with expressions."""

from __future__ import annotations

import re

from anyjoint.errors import BranchError, ConversionError

from . import functions
from .code_line import CodeLine

Rules = tuple[tuple[str, str], ...]  # (pattern, advice); the first pattern that is found gives the advice

ROTATIONS = (
    "build rotations with aj.Pose.rotation(axis, angle), aj.Pose.rpy(roll, pitch, yaw) or "
    "aj.Pose.quaternion(w, x, y, z), which also take expressions"
)
SPLINES = (
    "use aj.functions.NaturalCubic(x, y) or aj.functions.PiecewiseLinear(x, y) for numbers and aj.curves.BSpline for "
    "points, which also take expressions"
)
LIBRARIES: Rules = (
    (r"scipy\.spatial|\bRotation\b", ROTATIONS),
    (r"scipy\.interpolate|Spline|Interpolator|interp1d", SPLINES),
    (r"\binterp\b", "use aj.functions.PiecewiseLinear(x, y), or aj.functions.NaturalCubic(x, y) for a smooth curve"),
    (r"\bexpm\b", "multiply aj.Pose.rotation(axis, angle) and aj.Pose.translation(x, y, z) with @"),
    (r"\bnorm\b", "write the length as aj.sqrt(x * x + y * y + z * z)"),
    (r"scipy\.|\blinalg\.", "write it with + - * / ** and aj.sin, aj.sqrt, ..., which also take expressions"),
)
BRANCHES: Rules = (
    (r"\bclip\b", "use aj.minimum(aj.maximum(x, low), high)"),
    (r"\bmax(imum)?\b", "use aj.maximum(x, y), of one number at a time"),
    (r"\bmin(imum)?\b", "use aj.minimum(x, y), of one number at a time"),
    (r"\bsign\b", "use aj.select(x < 0, -1.0, 1.0)"),
    (r"\bround\b", "use aj.floor(x + 0.5)"),
    (r"\b(and|or|not)\b|<.*<|>.*>", "use aj.select(condition, value_if_true, value_if_false) and join conditions by & "
     "and |, as in aj.select((0 < x) & (x < 1), a, b)"),
    (r"==|!=|\bequal\b", "values of expressions cannot be compared by == and !=: use aj.select(abs(x - y) < tolerance, "
     "value_if_equal, value_otherwise)"),
    (r"\bwhile\b", "give the loop a fixed number of rounds and choose with aj.select(condition, a, b)"),
    ("", "use aj.select(condition, value_if_true, value_if_false)"),
)  # fmt: skip
ARRAYS = (
    "an array of floats cannot hold an expression: return a product such as aj.Pose.translation(x, y, z) @ "
    "aj.Pose.rotation_z(angle), or make the array with dtype=object, as in np.eye(4, dtype=object)"
)
NUMBERS: Rules = (
    (r"\bint\b", "use aj.floor(x)"),
    (r"\bround\b", "use aj.floor(x + 0.5)"),
    (r"\brange\b", "give the loop a fixed length; aj.select(k < x, term, 0.0) leaves terms out"),
    (r"\b(astype|float|dtype)\b", "leave the conversion to float out, or write dtype=object: expressions must stay"),
    (r"\b(eye|zeros|ones|identity|empty)\b", ARRAYS),
    (r"\]$", "use aj.gather(table, x), or aj.functions.PiecewiseLinear(x, y) to interpolate"),
    ("", "use arithmetic and aj.sin, aj.sqrt, ... or np.sin, np.sqrt, ..., which also take expressions"),
)
# What `math` calls otherwise than anyjoint and NumPy do.
MATH = {
    "acos": "aj.acos or np.arccos", "asin": "aj.asin or np.arcsin", "atan": "aj.atan2(x, 1) or np.arctan",
    "atan2": "aj.atan2 or np.arctan2", "fabs": "aj.absolute", "pow": "x ** y", "trunc": "aj.floor",
    "fmod": "np.fmod, or x % y, which rounds down",
}  # fmt: skip


def remedy(error: BaseException, place: CodeLine) -> str | None:
    """Advice for a failing expression; None where none is known."""
    expression, line, libraries = place.expression, place.line, place.libraries
    kinds = _causes(error)
    branch = any(isinstance(e, BranchError) for e in kinds)
    if not branch and not any(isinstance(e, (ConversionError, TypeError)) for e in kinds):
        return None
    if branch:
        return _first(LIBRARIES, libraries) or _first(BRANCHES[:-1], expression) or _first(BRANCHES, line)
    if re.search(rf"{re.escape(expression)}\s*[-+*/]?=(?!=)", line) and expression.endswith("]"):
        return ARRAYS
    found = _of_numpy(kinds) or _of_math(expression) or _first(LIBRARIES, f"{libraries} {expression}")
    if found or not any(isinstance(e, ConversionError) or "integer" in str(e) for e in kinds):
        return found
    return _first(NUMBERS, expression)


def _causes(error: BaseException) -> list[BaseException]:
    """The error and what it was raised from: NumPy wraps what a conversion raises."""
    found: list[BaseException] = []
    at: BaseException | None = error
    while at is not None:
        found.append(at)
        at = at.__cause__ or at.__context__
    return found


def _of_numpy(kinds: list[BaseException]) -> str | None:
    """Where NumPy asks scalars for a method that they lack."""
    missing = next((m[1] for e in kinds if (m := re.search(r"no callable (\w+) method", str(e)))), None)
    return missing and f"np.{missing} does not know expressions: write it with + - * / **, aj.exp, aj.log, ..."


def _of_math(expression: str) -> str | None:
    constants = ("pi", "e", "tau", "inf", "nan")
    name = next((n for n in re.findall(r"\bmath\.(\w+)", expression) if n not in constants), None)
    if name is None:
        return None
    both = f"aj.{name} or np.{name}" if hasattr(functions, name) else f"np.{name}"
    return f"math.{name} takes plain numbers only: use {MATH.get(name, both)}, which also takes expressions"


def _first(rules: Rules, text: str) -> str | None:
    return next((advice for pattern, advice in rules if re.search(pattern, text)), None)
