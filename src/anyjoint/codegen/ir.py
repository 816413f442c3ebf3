"""The linear intermediate representation: a kernel as a list of statements over numbered values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Any, NamedTuple

from anyjoint.codegen.kernel import Array, Kernel, Store, check_kernel
from anyjoint.errors import ExpressionError
from anyjoint.frozen import frozen
from anyjoint.symbolic import Graph
from anyjoint.symbolic.ops import ARITY, OPERATIONS, Op
from anyjoint.symbolic.rewrite import reachable


class Code(IntEnum):
    """Statements that an expression graph does not have."""

    LOAD = 100  # data: array, offset
    STORE = 101  # data: array, offset, accumulate; defines no value
    SINCOS = 102  # of the sum of two operands; defines two values: result is the sine, result + 1 the cosine
    FENCE = 103  # loads behind it are not those before; defines no value


class Statement(NamedTuple):
    """One operation; `args` are numbers of values, `data` immediates, `result` the number of the value defined."""

    op: int
    args: tuple[int, ...]
    data: tuple[Any, ...]
    result: int


@frozen
class Listing:
    """Statements in order of execution, the arrays they read and write, and the tables that GATHER reads."""

    arrays: tuple[Array, ...]
    tables: tuple[tuple[float, ...], ...]
    statements: tuple[Statement, ...]
    values: int  # how many values are numbered


# Types of operands and of the result: r real, b condition.
SIGNATURES: dict[int, tuple[str, str]] = {
    **{op: (OPERATIONS[op].takes, OPERATIONS[op].gives) for op in Op},
    Code.LOAD: ("", "r"),
    Code.STORE: ("r", ""),
    Code.SINCOS: ("rr", "rr"),
    Code.FENCE: ("", ""),
}
LONG = 1000  # operations; more is straight-line code of a whole mechanism rather than a kernel
LEAVES = frozenset((Op.CONST, Code.LOAD))
_RESULTS: dict[int, int] = {op: len(given) for op, (_, given) in SIGNATURES.items()}
_DATA: dict[int, int] = {Op.CONST: 1, Op.GATHER: 1, Code.LOAD: 2, Code.STORE: 3}
_ANGULAR = frozenset((Op.SIN, Op.COS))
_SPECIAL = frozenset((Op.CONST, Op.VAR, Op.GATHER)) | _ANGULAR  # which are lowered each in its way
_PLAIN = frozenset(Op) - _SPECIAL  # of which only the result can be out of place


def lower(kernel: Kernel, name: str = "kernel") -> Listing:
    """The kernel's live nodes as a verified listing.

    The sine and cosine of one argument become one statement. Where a coordinate and a parameter are added before, that
    statement takes both: the sum of a huge angle and a small one would be rounded, the range reduction need not.
    """
    check_kernel(kernel, name)
    listing = _Lowering(kernel, name).listing()
    verify(listing, name)
    return listing


def _registers(graph: Graph, live: Iterable[int]) -> dict[int, int]:
    """How many registers the expression of each live node needs, as if it were a tree."""
    ops, first, second, third = graph.op, graph.a, graph.b, graph.c
    needs: dict[int, int] = {}
    for node in live:
        arity = ARITY[ops[node]]
        if arity == 2:
            x, y = needs[first[node]], needs[second[node]]
            needs[node] = max(x, y, min(x, y) + 1)  # the first one is held while the other is computed
        elif arity == 1:
            needs[node] = needs[first[node]] or 1
        elif arity == 3:
            x, y, z = sorted((needs[first[node]], needs[second[node]], needs[third[node]]))
            needs[node] = max(z, y + 1, x + 2)
        else:
            needs[node] = 0 if ops[node] == Op.CONST else 1
    return needs


class _Lowering:
    """Emits values, operands first, each once; stores go out as soon as their value is known.

    The order decides how much is spilled. In a kernel, one store's expression follows the other, and of two operands
    the one that needs more registers goes first (Sethi and Ullman): 8 to 10 % faster than the order in which nodes
    were made. In long code that same order tears apart what was made together, and the order of making wins by 10 %.
    """

    def __init__(self, kernel: Kernel, name: str) -> None:
        self.kernel, self.graph, self.name = kernel, kernel.graph, name
        self.statements: list[Statement] = []
        self.value_of: dict[int, int] = {}  # node id -> value
        self.sincos_of: dict[tuple[int, ...], int] = {}  # argument values -> value of the sine
        self.phases = _phases(kernel)
        self.tables: dict[int, int] = {}  # table of the graph -> table of the listing
        self.values = 0

    def listing(self) -> Listing:
        loaded = {array for array, _ in self.kernel.loads.values()}
        waiting: dict[int, list[Store]] = {}
        for store in self.kernel.stores:
            waiting.setdefault(store.node.id, []).append(store)
        live = reachable(self.graph, waiting)
        registers = _registers(self.graph, live)
        inner = [n for n in live if self.graph.op[n] not in (Op.CONST, Op.VAR) and n not in self.phases]
        late = []
        for node in [*(inner if len(inner) > LONG else ()), *list(waiting)]:
            value = self.expression(node, registers)
            for store in waiting.pop(node, ()):
                # A later load could still want the old content of an array that is read and written.
                if store.array in loaded:
                    late.append((store, value))
                else:
                    self.store(store, value)
        for store, value in late:
            self.store(store, value)
        tables = tuple(tuple(map(float, self.graph.tables[table])) for table in self.tables)
        return Listing(self.kernel.arrays, tables, tuple(self.statements), self.values)

    def expression(self, root: int, registers: dict[int, int]) -> int:
        """The value of a node, after all that it depends on."""
        known = self.value_of
        stack = [root]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
                continue
            operands = self.operands(node)
            missing = [x for x in reversed(operands) if x not in known]
            if missing:
                stack += sorted(missing, key=registers.__getitem__)  # the last goes first
            else:
                stack.pop()
                known[node] = self.emit_node(node, tuple([known[x] for x in operands]))
        return known[root]

    def operands(self, node: int) -> tuple[int, ...]:
        """Nodes that a node's statement takes."""
        graph = self.graph
        op = graph.op[node]
        arity = ARITY[op]
        if arity == 2:
            return graph.a[node], graph.b[node]
        if op in _ANGULAR and graph.a[node] in self.phases:
            return self.phases[graph.a[node]]
        return (graph.a[node], graph.b[node], graph.c[node])[:arity]

    def store(self, store: Store, value: int) -> None:
        self.statements.append(Statement(Code.STORE, (value,), (store.array, store.offset, store.accumulate), -1))

    def emit(self, op: int, args: tuple[int, ...], data: tuple[Any, ...] = (), results: int = 1) -> int:
        result = self.values
        self.statements.append(Statement(op, args, data, result))
        self.values += results
        return result

    def emit_node(self, node: int, args: tuple[int, ...]) -> int:
        """The value of a node that takes these values."""
        graph = self.graph
        op = graph.op[node]
        if op not in _SPECIAL:
            return self.emit(op, args)
        if op == Op.CONST:
            return self.emit(op, (), (float(graph.constants[graph.a[node]]),))
        if op == Op.VAR:
            return self.emit(Code.LOAD, (), place(self.kernel, node))
        if op in _ANGULAR:
            if args not in self.sincos_of:
                # Adding -0 changes no number, not even -0, and every compiler knows it.
                both = args if len(args) == 2 else (*args, self.emit(Op.CONST, (), (-0.0,)))
                self.sincos_of[args] = self.emit(Code.SINCOS, both, (), 2)
            return self.sincos_of[args] + (op == Op.COS)
        return self.emit(op, args, (self.tables.setdefault(graph.b[node], len(self.tables)),))


