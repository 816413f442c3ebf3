"""Forces beside gravity: springs and dampers in joints and between points, wrenches on bodies, servos.

A force is traced once into expressions of the state, so that it runs inside the compiled step loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from anyjoint.errors import InputError
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, atan2, less, maximum, minimum, select, sqrt
from anyjoint.spatial import Pose
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.derivative import time_derivative, vjp
from anyjoint.symbolic.interpret import evaluate

Floats = np.ndarray[Any, np.dtype[Any]]
Signal = float | Callable[[float], float]
Vector3 = Sequence[Any]
Effort = tuple[Any, Any]


class Force(Protocol):
    """Something that pushes: it gives generalized forces, and an energy where it has a potential."""

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        """Pairs (effort, speed that it works on); power is their product, and the speed is linear in v."""

    def potential(self, trace: ForceTrace) -> Scalar:
        """The energy stored, or 0."""


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
        raise InputError(f"{what}: {body!r} is not a body of {mechanism.name!r}; give a body, its name, or None for the ground")
    return index


# -- kinds of forces -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spring:
    """A spring and damper between a point of one body and a point of another (None: the ground).

    The force along the line is stiffness * (distance - length) + damping * its rate.
    """

    body_a: Any
    point_a: Vector3
    body_b: Any
    point_b: Vector3
    stiffness: float
    damping: float = 0.0
    length: float = 0.0

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping", "length"):
            check_number("Spring", name, getattr(self, name), least=0.0)
        for name in ("point_a", "point_b"):
            check_vector("Spring", name, getattr(self, name), 3)

    def _line(self, trace: ForceTrace) -> list[Any]:
        """From a to b, in the world."""
        a = point(trace.pose(self.body_a, "Spring"), self.point_a)
        b = point(trace.pose(self.body_b, "Spring"), self.point_b)
        return [y - x for x, y in zip(a, b, strict=True)]

    def _stretch(self, trace: ForceTrace, distance: Any) -> Any:
        return distance - trace.number(self.length) if self.length else distance

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        line = self._line(trace)
        along = dot3(line, trace.rate_of(line))
        if not self.length and not self.damping:  # no direction needed, so points may coincide
            return [(-trace.number(self.stiffness), along)]
        distance = sqrt(dot3(line, line) + TINY)
        rate = along / distance
        pull = trace.number(self.stiffness) * self._stretch(trace, distance) + trace.number(self.damping) * rate
        return [(-pull, rate)]

    def potential(self, trace: ForceTrace) -> Scalar:
        line = self._line(trace)
        stretch = self._stretch(trace, sqrt(dot3(line, line) + TINY))
        return 0.5 * trace.number(self.stiffness) * stretch * stretch


@dataclass(frozen=True)
class Wrench:
    """A torque and a force (constant, or functions of time) on a point of a body, in world or body axes."""

    body: Any
    torque: Sequence[Signal] = (0.0, 0.0, 0.0)
    force: Sequence[Signal] = (0.0, 0.0, 0.0)
    point: Vector3 = (0.0, 0.0, 0.0)
    axes: str = "world"

    def __post_init__(self) -> None:
        if self.axes not in ("world", "body"):
            raise InputError(f'Wrench: axes={self.axes!r}; expected "world" or "body"')
        check_vector("Wrench", "point", self.point, 3)
        for name in ("torque", "force"):
            check_vector("Wrench", name, [0.0 if callable(x) else x for x in getattr(self, name)], 3)

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        pose = trace.pose(self.body, "Wrench")
        R, made = pose.R, []
        if any(callable(x) or x for x in self.force):
            velocity = trace.rate_of(point(pose, self.point))
            made += zip(self._in_world(R, self.force, trace), velocity, strict=True)
        if any(callable(x) or x for x in self.torque):
            made += zip(self._in_world(R, self.torque, trace), angular_velocity(trace, R), strict=True)
        return made

    def _in_world(self, R: Any, values: Sequence[Signal], trace: ForceTrace) -> list[Any]:
        given = [trace.signal(x) if callable(x) or x else 0.0 for x in values]
        return given if self.axes == "world" else [sum(R[i][k] * given[k] for k in range(3)) for i in range(3)]

    def potential(self, trace: ForceTrace) -> Scalar:
        return 0.0


@dataclass(frozen=True)
class Servo:
    """Pulls one coordinate of a body's joint to a target (a number or a function of time), with at most `limit`."""

    body: Any
    target: Signal
    stiffness: float
    damping: float = 0.0
    coordinate: int = 0
    limit: float = math.inf

    def __post_init__(self) -> None:
        check_number("Servo", "stiffness", self.stiffness, least=0.0)
        check_number("Servo", "damping", self.damping, least=0.0)
        if not self.limit > 0:
            raise InputError(f"Servo: limit={self.limit!r}; expected a positive number, or leave it out")

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        body = trace.mechanism.bodies[body_index(trace.mechanism, self.body, "Servo")]
        if body.joint.nq != body.joint.nv or not 0 <= self.coordinate < body.joint.nv:
            raise InputError(f"Servo: body {body.name!r} has no coordinate {self.coordinate} to drive; it has {body.joint.nv}")
        q, v = trace.q[body.q][self.coordinate], trace.v[body.v][self.coordinate]
        push = trace.number(self.stiffness) * (trace.signal(self.target) - q) - trace.number(self.damping) * v
        if math.isfinite(self.limit):
            most = trace.number(self.limit)
            push = minimum(maximum(push, -most), most)
        return [(push, v)]

    def potential(self, trace: ForceTrace) -> Scalar:
        return 0.0


