"""From forces to a program: generalized forces and stored energy as expressions of the state."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.codegen import CompiledFunction, compile_function
from anyjoint.constraints import Push
from anyjoint.constraints.push import with_ground
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.joints.parameters import Same
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar
from anyjoint.scalar.array import Floats
from anyjoint.spatial import Pose
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.derivative import vjp
from anyjoint.symbolic.interpret import evaluate
from anyjoint.trace.numbers import EXACT

from .force import Force
from .signal import signal_at
from .trace import ForceTrace

MANY = 24  # pushes that are worth kernels of their own, instead of one straight program over the whole tree
Compiled = Callable[[Floats, Floats, Floats], Floats]


@frozen
class StraightForces:
    """Generalized forces (by velocity) and stored energy, as expressions of the state."""

    graph: Graph
    q: list[Node]
    v: list[Node]
    parameters: list[Node]
    signals: list[Node]
    torques: dict[int, Node]


@frozen(eq=False)
class ForceProgram:
    """The forces of a run: generalized forces and stored energy of states."""

    mechanism: Mechanism
    pushes: tuple[Push, ...]
    given: tuple[Force, ...] = ()  # what the pushes are of
    compiled: Compiled | None = None  # generalized forces by (q, v, signals), where there are many pushes
    first: ForceProgram | None = None  # earlier ones that differ in numbers alone, whose code is theirs
    shelf: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)  # quantities made of them

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled and copied without what was made of them."""
        return ForceProgram, (self.mechanism, self.pushes, self.given, self.compiled)

    @property
    def form(self) -> tuple[object, ...]:
        """All that programs depend on: what pushes are and where they act, and numbers that may be built in."""
        where = tuple(Same(x) for body in self.mechanism.bodies for x in (body.joint, body.placement))
        exact = tuple(x if x in EXACT else None for push in self.pushes for x in push.numbers)
        return where, tuple((push.kind, push.bodies, push.coordinates) for push in self.pushes), exact

    @property
    def code(self) -> ForceProgram:
        """Those whose code it is: programs of steps are the same where these are, but for numbers."""
        return self.first or self

    @property
    def many(self) -> bool:
        """Whether kernels compute them, which joints that follow others do not have."""
        return len(self.pushes) > MANY and not self.mechanism.followers

    @cached_property
    def functions(self) -> list[Callable[[float], float]]:
        """Functions of time that they depend on."""
        return [f for push in self.pushes for f in push.signals]

    @cached_property
    def numbers(self) -> list[float]:
        """Numbers of the straight program, which may change without compiling again."""
        return [] if self.many else [float(x) for push in self.pushes for x in push.numbers]

    @cached_property
    def stores(self) -> bool:
        """Whether some of them store energy."""
        return any(push.energy for push in self.pushes)

    @cached_property
    def straight(self) -> StraightForces:
        """tau = sum of effort * d(speed)/dv, by one reverse pass."""
        if self.first:
            return self.first.straight
        trace = ForceTrace(self.mechanism)
        efforts = [pair for push in self.pushes for pair in trace.efforts(push) if isinstance(pair[1], Node)]
        torques: dict[int, Node] = {}
        if efforts:
            weights, speeds = zip(*efforts, strict=True)
            found = vjp(list(speeds), trace.v, list(weights))
            zero = trace.graph.constant(0.0).id
            torques = {k: x for k, x in enumerate(found) if x.id != zero}
        return StraightForces(trace.graph, trace.q, trace.v, trace.parameters, trace.signals, torques)

    @property
    def torques(self) -> bool:
        """Whether they push at all."""
        return bool(self.pushes) if self.many else bool(self.straight.torques)

    def torque(self, t: float, q: Floats, v: Floats) -> Floats:
        """Generalized forces at states (..., n) of one time; the oracle of the compiled ones."""
        signals = [signal_at(f, t) for f in self.functions]
        if self.compiled:
            return self.compiled(q, v, np.array(signals))
        out, made = np.zeros(v.shape), self.straight
        if made.torques:
            values: dict[int, Scalar] = {node.id: q[..., k] for k, node in enumerate(made.q)}
            values |= {node.id: v[..., k] for k, node in enumerate(made.v)}
            numbers = (x for push in self.pushes for x in push.numbers)
            values |= {node.id: float(x) for node, x in zip(made.parameters, numbers, strict=True)}
            values |= {node.id: x for node, x in zip(made.signals, signals, strict=True)}
            for k, x in zip(made.torques, evaluate(list(made.torques.values()), values), strict=True):
                out[..., k] = x
        return out

    def at_state(self, t: float, q: Floats, v: Floats) -> Floats:
        """The same at one state by machine code, for steps in Python, which ask again and again."""
        if self.compiled or not self.straight.torques:
            return self.torque(t, q, v)
        rows = (q, v, self.numbers, [signal_at(f, t) for f in self.functions])
        out = np.zeros(len(v))
        out[list(self.straight.torques)] = self._code(*(np.array(x, dtype=float) for x in rows if len(x)))
        return out

    @cached_property
    def _code(self) -> CompiledFunction:
        """The straight program: entries of tau that are not 0, by all rows that it has."""
        if self.first:
            return self.first._code
        made = self.straight
        rows = [x for x in (made.q, made.v, made.parameters, made.signals) if x]
        return compile_function(rows, list(made.torques.values()))

    @cached_property
    def _energy(self) -> tuple[list[Node], Any]:
        """Coordinates, and the energy stored as an expression of them."""
        trace = ForceTrace(self.mechanism)
        return trace.q, sum((trace.energy(push) for push in self.pushes if push.energy), 0.0)

    def stored(self, q: Floats, v: Floats) -> Floats:
        """Energy stored in springs, for states (..., n)."""
        variables, energy = self._energy
        if not isinstance(energy, Node):
            return np.full(q.shape[:-1], float(energy))
        found = evaluate([energy], {node.id: q[..., k] for k, node in enumerate(variables)})[0]
        return np.asarray(np.broadcast_to(found, q.shape[:-1]))


def trace_forces(mechanism: Mechanism, forces: Sequence[Force]) -> ForceProgram:
    """All forces of a simulation."""
    pushes = [push for force in forces for push in pushes_of(mechanism, force)]
    standing = welded_to_ground(mechanism) if pushes else {}
    mechanism = mechanism.__copy__()  # energies are asked for later, when parameters may be others
    return ForceProgram(mechanism, tuple(with_ground(push, standing) for push in pushes), tuple(forces))


def welded_to_ground(mechanism: Mechanism) -> dict[int, Pose]:
    """Poses of the bodies that never move."""
    found: dict[int, Pose] = {}
    for body in mechanism.bodies:
        moves = body.joint.nv or body.joint.follows
        if not moves and (body.parent < 0 or body.parent in found):
            below = found[body.parent] if body.parent >= 0 else Pose()
            found[body.index] = below @ body.placement @ body.joint.pose([])
    return found


def pushes_of(mechanism: Mechanism, force: Force) -> list[Push]:
    """The pushes of a force; refuses what is none."""
    if not hasattr(force, "pushes") or isinstance(force, type):
        raise InputError(f"forces: {force!r} is not a force; give a Spring, Wrench, Servo or Limits of anyjoint.forces")
    return force.pushes(mechanism)