def _phases(kernel: Kernel) -> dict[int, tuple[int, int]]:
    """Sums of a coordinate and a parameter, with their operands in this order."""
    kinds = {node: kernel.arrays[array].kind for node, (array, _) in kernel.loads.items()}
    numbers = {node for node, (array, _) in kernel.loads.items() if holds_numbers(kernel.arrays[array])}
    graph, found = kernel.graph, {}
    for node, op in enumerate(graph.op):
        if op == Op.ADD:
            for x, y in ((graph.a[node], graph.b[node]), (graph.b[node], graph.a[node])):
                if kinds.get(x) in ("row", "lane") and y in numbers:
                    found[node] = x, y
    return found


def holds_numbers(array: Array) -> bool:
    """Whether an array holds numbers made of parameters, the same for all states or a row for each."""
    return array.kind == "uniform" or array.name == "numbers"


def place(kernel: Kernel, node: int) -> tuple[int, int]:
    """Array and offset that a variable is loaded from."""
    if node not in kernel.loads:
        variable = kernel.graph.variables[kernel.graph.a[node]]
        raise ExpressionError(
            f"An output depends on the variable {variable.name!r}, which is not an input;"
            " add it to the inputs or substitute a value for it."
        )
    return kernel.loads[node]


def defined(statement: Statement) -> range:
    """Numbers of the values that a statement defines."""
    return range(statement.result, statement.result + _RESULTS[statement.op])


