"""Vectors of joints that never turn over along a motion: find where one passes zero between two states."""

from __future__ import annotations

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.scalar.array import Floats
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.interpret import evaluate

TINY = 1e-300  # seconds


@frozen(eq=False)
class SideWatch:
    """One such vector of a body's joint, as expressions of its coordinates, and what it means that it passes zero."""

    body: str
    names: tuple[str, ...]
    q: slice
    variables: tuple[Node, ...]
    vector: tuple[object, ...]
    meaning: str

    def first(self, t: Floats, q: Floats) -> tuple[int, float, Floats] | None:
        """The first step (k, k + 1) of a path in which it turns over, the share of it, and the place before it.

        It need not be seen to: stages beyond zero may push a step back, so that a path seems to bounce off. What would
        turn over if it went on as in the step before counts, too.
        """
        own = q[:, self.q]
        values = self._values(own)
        for k in np.flatnonzero(_opposed(values[:-1], values[1:]) | _opposed(values[:-1], _expected(t, values))):
            return int(k), 0.5, own[k]
        return None

    def _values(self, q: Floats) -> Floats:
        """The vectors (n, m) at coordinates (n, nq) of the joint."""
        found = evaluate(self.vector, dict(zip(self.variables, np.ascontiguousarray(q.T), strict=True)))
        return np.stack(np.broadcast_arrays(*found, q[:, 0])[:-1], axis=-1)

    def sentence(self, at: Floats) -> str:
        """What happened at these coordinates."""
        where = ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.names, at, strict=True))
        return f"body {self.body!r} came to a place, near {where}, where {self.meaning}"


def _opposed(a: Floats, b: Floats) -> Floats:
    return np.asarray((a * b).sum(axis=1) < 0)


def _expected(t: Floats, values: Floats) -> Floats:
    """Values at the ends of steps, if they went on as in the step before; the first step has none before it."""
    steps = np.diff(t)
    ahead = values[1:].copy()
    ahead[1:] = values[1:-1] + np.diff(values[:-1], axis=0) * (steps[1:] / np.maximum(steps[:-1], TINY))[:, None]
    return ahead


def side_watches(mechanism: Mechanism) -> tuple[SideWatch, ...]:
    """All such vectors of a mechanism that depend on coordinates."""
    found = []
    for body in mechanism.bodies:
        if not body.joint.nq:
            continue
        graph, names = Graph(), tuple(c.name for c in body.joint.coordinates)
        q = [graph.variable("q", c.domain) for c in body.joint.coordinates]
        for meaning, vector in body.joint.sides(q):
            if any(isinstance(x, Node) and x.known is None for x in vector):
                found.append(SideWatch(body.name, names, body.q, tuple(q), tuple(vector), meaning))
    return tuple(found)
