"""Numbers of joints that keep their signs along a motion: find where one passes zero between two states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anyjoint.mechanism import Mechanism
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.interpret import evaluate

Floats = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class SideWatch:
    """One such number of a body's joint, as an expression of its coordinates, and what it means that it passes zero."""

    body: str
    names: tuple[str, ...]
    q: slice
    variables: tuple[Node, ...]
    number: Node
    meaning: str

    def first(self, q: Floats) -> tuple[int, float, Floats] | None:
        """The first step (k, k + 1) of a path in which the sign changes, the share of it, and the place after it."""
        own = q[:, self.q]
        found = evaluate([self.number], dict(zip(self.variables, np.ascontiguousarray(own.T), strict=True)))[0]
        values = np.broadcast_to(found, len(own))
        for k in np.flatnonzero(values[1:] * values[:-1] < 0):
            return int(k), float(values[k] / (values[k] - values[k + 1])), own[k + 1]
        return None

    def sentence(self, at: Floats) -> str:
        """What happened at these coordinates."""
        where = ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.names, at, strict=True))
        return f"body {self.body!r} passed a place, near {where}, where {self.meaning}"


def side_watches(mechanism: Mechanism) -> tuple[SideWatch, ...]:
    """All such numbers of a mechanism that depend on coordinates."""
    found = []
    for body in mechanism.bodies:
        if not body.joint.nq:
            continue
        graph, names = Graph(), tuple(c.name for c in body.joint.coordinates)
        q = [graph.variable("q", c.domain) for c in body.joint.coordinates]
        for meaning, number in body.joint.sides(q):
            if isinstance(number, Node) and number.known is None:
                found.append(SideWatch(body.name, names, body.q, tuple(q), number, meaning))
    return tuple(found)
