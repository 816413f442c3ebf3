"""Formulas as texts, by a small grammar of our own: nothing of them is ever run as code.

    sum      term (+|- term)*           power    ^ binds before the sign on its left and groups to the right
    term     factor (*|/ factor)*       value    a number, a name, f(x, ...), (sum)

`select(less(x, y), a, b)` and `select(at_most(x, y), a, b)` choose, `gather(table, x)` is the entry of a table of
numbers at x, rounded down.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from anyjoint import scalar
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.options import nearest
from anyjoint.scalar import Scalar

LONGEST, DEEPEST = 4096, 64
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<sign>[-+*/^(),]))", re.ASCII
)
FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    "sin": (scalar.sin, 1), "cos": (scalar.cos, 1), "tan": (scalar.tan, 1), "asin": (scalar.asin, 1),
    "acos": (scalar.acos, 1), "atan2": (scalar.atan2, 2), "sqrt": (scalar.sqrt, 1), "exp": (scalar.exp, 1),
    "log": (scalar.log, 1), "abs": (scalar.absolute, 1), "min": (scalar.minimum, 2), "max": (scalar.maximum, 2),
    "floor": (scalar.floor, 1), "fmod": (scalar.fmod, 2), "select": (scalar.select, 3), "less": (scalar.less, 2),
    "at_most": (operator.le, 2), "gather": (scalar.gather, 2),
}  # fmt: skip
CONDITIONS = ("less", "at_most")  # stand first in select, and nowhere else
CONSTANTS = {"pi": math.pi}
MEANT = {*FUNCTIONS, *CONSTANTS}  # names that mean something in every formula
BINDING = {"+": 10, "-": 10, "*": 20, "/": 20, "^": 40}
SIGN = 30  # of a minus in front
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip
# ("number", x) | ("name", n) | ("table", n) | ("call", f, args...) | ("minus", t) | (sign, left, right)
Tree = tuple[Any, ...]


@frozen
class Expression:
    """A formula; names in it are coordinates, parameters and pi."""

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise InputError(f"a formula is a text or a number, got {self.text!r}")
        _ = self.tree  # what cannot be read is told at once

    @cached_property
    def tree(self) -> Tree:
        """The formula taken apart."""
        return _Parser(self.text).whole()

    @cached_property
    def steps(self) -> list[Tree]:
        """The parts of the tree, operands before what is done with them; long sums are deep trees."""
        waiting, made = [self.tree], list[Tree]()
        while waiting:
            part = waiting.pop()
            made.append(part)
            waiting += [x for x in part[1:] if isinstance(x, tuple)]
        return made[::-1]

    def names(self) -> set[str]:
        """Names that must be given."""
        return {part[1] for part in self.steps if part[0] == "name"} - CONSTANTS.keys()

    def tables(self) -> set[str]:
        """Names of tables that must be given."""
        return {part[1] for part in self.steps if part[0] == "table"}

    def value(self, given: Mapping[str, Any]) -> Scalar:
        """The value for given names (and tables), over any scalar."""
        stack: list[Scalar] = []
        for part in self.steps:
            operands = [stack.pop() for x in part[1:] if isinstance(x, tuple)][::-1]
            stack.append(_value(part, operands, given))
        return stack[0]


def _value(part: Tree, operands: list[Scalar], given: Mapping[str, Any]) -> Scalar:
    kind = part[0]
    if kind == "number":
        return part[1]
    if kind == "table":
        return given[part[1]]
    if kind == "name":
        return given[part[1]] if part[1] in given else CONSTANTS[part[1]]
    if kind == "call":
        return FUNCTIONS[part[1]][0](*operands)
    if kind == "minus":
        return -operands[0]
    left, right = operands
    if kind != "^":
        return ARITHMETIC[kind](left, right)
    whole = isinstance(right, float) and right.is_integer() and abs(right) <= 64
    return left ** int(right) if whole else scalar.power(left, right)


class _Parser:
    """Top-down by binding powers (Pratt 1973)."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise InputError(f"a formula of {len(text)} characters; at most {LONGEST} are read")
        self.text, self.tokens, self.at = text, list[tuple[str, str, int]](), 0
        at = 0
        while at < len(text.rstrip()):
            found = TOKEN.match(text, at)
            if not found:
                start = at + len(text[at:]) - len(text[at:].lstrip())
                raise self._refusal(start, f"{text[start]!r} has no meaning in a formula")
            kind = str(found.lastgroup)
            self.tokens.append((kind, found[kind], found.start(kind)))
            at = found.end()
        self.tokens.append(("end", "the end", len(text)))

    def whole(self) -> Tree:
        made = self._sum(0, 0)
        self._no_conditions([made], 0)
        kind, word, at = self.tokens[self.at]
        if kind != "end":
            raise self._refusal(at, f"unexpected {word!r}")
        return made

    def _refusal(self, at: int, message: str) -> InputError:
        shown = self.text if len(self.text) <= 60 else self.text[:57] + "..."
        return InputError(f"formula {shown!r}, column {at + 1}: {message}")

    def _take(self) -> tuple[str, str, int]:
        self.at += 1
        return self.tokens[self.at - 1]

    def _sum(self, least: int, depth: int) -> Tree:
        left = self._value(depth)
        while True:
            _, sign, at = self.tokens[self.at]
            power = BINDING.get(sign, 0)
            if power <= least:
                return left
            self._take()
            right = self._sum(power - (sign == "^"), depth + 1)
            self._no_conditions((left, right), at)
            left = (sign, left, right)

    def _value(self, depth: int) -> Tree:
        kind, word, at = self._take()
        if depth > DEEPEST:
            raise self._refusal(at, f"more than {DEEPEST} parts inside each other")
        if kind == "number":
            if not math.isfinite(float(word)):
                raise self._refusal(at, f"{word} is too large")
            return ("number", float(word))
        if kind == "name":
            return self._call(word, at, depth) if self.tokens[self.at][1] == "(" else ("name", word)
        if word == "(":
            inner = self._sum(0, depth + 1)
            self._close()
            return inner
        if word in ("-", "+"):
            inner = self._sum(SIGN, depth + 1)
            self._no_conditions([inner], at)
            return ("minus", inner) if word == "-" else inner
        raise self._refusal(at, f"expected a value before {word!r}" if kind != "end" else "expected a value")

    def _call(self, name: str, at: int, depth: int) -> Tree:
        if name not in FUNCTIONS:
            raise self._refusal(at, f"there is no function {name!r}{nearest(name, FUNCTIONS)}")
        self._take()
        arguments = [self._table() if name == "gather" else self._sum(0, depth + 1)]
        while self.tokens[self.at][1] == ",":
            self._take()
            arguments.append(self._sum(0, depth + 1))
        self._close()
        if len(arguments) != FUNCTIONS[name][1]:
            raise self._refusal(at, f"{name} takes {FUNCTIONS[name][1]} values, got {len(arguments)}")
        if name == "select" and not _is_condition(arguments[0]):
            raise self._refusal(at, "select takes a condition first, such as less(x, y)")
        self._no_conditions(arguments[name == "select" :], at)
        return ("call", name, *arguments)

    def _table(self) -> Tree:
        kind, word, at = self._take()
        if kind != "name":
            raise self._refusal(at, f"gather takes the name of a table first, got {word!r}")
        return ("table", word)

    def _no_conditions(self, parts: Iterable[Tree], at: int) -> None:
        if any(map(_is_condition, parts)):
            raise self._refusal(at, "a condition such as less(x, y) stands first in select, and nowhere else")

    def _close(self) -> None:
        _, word, at = self._take()
        if word != ")":
            raise self._refusal(at, f"expected ')' before {word!r}" if word != "the end" else "expected ')'")


def _is_condition(part: Tree) -> bool:
    return part[0] == "call" and part[1] in CONDITIONS
