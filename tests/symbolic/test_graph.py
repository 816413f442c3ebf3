"""Laws of the expression graph: sharing, normal forms, operators, NumPy, and refusals."""

import math
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyjoint.errors import AnyjointError, BranchError, ExpressionError
from anyjoint.symbolic import Graph, Node, Op, equal, select, variables
from anyjoint.symbolic.evaluation import RULES
from anyjoint.symbolic.interpret import evaluate
from anyjoint.symbolic.op import clamp_index
from anyjoint.symbolic.ops import ARITY, CONDITIONS, OPERATIONS
from anyjoint.symbolic.rules import BUILD

FUNCTIONS = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "arcsin": math.asin,
    "arccos": math.acos,
    "arctan": math.atan,
    "exp": math.exp,
    "log": math.log,
    "floor": math.floor,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "ceil": math.ceil,
    "radians": math.radians,
    "degrees": math.degrees,
    "square": lambda x: x * x,
}
NUMBERS = st.floats(-100.0, 100.0, allow_nan=False)


@pytest.fixture
def xy() -> tuple[Node, Node]:
    x, y = variables("x", 2)
    return x, y


def test_tables_are_complete() -> None:
    leaves = {Op.CONST, Op.VAR}
    assert set(OPERATIONS) == set(BUILD) == set(RULES) == set(Op)
    for op, of in OPERATIONS.items():
        assert (op in leaves | {Op.GATHER}) == (of.value is None) == (of.array is None)
        assert (op in leaves | {Op.GATHER} | CONDITIONS) == (of.interval is None)
        assert len(of.partials) == len(of.takes) == ARITY[op]
    assert len(Op) <= 32, "a key has five bits for the operation"


def test_equal_structure_is_one_node(xy: tuple[Node, Node]) -> None:
    x, y = xy
    assert x * y + np.sin(x) == np.sin(x) + y * x
    assert len({x + y, y + x, x - -y}) == 1


def test_equal_structure_counts_nodes() -> None:
    g = Graph()
    x, y = g.variable("x"), g.variable("y")
    before = len(g)
    for _ in range(3):
        _ = (x + y) * (y + x)
    assert len(g) == before + 2


def test_commutative_operations_have_one_order() -> None:
    x, y = variables("x", 2)
    g = x.graph
    for op in Op:
        if ARITY[op] == 2:
            assert (g.node(op, x.id, y.id) == g.node(op, y.id, x.id)) == (OPERATIONS[op].commutative)


def test_operands_come_first() -> None:
    x = variables("x", 3)
    g = x[0].graph
    _ = np.sqrt((x @ x + 1.0) / (2.0 - x[0])) - select(x[0] < x[1], x[2], -x[1])
    assert all(k < i for i in range(len(g)) for k in g.operands(i))


def test_identities_at_construction(xy: tuple[Node, Node]) -> None:
    x, y = xy
    g = x.graph
    zero, one = g.constant(0.0), g.constant(1.0)
    assert x + 0 == x * 1 == x / 1 == x - 0 == x**1 == 1.0 * x == x
    minus = -x
    assert -minus == x
    assert x * 0 == x - x == 0 / x == zero
    assert x**0 == one
    assert (-x) * y == -(x * y) == x * (-y)
    assert (-x) * (-y) == x * y
    assert x + (-y) == x - y
    assert -(x - y) == y - x
    assert 2 * (3 * x) == 6 * x
    assert 1 + (x - 3) == x - 2
    assert x / 4 == 0.25 * x
    assert (x / 3).op == Op.DIV
    assert x + x == 2 * x
    assert x**3 == x * x * x
    assert x**-2 == 1 / (x * x)
    assert x**0.5 == np.sqrt(x)
    assert (x**17).op == Op.POW
    assert np.sin(-x) == -np.sin(x)
    assert np.cos(-x) == np.cos(x)
    assert abs(-x) == abs(x) == abs(abs(x))
    assert (x / x).op == Op.DIV
    assert x.minimum(x) == x


