"""Rules that no linter knows: who looks at whose private names, and who imports by names."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXTS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for top in ("src", "tests", "bench") for path in (ROOT / top).rglob("*.py")
}  # fmt: skip
PERHAPS = re.compile(r"(?<!\bself)(?<!\bcls)\._[a-z]|import [^\n]*\b_[a-zA-Z]|^    _\w+,$", re.MULTILINE)
SHARED = {"_replace", "_asdict", "_fields", "_make", "_repr_html_", "_repr_png_"}  # of named tuples, and for notebooks
BY_NAME = {  # names that are loaded when they are first used, records in folders, packages that may be missing
    "src/anyjoint/__init__.py", "src/anyjoint/joints/__init__.py", "src/anyjoint/listed.py", "src/anyjoint/optional.py",
    "src/anyjoint/cli/target.py",  # a user's file
}  # fmt: skip


def is_private(name):
    return re.match(r"_[^_]", name) and name not in SHARED


def private_names(text):
    """Private names of others in a file: imported ones, and attributes that the file itself never sets or defines."""
    nodes = list(ast.walk(ast.parse(text)))
    attributes = [node for node in nodes if isinstance(node, ast.Attribute) and is_private(node.attr)]
    own = {node.name for node in nodes if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    own |= {node.attr for node in attributes if isinstance(node.ctx, ast.Store)}
    own |= {node.target.id for node in nodes if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}
    found = {node.attr for node in attributes if ast.unparse(node.value) not in ("self", "cls")}
    imported = [alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names]
    return (found - own) | set(filter(is_private, imported))


def test_nobody_looks_at_private_names_of_others():
    found = {name: private_names(text) for name, text in TEXTS.items() if PERHAPS.search(text)}
    assert {name: names for name, names in found.items() if names} == {}


def test_few_import_by_name():
    """Imports that are written as such are seen by the contract, by types and by whoever looks for a definition."""
    plain = re.compile(r"^\s*(import importlib(\.util)?$|from importlib import)|__import__\(", re.MULTILINE)
    assert {name for name, text in TEXTS.items() if name.startswith("src") and plain.search(text)} == BY_NAME
