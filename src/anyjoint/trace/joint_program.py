"""A joint kind traced once: G, S and c as small simplified expressions, ready to be copied into any program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anyjoint.frozen import frozen
from anyjoint.joints.parameters import parameters
from anyjoint.joints.partials import Partials
from anyjoint.scalar import Scalar
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.rewrite import import_into
from anyjoint.symbolic.simplify import merge_identities
from anyjoint.tree.links import link_motion, link_partials, link_pieces
from anyjoint.tree.plan import Link

from .flatten import flatten


@frozen
class JointProgram:
    """Expressions of a Motion, of Partials or of Pieces, in variables q, v and the joint's parameters."""

    q: tuple[Node, ...]
    v: tuple[Node, ...]
    parameters: tuple[Node, ...]
    outputs: tuple[Scalar, ...]
    rebuild: Callable[[Sequence[Scalar]], Any]

    def copy_into(self, graph: Graph, q: Sequence[Scalar], v: Sequence[Scalar], values: Sequence[Scalar]) -> Any:
        """The motion, or its derivatives, with its variables replaced by nodes of another graph, or by numbers."""
        inputs = (*self.q, *self.v, *self.parameters)
        replacements = dict(zip(inputs, (*q, *v, *values), strict=True))
        return self.rebuild(list(import_into(graph, self.outputs, replacements)))


def trace_joint(link: Link) -> JointProgram:
    """Trace a general joint's motion with D* and merge what is equal; coordinates are unbounded, parameters are not."""
    q, v, p = joint_variables(Graph(), link)
    scalars, rebuild = flatten(link_motion(link, p, q, v))
    return JointProgram(tuple(q), tuple(v), tuple(p), tuple(merge_identities(scalars)), rebuild)


def trace_partials(link: Link, program: JointProgram, by_coordinates: bool) -> JointProgram:
    """Trace the derivatives of a general joint's motion, which is known as a program."""
    g = Graph()
    q, v, p = joint_variables(g, link)
    made = link_partials(link, p, q, v, lambda at, w: program.copy_into(g, at, w, p), by_coordinates)
    scalars, rebuild = flatten(tuple(vars(made).values()))
    return JointProgram(
        tuple(q), tuple(v), tuple(p), tuple(merge_identities(scalars)), lambda flat: Partials(*rebuild(flat))
    )


def trace_pieces(link: Link) -> JointProgram:
    """Trace the factors of a general joint."""
    q, v, p = joint_variables(Graph(), link)
    scalars, rebuild = flatten(link_pieces(link, p, q, v))
    return JointProgram(tuple(q), tuple(v), tuple(p), tuple(merge_identities(scalars)), rebuild)


def joint_variables(g: Graph, link: Link) -> tuple[list[Node], list[Node], list[Node]]:
    """Coordinates, velocities and parameters of a link's joint as variables."""
    q = [g.variable(f"q{k}", c.domain) for k, c in enumerate(link.joint.coordinates)]
    v = [g.variable(f"v{k}") for k in range(link.joint.nv)]
    return q, v, [g.variable(f"p{k}", x.domain, x.bounds) for k, x in enumerate(parameters(link.joint))]
