"""Texts of elements as numbers, truths and names."""

from __future__ import annotations

from ..markup import Element
from ..numbers import MOST_NUMBERS, not_a_number, read_number, shortened
from ..report import Report


class Values:
    """Reads what stands inside the children of elements; what cannot be read is reported."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def text(self, element: Element, *tags: str) -> str:
        """The text of the first of some children that is there and has one."""
        for tag in tags:
            child = element.find(tag)
            if child is not None and child.text:
                return child.text
        return ""

    def numbers(self, element: Element, tag: str, default: tuple[float, ...], count: int | None = None) -> list[float]:
        """The numbers of a child; `count` is how many there must be."""
        child = element.find(tag)
        if child is None or not child.text:
            return list(default)
        words = child.text.replace(",", " ").split(None, MOST_NUMBERS)
        values = [read_number(word) for word in words]
        bad = [word for word, value in zip(words, values, strict=True) if value is None]
        if bad:
            self.report.error(child.line, "number", f"<{tag}>: {not_a_number(bad[0])}")
            return list(default)
        if count is not None and len(values) != count:
            given = f"got {len(values)} in {shortened(child.text)!r}"
            self.report.error(child.line, "vector", f"<{tag}>: expected {count} numbers, {given}")
            return list(default)
        return [value for value in values if value is not None]

    def number(self, element: Element, tag: str, default: float) -> float:
        """The number of a child."""
        return self.numbers(element, tag, (default,), 1)[0]

    def true(self, element: Element, tag: str, default: bool = False) -> bool:
        """Whether a child says true."""
        text = self.text(element, tag).lower()
        return default if not text else text in ("true", "1")


def last_name(path: str) -> str:
    """The name at the end of a path such as /bodyset/femur_r."""
    return path.strip().rstrip("/").rpartition("/")[2]


def objects(model: Element, tag: str) -> list[Element]:
    """The members of a set such as <BodySet>."""
    found = model.find(tag)
    inner = found.find("objects") if found is not None else None
    return inner.children if inner is not None else []
