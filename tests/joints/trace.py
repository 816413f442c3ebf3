"""A joint traced into expressions, and evaluated at many configurations at once."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from anyjoint.joints.parameters import bind, parameters
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.interpret import evaluate
from tests.joints.everything import EVERYTHING as KINDS


@dataclass(frozen=True)
class Trace:
    """Outputs in the child's frame: G (12 numbers by rows), S by rows, c; and dq/dt."""

    q: list[Node]
    v: list[Node]
    parameters: dict[Node, float]
    G: list[Node]
    S: list[Node]
    c: list[Node]
    rate: list[Node]

    def at(self, outputs: list[Node], q: Any, v: Any) -> Any:
        """Values (len(outputs), count) at configurations q (count, nq) and v (count, nv)."""
        values: dict[Node, Any] = dict(zip(self.q, np.asarray(q).T, strict=True))
        values |= dict(zip(self.v, np.asarray(v).T, strict=True))
        values |= {node: np.full(len(q), x) for node, x in self.parameters.items()}
        if not outputs:
            return np.zeros((0, len(q)))
        return np.stack([np.broadcast_to(x, len(q)) for x in evaluate(outputs, values)])


@lru_cache
def traced(name: str) -> Trace:
    """The joint of the zoo over graph nodes, its run-time numbers as variables."""
    joint, g = KINDS[name], Graph()
    q = [g.variable(f"q{k}", domain=c.domain) for k, c in enumerate(joint.coordinates)]
    v = [g.variable(f"v{k}") for k in range(joint.nv)]
    numbers = parameters(joint)
    p = [g.variable(f"p{k}", domain=x.domain) for k, x in enumerate(numbers)]
    bound = bind(joint, p)
    piece = bound.motion(q, v).piece(v)

    def nodes(values: Any) -> list[Node]:
        return [x if isinstance(x, Node) else g.constant(float(x)) for x in values]

    G = [*piece.pose.R.ravel(), *piece.pose.p]
    values = {node: x.value for node, x in zip(p, numbers, strict=True)}
    return Trace(q, v, values, nodes(G), nodes(piece.S.ravel()), nodes(piece.c), nodes(bound.rate(q, v)))