def verify(listing: Listing, name: str = "listing") -> None:
    """Check operations, operand types, definition before use and places; an error shows the neighbourhood."""
    types: dict[int, str] = {}
    values = listing.values
    for position, statement in enumerate(listing.statements):
        op, args, data, result = statement
        wanted, given = SIGNATURES.get(op, ("?", ""))
        typed = "".join([types.get(arg, "") for arg in args]) == wanted and result not in types
        sound = op in _PLAIN and not data and 0 <= result < values
        if not typed or (not sound and _fault_of_data(listing, statement)):
            fault = _fault(statement, types) or _fault_of_data(listing, statement)
            lines = "\n".join(_neighbourhood(listing, position))
            raise ExpressionError(
                f"{name}: statement {position}: {fault}. A pass of the code generator is wrong; around it:\n{lines}"
            )
        for value, kind in enumerate(given, result):
            types[value] = kind


def _fault(statement: Statement, types: dict[int, str]) -> str:
    """What is wrong with the operands or the result, in words."""
    if statement.op not in SIGNATURES:
        return f"operation {statement.op!r} is not known"
    wanted, _ = SIGNATURES[statement.op]
    if len(wanted) != len(statement.args):
        return f"there are {len(statement.args)} operands, not {len(wanted)}"
    for arg, kind in zip(statement.args, wanted, strict=True):
        if arg not in types:
            return f"value {arg} is used before it is defined"
        if types[arg] != kind:
            return f"value {arg} is a {_WORDS[types[arg]]} where a {_WORDS[kind]} is needed"
    if any(value in types for value in defined(statement)):
        return f"value {statement.result} is defined twice"
    return ""


def _fault_of_data(listing: Listing, statement: Statement) -> str:
    op, data = statement.op, statement.data
    if len(data) != _DATA.get(op, 0):
        return f"there are {len(data)} immediates, not {_DATA.get(op, 0)}"
    if op in (Code.LOAD, Code.STORE) and not (0 <= data[0] < len(listing.arrays) and data[1] >= 0):
        return f"there is no offset {data[1]} of array {data[0]}"
    if op == Op.GATHER and not (0 <= data[0] < len(listing.tables) and listing.tables[data[0]]):
        return f"there is no table {data[0]}"
    if op == Op.CONST and not abs(data[0]) < float("inf"):
        return f"the constant {data[0]} is not finite"
    if op in (Op.VAR, Op.SIN, Op.COS):
        return "this operation should have been lowered"
    if SIGNATURES[op][1] and not 0 <= statement.result < listing.values:
        return f"value {statement.result} is beyond the {listing.values} numbered ones"
    return ""


_WORDS = {"r": "real number", "b": "condition"}


def _neighbourhood(listing: Listing, position: int, reach: int = 3) -> Iterator[str]:
    for i in range(max(0, position - reach), min(len(listing.statements), position + reach + 1)):
        yield f"{'->' if i == position else '  '} {i:5d}  {show(listing.statements[i])}"


def show(statement: Statement) -> str:
    """A statement as readable text."""
    op = statement.op
    names = {int(code): code.name for code in (*Op, *Code)}
    words = [f"v{arg}" for arg in statement.args] + [str(item) for item in statement.data]
    return f"{f'v{statement.result} = ' if statement.result >= 0 else ''}{names.get(op, op)} {', '.join(words)}"
