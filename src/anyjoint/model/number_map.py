"""A program's numbers as expressions in the parameters that vary, for code that sets them without Python.

Raw numbers are affine in masses, moments of mass, tensors, springs and gravity: the map is found by setting one of them
to 1 after the other. Placements and numbers of joints move frames, and stay out.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType

import numpy as np

from anyjoint.codegen import Kernel, Store
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.inertia import spatial_inertias
from anyjoint.scalar import Scalar
from anyjoint.scalar.array import Floats
from anyjoint.spatial.inertia import UPPER
from anyjoint.symbolic import Node
from anyjoint.symbolic.rewrite import import_into
from anyjoint.trace.draft import Draft
from anyjoint.trace.numbers import NumberTable
from anyjoint.trace.workshop import Trace, Workshop

from .change import GRAVITY, INERTIA, SPRING, find, value_of


def settable(mechanism: Mechanism, names: Sequence[str]) -> dict[str, Floats]:
    """Those of some parameters that leave frames where they are, with their present values in a row."""
    if mechanism.followers:
        return {}
    plain = (GRAVITY, *INERTIA, *SPRING)
    good = [name for name in names if find(mechanism, name).what in plain]
    return {name: np.asarray(value_of(mechanism, name), dtype=float).ravel() for name in good}


def number_kernel(workshop: Workshop, trace: Trace, parameters: dict[str, Floats]) -> Kernel:
    """The kernel that reads a row of these parameters and stores those of a program's numbers that depend on them."""
    made = Draft()
    given, out = made.argument("parameters", "row"), made.argument("numbers", "row")
    nodes, at = {}, 0
    for name, values in parameters.items():
        nodes[name] = [made.entry(given, at + k) for k in range(len(values))]
        at += len(values)
    table = _Affine(workshop, trace, nodes).table()
    stores = []
    for rows in trace.setups:
        graph, count = rows.setup.graph, len(rows.setup.outputs)
        outputs = [Node(graph, i) for i in rows.setup.outputs]
        for k, raw in enumerate(rows.raw(table) if count else ()):
            if any(isinstance(x, Node) for x in raw):
                values = import_into(made.graph, outputs, {Node(graph, i): raw[j] for i, j in rows.setup.raw.items()})
                places = range(rows.start + k * count, rows.start + (k + 1) * count)
                stores += [
                    Store(x, out, place) for x, place in zip(values, places, strict=True) if x.known is None
                ]
    return made.kernel(stores)


class _Affine:
    """Raw numbers of a trace: what they are without the parameters, and so much more for each entry of them."""

    def __init__(self, workshop: Workshop, trace: Trace, nodes: dict[str, list[Node]]) -> None:
        self.workshop, self.trace, self.mechanism, self.nodes = workshop, trace, workshop.mechanism, nodes
        self.coefficients: list[Scalar] = []
        # Row 0 is all that does not vary, row 1 is nothing at all, the others hold one entry each.
        self.own = [spatial_inertias([body.inertia for body in self.mechanism.bodies])]
        self.gravity = [np.array(self.mechanism.gravity if trace.gravity else (0, 0, 0), dtype=float)]
        self.springs = {
            i: [np.concatenate([getattr(self.mechanism.bodies[link.body], what) for what in SPRING])]
            for i, link in enumerate(workshop.basis(trace.over).plan.links)
            if any(self._name(link.body, what) in nodes for what in SPRING)
        }
        self._add_row()

    def table(self) -> NumberTable:
        """Raw numbers of all links, graph nodes where they depend on a parameter."""
        self._add_inertias()
        self._add_springs()
        if GRAVITY in self.nodes and self.trace.gravity:
            for axis, node in zip(np.eye(3), self.nodes[GRAVITY], strict=True):
                self._add_entry(node, self.gravity, axis, ...)
        springs = {i: np.array(rows) for i, rows in self.springs.items()}
        probed = self.workshop.basis(self.trace.over).table(np.array(self.own), np.array(self.gravity), springs)
        if self.trace.closed:
            probed = self.workshop.closed_table(probed, self.trace.over)
        rows = probed.rows[0].astype(object)
        for coefficient, row in zip(self.coefficients, probed.rows[2:] - probed.rows[1], strict=True):
            for place in zip(*np.nonzero(row), strict=True):
                rows[place] = rows[place] + float(row[place]) * coefficient
        return NumberTable(rows, probed.lengths, tuple(frame[0] for frame in probed.frames))

    def _add_inertias(self) -> None:
        """m, h = m c and the tensor about the origin, of bodies of which one of them varies."""
        for body in self.mechanism.bodies:
            if any(self._name(body.index, what) in self.nodes for what in INERTIA):
                (m,), c, tensor = (self._entries(body.index, what) for what in INERTIA)
                about = np.reshape(tensor, (3, 3)) + m * (np.dot(c, c) * np.eye(3) - np.outer(c, c))
                self._add_entry(m, self.own, np.diag([0.0, 0, 0, 1, 1, 1]), body.index)
                for k in range(3):
                    moment = np.zeros((6, 6))
                    i, j = (k + 1) % 3, (k + 2) % 3
                    moment[j, 3 + i], moment[i, 3 + j] = 1.0, -1.0
                    self._add_entry(m * c[k], self.own, moment + moment.T, body.index)
                for i, j in UPPER:
                    unit = np.zeros((6, 6))
                    unit[i, j] = unit[j, i] = 1.0
                    self._add_entry((about[i, j] + about[j, i]) / 2, self.own, unit, body.index)

    def _add_springs(self) -> None:
        links = self.workshop.basis(self.trace.over).plan.links
        for i, rows in self.springs.items():
            body = links[i].body
            begin = 0
            for what in SPRING:
                entries = self._entries(body, what)
                if self._name(body, what) in self.nodes:
                    for k, entry in enumerate(entries, begin):
                        self._add_entry(entry, rows, 1.0, k)
                begin += len(entries)

    def _entries(self, index: int, what: str) -> list[Scalar]:
        """A parameter of a body: graph nodes if it varies, else numbers."""
        present = np.asarray(value_of(self.mechanism, self._name(index, what)), dtype=float).ravel().tolist()
        return self.nodes.get(self._name(index, what), present)

    def _name(self, index: int, what: str) -> str:
        return f"{self.mechanism.bodies[index].name}/{what}"

    def _add_entry(
        self, coefficient: Scalar, rows: list[Floats], unit: float | Floats, place: int | EllipsisType
    ) -> None:
        """Take an entry out of the first row and put it alone into a new one."""
        self.coefficients.append(coefficient)
        self._add_row()
        rows[0][place] = 0.0
        rows[-1][place] = unit

    def _add_row(self) -> None:
        for rows in (self.own, self.gravity, *self.springs.values()):
            rows.append(np.zeros_like(rows[0]))
