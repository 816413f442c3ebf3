"""From forces to a program: generalized forces and stored energy as expressions of the state."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.mechanism import Mechanism
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.derivative import vjp
from anyjoint.symbolic.interpret import evaluate

from .force import Effort, Force
from .trace import ForceTrace

Floats = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class ForceProgram:
    """Generalized forces (by velocity) and stored energy, as expressions of the state."""

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
            found = evaluate(list(self.torques.values()), self._values(q, v, [signal(f, t) for f in self.functions]))
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


class BadInput(AnyjointError):
    """An input that is no number ends the run."""

    def __init__(self, sentence: str, time: float) -> None:
        super().__init__(sentence)
        self.time = time


def signal(function: Callable[[float], float], t: float) -> float:
    """A force's function of time."""
    found = float(function(t))
    if not math.isfinite(found):
        name = getattr(function, "__name__", "a function")
        raise BadInput(f"{name}(t), which a force depends on, returned {found} at t = {t:.6g} s", t)
    return found


def trace_forces(mechanism: Mechanism, forces: Sequence[Force]) -> ForceProgram:
    """All forces of a simulation: tau = sum of effort * d(speed)/dv, by one reverse pass."""
    trace = ForceTrace(mechanism)
    efforts: list[Effort] = []
    energy: Any = 0.0
    for force in forces:
        if not hasattr(force, "efforts"):
            raise InputError(
                f"forces: {force!r} is not a force; give a Spring, Wrench, Servo or Limits of anyjoint.forces"
            )
        efforts += [(effort, speed) for effort, speed in force.efforts(trace) if isinstance(speed, Node)]
        energy = energy + force.potential(trace)
    stored = energy if isinstance(energy, Node) else None
    torques: dict[int, Node] = {}
    if efforts:
        weights, speeds = zip(*efforts, strict=True)
        found = vjp(list(speeds), trace.v, list(weights))
        zero = trace.graph.constant(0.0).id
        torques = {k: x for k, x in enumerate(found) if x.id != zero}
    return ForceProgram(
        trace.graph, trace.q, trace.v, trace.parameters, trace.numbers, trace.signals, trace.functions, torques, stored
    )
