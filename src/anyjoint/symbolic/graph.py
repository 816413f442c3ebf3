"""The expression graph: hash-consed operations in flat lists, simplified while they are built.

Operands always have smaller ids than the node that uses them, so increasing id is a topological order and no
traversal needs recursion. The simplification accepts `0 * x = 0` and the reassociation of constants
(`2 * (3 * x) = 6 * x`), so values may differ from naive evaluation in the last bit or where `x` is not finite.
Constants are folded to the numbers that they mean (reading.py): `0.1 + 0.2` is `0.3`.
"""

import math
import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING

from anyjoint.errors import ExpressionError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.symbolic import rules

from .ops import ARITY, Op

if TYPE_CHECKING:
    from anyjoint.symbolic.node import Node

# Checks sample a variable here when nobody declared its domain: both signs, below and above one.
DEFAULT_DOMAIN = (-2.0, 2.0)
UNBOUNDED = (-math.inf, math.inf)


# A key packs (op, a, b, c) into one int; the odd multiplier spreads both operands over the low bits of the hash.
_SPREAD = 0x2545F491
_NODE_LIMIT = 1 << 29  # below _SPREAD, so keys are unique


@frozen
class Variable:
    """A named input of a graph.

    `domain` is where it usually is: checks sample it there, nothing is concluded from it. `bounds` is what whoever sets
    it enforces, and signs are proved by it: a parameter of a joint has bounds, a coordinate goes anywhere.
    """

    name: str
    domain: tuple[float, float]
    bounds: tuple[float, float] = UNBOUNDED


class Graph:
    """Owns expressions: node `i` is operation `op[i]` on nodes `a[i], b[i], c[i]` (-1: no operand)."""

    __slots__ = ("_table_ids", "a", "b", "c", "constant_ids", "constants", "keys", "op", "tables", "variables")

    def __init__(self) -> None:
        self.op: list[int] = []
        self.a: list[int] = []
        self.b: list[int] = []
        self.c: list[int] = []
        self.constants: list[float] = []
        self.variables: list[Variable] = []
        self.tables: list[tuple[float, ...]] = []
        self.keys: dict[int, int] = {}
        self.constant_ids: dict[float, int] = {}
        self._table_ids: dict[tuple[float, ...], int] = {}

    def __len__(self) -> int:
        return len(self.op)

    def __repr__(self) -> str:
        return f"<Graph with {len(self.op)} nodes, {len(self.variables)} variables>"

    # Leaves

    def variable(
        self, name: str, domain: tuple[float, float] | None = None, bounds: tuple[float, float] = UNBOUNDED
    ) -> "Node":
        """A new variable; every call makes another one, names need not differ."""
        from anyjoint.symbolic.node import Node

        domain = DEFAULT_DOMAIN if domain is None else _checked_domain(name, domain)
        self.variables.append(Variable(str(name), domain, bounds))
        return Node(self, self.append(Op.VAR, len(self.variables) - 1))

    def constant(self, value: Scalar) -> "Node":
        """The node of a finite real number."""
        from anyjoint.symbolic.node import Node

        return Node(self, self.constant_id(value))

    def as_node(self, x: Scalar) -> "Node":
        """A node as it is, a number as its constant."""
        from anyjoint.symbolic.node import Node

        return x if isinstance(x, Node) else self.constant(float(x))

    def constant_id(self, value: Scalar) -> int:
        """The id of a finite real number's node."""
        try:
            known = self.constant_ids.get(value)
        except TypeError:
            known = None
        if known is not None:
            return known
        number = _finite(value)
        self.constants.append(number)
        known = self.append(Op.CONST, len(self.constants) - 1)
        self.constant_ids[number] = known
        return known

    def table_id(self, values: Sequence[float]) -> int:
        """The index in `tables` of a table of finite numbers for GATHER."""
        table = tuple(_finite(x) for x in values)
        if not table:
            raise ExpressionError("gather: the table is empty; expected at least one number.")
        if table not in self._table_ids:
            self._table_ids[table] = len(self.tables)
            self.tables.append(table)
        return self._table_ids[table]

    # Operations

    def node(self, op: int, a: int, b: int = -1, c: int = -1) -> int:
        """The id of `op` applied to the nodes `a, b, c` (GATHER: `b` is a table index), simplified and shared."""
        return rules.BUILD[op](self, a, b, c)

    def intern(self, op: int, a: int, b: int = -1, c: int = -1) -> int:
        """The id of exactly this operation, shared but not simplified."""
        key = self.key(op, a, b, c)
        found = self.keys.get(key)
        if found is None:
            found = self.keys[key] = self.append(op, a, b, c)
        return found

    def key(self, op: int, a: int, b: int = -1, c: int = -1) -> int:
        """What identifies an operation in `keys`."""
        if c >= 0:
            return ((a * _SPREAD + b) * _SPREAD + c) * 32 + op
        return (a * _SPREAD + b + 1) * 32 + op

    def append(self, op: int, a: int, b: int = -1, c: int = -1) -> int:
        """Append a node without any look-up (for leaves and for `intern`)."""
        new = len(self.op)
        if new >= _NODE_LIMIT:
            raise ExpressionError(f"a graph holds at most {_NODE_LIMIT} nodes; split the computation into several.")
        self.op.append(int(op))
        self.a.append(a)
        self.b.append(b)
        self.c.append(c)
        return new

    # Questions

    def operands(self, node: int) -> tuple[int, ...]:
        """The ids of the nodes that this node uses."""
        arity = ARITY[self.op[node]]
        if arity == 2:
            return self.a[node], self.b[node]
        if arity == 1:
            return (self.a[node],)
        return (self.a[node], self.b[node], self.c[node]) if arity else ()

    def value(self, node: int) -> float:
        """The number of a constant node."""
        return self.constants[self.a[node]]


def _finite(value: Scalar) -> float:
    """The float of a finite real number, or an error that says what is wrong with it."""
    if isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real):
        raise ExpressionError(f"expression: {value!r} is complex; expected a real number (split it into two parts).")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ExpressionError(f"expression: {value!r} is not a number; expected a finite real number.") from error
    if not math.isfinite(number):
        raise ExpressionError(f"expression: the constant {number} is not finite; expected a finite real number.")
    return number + 0.0  # -0.0 becomes 0.0, since both share one key


def _checked_domain(name: str, domain: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = (float(x) for x in domain)
    except (TypeError, ValueError) as error:
        raise ExpressionError(f"variable {name!r}: domain {domain!r}; expected two numbers (low, high).") from error
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ExpressionError(f"variable {name!r}: domain ({low}, {high}); expected finite numbers with low < high.")
    return low, high
