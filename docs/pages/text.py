"""Small helpers to turn docstrings into Markdown."""

import re


def markdown(docstring: str | None) -> str:
    """A docstring as Markdown: code spans stay, characters that Markdown would swallow are escaped."""
    parts = re.split(r"(`[^`]*`)", (docstring or "").strip())
    return "".join(part if part.startswith("`") else re.sub(r"([*<>\[\]$|])", r"\\\1", part) for part in parts)


def cell(text: str) -> str:
    """Markdown that fits in one table cell."""
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))


def first_line(docstring: str | None) -> str:
    """The one-line summary of a docstring."""
    return (docstring or "").strip().split("\n", 1)[0]


def table(columns: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(cell(c) for c in line) + " |" for line in lines) + "\n"
