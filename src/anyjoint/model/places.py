"""The places at which a model answers: inside the intervals of its coordinates, away from where joints break down.

Frames made from derivatives (of a user's curves and surfaces, of splines) have finite but meaningless derivatives close
to a pole or an inflection; other joints lose a direction of motion. Small programs of their own look how close that is,
so that the dynamics stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from anyjoint.codegen import Kernel, Store, rows_and_numbers
from anyjoint.codegen.builder import Builder
from anyjoint.errors import SingularityError
from anyjoint.joints import Joint
from anyjoint.mechanism import Body, Mechanism
from anyjoint.mechanism.fence import check_inside, fences_of
from anyjoint.mechanism.probing import random_coordinates
from anyjoint.mechanism.singular import SCREWS, joint_reason
from anyjoint.quantity import Quantity, Row
from anyjoint.quantity.quantity import Q
from anyjoint.scalar import Scalar
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.stepper.physics import joint_key
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.interpret import evaluate
from anyjoint.trace.numbers import Numbers
from anyjoint.trace.workshop import Trace
from anyjoint.tree.plan import Plan

from .program import Program

Numbered = Callable[[Joint, Sequence[Scalar]], list[Scalar]]
SHARE = 1e-8  # of a number's usual size, below which one looks closer
ARRAYS = rows_and_numbers("q", "result")


class Shares:
    """Numbers of all joints, usually about 1: where one is below `least`, the joint of its owner may break down."""

    def __init__(self, program: Program | Interpreted, owners: Sequence[Body], least: float) -> None:
        self.program, self.owners, self.least = program, owners, least

    def all_clear(self, q: ArrayLike) -> bool:
        """Whether one state is surely far from everything; the usual case, without delay."""
        found = self.program.state((q,))
        return found is not None and min(found.tolist()) > self.least

    def broken(self, q: Floats) -> list[int]:
        """Which of the states (n, nq) are too near."""
        return [int(k) for k in np.flatnonzero(self._broken(q).any(axis=1))]

    def owner(self, q: Floats) -> Body:
        """The body whose joint is the trouble in one of those states."""
        return self.owners[int(np.argmax(self._broken(q[None])[0]))]

    def smallest(self, q: Floats) -> Body:
        """The body whose joint is nearest to trouble in one state."""
        return self.owners[int(np.argmin(np.nan_to_num(np.abs(self.values(q[None])[0]), nan=0.0)))]

    def values(self, q: Floats) -> Floats:
        """The numbers in states (n, nq), a row each."""
        return self.program(q.astype(self.program.dtype)).reshape(len(q), len(self.owners))

    def _broken(self, q: Floats) -> Floats:
        return np.asarray(~(self.values(q) > self.least))  # NaN, where a column of S is nothing at all, is near too


class Interpreted:
    """The same numbers one node at a time, for mechanisms that are not worth compiling for."""

    dtype = np.dtype(float)

    def __init__(self, runs: Sequence[tuple[Kernel, int, int]]) -> None:
        self._runs = runs  # kernels, where their coordinates begin, and where their numbers go

    def state(self, arrays: tuple[object, ...]) -> Floats | None:
        """Nothing is without delay."""
        return None

    def __call__(self, q: Floats) -> Floats:
        """Numbers (n, size) in states (n, nq)."""
        columns = []
        for kernel, start, _ in sorted(self._runs, key=lambda run: run[2]):
            given = {node: np.ascontiguousarray(q[:, start + k]) for node, (_, k) in kernel.loads.items()}
            found = evaluate([store.node for store in kernel.stores], given)
            columns += [np.broadcast_to(x, len(q)) for x in found]
        return np.stack(columns, axis=1)


class Places:
    """Checks coordinates of one state or of a batch; without compiling for it, if it is not worth that."""

    def __init__(self, mechanism: Mechanism, dtype: str, compiled: bool = True) -> None:
        self.mechanism = mechanism
        self.fences = fences_of(mechanism)
        self.edges = shares(mechanism, lambda joint, q: joint.edges(q), dtype, SHARE, compiled)
        self.exact = np.finfo(dtype).eps < SHARE  # single precision has nothing left there

    def check(self, where: str, q: ArrayLike) -> None:
        """Raise unless the model answers at q; what is no array of numbers is left to other checks."""
        if self.fences:
            check_inside(where, self.fences, q)
        if self.edges is None or self.edges.all_clear(q):
            return
        try:
            given = np.asarray(q, dtype=float)
            states = given.reshape(-1, self.mechanism.nq)
        except (TypeError, ValueError):
            return
        bad = self.broken(states)
        if bad:
            which = f" state {bad[0]}," if given.ndim == 2 else ""
            raise SingularityError(f"{where}:{which} {self.reason(states[bad[0]])}")

    def broken(self, q: Floats) -> list[int]:
        """Which of the states (n, nq) stand where a frame has broken down."""
        near = self.edges.broken(q) if self.edges else []
        return [k for k in near if not self.exact or any(joint_reason(b, q[k]) for b in self.mechanism.bodies)]

    def reason(self, q: Floats) -> str:
        """Whose frame breaks down at q, and what to do."""
        body = self.edges.owner(q) if self.edges else None
        if body is None:
            return ""
        near = "a frame of its joint breaks down nearby; move away from there"
        return f"body {body.name!r} at q = {q[body.q].tolist()}: {joint_reason(body, q) or near}"


def places_of(mechanism: Mechanism, dtype: str, compiled: bool = True) -> Places | None:
    """Where a mechanism's model answers; None if that is everywhere."""
    places = Places(mechanism, dtype, compiled)
    return places if places.fences or places.edges is not None else None


