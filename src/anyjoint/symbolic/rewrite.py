"""Walking, copying and taking apart expressions: reachable, dependencies, substitute, import_into, coefficient."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from anyjoint.errors import ExpressionError
from anyjoint.scalar import Scalar
from anyjoint.scalar.differentiate import Nested

from .graph import Graph
from .node import Node
from .ops import ARITY, OPERATIONS, Op

Rebuild = Callable[[Sequence[Scalar]], Any]
Flat = tuple[list[Scalar], Rebuild]  # scalars, and what makes the value again from as many others


def flatten(outputs: Nested) -> Flat:
    """The scalars of nested sequences, and a function that puts as many others back into the same shape."""
    if isinstance(outputs, np.ndarray):
        shape = outputs.shape
        return list(outputs.reshape(-1)), lambda flat: _array(flat, shape)
    if isinstance(outputs, list | tuple):
        return joined([flatten(x) for x in outputs], type(outputs))
    return [outputs], lambda flat: flat[0]


def joined(pieces: Sequence[Flat], make: Callable[[list[Any]], Any]) -> Flat:
    """The scalars of several values as one list; put back, `make` gets the values again."""

    def rebuild(flat: Sequence[Scalar]) -> Any:
        at, made = 0, []
        for scalars, inner in pieces:
            made.append(inner(flat[at : at + len(scalars)]))
            at += len(scalars)
        return make(made)

    return [x for scalars, _ in pieces for x in scalars], rebuild


def _array(flat: Sequence[Scalar], shape: tuple[int, ...]) -> Nested:
    if any(isinstance(x, Node) for x in flat):
        result = np.empty(len(flat), dtype=object)
        result[:] = flat
        return result.reshape(shape)
    values = np.asarray(flat)
    return values.reshape(shape + values.shape[1:])


def reachable(g: Graph, outputs: Iterable[int], stop: Container[int] = ()) -> list[int]:
    """The ids of all nodes that `outputs` (ids) depend on, themselves included, in increasing order.

    What is below the nodes in `stop` does not count.
    """
    op, a, b, c = g.op, g.a, g.b, g.c
    seen = set(outputs)
    stack = list(seen)
    while stack:
        i = stack.pop()
        arity = ARITY[op[i]]
        if not arity or (stop and i in stop):
            continue
        for x in (a[i],) if arity == 1 else (a[i], b[i]) if arity == 2 else (a[i], b[i], c[i]):
            if x not in seen:
                seen.add(x)
                stack.append(x)
    return sorted(seen)


def dependencies(outputs: Nested) -> list[Node]:
    """The variables that some expressions depend on, in the order they were made."""
    nodes = [x for x in flatten(outputs)[0] if isinstance(x, Node)]
    if not nodes:
        return []
    g = common_graph(nodes)
    return [Node(g, i) for i in reachable(g, (x.id for x in nodes)) if g.op[i] == Op.VAR]


def common_graph(nodes: Iterable[Node]) -> Graph:
    """The one graph of some nodes."""
    graphs = {id(x.graph): x.graph for x in nodes}
    if len(graphs) != 1:
        raise ExpressionError(f"expected expressions of one graph, got {len(graphs)} graphs; use the same graph=.")
    return next(iter(graphs.values()))


def substitute(outputs: Nested, replacements: Mapping[Node, Scalar]) -> Nested:
    """`outputs` with nodes replaced, all at once, by other nodes of the same graph or by numbers. [GL section 4]"""
    flat, rebuild = flatten(outputs)
    nodes = [x for x in flat if isinstance(x, Node)]
    if not nodes or not replacements:
        return outputs
    g = common_graph([*nodes, *replacements, *(x for x in replacements.values() if isinstance(x, Node))])
    mapping = {key.id: _id_in(g, value) for key, value in replacements.items()}
    _rebuild_below(g, g, [x.id for x in nodes], mapping)
    return rebuild([Node(g, mapping[x.id]) if isinstance(x, Node) else x for x in flat])


def import_into(graph: Graph, outputs: Nested, replacements: Mapping[Node, Scalar] | None = None) -> Nested:
    """A copy of `outputs` in another graph; variables without a replacement there become new variables."""
    flat, rebuild = flatten(outputs)
    nodes = [x for x in flat if isinstance(x, Node)]
    if not nodes:
        return outputs
    source = common_graph(nodes)
    mapping: dict[int, int] = {}
    for key, value in (replacements or {}).items():
        if key.graph is not source:
            raise ExpressionError("import_into: a node to replace does not belong to the graph of the outputs.")
        mapping[key.id] = _id_in(graph, value)
    _rebuild_below(source, graph, [x.id for x in nodes], mapping)
    return rebuild([Node(graph, mapping[x.id]) if isinstance(x, Node) else x for x in flat])


def _rebuild_below(source: Graph, target: Graph, outputs: list[int], mapping: dict[int, int]) -> None:
    """Complete `mapping` (ids of source to ids of target) for everything that `outputs` need."""
    same = source is target
    fixed = set(mapping)
    for i in reachable(source, outputs, fixed):
        if i in mapping:
            continue
        if source.op[i] == Op.VAR and not same:
            variable = source.variables[source.a[i]]
            mapping[i] = target.variable(variable.name, variable.domain, variable.bounds).id
        else:
            mapping[i] = rebuilt(source, target, i, mapping)


def rebuilt(source: Graph, target: Graph, i: int, mapping: Mapping[int, int]) -> int:
    """The node of `target` that does what node i of `source` does, on the nodes that its operands are mapped to."""
    op, operands = source.op[i], source.operands(i)
    mapped = tuple([mapping[x] for x in operands])
    if source is target and mapped == operands:
        return i
    if op == Op.CONST:
        return target.constant_id(source.value(i))
    if op == Op.GATHER:
        return target.node(op, mapped[0], target.table_id(source.tables[source.b[i]]))
    return target.node(op, *mapped)


def _id_in(graph: Graph, x: Scalar) -> int:
    if isinstance(x, Node):
        if x.graph is not graph:
            raise ExpressionError("a replacement belongs to another graph; copy it over with import_into first.")
        return x.id
    return graph.constant_id(x)


def coefficient(f: Node, x: Node) -> Node:
    """The factor of `x` in an expression that is linear in the node `x`. [GL Algorithm 1]

    The paper's listing keeps the summand that contains x; here x itself is taken out of it (its coefficient is 1),
    and both sides of a sum or a select may contain x. What the paper calls an error is one here: x inside a function,
    on both sides of a product, or in a denominator.
    """
    return coefficients([f], x)[0]


def coefficients(outputs: Sequence[Node], x: Node) -> list[Node]:
    """The factor of `x` in each of several expressions, in one pass over all of them."""
    g = common_graph((*outputs, x))
    zero, one = g.constant_id(0.0), g.constant_id(1.0)
    found: dict[int, int] = {x.id: one}
    for i in reachable(g, [f.id for f in outputs], {x.id}):
        if i == x.id:
            continue
        parts = [found.get(k, zero) for k in g.operands(i)]
        if any(p != zero for p in parts):
            found[i] = _coefficient_of(g, i, parts, x)
    return [Node(g, found.get(f.id, zero)) for f in outputs]


def _coefficient_of(g: Graph, i: int, parts: list[int], x: Node) -> int:
    """The coefficient of x in node i from those of its operands, of which at least one contains x."""
    op = Op(g.op[i])
    zero = g.constant_id(0.0)
    if op in (Op.ADD, Op.SUB, Op.NEG):
        return g.node(op, *parts)
    if op == Op.MUL:
        if parts[0] != zero and parts[1] != zero:
            raise ExpressionError(f"coefficient of {x!r}: both factors of a product contain it, so it is not linear.")
        return g.node(op, parts[0], g.b[i]) if parts[0] != zero else g.node(op, g.a[i], parts[1])
    if op == Op.DIV:
        if parts[1] != zero:
            raise ExpressionError(f"coefficient of {x!r}: it is in a denominator, so the expression is not linear.")
        return g.node(op, parts[0], g.b[i])
    if op == Op.SELECT and parts[0] == zero:  # linear on both sides
        return g.node(op, g.a[i], parts[1], parts[2])
    raise ExpressionError(
        f"coefficient of {x!r}: it is inside {OPERATIONS[op].printed!r}; expected an expression built from it with"
        " + - * / and select only."
    )