def test_selects_that_are_decided(xy: tuple[Node, Node]) -> None:
    x, y = xy
    c = x.graph.constant
    assert (x < y).select(x, x) == x
    assert (c(1.0) < 2.0).select(x, y) == x
    assert (c(3.0) <= 2.0).select(x, y) == y
    assert (x < x).select(x, y) == y
    assert (x <= x).select(x, y) == x
    assert equal(x, x).select(x, y) == x


@given(NUMBERS, NUMBERS)
def test_constants_fold(a: float, b: float) -> None:
    """To the numbers that they mean, which are half a unit in the last place away at most: so is each operand."""
    g = Graph()
    for f in (operator.add, operator.sub, operator.mul):
        unit = math.ulp(max(abs(a), abs(b), abs(f(a, b))))
        assert abs(float(f(g.constant(a), g.constant(b))) - f(a, b)) <= 1.5 * unit
    if abs(b) > 1e-300:
        assert abs(float(g.constant(a) / g.constant(b)) - a / b) <= 1.5 * math.ulp(a / b)
    assert float(np.sin(g.constant(a))) == math.sin(a)


def test_a_condition_made_a_number_and_asked_for_again_is_itself(xy: tuple[Node, Node]) -> None:
    x, y = xy
    yes = select(x < y, 1.0, 0.0)
    assert select(yes > 0.5, x, y) == select(x < y, x, y)
    assert select(yes > 1.5, x, y) != select(x < y, x, y)
    assert select(select(x < y, 0.0, 1.0) > 0.5, x, y) != select(x < y, x, y)


def test_constants_fold_to_what_they_mean() -> None:
    c = Graph().constant
    assert float(c(0.1) + 0.2) == 0.3  # 0.30000000000000004 in floats
    assert float(c(0.35) * 3) == 1.05  # 1.0499999999999998
    assert float(c(math.sqrt(0.5)) * math.sqrt(0.5)) == 0.5  # 0.5000000000000001
    assert float(c(math.pi / 6) + math.pi / 3) == math.pi / 2
    assert float(c(math.nextafter(0.1, 1)) + 0.2) == math.nextafter(0.1, 1) + 0.2


def test_folding_never_makes_infinity() -> None:
    g = Graph()
    zero, one = g.constant(0.0), g.constant(1.0)
    assert (one / zero).op == Op.DIV
    assert np.sqrt(-one).op == Op.SQRT
    assert np.exp(g.constant(1000.0)).op == Op.EXP
    assert all(math.isfinite(x) for x in g.constants)


@given(st.lists(st.tuples(st.sampled_from("+-*/"), NUMBERS), max_size=12), NUMBERS)
def test_mixed_arithmetic_matches_floats(steps: list[tuple[str, float]], start: float) -> None:
    """Any chain of operations with numbers on either side has the value that Python gives."""
    functions = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
    x = variables("x", 1)[0]
    node, number, bound = x, start, abs(start)
    for k, (sign, operand) in enumerate(steps):
        if sign == "/" and abs(operand) < 1e-3:
            continue
        if k % 2 and sign != "/":
            node, number = functions[sign](operand, node), functions[sign](operand, number)
        else:
            node, number = functions[sign](node, operand), functions[sign](number, operand)
        bound = functions["+" if sign in "+-" else sign](bound, abs(operand)) + abs(number)
    assert evaluate(node, {x: start}) == pytest.approx(number, rel=1e-12, abs=1e-12 * (1.0 + bound))


STEPS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=30)
BUILDERS = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / (b * b + 1.0),
    lambda a, b: -a,
    lambda a, b: np.sin(a),
    lambda a, b: abs(a) ** 0.5,
    lambda a, b: a**2 - b,
    lambda a, b: np.minimum(a, b),
    lambda a, b: np.maximum(-a, b),
    lambda a, b: np.arctan2(a, 2.0 + np.cos(b)),
    lambda a, b: np.cos(-a) / 4.0,
]


