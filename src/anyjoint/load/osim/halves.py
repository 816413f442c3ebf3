"""Joints of an .osim that close loops: bodies are cut into parts, one for each joint, that are welded together.

OpenSim does the same, so that such a joint has its coordinates here and there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from anyjoint.mechanism import Inertia
from anyjoint.spatial import Pose

from .couplers import LoopSpec
from .frames import Link
from .values import Values


def cut_loops(
    order: list[Link], bodies: Mapping[str, Inertia], values: Values
) -> tuple[list[Link], dict[str, Inertia], list[LoopSpec]]:
    """Joints that each move a body of their own, the bodies with their shares of inertia, and welds between parts."""
    moved_by = Counter(link.child for link in order)
    shares = {name: x if moved_by[name] < 2 else x.scaled(1 / moved_by[name]) for name, x in bodies.items()}
    made, welds, seen = list[Link](), list[LoopSpec](), set[str]()
    for link in order:
        if link.child not in seen:
            seen.add(link.child)
            made.append(link)
            continue
        part = _fresh(f"{link.child}_{link.name}", shares)
        shares[part] = shares[link.child]
        made.append(replace(link, child=part))
        line = link.element.line
        welds.append(LoopSpec(part, line, (part, link.child), (Pose(), Pose()), ball=False))
        what = f"joint {link.name!r} closes a loop: it moves a part {part!r} of {link.child!r}, welded to the other"
        values.report.note(line, "loop", what)
    return made, shares, welds


def _fresh(name: str, taken: Mapping[str, Inertia]) -> str:
    while name in taken:
        name += "_"
    return name