@dataclass(frozen=True)
class JointSpring:
    """The stiffness, damping and rest position that a body was added with."""

    body: Any

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        body, made = self.body, []
        for x, v, stiffness, damping in zip(self._away(trace), trace.v[body.v], body.stiffness, body.damping, strict=True):
            pull: Any = 0.0
            if stiffness:
                pull = pull + trace.number(stiffness) * x
            if damping:
                pull = pull + trace.number(damping) * v
            made.append((-pull, v))
        return made

    def _away(self, trace: ForceTrace) -> list[Any]:
        """How far the joint is from rest, per velocity."""
        body = self.body
        q = trace.q[body.q]
        if body.joint.nq == body.joint.nv:
            return [x - trace.number(r) if r else x for x, r in zip(q, body.rest, strict=True)]
        turn = rotation_vector(product(conjugate(body.rest[:4]), q[:4]))
        return [*turn, *(x - r for x, r in zip(q[4:], body.rest[4:], strict=True))]

    def potential(self, trace: ForceTrace) -> Scalar:
        total: Any = 0.0
        for x, stiffness in zip(self._away(trace), self.body.stiffness, strict=True):
            if stiffness:
                total = total + 0.5 * trace.number(stiffness) * x * x
        return total


def joint_springs(mechanism: Mechanism) -> list[JointSpring]:
    """The springs and dampers that bodies were added with."""
    return [JointSpring(body) for body in mechanism.bodies if any(body.stiffness) or any(body.damping)]


# -- from forces to a program ----------------------------------------------------------------------------------


@dataclass(frozen=True)
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
            found = evaluate(list(self.torques.values()), self._values(q, v, [f(t) for f in self.functions]))
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
    efforts: list[Effort] = []
    energy: Any = 0.0
    for force in [*joint_springs(mechanism), *forces]:
        if not hasattr(force, "efforts"):
            raise InputError(f"forces: {force!r} is not a force; give a Spring, Wrench or Servo of anyjoint.forces")
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


# -- small mathematics -----------------------------------------------------------------------------------------


def dot3(x: Sequence[Any], y: Sequence[Any]) -> Any:
    """x . y"""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


def point(pose: Pose, at: Vector3) -> list[Any]:
    """A body's point in the world."""
    return [p + dot3(row, [float(x) for x in at]) for row, p in zip(pose.R, pose.p, strict=True)]


def angular_velocity(trace: ForceTrace, R: Any) -> list[Any]:
    """w in the world's axes: [w] = Rdot R^T."""
    rates = trace.rate_of([R[i][j] for i in range(3) for j in range(3)])
    rows = [rates[3 * i : 3 * i + 3] for i in range(3)]
    return [dot3(rows[2], R[1]), dot3(rows[0], R[2]), dot3(rows[1], R[0])]


def conjugate(q: Sequence[Any]) -> list[Any]:
    """The inverse of a unit quaternion."""
    return [q[0], -q[1], -q[2], -q[3]]


def product(p: Sequence[Any], q: Sequence[Any]) -> list[Any]:
    """The quaternion p q."""
    w, x, y, z = p
    return [
        w * q[0] - x * q[1] - y * q[2] - z * q[3],
        w * q[1] + x * q[0] + y * q[3] - z * q[2],
        w * q[2] - x * q[3] + y * q[0] + z * q[1],
        w * q[3] + x * q[2] - y * q[1] + z * q[0],
    ]


def rotation_vector(q: Sequence[Any]) -> list[Any]:
    """The logarithm of a unit quaternion, on the shorter way."""
    sign = select(less(q[0], 0.0), -1.0, 1.0)
    size = sqrt(dot3(q[1:], q[1:]) + TINY)
    scale = 2.0 * sign * atan2(size, sign * q[0]) / size
    return [scale * x for x in q[1:4]]


def check_number(what: str, name: str, value: Any, least: float) -> None:
    """Refuse what is not a finite number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not least <= float(value) < math.inf:
        raise InputError(f"{what}: {name}={value!r}; expected a finite number of at least {least:g}")


def check_vector(what: str, name: str, value: Any, n: int) -> None:
    """Refuse what is not n finite numbers."""
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        numbers = np.full(0, np.nan)
    if numbers.shape != (n,) or not np.isfinite(numbers).all():
        raise InputError(f"{what}: {name}={value!r}; expected {n} finite numbers")


TINY = 1e-300  # keeps the direction of a spring finite where its points coincide
