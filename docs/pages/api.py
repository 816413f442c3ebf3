"""The API reference, from signatures and docstrings of the public names."""

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pages.text import first_line, markdown

MODULES = tuple(
    f"anyjoint{name}"
    for name in ("", ".joints", ".curves", ".surfaces", ".functions", ".shapes", ".forces", ".gallery")
)

FIRST = ("Mechanism", "Inertia", "Pose", "joint", "Model", "Trajectory", "variables", "jacobian", "compile_function")


def page(root: Path, folder: Path) -> str:
    """Every public name of every public module, once."""
    seen: set[int] = set()
    parts = []
    for name in MODULES:
        module = _module(name)
        new = [(n, thing) for n, thing in _public(module) if id(thing) not in seen]
        seen |= {id(thing) for _, thing in new}
        entries = [_entry(n, thing) for n, thing in new]
        parts.append(f"## `{name}`\n\n{markdown(first_line(module.__doc__))}\n\n" + "\n".join(entries))
    return "\n".join(parts)


def _module(name: str) -> Any:
    """A public module; some are names of `anyjoint` whose files lie deeper."""
    package, _, attribute = name.rpartition(".")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return getattr(importlib.import_module(package), attribute)


def _public(module: Any) -> Iterator[tuple[str, Any]]:
    for name in sorted(module.__all__, key=_order):
        thing = getattr(module, name)
        if inspect.isclass(thing) or callable(thing):
            yield name, thing


def _order(name: str) -> tuple[int, bool, str]:
    """What users meet first comes first; errors come last."""
    rank = FIRST.index(name) if name in FIRST else len(FIRST) + name.endswith("Error")
    return rank, not name[0].isupper(), name.lower()


def _entry(name: str, thing: Any) -> str:
    lines = [
        f"### {name}",
        "",
        "```python",
        f"{name}{_signature(thing)}",
        "```",
        "",
        markdown(inspect.getdoc(thing)),
        "",
    ]
    if inspect.isclass(thing):
        lines += [line for n, member in _members(thing).items() if not n.startswith("_") for line in _member(n, member)]
    return "\n".join(lines) + "\n"


def _members(thing: type) -> dict[str, Any]:
    """What a class has by itself and by the parts that it is made of; a public base has an entry of its own."""
    found = dict(vars(thing))
    for base in thing.__bases__:
        if base.__module__.startswith("anyjoint.") and not hasattr(_module("anyjoint"), base.__name__):
            found |= {name: member for name, member in _members(base).items() if name not in found}
    return found


def _member(name: str, member: Any) -> list[str]:
    function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
    if isinstance(function, property) or hasattr(function, "func"):
        described, signature = getattr(function, "func", None) or function.fget, ""
    elif inspect.isfunction(function):
        described, signature = function, _signature(function)
    else:
        return []
    text = markdown(inspect.getdoc(described)) if described else ""
    # The paragraphs after the first belong to the same entry of the list, so they are indented.
    return [f"`{name}{signature}`", ": " + text.replace("\n", "\n  ").replace("\n  \n", "\n\n"), ""] if text else []


def _signature(thing: Any) -> str:
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    plain = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name not in ("self", "cls")]
    try:
        return str(signature.replace(parameters=plain, return_annotation=signature.empty))
    except ValueError:
        return "(...)"
