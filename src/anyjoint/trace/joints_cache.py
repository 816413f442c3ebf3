"""Joint programs by kind, traced once per mechanism."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from anyjoint.dynamics.algorithm import Along
from anyjoint.dynamics.products import jacobian_rate
from anyjoint.joints.parameters import bind, signature
from anyjoint.joints.partials import Partials
from anyjoint.joints.product_rule import Motion, Piece
from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, zeros
from anyjoint.symbolic import Graph
from anyjoint.tree.links import give_input, give_partials, give_pieces, give_springs, joint_numbers, link_body
from anyjoint.tree.plan import GENERAL, Link
from anyjoint.tree.record import Record

from .joint_program import JointProgram, trace_joint, trace_partials, trace_pieces


class JointCache:
    """Joints that differ only in their run-time numbers share one program."""

    def __init__(self) -> None:
        self._programs: dict[Hashable, JointProgram] = {}
        self._partials: dict[Hashable, JointProgram] = {}
        self._pieces: dict[Hashable, JointProgram] = {}

    def key(self, link: Link) -> Hashable:
        """What makes two links' joints the same kind."""
        return (link.kind, signature(link.joint), link.core) if link.kind == GENERAL else link.kind

    def program(self, link: Link) -> JointProgram:
        """The program of a link's joint."""
        key = self.key(link)
        if key not in self._programs:
            self._programs[key] = trace_joint(link)
        return self._programs[key]

    def motion(
        self, graph: Graph, link: Link, q: Sequence[Scalar], v: Sequence[Scalar], values: Sequence[Scalar]
    ) -> Motion | None:
        """A general joint's motion copied into a graph; hinges and sliders need none."""
        return self.program(link).copy_into(graph, q, v, values) if link.kind == GENERAL else None

    def partials(
        self,
        graph: Graph,
        link: Link,
        q: Sequence[Scalar],
        v: Sequence[Scalar],
        values: Sequence[Scalar],
        by_coordinates: bool = False,
    ) -> Partials | None:
        """A general joint's derivatives copied into a graph; hinges and sliders have none."""
        if link.kind != GENERAL:
            return None
        key = self.key(link), by_coordinates
        if key not in self._partials:
            self._partials[key] = trace_partials(link, self.program(link), by_coordinates)
        made: Partials = self._partials[key].copy_into(graph, q, v, values)
        return made

    def pieces(
        self, graph: Graph, link: Link, q: Sequence[Scalar], v: Sequence[Scalar], values: Sequence[Scalar]
    ) -> list[Piece]:
        """A general joint's factors copied into a graph; hinges and sliders need none."""
        if link.kind != GENERAL:
            return []
        key = self.key(link)
        if key not in self._pieces:
            self._pieces[key] = trace_pieces(link)
        made: list[Piece] = self._pieces[key].copy_into(graph, q, v, values)
        return made

    def jacobian_rate(
        self,
        graph: Graph,
        link: Link,
        q: Sequence[Scalar],
        v: Sequence[Scalar],
        x: Sequence[Scalar],
        values: Sequence[Scalar],
    ) -> Vector:
        """Sdot*x of a joint in a graph [RM alg. 2]."""
        if link.kind != GENERAL:
            return zeros(6)
        program, joint = self.program(link), bind(link.joint, values)
        rates = None if joint.rates_are_velocities else joint.rate(q, v)
        return jacobian_rate(lambda at, v: program.copy_into(graph, at, v, values), q, v, x, rates)

    def record(
        self, graph: Graph, link: Link, raw: Sequence[Scalar], q: Sequence[Scalar], v: Sequence[Scalar], up: Vector,
        given: Mapping[str, Vector], partials: Along | None, factors: bool,
    ) -> Record:  # fmt: skip
        """What the first sweep starts from: a link's motion, springs, what else is read of joints, place and inputs."""
        own = joint_numbers(link, raw)
        record = link_body(link, raw, q, v, self.motion(graph, link, q, v, own))
        give_springs(record, link, raw, q, v)
        if factors:
            give_pieces(record, link, raw, self.pieces(graph, link, q, v, own))
        if partials:
            by_coordinates = partials == "coordinates"
            found = self.partials(graph, link, q, v, own, by_coordinates)
            give_partials(record, link, raw, q, v, found, by_coordinates)
        record.prescribed, record.elders, record.columns = link.prescribed, link.elders, link.columns
        record.up, record.on_ground, record.still = up, link.parent < 0, link.still
        for name, values in given.items():
            give_input(record, name, values)
        if "x" in given:
            record.Sdot_x = self.jacobian_rate(graph, link, q, v, list(given["x"]), own)
        return record
