"""The linear representation: lowering, its verifier, and the cutting of long programs."""

import math

import pytest

from anyjoint.codegen import Array, Kernel, Store
from anyjoint.codegen.cut import cut
from anyjoint.codegen.ir import Code, Listing, Statement, lower, verify
from anyjoint.errors import ExpressionError
from anyjoint.symbolic import Graph, Op, select

ROWS = (Array("x", "row"), Array("out", "row"))


def kernel(build, count=2, arrays=ROWS):
    g = Graph()
    x = [g.variable(f"x{i}") for i in range(count)]
    nodes = build(*x)
    stores = tuple(Store(node, 1, i) for i, node in enumerate(nodes))
    return Kernel(g, arrays, {node.id: (0, i) for i, node in enumerate(x)}, stores)


def operations(listing):
    return [statement.op for statement in listing.statements]


def test_sine_and_cosine_of_one_argument_are_one_statement():
    listing = lower(kernel(lambda x, y: [x.sin() + x.cos(), y.cos()]))
    assert operations(listing).count(Code.SINCOS) == 2


def test_dead_nodes_are_not_lowered():
    def build(x, y):
        (x * y).exp()
        return [x + 1.0]

    assert sorted(operations(lower(kernel(build)))) == [Op.CONST, Op.ADD, Code.LOAD, Code.STORE]


def test_stores_wait_for_loads_of_the_same_array():
    g = Graph()
    a, b = g.variable("a"), g.variable("b")
    swap = Kernel(g, ROWS[:1], {a.id: (0, 0), b.id: (0, 1)}, (Store(b, 0, 0), Store(a, 0, 1)))
    assert operations(lower(swap)) == [Code.LOAD, Code.LOAD, Code.STORE, Code.STORE]


def test_a_condition_cannot_be_stored():
    with pytest.raises(ExpressionError, match="condition"):
        lower(kernel(lambda x, y: [x < y]))


ONE = Statement(Op.CONST, (), (1.0,), 0)


@pytest.mark.parametrize(
    ("statements", "fault"),
    [
        ([Statement(77, (), (), 0)], "not known"),
        ([ONE, Statement(Op.ADD, (0, 5), (), 1)], "value 5 is used before it is defined"),
        ([ONE, Statement(Op.ADD, (0,), (), 1)], "1 operands, not 2"),
        ([ONE, Statement(Op.LT, (0, 0), (), 1), Statement(Op.NEG, (1,), (), 2)], "value 1 is a condition"),
        ([ONE, Statement(Op.SELECT, (0, 0, 0), (), 1)], "value 0 is a real number where a condition"),
        ([ONE, ONE], "defined twice"),
        ([Statement(Op.CONST, (), (), 0)], "0 immediates"),
        ([Statement(Op.CONST, (), (float("nan"),), 0)], "not finite"),
        ([Statement(Code.LOAD, (), (4, 0), 0)], "no offset 0 of array 4"),
        ([ONE, Statement(Op.GATHER, (0,), (0,), 1)], "no table"),
        ([ONE, Statement(Op.SIN, (0,), (), 1)], "lowered"),
        ([Statement(Op.CONST, (), (1.0,), 12)], "value 12 is beyond"),
    ],
)
def test_the_verifier_says_what_is_wrong_and_shows_where(statements, fault):
    with pytest.raises(ExpressionError, match=fault) as error:
        verify(Listing(ROWS, (), tuple(statements), 10))
    assert "->" in str(error.value)


def long_kernel():
    def build(x, y):
        values = [x, y]
        for i in range(60):
            values.append(values[-1] * values[-2] + float(i))
            values.append(select(values[i] < y, values[-1].sin(), values[i].cos()))
        return values[-5:] + values[5:8]

    return kernel(build)


@pytest.mark.parametrize("limit", [1, 2, 7, 50, 1000])
def test_pieces_are_sound_and_as_short_as_asked(limit):
    listing = lower(long_kernel())
    pieces, scratch = cut(listing, limit, whole=0)
    for piece in pieces:
        verify(piece)
        work = [s for s in piece.statements if s.op not in (Op.CONST, Code.LOAD, Code.STORE, Op.LT)]
        assert len(work) <= limit
    assert (scratch == 0) == (len(pieces) == 1)
    assert interpreted(pieces, scratch) == interpreted((listing,), 0)


def interpreted(pieces, scratch):
    """A tiny interpreter of the representation, enough for the kernel above."""
    rules = {
        Op.MUL: lambda a, b: a * b,
        Op.ADD: lambda a, b: a + b,
        Op.LT: lambda a, b: a < b,
        Op.SELECT: lambda c, a, b: a if c else b,
    }
    arrays = [[0.3, 0.9], [None] * 8, [None] * scratch]
    for piece in pieces:
        value = {}
        for op, args, data, result in piece.statements:
            operands = [value[arg] for arg in args]
            if op == Op.CONST:
                value[result] = data[0]
            elif op == Code.LOAD:
                value[result] = arrays[data[0]][data[1]]
            elif op == Code.STORE:
                arrays[data[0]][data[1]] = operands[0]
            elif op == Code.SINCOS:
                value[result], value[result + 1] = math.sin(sum(operands)), math.cos(sum(operands))
            else:
                value[result] = rules[op](*operands)
    return arrays[1]


@pytest.mark.parametrize(
    ("stores", "message"),
    [
        (lambda x: (Store(x, 1, 0), Store(x, 1, 0)), "more than once"),
        (lambda x: (Store(x, 1, 0), Store(x, 1, 0, accumulate=True)), "more than once"),
        (lambda x: (Store(x, 5, 0),), "array 5"),
        (lambda x: (Store(x, 1, -1),), "offset -1"),
        (lambda x: (Store(Graph().variable("y"), 1, 0),), "another graph"),
    ],
)
def test_wrong_stores_are_refused(stores, message):
    g = Graph()
    x = g.variable("x")
    with pytest.raises(ExpressionError, match=message):
        lower(Kernel(g, ROWS, {x.id: (0, 0)}, stores(x)))
