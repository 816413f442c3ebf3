"""Expressions: a hash-consed graph of scalar operations, its simplification and its derivatives."""

from anyjoint.symbolic.graph import Graph, Variable
from anyjoint.symbolic.node import Node, equal, select, variables
from anyjoint.symbolic.ops import Op

__all__ = ["Graph", "Node", "Op", "Variable", "equal", "select", "variables"]
