"""A thin handle on a node of a graph, with the operators that build expressions."""

import numbers
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from anyjoint.errors import BranchError, ExpressionError
from anyjoint.scalar import Scalar, compound
from anyjoint.scalar.differentiate import Jet, Nested
from anyjoint.scalar.refusal import NO_EQUALITY, refused
from anyjoint.symbolic import arithmetic, rules

from .graph import Graph
from .ops import CONDITIONS, Op

_add, _sub, _mul, _div, _neg = arithmetic.add, arithmetic.sub, arithmetic.mul, arithmetic.div, arithmetic.neg
_power = arithmetic.power
_unary, _compare, _extremum = rules.unary, rules.compare, rules.extremum


class Node:
    """An expression: node `id` of `graph`.

    Nodes are equal if they are the same node, so sets and dicts work; numbers and expressions cannot be compared.
    """

    __slots__ = ("graph", "id")

    def __init__(self, graph: Graph, id: int) -> None:
        self.graph = graph
        self.id = id

    # Arithmetic. The test on the type comes first because nearly all operands are nodes.

    def __add__(self, other: Scalar) -> "Node":
        g = self.graph
        b = other.id if type(other) is Node and other.graph is g else _operand(g, other)
        return NotImplemented if b is None else Node(g, _add(g, self.id, b))

    def __sub__(self, other: Scalar) -> "Node":
        g = self.graph
        b = other.id if type(other) is Node and other.graph is g else _operand(g, other)
        return NotImplemented if b is None else Node(g, _sub(g, self.id, b))

    def __mul__(self, other: Scalar) -> "Node":
        g = self.graph
        b = other.id if type(other) is Node and other.graph is g else _operand(g, other)
        return NotImplemented if b is None else Node(g, _mul(g, self.id, b))

    def __truediv__(self, other: Scalar) -> "Node":
        g = self.graph
        b = other.id if type(other) is Node and other.graph is g else _operand(g, other)
        if b is None:
            return NotImplemented
        if type(other) is not Node and other == 0:
            raise ExpressionError("expression: division by the constant 0; expected a number other than 0.")
        return Node(g, _div(g, self.id, b))

    def __pow__(self, other: Scalar) -> "Node":
        b = _operand(self.graph, other)
        return NotImplemented if b is None else Node(self.graph, _power(self.graph, self.id, b))

    def __radd__(self, other: Scalar) -> "Node":
        a = _operand(self.graph, other)
        return NotImplemented if a is None else Node(self.graph, _add(self.graph, a, self.id))

    def __rsub__(self, other: Scalar) -> "Node":
        a = _operand(self.graph, other)
        return NotImplemented if a is None else Node(self.graph, _sub(self.graph, a, self.id))

    def __rmul__(self, other: Scalar) -> "Node":
        a = _operand(self.graph, other)
        return NotImplemented if a is None else Node(self.graph, _mul(self.graph, a, self.id))

    def __rtruediv__(self, other: Scalar) -> "Node":
        a = _operand(self.graph, other)
        return NotImplemented if a is None else Node(self.graph, _div(self.graph, a, self.id))

    def __rpow__(self, other: Scalar) -> "Node":
        a = _operand(self.graph, other)
        return NotImplemented if a is None else Node(self.graph, _power(self.graph, a, self.id))

    # Whole quotients and remainders round down, as Python's do, and derivatives pass through the floor.

    def __floordiv__(self, other: Scalar) -> Scalar:
        return NotImplemented if _operand(self.graph, other) is None else compound.divmod(self, other)[0]

    def __rfloordiv__(self, other: Scalar) -> Scalar:
        return NotImplemented if _operand(self.graph, other) is None else compound.divmod(other, self)[0]

    def __mod__(self, other: Scalar) -> Scalar:
        return NotImplemented if _operand(self.graph, other) is None else compound.divmod(self, other)[1]

    def __rmod__(self, other: Scalar) -> Scalar:
        return NotImplemented if _operand(self.graph, other) is None else compound.divmod(other, self)[1]

    __divmod__ = compound.divmod

    def __neg__(self) -> "Node":
        return Node(self.graph, _neg(self.graph, self.id))

    def __pos__(self) -> "Node":
        return self

    def __abs__(self) -> "Node":
        return self._apply(Op.ABS)

    # Functions, under the names that NumPy's object loops call.

    def _apply(self, op: int) -> "Node":
        return Node(self.graph, _unary(self.graph, op, self.id))

    def sqrt(self) -> "Node":
        """Square root."""
        return self._apply(Op.SQRT)

    def sin(self) -> "Node":
        """Sine."""
        return self._apply(Op.SIN)

    def cos(self) -> "Node":
        """Cosine."""
        return self._apply(Op.COS)

    def tan(self) -> "Node":
        """Tangent."""
        return self._apply(Op.TAN)

    def arcsin(self) -> "Node":
        """Inverse sine."""
        return self._apply(Op.ASIN)

    def arccos(self) -> "Node":
        """Inverse cosine."""
        return self._apply(Op.ACOS)

    def arctan2(self, x: Scalar) -> "Node":
        """Angle of the point (x, self)."""
        g = self.graph
        return Node(g, rules.binary(g, Op.ATAN2, self.id, _required(g, x)))

    def exp(self) -> "Node":
        """Exponential."""
        return self._apply(Op.EXP)

    def log(self) -> "Node":
        """Natural logarithm."""
        return self._apply(Op.LOG)

    def fmod(self, other: Scalar) -> "Node":
        """The remainder with this sign, of which whole multiples of the other were taken off; exact."""
        return Node(self.graph, rules.binary(self.graph, Op.REM, self.id, _required(self.graph, other)))

    def floor(self) -> "Node":
        """The largest integer that is not above."""
        return self._apply(Op.FLOOR)

    def __floor__(self) -> "Node":  # NumPy's object loop calls math.floor
        return self.floor()

    __ceil__ = ceil = compound.ceil
    arctan, hypot, square = compound.arctan, compound.hypot, compound.square
    sinh, cosh, tanh = compound.sinh, compound.cosh, compound.tanh
    log2, log10 = compound.log2, compound.log10
    radians = deg2rad = compound.radians
    degrees = rad2deg = compound.degrees

    def minimum(self, other: Scalar) -> "Node":
        """The smaller of two."""
        return Node(self.graph, _extremum(self.graph, Op.MIN, self.id, _required(self.graph, other)))

    def maximum(self, other: Scalar) -> "Node":
        """The larger of two."""
        return Node(self.graph, _extremum(self.graph, Op.MAX, self.id, _required(self.graph, other)))

    def gather(self, table: Sequence[float]) -> "Node":
        """Entry of a constant table at this index, rounded down and clamped to the table."""
        g = self.graph
        return Node(g, rules.gather(g, self.id, g.table_id(table)))

    # Conditions

    def __lt__(self, other: Scalar) -> "Node":
        b = _operand(self.graph, other)
        return NotImplemented if b is None else Node(self.graph, _compare(self.graph, Op.LT, self.id, b))

    def __le__(self, other: Scalar) -> "Node":
        b = _operand(self.graph, other)
        return NotImplemented if b is None else Node(self.graph, _compare(self.graph, Op.LE, self.id, b))

    def __gt__(self, other: Scalar) -> "Node":
        b = _operand(self.graph, other)
        return NotImplemented if b is None else Node(self.graph, _compare(self.graph, Op.LT, b, self.id))

    def __ge__(self, other: Scalar) -> "Node":
        b = _operand(self.graph, other)
        return NotImplemented if b is None else Node(self.graph, _compare(self.graph, Op.LE, b, self.id))

    def equal(self, other: Scalar) -> "Node":
        """The condition that two values are equal (`==` asks whether two handles mean the same node)."""
        return Node(self.graph, _compare(self.graph, Op.EQ, self.id, _required(self.graph, other)))

    def select(self, a: Scalar, b: Scalar) -> "Node":
        """a where this condition holds, else b."""
        g = self.graph
        return Node(g, rules.select(g, self.id, _required(g, a), _required(g, b)))

    def __and__(self, other: "Node") -> "Node":
        return self.select(_condition(other).select(1.0, 0.0), 0.0) > 0.5

    def __or__(self, other: "Node") -> "Node":
        return self.select(1.0, _condition(other).select(1.0, 0.0)) > 0.5

    def __invert__(self) -> "Node":
        return self.select(0.0, 1.0) > 0.5

    # Identity and conversion

    def __eq__(self, other: object) -> bool:
        if type(other) is Node:
            return other.id == self.id and other.graph is self.graph
        if _is_constant(other) and self.known is None:
            raise BranchError(NO_EQUALITY)
        return self.known == other

    def __hash__(self) -> int:
        return hash((id(self.graph), self.id))

    def __bool__(self) -> NoReturn:
        raise BranchError(
            "an expression stands for any value, so it is neither true nor false: instead of `if x < y`, `and`, `or`, "
            "min() or max(), use aj.select(x < y, value_if_true, value_if_false), aj.minimum or aj.maximum; "
            "join conditions by & and |"
        )

    def __float__(self) -> float:
        if self.graph.op[self.id] != Op.CONST:
            raise refused("float", f"the expression {self} depends on variables and")
        return self.graph.value(self.id)

    def __int__(self) -> int:
        if self.graph.op[self.id] != Op.CONST:
            raise refused("int", f"the expression {self} depends on variables and")
        return int(self.graph.value(self.id))

    def __index__(self) -> NoReturn:
        raise refused("index", f"the expression {self} depends on variables and")

    def __round__(self, digits: int | None = None) -> NoReturn:
        raise refused("round", f"the expression {self} depends on variables and")

    def __repr__(self) -> str:
        from anyjoint.symbolic.printing import brief

        return brief(self)

    @property
    def op(self) -> Op:
        """The operation of this node."""
        return Op(self.graph.op[self.id])

    @property
    def operands(self) -> tuple["Node", ...]:
        """The nodes that this node uses."""
        return tuple(Node(self.graph, i) for i in self.graph.operands(self.id))

    # Hooks of the scalar layer

    @property
    def is_zero(self) -> bool:
        """Is this the constant 0?"""
        return self.known == 0.0

    @property
    def known(self) -> float | None:
        """The value of a constant, else None."""
        return self.graph.value(self.id) if self.graph.op[self.id] == Op.CONST else None

    def reflected(self, name: str, left: Scalar) -> "Node":
        """The method `name` of the number `left` as a node, applied to this node."""
        method: Callable[[Node], Node] = getattr(self.graph.constant(left), name)
        return method(self)

    def differentiate_along(self, f: Callable[[Scalar], Nested]) -> Nested:
        """df/dx at this expression, for a function of one scalar."""
        from anyjoint.symbolic.derivative import differentiate_along

        return differentiate_along(f, self)

    @staticmethod
    def jet(f: Callable[[Sequence[Scalar]], Sequence[Scalar]], q: Sequence[Scalar], v: Sequence[Scalar]) -> Jet:
        """Values of f at q, its partial derivatives, and its second derivative along v."""
        from anyjoint.symbolic.derivative import jet

        return jet(f, q, v)

    # NumPy

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from anyjoint.symbolic.ufunc import call

        return NotImplemented if method != "__call__" or options.get("out") is not None else call(ufunc, inputs)


