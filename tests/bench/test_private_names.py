"""What is measured, shown and documented goes by public names, which stay; others may change on any day."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for folder in ("bench", "examples", "docs", "tests") for path in (ROOT / folder).rglob("*.py"))
OWN = {"self", "cls"}
PYTHON = {"_exit", "_fields", "_make", "_replace", "_asdict"}  # not ours


@pytest.mark.parametrize("folder", ["bench", "examples", "docs", "tests"])
def test_nothing_looks_into_private_names(folder):
    found = []
    for path in FILES:
        if path.is_relative_to(ROOT / folder):
            found += [f"{path.relative_to(ROOT)}:{line} {name}" for line, name in privates(path)]
    assert not found


def privates(path):
    """Attributes that begin with an underscore, of anything but the class at hand."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.endswith("__"):
            of_its_own = isinstance(node.value, ast.Name) and node.value.id in OWN
            notebook = node.attr.startswith("_repr_")  # what notebooks ask for
            if not of_its_own and not notebook and node.attr not in PYTHON:
                yield node.lineno, node.attr
