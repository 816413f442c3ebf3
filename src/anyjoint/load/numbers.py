"""Numbers of attributes and texts: finite decimal numbers, or an error with the line."""

from __future__ import annotations

import math
import re

from .markup import Element
from .report import Report

INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
MOST_NUMBERS = 1_000_000  # of one list


def read_number(text: str, infinite: bool = False) -> float | None:
    """The number that a text is, or None; `infinite` also takes "inf"."""
    text = text.strip()
    if infinite and INFINITE.fullmatch(text):
        return float(text)
    try:
        value = float(text)
    except ValueError:
        return None
    # What Python also reads: "nan", "1_000" and digits of other scripts.
    return value if math.isfinite(value) and text.isascii() and "_" not in text else None


class NumberReader:
    """Reads numbers of elements; what is none is reported, and NaN or a default takes its place."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def attribute(self, element: Element, name: str, default: float | None = None, infinite: bool = False) -> float:
        """A number in an attribute; without a default it must be there."""
        text = element.attributes.get(name)
        if text is None:
            if default is None:
                self.report.error(element.line, "missing", f"<{element.tag}> has no {name!r}; give a number")
                return math.nan
            return default
        value = read_number(text, infinite)
        if value is None:
            self.report.error(element.line, "number", f"<{element.tag} {name}={text!r}>: {not_a_number(text)}")
            return math.nan
        return value

    def vector(
        self, element: Element, name: str, default: tuple[float, ...], count: int | None = None
    ) -> tuple[float, ...]:
        """Numbers in an attribute, as many as the default has or as `count` says."""
        text = element.attributes.get(name)
        if text is None:
            return default
        wanted = len(default) if count is None else count
        words = text.split(None, MOST_NUMBERS)
        if len(words) != wanted:
            message = f"<{element.tag} {name}={shortened(text)!r}>: expected {wanted} numbers, got {len(words)}"
            tell = self.report.refuse if len(words) > wanted else self.report.error
            tell(element.line, "vector", message)
            if len(words) < wanted:
                return default
            words = words[:wanted]
        values = [read_number(word) for word in words]
        bad = [word for word, value in zip(words, values, strict=True) if value is None]
        if bad:
            message = f"<{element.tag} {name}={shortened(text)!r}>: {not_a_number(bad[0])}"
            self.report.error(element.line, "number", message)
            return default
        return tuple(value for value in values if value is not None)


def not_a_number(text: str) -> str:
    """What to say of a text that is no number."""
    if "${" in text or "$(" in text:
        return f"{shortened(text)!r} is a formula of xacro; expand the file first: xacro FILE > FILE.urdf"
    return f"{shortened(text)!r} is no finite decimal number"


def shortened(text: str, most: int = 60) -> str:
    """A text that fits in a message."""
    return text if len(text) <= most else text[: most - 3] + "..."
