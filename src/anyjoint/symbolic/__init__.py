"""Expressions: a hash-consed graph of scalar operations, its simplification and its derivatives."""

from anyjoint.symbolic.graph import Graph, Variable
from anyjoint.symbolic.interpret import evaluate
from anyjoint.symbolic.node import Node, equal, select, variables
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.printing import to_dot, to_latex, to_text
from anyjoint.symbolic.rewrite import coefficient, dependencies, import_into, substitute
from anyjoint.symbolic.simplify import merge_identities

__all__ = [
    "Graph",
    "Node",
    "Op",
    "Variable",
    "coefficient",
    "dependencies",
    "equal",
    "evaluate",
    "import_into",
    "merge_identities",
    "select",
    "substitute",
    "to_dot",
    "to_latex",
    "to_text",
    "variables",
]