@given(STEPS)
def test_simplified_expressions_match_plain_numbers(steps: list[tuple[int, int, int]]) -> None:
    """The same random program run on nodes and on numbers; constants 0, 1, -1 invite every rule."""
    x = variables("x", 2)
    g = x[0].graph
    starts = [0.7, -1.3, 0.0, 1.0, -1.0, 2.5, -3.0]
    nodes = [x[0], x[1], *(g.constant(k) for k in starts[2:])]
    numbers = [np.float64(k) for k in starts]
    for kind, i, j in steps:
        i, j = i % len(nodes), j % len(nodes)
        nodes.append(BUILDERS[kind](nodes[i], nodes[j]))
        numbers.append(BUILDERS[kind](numbers[i], numbers[j]))
        if not abs(numbers[-1]) < 1e3:  # keep to sizes where the rounding error below is small
            nodes.pop()
            numbers.pop()
    values = evaluate(nodes, {x[0]: 0.7, x[1]: -1.3})
    assert values == pytest.approx([float(k) for k in numbers], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_and_numpy(name: str) -> None:
    x = variables("x", 2)
    point = {x[0]: 0.3, x[1]: 0.8}
    direct = evaluate(getattr(x[0], name)(), point)
    one = evaluate(getattr(np, name)(x[0]), point)
    many = evaluate(getattr(np, name)(x), point)
    assert direct == one == many[0] == pytest.approx(FUNCTIONS[name](0.3), rel=1e-15)
    assert many[1] == pytest.approx(FUNCTIONS[name](0.8), rel=1e-15)


def test_numpy_pairs() -> None:
    x = variables("x", 2)
    point = {x[0]: 0.3, x[1]: -0.8}
    for f in (np.arctan2, np.hypot, np.minimum, np.maximum, np.add, np.subtract, np.multiply, np.divide):
        assert evaluate(f(x[0], x[1]), point) == pytest.approx(f(0.3, -0.8), rel=1e-15)
        assert evaluate(f(2.0, x[1]), point) == pytest.approx(f(2.0, -0.8), rel=1e-15)
        assert evaluate(f(np.array([1.0, 2.0]), x[1]), point) == pytest.approx(f([1.0, 2.0], -0.8), rel=1e-15)
    assert evaluate(np.float64(2.0) * x[0] + np.int64(1), point) == 1.6
    assert evaluate(np.array([[1.0, 2.0], [3.0, 4.0]]) @ x, point) == pytest.approx([-1.3, -2.3])
    assert evaluate(x[0] ** np.array([1, 2]), point) == pytest.approx([0.3, 0.09])
    assert evaluate(np.linalg.norm(x), point) == pytest.approx(np.hypot(0.3, 0.8))
    assert evaluate(np.cross([1.0, 0.0, 0.0], [x[0], x[1], 1.0]), point).tolist() == [0.0, -1.0, -0.8]
    assert evaluate(2.0 ** x[0], point) == pytest.approx(2.0**0.3)


def test_conditions_combine(xy: tuple[Node, Node]) -> None:
    x, y = xy
    for a in (-1.0, 0.0, 1.0):
        for b in (-1.0, 0.0, 1.0):
            for node, truth in (
                ((x > 0) & (y > 0), a > 0 and b > 0),
                ((x >= 0) | (y < 0), a >= 0 or b < 0),
                (~(x <= y), not a <= b),
                (equal(x, y), a == b),
                (equal(1.0, y), b == 1.0),
            ):
                assert evaluate(select(node, 1.0, 0.0), {x: a, y: b}) == truth


@given(st.floats(), st.integers(1, 5))
def test_table_index_is_clamped(index: float, length: int) -> None:
    expected = 0 if math.isnan(index) else math.floor(min(max(index, 0.0), length - 1.0))
    assert clamp_index(index, length) == expected


def test_gather(xy: tuple[Node, Node]) -> None:
    x, _ = xy
    table = [5.0, 7.0, 9.0]
    assert [evaluate(x.gather(table), {x: k}) for k in (-3.0, 0.0, 0.99, 1.0, 2.5, 99.0)] == [5, 5, 5, 7, 9, 9]
    assert float(x.gather([4.0, 4.0])) == 4.0
    assert float(x.graph.constant(1.0).gather(table)) == 7.0
    assert x.gather(table) == x.gather(tuple(table))


def test_million_nodes_without_recursion() -> None:
    g = Graph()
    x, y = g.variable("x"), g.variable("y")
    a, b = x, y
    while len(g) < 1_000_000:
        a, b = a * 0.5 + b, b - a * y
    assert len(repr(a)) < 100
    assert math.isfinite(evaluate(a, {x: 0.1, y: 0.2}))


def test_identity_of_handles(xy: tuple[Node, Node]) -> None:
    x, y = xy
    assert x == Node(x.graph, x.id)
    assert x != y
    for compare in (operator.eq, operator.ne):
        for number in (1, 1.0, np.float64(1.0), np.array(1.0), True):
            with pytest.raises(BranchError, match="tolerance"):
                compare(x, number)
    assert x.graph.constant(2.0) == 2.0
    assert x.graph.constant(2.0) != 3.0
    assert x != "x"
    assert x is not None
    assert len({x, Node(x.graph, x.id)}) == 1
    assert variables("x", 1)[0] != x
    assert (x + y).operands == (x, y)
    assert x.graph.constant(2.0).known == 2.0
    assert x.known is None


def test_refusals(xy: tuple[Node, Node]) -> None:
    x, y = xy
    with pytest.raises(ExpressionError, match="select"):
        bool(x < y)
    with pytest.raises(ExpressionError, match="select"):
        np.minimum(np.array([x, y]), np.array([y, x]))
    with pytest.raises(ExpressionError, match="different graphs"):
        _ = x + variables("z", 1)[0]
    for bad in (math.nan, math.inf, -math.inf, np.float64("nan")):
        with pytest.raises(ExpressionError, match="not finite"):
            _ = x * bad
    for bad in (1j, np.complex128(1j)):
        with pytest.raises(ExpressionError, match="complex"):
            _ = x + bad
    with pytest.raises(ExpressionError, match="division by the constant 0"):
        _ = x / 0
    with pytest.raises(ExpressionError, match="depends on variables"):
        float(x)
    with pytest.raises(TypeError):
        _ = x + "1"
    with pytest.raises(ExpressionError, match="condition"):
        _ = (x < y) + 1.0
    with pytest.raises(ExpressionError, match="condition"):
        x.select(1.0, 2.0)
    with pytest.raises(ExpressionError, match="condition"):
        select(x, 1.0, 2.0)
    with pytest.raises(ExpressionError, match="neither a number nor"):
        x.minimum("a")
    with pytest.raises(ExpressionError, match="empty"):
        x.gather([])
    with pytest.raises(ExpressionError, match="not finite"):
        x.gather([1.0, math.nan])
    with pytest.raises(ExpressionError, match="leaves"):
        x.graph.node(Op.VAR, 0)
    with pytest.raises(ExpressionError, match="at least one expression"):
        equal(1.0, 2.0)


def test_refused_variables() -> None:
    with pytest.raises(ExpressionError, match="low < high"):
        variables("x", 1, domain=(1.0, 1.0))
    with pytest.raises(ExpressionError, match="finite"):
        variables("x", 1, domain=(0.0, math.inf))
    with pytest.raises(ExpressionError, match="two numbers"):
        Graph().variable("x", domain=3.0)  # type: ignore[arg-type]
    for n in (-1, 1.5):
        with pytest.raises(AnyjointError, match="whole number"):
            variables("x", n)  # type: ignore[arg-type]
