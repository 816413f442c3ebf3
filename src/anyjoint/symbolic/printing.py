"""Expressions as text."""

from anyjoint.symbolic.node import Node
from anyjoint.symbolic.ops import PRINTED, Op


def brief(node: Node) -> str:
    """One line that identifies a node without printing everything below it."""
    g = node.graph
    op = Op(g.op[node.id])
    if op == Op.CONST:
        return repr(g.value(node.id))
    if op == Op.VAR:
        return g.variables[g.a[node.id]].name
    return f"<{PRINTED[op]} node {node.id}>"
