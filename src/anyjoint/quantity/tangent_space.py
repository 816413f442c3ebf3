"""Small changes of coordinates as velocities see them: q(delta) = q + T(q) delta, where dq/dt = T(q) v.

For most joints T is the identity; a quaternion has four coordinates and three velocities. Derivatives by q are by
delta, unless raw ones are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anyjoint.codegen import Kernel, Place, Store
from anyjoint.codegen.builder import Builder
from anyjoint.dynamics.small_matrix import gram, ldl
from anyjoint.joints import Joint
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar
from anyjoint.spatial import Matrix, vector, zeros
from anyjoint.stepper.physics import JointGroup, joint_groups, moves_otherwise
from anyjoint.symbolic import Graph, Node

Nodes = list[Node]
Map = Callable[[Joint, Nodes, Nodes], Sequence[Scalar]]  # of a joint, its coordinates and another vector


class TangentSpace:
    """Adds runs that go between changes of coordinates and changes as velocities see them."""

    def __init__(self, builder: Builder, mechanism: Mechanism) -> None:
        self.builder, self.groups = builder, joint_groups(mechanism)

    def push(self, q: Place, delta: Place, out: Place) -> None:
        """T delta."""
        self._run(lambda joint, qs, xs: joint.rate(qs, xs), q, (delta, "v"), (out, "q"))

    def pull(self, q: Place, bar: Place, out: Place) -> None:
        """T^T bar."""
        self._run(lambda joint, qs, xs: list(rate_matrix(joint, qs).T @ vector(*xs)), q, (bar, "q"), (out, "v"))

    def solve(self, q: Place, change: Place, out: Place) -> None:
        """T^+ change: the velocities that change coordinates so."""
        self._run(_solve, q, (change, "q"), (out, "v"))

    def solve_transposed(self, q: Place, weights: Place, out: Place) -> None:
        """(T^+)^T weights."""
        self._run(_solve_transposed, q, (weights, "v"), (out, "q"))

    def _run(self, function: Map, q: Place, given: tuple[Place, str], out: tuple[Place, str]) -> None:
        for group in self.groups:
            self._run_group(group, function, q, given, out)

    def _run_group(
        self, group: JointGroup, function: Map, q: Place, given: tuple[Place, str], out: tuple[Place, str]
    ) -> None:
        """Run a joint's expressions over all bodies of a group."""
        graph, joint, builder = Graph(), group.joint, self.builder
        qs = [graph.variable("q", c.domain) for c in joint.coordinates]
        xs = [graph.variable("x") for _ in range(joint.nq if given[1] == "q" else joint.nv)]
        values = function(joint, qs, xs) if moves_otherwise(joint) else xs
        loads = {x.id: (k, i) for k, row in enumerate((qs, xs)) for i, x in enumerate(row)}
        stores = tuple(Store(graph.as_node(x), 2, k) for k, x in enumerate(values))
        places = ((q, "q"), given, out)
        number = builder.kernel(Kernel(graph, tuple(builder.arrays[p.array] for p, _ in places), loads, stores))
        begins = [(p.array, [p.offset + getattr(body, row).start for body in group.bodies]) for p, row in places]
        builder.run(number, *begins)


def rate_matrix(joint: Joint, q: Sequence[Scalar]) -> Matrix:
    """T(q), a column for each velocity."""
    T = zeros(joint.nq, joint.nv)
    for j in range(joint.nv):
        T[:, j] = list(joint.rate(q, [float(k == j) for k in range(joint.nv)]))
    return T


def _solve(joint: Joint, q: Nodes, x: Nodes) -> Sequence[Scalar]:
    T = rate_matrix(joint, q)
    factors = ldl(gram(T, T))
    return list(factors.back(factors.half(T.T @ vector(*x)) * factors.inverse))


def _solve_transposed(joint: Joint, q: Nodes, x: Nodes) -> Sequence[Scalar]:
    T = rate_matrix(joint, q)
    factors = ldl(gram(T, T))
    return list(T @ factors.back(factors.half(vector(*x)) * factors.inverse))
