"""JSON as the standard has it, with the lines where objects and lists begin; nothing is read twice or in silence."""

from __future__ import annotations

import math
import re
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]  # it is there, undocumented
from typing import Any

from anyjoint.errors import ModelError

Json = dict[str, Any]  # an object of a JSON file, to be checked or just made
MOST_DEPTH = 100
SPACE = re.compile(r"[ \t\r\n]*")
NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
HALF = re.compile("[\\ud800-\\udfff]")  # of a pair of surrogates
WORDS = {"true": True, "false": False, "null": None}


class Object(dict[str, Any]):
    """A JSON object that knows its line."""

    line = 0


class Array(list[Any]):
    """A JSON list that knows its line."""

    line = 0


def parse(data: bytes, file: str) -> Any:
    """The value of a JSON text, or a ModelError that names file and line."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ModelError(f"{file}:{line}: it is no UTF-8 text [json]") from None
    reader = _Reader(text)
    try:
        value = reader.value(0)
        reader.space()
        if reader.at < len(text):
            raise JSONDecodeError("something follows the end", text, reader.at)
    except JSONDecodeError as error:
        raise ModelError(f"{file}:{error.lineno}: it is no JSON: {error.msg}, column {error.colno} [json]") from None
    return value


class _Reader:
    """Where we are in a text."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self._seen, self._line = text, 0, 0, 1

    def line(self) -> int:
        """The line of the present place."""
        self._line += self.text.count("\n", self._seen, self.at)
        self._seen = self.at
        return self._line

    def space(self) -> None:
        self.at = SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]  # it matches everywhere

    def fail(self, message: str) -> JSONDecodeError:
        return JSONDecodeError(message, self.text, min(self.at, len(self.text)))

    def value(self, depth: int) -> Any:
        self.space()
        if depth > MOST_DEPTH:
            raise self.fail(f"values stand more than {MOST_DEPTH} deep inside each other")
        sign = self.text[self.at : self.at + 1]
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._array(depth)
        if sign == '"':
            return self._string()
        for word, meaning in WORDS.items():
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return meaning
        return self._number()

    def _string(self) -> str:
        start = self.at
        made, self.at = scanstring(self.text, start + 1, True)
        if HALF.search(made):
            self.at = start
            raise self.fail("a text has half of a character, which no file can hold")
        return str(made)

    def _number(self) -> int | float:
        found = NUMBER.match(self.text, self.at)
        if not found:
            raise self.fail("expected a value")
        made: int | float = float(found[0])
        if not math.isfinite(made):
            raise self.fail("a number is too large")
        if not found[1] and not found[2]:
            made = int(found[0])
        self.at = found.end()
        return made

    def _object(self, depth: int) -> Object:
        made = Object()
        made.line = self.line()
        self.at += 1
        while not self._ends("}", bool(made)):
            if self.text[self.at : self.at + 1] != '"':
                raise self.fail("expected a name in double quotes")
            name = self._string()
            if name in made:
                raise self.fail(f"the name {name!r} is there already")
            self.space()
            if self.text[self.at : self.at + 1] != ":":
                raise self.fail("expected ':'")
            self.at += 1
            made[name] = self.value(depth + 1)
        return made

    def _array(self, depth: int) -> Array:
        made = Array()
        made.line = self.line()
        self.at += 1
        while not self._ends("]", bool(made)):
            made.append(self.value(depth + 1))
        return made

    def _ends(self, sign: str, comma: bool) -> bool:
        """Whether the closing sign comes now; else the comma before the next item is passed."""
        self.space()
        if self.text[self.at : self.at + 1] == sign:
            self.at += 1
            return True
        if comma:
            if self.text[self.at : self.at + 1] != ",":
                raise self.fail(f"expected ',' or {sign!r}")
            self.at += 1
            self.space()
        return False
