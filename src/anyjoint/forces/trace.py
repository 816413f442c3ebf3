"""Expressions of a mechanism's state that forces are made of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from anyjoint.constraints import Push
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, Twist, dot, vector, zeros
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.derivative import time_derivative

Effort = tuple[Scalar, Scalar]  # a force or torque, and the speed that it works on


class ForceTrace:
    """Expressions of a mechanism's state that forces are made of."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.graph = mechanism, Graph()
        g = self.graph
        self.q = [g.variable("q", c.domain) for body in mechanism.bodies for c in body.joint.coordinates]
        self.v = [g.variable("v") for _ in range(mechanism.nv)]
        self.parameters: list[Node] = []
        self.signals: list[Node] = []
        self._twists: dict[int, Twist] = {}

    def efforts(self, push: Push) -> list[Effort]:
        """Efforts of a push with the speeds that they work on."""
        numbers = [self.graph.variable("p") for _ in push.numbers]
        signals = [self.graph.variable("s") for _ in push.signals]
        self.parameters += numbers
        self.signals += signals
        poses = [self.poses[body] if body >= 0 else Pose() for body in push.bodies]
        twists = [self._twist(body) for body in push.bodies] if push.velocity else []
        q, qd = self._coordinates(push)
        s = push.measured(poses, twists, q, qd, numbers)
        s, rate = (push.sight(poses, q, numbers), s) if push.velocity else (s, self.rate_of(s))
        return list(zip(push.efforts(s, rate, numbers, signals), rate, strict=True))

    def energy(self, push: Push) -> Scalar:
        """The energy that a push stores."""
        assert push.energy is not None
        poses = [self.poses[body] if body >= 0 else Pose() for body in push.bodies]
        s = push.measured(poses, [], self._coordinates(push)[0], [], push.numbers)
        return push.energy(vector(*s), vector(*push.numbers))

    def _coordinates(self, push: Push) -> tuple[list[Scalar], list[Scalar]]:
        """The coordinates of a push, and their rates."""
        places = [self.mechanism.bodies[body].q.start + k for body, k in push.coordinates]
        return [self.q[at] for at in places], [self.rates[at] for at in places]

    @cached_property
    def rates(self) -> list[Scalar]:
        """dq/dt."""
        return [x for b in self.mechanism.bodies for x in b.joint.rate(self.q[b.q], self.v[b.v])]

    @cached_property
    def poses(self) -> list[Pose]:
        """World poses of all bodies."""
        return self.mechanism.poses(self.q)

    def _twist(self, body: int) -> Twist:
        """How a body moves, in its own axes: [w] = R^T Rdot."""
        if body < 0:
            return Twist(zeros(3), zeros(3))
        if body not in self._twists:
            R, p = self.poses[body].R, self.poses[body].p
            moved = np.array(self.rate_of([*R.ravel(), *p]), dtype=object)
            x, y, z = moved[:9].reshape(3, 3).T  # rates of the axes
            w = vector(dot(R[:, 2], y), dot(R[:, 0], z), dot(R[:, 1], x))
            self._twists[body] = Twist(w, R.T @ moved[9:])
        return self._twists[body]

    def rate_of(self, values: Sequence[Scalar]) -> list[Scalar]:
        """Time derivatives of expressions of q, by D*."""
        nodes = [self.graph.as_node(x) for x in values]
        return list(time_derivative(nodes, self.q, self.rates))
