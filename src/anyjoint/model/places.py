"""The places at which a model answers: inside the intervals of its coordinates, away from where frames break down.

Frames made from derivatives (of a user's curves and surfaces, of splines) have finite but meaningless derivatives close
to a pole or an inflection. A small program of its own looks how close that is, so that the dynamics stay as they are.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from anyjoint.codegen import Array, Kernel, Run, Schedule, Store
from anyjoint.errors import SingularityError
from anyjoint.joints import Coupled, Joint
from anyjoint.mechanism.fence import check_inside, fences_of
from anyjoint.mechanism.singular import SCREWS, joint_reason
from anyjoint.symbolic import Graph, Node

from .numbers import Numbers
from .program import Program

Floats = np.ndarray[Any, np.dtype[Any]]
ARRAYS = (Array("q", "row"), Array("result", "row"), Array("numbers", "uniform"))


class Places:
    """Checks coordinates of one state or of a batch."""

    def __init__(self, mechanism: Any, dtype: str) -> None:
        self.mechanism = mechanism
        self.fences = fences_of(mechanism)
        self.edges = edge_program(mechanism, dtype)

    def __bool__(self) -> bool:
        return bool(self.fences) or self.edges is not None

    def check(self, where: str, q: Any) -> None:
        """Raise unless the model answers at q; what is no array of numbers is left to other checks."""
        if self.fences:
            check_inside(where, self.fences, q)
        if self.edges is None:
            return
        margin = self.edges.state((q,))
        if margin is not None and min(margin.tolist()) > 0:  # the usual case, without delay
            return
        try:
            states = np.asarray(q, dtype=float)
            bad = self.broken(states.reshape(-1, self.mechanism.nq))
        except (TypeError, ValueError):
            return
        if len(bad):
            which = f" state {bad[0]}," if states.ndim == 2 else ""
            raise SingularityError(f"{where}:{which} {self.reason(states.reshape(-1, self.mechanism.nq)[bad[0]])}")

    def broken(self, q: Floats) -> list[int]:
        """Which of the states (n, nq) stand where a frame has broken down."""
        if self.edges is None:
            return []
        return [int(k) for k in np.flatnonzero((self.edges(q.astype(self.edges.dtype)) <= 0).any(axis=1))]

    def reason(self, q: Floats) -> str:
        """Which body's frame it is, and what to do."""
        for body in self.mechanism.bodies:
            sentence = joint_reason(body, q)
            if sentence:
                return f"body {body.name!r} at q = {q[body.q].tolist()}: {sentence}"
        return f"a frame of a joint breaks down at q = {q.tolist()}; move away from there"


def edge_program(mechanism: Any, dtype: str) -> Program | None:
    """A program that tells for each frame of each body how far it is from breaking down: positive if far enough."""
    kernels: dict[Hashable, Kernel | None] = {}
    starts: dict[Hashable, list[tuple[int, int]]] = {}
    size = 0
    for body in mechanism.bodies:
        if isinstance(body.joint, SCREWS) or not (body.joint.nq or isinstance(body.joint, Coupled)):
            continue
        leader = mechanism[body.joint.source] if isinstance(body.joint, Coupled) else body
        key = _key(body.joint)
        if key not in kernels:
            kernels[key] = _kernel(body.joint, leader.joint, float(np.finfo(dtype).eps))
        kernel = kernels[key]
        if kernel is not None:
            starts.setdefault(key, []).append((leader.q.start, size))
            size += len(kernel.stores)
    if not size:
        return None
    used = [kernels[key] for key in starts]
    runs = [
        Run(k, len(places), ((0, tuple(q for q, _ in places)), (1, tuple(r for _, r in places))))
        for k, places in enumerate(starts.values())
    ]
    schedule = Schedule(ARRAYS, tuple(kernel for kernel in used if kernel), tuple(runs))
    return Program("places", schedule, [], [("q", mechanism.nq)], size, Numbers((), (0.0, 0.0, 0.0)), dtype)


def _kernel(joint: Joint, leader: Joint, rounding: float) -> Kernel | None:
    """The margins of one joint kind as a kernel over its coordinates; None where no frame can break down."""
    graph = Graph()
    q = [graph.variable("q", c.domain) for c in leader.coordinates]
    inner, at = (joint.joint, joint.inner_coordinates(q)) if isinstance(joint, Coupled) else (joint, q)
    margins = [x - rounding * y for x, y in inner.edges(at)]
    moving = [x for x in margins if isinstance(x, Node)]
    if not moving:
        return None
    loads = {node.id: (0, k) for k, node in enumerate(q)}
    return Kernel(graph, ARRAYS[:2], loads, tuple(Store(x, 1, k) for k, x in enumerate(moving)))


def _key(joint: Joint) -> Hashable:
    try:
        hash(joint)
    except TypeError:
        return id(joint)
    return type(joint), joint