def shares(mechanism: Mechanism, numbers: Numbered, dtype: str, least: float, compiled: bool = True) -> Shares | None:
    """Numbers of all joints, by kernels over equal joints; None where nothing can break down."""
    kernels: dict[Hashable, Kernel | None] = {}
    starts: dict[Hashable, list[tuple[int, int]]] = {}
    owners: list[Body] = []
    size = 0
    for body in mechanism.bodies:
        if isinstance(body.joint, SCREWS) or not (body.joint.nq or body.joint.follows):
            continue
        leader = mechanism.leader(body)
        key = joint_key(body.joint)
        if key not in kernels:
            kernels[key] = _kernel(body.joint, leader.joint, numbers)
        kernel = kernels[key]
        if kernel is not None:
            starts.setdefault(key, []).append((leader.q.start, size))
            owners += [body] * len(kernel.stores)
            size += len(kernel.stores)
    if not size:
        return None
    if not compiled:
        runs = [(kernel, *place) for key, places in starts.items() if (kernel := kernels[key]) for place in places]
        return Shares(Interpreted(runs), owners, least)
    builder = Builder(ARRAYS)
    for key, places in starts.items():
        if kernel := kernels[key]:
            builder.run(builder.kernel(kernel), *enumerate(zip(*places, strict=True)))
    traced = Trace("places", builder.schedule(), [], Plan((), ()), Numbers((), (0.0, 0.0, 0.0)), "links", False)
    answer = Row("shares", "whole", (size,), "how far joints are from breaking down")
    quantity = Quantity("places", "Shares of what joints usually have.", (Q,), (answer,), lambda *_: traced)
    return Shares(Program(quantity, traced, mechanism, dtype), owners, least)


def _kernel(joint: Joint, leader: Joint, numbers: Numbered) -> Kernel | None:
    """The numbers of one joint kind as a kernel over its coordinates; None where they do not depend on them."""
    graph = Graph()
    q = [graph.variable("q", c.domain) for c in leader.coordinates]
    found = normalised(numbers(*inner_coordinates(joint, q)), q, leader)
    loads = {node.id: (0, k) for k, node in enumerate(q)}
    stores = tuple(Store(x, 1, k) for k, x in enumerate(found))
    return Kernel(graph, ARRAYS[:2], loads, stores) if stores else None


def inner_coordinates(joint: Joint, q: Sequence[Scalar]) -> tuple[Joint, Sequence[Scalar]]:
    """A joint and its coordinates, which for a follower are functions of its leader's."""
    return joint.inner, joint.inner_coordinates(q)


def normalised(numbers: Sequence[Scalar], q: Sequence[Node], leader: Joint) -> list[Node]:
    """Those of the numbers that depend on coordinates q of a joint, divided by their usual size."""
    moving = [x for x in numbers if isinstance(x, Node) and x.known is None]
    if not moving:
        return []
    rng = np.random.default_rng(4)
    samples = np.array([random_coordinates(leader, rng) for _ in range(15)]).T
    usual = [_usual(x) for x in evaluate(moving, dict(zip(q, samples, strict=True)))]
    return [x * (1 / size) for x, size in zip(moving, usual, strict=True)]


def _usual(samples: ArrayLike) -> float:
    """The usual size of a number, of the samples where it has one: functions may be flat over most of their domain."""
    sizes = np.asarray(samples, dtype=float)
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    return float(np.median(sizes)) if sizes.size else 1.0
