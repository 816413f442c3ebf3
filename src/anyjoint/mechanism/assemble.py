"""A mechanism from declarations in any order, as files have them; every fault of the tree is reported at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from anyjoint.errors import ModelError

from .mechanism import Mechanism


def assemble(
    name: str, declarations: Sequence[Mapping[str, Any]], gravity: Sequence[float] = (0.0, 0.0, -9.81)
) -> Mechanism:
    """Add bodies, each a mapping of `add_body`'s arguments with its parent given by name, parents first.

    Bodies keep the given order where they can: the next to be added is the first whose parent is there.
    """
    problems = tree_problems(declarations)
    if problems:
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
        raise ModelError(f"mechanism {name!r} has {count}:\n" + "\n".join(f"  - {p}" for p in problems))
    mech = Mechanism(name, gravity)
    for declaration in _parents_first(declarations):
        mech.add_body(**declaration)
    return mech


def tree_problems(declarations: Sequence[Mapping[str, Any]]) -> list[str]:
    """Duplicate names, unknown parents and cycles, a sentence each."""
    counts = Counter(d.get("name") for d in declarations)
    problems = [f"{n} bodies are called {name!r}; give each its own name" for name, n in counts.items() if n > 1]
    for d in declarations:
        if not _is_ground(d) and d["parent"] not in counts:
            problems.append(f"body {d.get('name')!r}: there is no body {d['parent']!r} to be its parent")
    return problems + _cycles({d.get("name"): None if _is_ground(d) else d["parent"] for d in declarations})


def _is_ground(declaration: Mapping[str, Any]) -> bool:
    return declaration.get("parent") in (None, "ground")


def _cycles(parent: dict[Any, Any]) -> list[str]:
    state: dict[Any, int] = {}  # the walk that met a body first
    found = []
    for walk, start in enumerate(parent):
        at = start
        while at in parent and at not in state:
            state[at] = walk
            at = parent[at]
        if at in parent and state[at] == walk:
            loop = [at]
            while parent[loop[-1]] != at:
                loop.append(parent[loop[-1]])
            chain = " -> ".join(repr(x) for x in [*loop, at])
            found.append(f"bodies form a cycle of parents: {chain}; join one of them to the ground")
    return found


def _parents_first(declarations: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    waiting: defaultdict[Any, list[Mapping[str, Any]]] = defaultdict(list)
    added: set[Any] = set()
    order: list[Mapping[str, Any]] = []
    for declaration in declarations:
        if not _is_ground(declaration) and declaration["parent"] not in added:
            waiting[declaration["parent"]].append(declaration)
            continue
        ready = [declaration]
        while ready:
            first = ready.pop(0)
            order.append(first)
            added.add(first["name"])
            ready += waiting.pop(first["name"], [])
    return order
