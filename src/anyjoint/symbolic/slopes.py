"""Partial derivatives of operations, as nodes: each rule takes a graph and a node y of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from anyjoint.symbolic.op import Op

if TYPE_CHECKING:
    from anyjoint.symbolic.graph import Graph

Rule = Callable[["Graph", int], int]


def constant(value: float) -> Rule:
    return lambda g, y: g.constant_id(value)


def inverse_of_divisor(g: Graph, y: int) -> int:
    return g.node(Op.DIV, g.constant_id(1.0), g.b[y])


def by_divisor(g: Graph, y: int) -> int:
    return g.node(Op.NEG, g.node(Op.MUL, y, inverse_of_divisor(g, y)))


def tangent(g: Graph, y: int) -> int:
    return g.node(Op.ADD, g.constant_id(1.0), g.node(Op.MUL, y, y))


def arcsine(g: Graph, y: int) -> int:
    one = g.constant_id(1.0)
    x = g.a[y]
    return g.node(Op.DIV, one, g.node(Op.SQRT, g.node(Op.SUB, one, g.node(Op.MUL, x, x))))


def over_square_radius(g: Graph, y: int, numerator: int | None = None) -> int:
    """A numerator, or 1, over a^2 + b^2."""
    a, b = g.a[y], g.b[y]
    square = g.node(Op.ADD, g.node(Op.MUL, a, a), g.node(Op.MUL, b, b))
    return g.node(Op.DIV, g.constant_id(1.0) if numerator is None else numerator, square)


def by_height(g: Graph, y: int) -> int:
    return over_square_radius(g, y, g.b[y])


def by_width(g: Graph, y: int) -> int:
    return g.node(Op.NEG, over_square_radius(g, y, g.a[y]))


def by_base(g: Graph, y: int) -> int:
    a, b = g.a[y], g.b[y]
    return g.node(Op.MUL, b, g.node(Op.POW, a, g.node(Op.SUB, b, g.constant_id(1.0))))


def sign(g: Graph, y: int) -> int:
    negative = g.node(Op.LT, g.a[y], g.constant_id(0.0))
    return g.node(Op.SELECT, negative, g.constant_id(-1.0), g.constant_id(1.0))


def branch(g: Graph, y: int) -> tuple[int, int, int] | None:
    """A select, min or max as (condition, value if true, value if false); None for any other node."""
    op, a, b = g.op[y], g.a[y], g.b[y]
    if op == Op.SELECT:
        return a, b, g.c[y]
    if op == Op.MIN:
        return g.node(Op.LT, a, b), a, b
    if op == Op.MAX:
        return g.node(Op.LT, a, b), b, a
    return None


def taken(which: int) -> Rule:
    def rule(g: Graph, y: int) -> int:
        condition = (branch(g, y) or (y, y, y))[0]
        return g.node(Op.SELECT, condition, g.constant_id(1.0 - which), g.constant_id(float(which)))

    return rule


def whole_times(g: Graph, y: int) -> int:
    """d rem(a, b) / db: how many times b was taken off, with a minus."""
    return g.node(Op.DIV, g.node(Op.SUB, y, g.a[y]), g.b[y])
