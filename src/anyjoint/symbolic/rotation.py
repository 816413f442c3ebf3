"""Rotations in a derivative graph: y = R(angle) x turns at the rate of the angle, dy = R dx + dangle (-y_2, y_1).

Sums and products do not know that: each would multiply the rates of the sine and the cosine with x.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.partials import DerivativeGraph, Edge


class Circle(NamedTuple):
    """The sine and the cosine of an angle."""

    sine: int
    cosine: int
    angle: int


class _Sum(NamedTuple):
    """A node that is p cos x + q sin y, with signs p and q."""

    node: int
    x: int
    y: int
    p: int
    q: int


class _Rotation(NamedTuple):
    """Two sums, first = p (cos x + t sin y) and second = p' (cos y - t sin x), with signs p, p' and t."""

    circle: Circle
    first: _Sum
    second: _Sum


def with_rotations(d: DerivativeGraph) -> DerivativeGraph:
    """The same derivatives, with edges from rotated pairs to the angle and to vertices before their operands.

    These are the pairs turned back, so that adjoints add them up by themselves, as a rotation again.
    """
    found = list(_rotations(d))
    if not found:
        return d
    edges, reach, before = dict(d.edges), dict(d.reach), dict[int, list[int]]()
    for rotation in found:
        made = _edges(d.graph, rotation, reach)
        edges |= made
        shared = [vertex for vertex in made if vertex < 0]
        reach |= {vertex: reach[made[vertex][0][0]] for vertex in shared}
        before[min(rotation.first.node, rotation.second.node)] = shared
    order = [vertex for i in d.order for vertex in (*before.get(i, ()), i)]
    return DerivativeGraph(d.graph, d.roots, d.leaves, order, edges, reach, d.known)


def _rotations(d: DerivativeGraph) -> Iterator[_Rotation]:
    """Pairs of sums that are rotations by an angle with a derivative; no sum is in two of them."""
    g, circles = d.graph, _circles(d)
    waiting: dict[tuple[Circle, int, int, int], _Sum] = {}
    taken: set[int] = set()
    for i in d.order:
        ways = [*_sums(g, i, circles)] if i >= 0 and circles else ()
        for circle, found in ways:
            other = waiting.get((circle, found.y, found.x, -found.p * found.q))
            if other and other.node not in taken:
                taken |= {i, other.node}
                yield _Rotation(circle, other, found)
                break
        else:
            waiting |= {(circle, found.x, found.y, found.p * found.q): found for circle, found in ways}


def _circles(d: DerivativeGraph) -> dict[int, Circle]:
    """By their sines and cosines, angles that have both."""
    g = d.graph
    cosines = {g.a[i]: i for i in d.order if i >= 0 and g.op[i] == Op.COS}
    sines = {g.a[i]: i for i in d.order if i >= 0 and g.op[i] == Op.SIN}
    made = [Circle(sines[angle], cosines[angle], angle) for angle in sines if angle in cosines]
    return {node: circle for circle in made for node in (circle.sine, circle.cosine)}


def _sums(g: Graph, i: int, circles: Mapping[int, Circle]) -> Iterator[tuple[Circle, _Sum]]:
    """Ways to read a node as a sum of products with the cosine and the sine of an angle."""
    a, b, sign = g.a[i], g.b[i], 1 if g.op[i] == Op.ADD else -1
    if g.op[i] not in (Op.ADD, Op.SUB) or g.op[a] != Op.MUL or g.op[b] != Op.MUL:
        return
    for one, x in ((g.a[a], g.b[a]), (g.b[a], g.a[a])):
        for other, y in ((g.a[b], g.b[b]), (g.b[b], g.a[b])):
            circle = circles.get(one)
            if circle is None or circles.get(other) != circle or one == other:
                continue
            yield circle, _Sum(i, x, y, 1, sign) if one == circle.cosine else _Sum(i, y, x, sign, 1)


def _edges(g: Graph, rotation: _Rotation, reach: Mapping[int, int]) -> dict[int, list[Edge]]:
    """Edges of both sums and of what they share: their operands turned back."""
    (sine, cosine, angle), first, second = rotation

    def signed(sign: int, node: int) -> int:
        return node if sign > 0 else g.node(Op.NEG, node)

    sign = first.q * second.p
    made = {
        first.node: [(angle, signed(sign, second.node))],
        second.node: [(angle, signed(-sign, first.node))],
    }
    for own, other in ((first, second), (second, first)):
        if own.x in reach:
            made[~own.node] = [(own.x, g.constant_id(1.0))]
            made[own.node].append((~own.node, signed(own.p, cosine)))
            made[other.node].append((~own.node, signed(other.q, sine)))
    return made
