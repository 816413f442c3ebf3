"""From forces to a program: generalized forces and stored energy as expressions of the state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.mechanism import Mechanism
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.derivative import vjp
from anyjoint.symbolic.interpret import evaluate

from .force import Force
from .signal import signal_at
from .trace import Effort, ForceTrace

Floats = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class ForceProgram:
    """Generalized forces (by velocity) and stored energy, as expressions of the state."""

    pushes: tuple[Push, ...]
    graph: Graph
    q: list[Node]
    v: list[Node]
    parameters: list[Node]
    numbers: list[float]
    signals: list[Node]
    functions: list[Callable[[float], float]]
    torques: dict[int, Node]
    energy: Node | None

    def torque(self, t: float, q: Floats, v: Floats) -> Floats:
        """Generalized forces at states (..., n) of one time; the oracle of the compiled ones."""
        out = np.zeros(v.shape)
        if self.torques:
            found = evaluate(list(self.torques.values()), self._values(q, v, [signal_at(f, t) for f in self.functions]))
            for k, x in zip(self.torques, found, strict=True):
                out[..., k] = x
        return out

    def stored(self, q: Floats, v: Floats) -> Floats:
        """Energy stored in springs, for states (..., n)."""
        if self.energy is None:
            return np.zeros(q.shape[:-1])
        found = evaluate([self.energy], self._values(q, v, [0.0] * len(self.functions)))[0]
        return np.broadcast_to(found, q.shape[:-1])

    def _values(self, q: Floats, v: Floats, signals: Sequence[float]) -> dict[int, Any]:
        values: dict[int, Any] = {node.id: q[..., k] for k, node in enumerate(self.q)}
        values |= {node.id: v[..., k] for k, node in enumerate(self.v)}
        values |= {node.id: x for node, x in zip(self.parameters, self.numbers, strict=True)}
        return values | {node.id: x for node, x in zip(self.signals, signals, strict=True)}


def trace_forces(mechanism: Mechanism, forces: Sequence[Force]) -> ForceProgram:
    """All forces of a simulation: tau = sum of effort * d(speed)/dv, by one reverse pass."""
    trace = ForceTrace(mechanism)
    pushes = [push for force in forces for push in pushes_of(mechanism, force)]
    efforts: list[Effort] = []
    energy: Any = 0.0
    for push in pushes:
        made, stored = trace.push(push)
        efforts += [(effort, speed) for effort, speed in made if isinstance(speed, Node)]
        energy = energy + stored
    torques: dict[int, Node] = {}
    if efforts:
        weights, speeds = zip(*efforts, strict=True)
        found = vjp(list(speeds), trace.v, list(weights))
        zero = trace.graph.constant(0.0).id
        torques = {k: x for k, x in enumerate(found) if x.id != zero}
    return ForceProgram(
        tuple(pushes), trace.graph, trace.q, trace.v, trace.parameters, trace.numbers, trace.signals, trace.functions,
        torques, energy if isinstance(energy, Node) else None,
    )  # fmt: skip


def pushes_of(mechanism: Mechanism, force: Force) -> list[Push]:
    """The pushes of a force; refuses what is none."""
    if not hasattr(force, "pushes"):
        raise InputError(f"forces: {force!r} is not a force; give a Spring, Wrench, Servo or Limits of anyjoint.forces")
    return force.pushes(mechanism)
