"""Expressions of a mechanism's state that forces are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from anyjoint.errors import InputError
from anyjoint.mechanism import Mechanism
from anyjoint.spatial import Pose
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.derivative import time_derivative

Signal = float | Callable[[float], float]
TINY = 1e-36  # keeps the direction of a spring finite where its points coincide


class ForceTrace:
    """Expressions of a mechanism's state that forces are made of."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.graph = mechanism, Graph()
        g = self.graph
        self.q = [g.variable("q", c.domain) for body in mechanism.bodies for c in body.joint.coordinates]
        self.v = [g.variable("v") for _ in range(mechanism.nv)]
        self.parameters: list[Node] = []
        self.numbers: list[float] = []
        self.signals: list[Node] = []
        self.functions: list[Callable[[float], float]] = []

    def number(self, x: float) -> Node:
        """A number that can change without compiling again."""
        self.parameters.append(self.graph.variable("p"))
        self.numbers.append(float(x))
        return self.parameters[-1]

    def signal(self, x: Signal) -> Node:
        """A number, or a function of time."""
        if not callable(x):
            return self.number(x)
        self.signals.append(self.graph.variable("s"))
        self.functions.append(x)
        return self.signals[-1]

    @cached_property
    def rates(self) -> list[Any]:
        """dq/dt."""
        return [x for b in self.mechanism.bodies for x in b.joint.rate(self.q[b.q], self.v[b.v])]

    @cached_property
    def poses(self) -> list[Pose]:
        """World poses of all bodies."""
        return self.mechanism.poses(self.q)

    def pose(self, body: Any, what: str) -> Pose:
        """World pose of a body, a name, or the ground (None)."""
        index = body_index(self.mechanism, body, what)
        return Pose() if index < 0 else self.poses[index]

    def rate_of(self, values: Sequence[Any]) -> list[Any]:
        """Time derivatives of expressions of q, by D*."""
        nodes = [x if isinstance(x, Node) else self.graph.constant(float(x)) for x in values]
        return list(time_derivative(nodes, self.q, self.rates))


def body_index(mechanism: Mechanism, body: Any, what: str) -> int:
    """Index of a body given as itself, its name, its index, or None for the ground."""
    if body is None or body is mechanism.ground or body == "ground":
        return -1
    if isinstance(body, str):
        return int(mechanism[body].index)
    index = getattr(body, "index", body)
    if isinstance(index, bool) or not isinstance(index, int) or not -1 <= index < mechanism.nb:
        raise InputError(
            f"{what}: {body!r} is not a body of {mechanism.name!r}; give a body, its name, or None for the ground"
        )
    return index


def dot3(x: Sequence[Any], y: Sequence[Any]) -> Any:
    """x . y"""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


def point(pose: Pose, at: Sequence[Any]) -> list[Any]:
    """A body's point in the world."""
    return [p + dot3(row, [float(x) for x in at]) for row, p in zip(pose.R, pose.p, strict=True)]


def angular_velocity(trace: ForceTrace, R: Any) -> list[Any]:
    """w in the world's axes: [w] = Rdot R^T."""
    rates = trace.rate_of([R[i][j] for i in range(3) for j in range(3)])
    rows = [rates[3 * i : 3 * i + 3] for i in range(3)]
    return [dot3(rows[2], R[1]), dot3(rows[0], R[2]), dot3(rows[1], R[0])]
