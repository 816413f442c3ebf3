"""Small helpers to turn docstrings into Markdown."""

import re


def markdown(docstring: str | None) -> str:
    """A docstring as Markdown: examples become code, other paragraphs keep their code spans and are escaped."""
    paragraphs = (docstring or "").strip().split("\n\n")
    return "\n\n".join(f"```pycon\n{p}\n```" if p.startswith(">>>") else _escaped(p) for p in paragraphs)


def _escaped(text: str) -> str:
    """Code spans stay, characters that Markdown would swallow are escaped."""
    parts = re.split(r"(`[^`]*`)", text)
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