def variables(
    name: str, n: int, graph: Graph | None = None, domain: tuple[float, float] | None = None
) -> np.ndarray[Any, np.dtype[Any]]:
    """An array of `n` new variables `name[0]`, `name[1]`, ... of one graph (a new one unless given)."""
    if not isinstance(n, numbers.Integral) or n < 0:
        raise ExpressionError(f"variables {name!r}: n = {n!r}; expected a whole number that is not negative.")
    g = Graph() if graph is None else graph
    result = np.empty(int(n), dtype=object)
    for i in range(int(n)):
        result[i] = g.variable(f"{name}[{i}]", domain)
    return result


def equal(a: Scalar, b: Scalar) -> Node:
    """The condition a = b (at least one is a node)."""
    if type(a) is Node:
        return a.equal(b)
    if type(b) is Node:
        return b.equal(a)
    raise ExpressionError(f"equal({a!r}, {b!r}): expected at least one expression; compare plain numbers with ==.")


def select(condition: Node, a: Scalar, b: Scalar) -> Node:
    """a where the condition holds, else b."""
    return _condition(condition).select(a, b)


def _operand(g: Graph, x: Scalar) -> int | None:
    """The id in g that an operand means; None if it is nothing that expressions know (arrays, strings, ...)."""
    kind = type(x)
    if kind is float or kind is int:
        known = g.constant_ids.get(x)
        return g.constant_id(x) if known is None else known
    if kind is Node:
        if x.graph is not g:
            raise ExpressionError(
                "expression: the operands belong to different graphs; make their variables with the same graph "
                "(variables(..., graph=g)) or copy one over with symbolic.rewrite.import_into."
            )
        return int(x.id)
    if isinstance(x, np.ndarray) and x.ndim == 0:
        return _operand(g, x.item())
    if isinstance(x, numbers.Number | np.generic):
        return g.constant_id(x)
    return None


def _is_constant(x: Scalar) -> bool:
    return isinstance(x, numbers.Number) or (isinstance(x, np.ndarray) and x.ndim == 0)


def _required(g: Graph, x: Scalar) -> int:
    """As _operand, where there is no other operand type to hand the operation to."""
    result = _operand(g, x)
    if result is None:
        raise ExpressionError(f"expression: {x!r} is neither a number nor an expression.")
    return result


def _condition(x: Scalar) -> Node:
    if type(x) is Node and x.op in CONDITIONS:
        return x
    raise ExpressionError(f"{x!r} is not a condition; expected a comparison of expressions such as x < y.")
