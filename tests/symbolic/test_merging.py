"""What merging must find, and what it must never take for equal: attacks by scale, branch, sign and domain."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from anyjoint.symbolic import Graph, Node, Op, evaluate, select, simplify, variables
from anyjoint.symbolic.ops import ARITY, CONDITIONS
from anyjoint.symbolic.simplify import merge_identities

sin, cos, exp, sqrt, log = np.sin, np.cos, np.exp, np.sqrt, np.log
Pair = Callable[[Any, Any], tuple[Any, Any]]


def are_merged(pair: Pair) -> bool:
    """Do two expressions become one?"""
    x, y = variables("x", 2)
    a, b = pair(x, y)
    first, second = merge_identities([a, b if isinstance(b, Node) else x.graph.constant(b)])
    return bool(first == second)


def relu(z: Any) -> Any:
    return z + abs(z)


def product_of_relus(x: Any, y: Any) -> Any:
    """Zero at all but one of 256 combinations of signs."""
    result = x.graph.constant(1.0)
    for k in range(8):
        result = result * relu(x.graph.variable(f"z{k}"))
    return result


def nested_selects(x: Any, y: Any) -> Any:
    """y, unless fourteen conditions fail."""
    result = x * y + 3
    for k in range(14):
        result = select(x + k * y < k + 0.1, y, result)
    return result


def after(a: float) -> float:
    """The next float."""
    return math.nextafter(a, math.inf)


DIFFERENT: dict[str, Pair] = {
    # flat almost everywhere
    "far bump": lambda x, y: (2 + exp(-((x - 12) ** 2)), 2.0),
    "narrow bump": lambda x, y: (1 + 0.1 * exp(-(((x - 0.5) / 0.01) ** 2)), 1.0),
    "narrow bump far away": lambda x, y: (1 + exp(-(((x - 12) / 0.1) ** 2)), 1.0),
    "steep step": lambda x, y: (x + 1e-3 / (1 + exp(-800 * (x - 4.2))), x),
    "resonance": lambda x, y: (1 + 1e-12 / (1e-12 + (x - 0.3) ** 2), 1.0),
    "thin resonance": lambda x, y: (1 + 1 / (1 + 1e20 * (x - 0.3) ** 2), 1.0),
    "saturation": lambda x, y: ((exp(50 * x) - exp(-50 * x)) / (exp(50 * x) + exp(-50 * x)), 1.0),
    "flat power": lambda x, y: (1 + (x / 100) ** 16, 1.0),
    # tiny and huge
    "tiny cosine": lambda x, y: (1e-17 * cos(x) + x, x),
    "tiniest term": lambda x, y: (1e-300 * y + x, x),
    "smallest float": lambda x, y: (5e-324 * y + x, x),
    "tiny factor": lambda x, y: ((1 + 2.0**-60 * y) * x, x),
    "small function": lambda x, y: (x + 1e-9 * sin(y), x),
    "huge term": lambda x, y: (1e150 * x + y, 1e150 * x),
    "largest term": lambda x, y: (1e300 * x + y, 1e300 * x),
    "small terms": lambda x, y: (1e-150 * x + 1e-170 * y, 1e-150 * x),
    "slow sine": lambda x, y: (sin(1e-9 * x) / x, 1e-9),
    "slow cosine": lambda x, y: (cos(1e-9 * x), 1.0),
    # neighbours
    "next factor": lambda x, y: (after(1.0) * x, x),
    "next number": lambda x, y: (after(0.3) * x, 0.3 * x),
    "next power": lambda x, y: (x ** after(2.5), x**2.5),
    "next angle": lambda x, y: (sin(x + after(math.pi / 2)), cos(x)),
    "next root": lambda x, y: (after(math.sqrt(2.0)) * x * sqrt(y * y + 2), sqrt(2 * y * y + 4) * x),
    "almost pi": lambda x, y: (sin(x + 3.1415926), -sin(x)),
    # branches
    "plateau": lambda x, y: (select(x < 100.0, 1.0 + 0 * x, x), 1.0),
    "plateau of a function": lambda x, y: (select(x < 100.0, y, x + y), y),
    "far minimum": lambda x, y: (np.minimum(x, 1e6 + y), x),
    "far maximum": lambda x, y: (np.maximum(x, y - 1e6), x),
    "floor": lambda x, y: (np.floor(x * 1e-3 + 0.5), 0.0),
    "table": lambda x, y: ((x + 2).gather([1.0] * 20 + [2.0]), 1.0),
    "fourteen selects": lambda x, y: (nested_selects(x, y), y),
    "eight relus": lambda x, y: (product_of_relus(x, y), 0.0),
    "conditions of near misses": lambda x, y: (select(x < y, x, 1.0), select(x < y + 1e-12, x, 1.0)),
    # signs
    "absolute value": lambda x, y: (abs(x), x),
    "root of a square": lambda x, y: (sqrt(x * x), x),
    "root of a product of squares": lambda x, y: (sqrt(x * x * y * y), x * y),
    "root of a binomial": lambda x, y: (sqrt(x * x + 2 * x * y + y * y), x + y),
    "root of a sine squared": lambda x, y: (sqrt(1 - cos(x) ** 2), sin(x)),
    "eleven": lambda x, y: (sqrt(11 * x * x), math.sqrt(11) * x),
    "two": lambda x, y: (sqrt(2 * x * x), math.sqrt(2) * x),
    "roots of negatives": lambda x, y: (sqrt(-x * y * x * y + 1 - 1), x * y),
    "conjugate roots": lambda x, y: (
        sqrt(x + sqrt(x * x - y * y)) * sqrt(x - sqrt(x * x - y * y)), y),
    "denested root": lambda x, y: (sqrt(x + y + 2 * sqrt(x * y)), sqrt(x) - sqrt(y)),
    "root of a fourth power": lambda x, y: (sqrt(sqrt(x**4)), x),
    "cubes": lambda x, y: (sqrt(x**6), x**3),
    # inverse functions
    "inverse cosine": lambda x, y: (np.arccos(cos(x)), x),
    "inverse sine": lambda x, y: (np.arcsin(sin(x)), x),
    "inverse tangent": lambda x, y: (np.arctan2(sin(x), cos(x)), x),
    "logarithm of a square": lambda x, y: (log(x * x), 2 * log(x)),
    "power of a square": lambda x, y: ((x * x) ** 1.25, x**2.5),
    # exceptions
    "direction of nothing": lambda x, y: (cos(np.arctan2(x, 0 * y)), 0.0),
    "radius": lambda x, y: (sqrt(x * x + y * y) * cos(np.arctan2(y, x)), x),
    # definedness
    "root of a product": lambda x, y: (sqrt(x * y), sqrt(x) * sqrt(y)),
}  # fmt: skip


@pytest.mark.parametrize("name", DIFFERENT)
def test_different_functions_stay_different(name: str) -> None:
    assert not are_merged(DIFFERENT[name])


EQUAL: dict[str, Pair] = {
    "quotient": lambda x, y: (x / x, 1.0),
    "reduced quotient": lambda x, y: (x * x / x, x),
    "Pythagoras": lambda x, y: (sin(x) ** 2 + cos(x) ** 2, 1.0),
    "double angle": lambda x, y: (2 * sin(x) * cos(x), sin(2 * x)),
    "half angle": lambda x, y: (2 * sin(x / 2) * cos(x / 2), sin(x)),
    "triple angle": lambda x, y: (3 * sin(x) - 4 * sin(x) ** 3, sin(3 * x)),
    "sum of angles": lambda x, y: (cos(x + y), cos(x) * cos(y) - sin(x) * sin(y)),
    "quarter turn": lambda x, y: (sin(x + math.pi / 2), cos(x)),
    "sixth of a turn": lambda x, y: (sin(x + math.pi / 6), sin(x) * (math.sqrt(3) / 2) + cos(x) * 0.5),
    "eighth of a turn": lambda x, y: (sin(x + math.pi / 4), math.sqrt(0.5) * (sin(x) + cos(x))),
    "power": lambda x, y: (x**1.5 * x, x**2.5),
    "exponential": lambda x, y: (exp(x) * exp(y), exp(x + y)),
    "square of an exponential": lambda x, y: (exp(x) ** 2, exp(2 * x)),
    "logistic": lambda x, y: (1 / (1 + exp(-x)), exp(x) / (1 + exp(x))),
    "logarithm of an exponential": lambda x, y: (log(exp(x)), x),
    "square of a root": lambda x, y: (sqrt(x) * sqrt(x), x),
    "square of a nested root": lambda x, y: (
        (y * sqrt(1 + sqrt(x * x + 1))) ** 2, y * y * (1 + sqrt(x * x + 1))),
    "square of an absolute value": lambda x, y: ((y * abs(x)) ** 2, (x * y) ** 2),
    "absolute value": lambda x, y: (abs(x), sqrt(x * x)),
    "absolute values": lambda x, y: (abs(x) * abs(y), abs(x * y)),
    "root of an exponential": lambda x, y: (sqrt(exp(2 * x)), exp(x)),
    "root of a product": lambda x, y: (sqrt((x * x + 1) * (y * y + 2)), sqrt(x * x + 1) * sqrt(y * y + 2)),
    "root of a quotient": lambda x, y: (sqrt((x * x + 1) / (y * y + 2)), sqrt(x * x + 1) / sqrt(y * y + 2)),
    "root of a multiple": lambda x, y: (sqrt(4 * x * x + 4), 2 * sqrt(x * x + 1)),
    "unit vector (1, 2, 2)": lambda x, y: ((x / 3) ** 2 + (2 * x / 3) ** 2 + (2 / 3 * x) ** 2, x * x),
    "unit vector (1, 2, 3)": lambda x, y: (
        sum((math.sqrt(k * k / 14) * x) ** 2 for k in (1, 2, 3)), x * x),
    "decimals": lambda x, y: (0.1 * x * (0.7 * y), 0.07 * (x * y)),
    "sum of decimals": lambda x, y: (0.1 * x + 0.2 * x, 0.3 * x),
    "select": lambda x, y: (select(x < y, x + y, y), y + select(x < y, x, 0.0)),
    "minimum": lambda x, y: (np.minimum(x, y) + np.maximum(x, y), x + y),
    "cosine of an inverse cosine": lambda x, y: (cos(np.arccos(x / 3)), x / 3),
    "sine of an inverse cosine": lambda x, y: (sin(np.arccos(x)), sqrt(1 - x * x)),
    "radius": lambda x, y: (x / sqrt(x * x + (2 + sin(y)) ** 2), cos(np.arctan2(2 + sin(y), x))),
    "huge differences": lambda x, y: (1e150 * x * y - 1e150 * y * x * (x / x), 0.0),
}  # fmt: skip


@pytest.mark.parametrize("name", EQUAL)
def test_equal_functions_become_one(name: str) -> None:
    assert are_merged(EQUAL[name])


def test_a_domain_proves_nothing_and_bounds_do() -> None:
    g = Graph()
    q = g.variable("q", (0.5, 3.0))
    p = g.variable("p", (0.5, 3.0), (0.0, math.inf))
    for x, expected in ((q, abs(q)), (p, p)):
        assert merge_identities(abs(x)) == expected
        assert merge_identities([sqrt(x * x), expected])[0] == expected
    assert merge_identities(np.maximum(q, 0.0)) == np.maximum(q, 0.0)


def test_a_select_protects_what_is_undefined() -> None:
    """select(x < 0, 0, sqrt(x)) is 0 at -1; the product that equals it in algebra is not a number there."""
    x, y = variables("x", 2)
    guarded, bare = select(x < 0.0, 0.0, sqrt(x)), select(x < 0.0, 0.0, 1.0) * sqrt(x)
    for outputs in ([guarded, bare], [bare, guarded]):
        merged = merge_identities(outputs)
        assert evaluate(merged[outputs.index(guarded)], {x: -1.0, y: 0.0}) == 0.0


def test_nothing_is_replaced_by_what_is_undefined_elsewhere() -> None:
    """The cheap form of a function with a hole never takes the place of the dear one without."""
    x, y = variables("x", 2)
    dear = sum(x**k * y ** (9 - k) for k in range(10))  # (x^10 - y^10) / (x - y)
    cheap = (x**10 - y**10) / (x - y)
    whole, holed = merge_identities([dear * sin(x), cheap * sin(x)])
    assert np.isfinite(evaluate([whole, holed], {x: 1.0, y: 1.0})).all()
    assert whole == holed


def test_below_a_comparison_nothing_becomes_defined() -> None:
    """x / x < 2 is false at 0, and so it stays; a table knows an undefined index too."""
    x, y = variables("x", 2)
    one = x * sqrt(y) / (x * sqrt(y))
    outputs = [select(one < 2.0, 5.0, 7.0), one.gather([4.0, 6.0])]
    merged = merge_identities(outputs)
    for point in ({x: 0.0, y: 1.0}, {x: 1.0, y: -1.0}, {x: 1.0, y: 1.0}):
        assert evaluate(merged, point) == evaluate(outputs, point)


def test_rounding_cannot_make_a_proved_root_undefined() -> None:
    """(x - y)^2 is never negative; its expansion is at x = y, by rounding, and does not take its place."""
    x, y = variables("x", 2)
    expanded = x * x - 2 * x * y + y * y
    merged = merge_identities([expanded, sqrt((x - y) ** 2)])
    for value in np.linspace(0.1, 3.0, 200):
        assert evaluate(merged[1], {x: value, y: value}) == 0.0


def test_a_root_proves_no_sign_where_it_is_undefined() -> None:
    """sqrt(x) is never negative, and neither is its square x: where x is not negative."""
    x, y = variables("x", 2)
    _, absolute, plain = merge_identities([sqrt(x), sqrt(x * x), x])
    assert absolute != plain
    _, absolute, plain = merge_identities([sqrt(x) * sqrt(y), sqrt(x * x * y * y), x * y])
    assert absolute != plain


@pytest.mark.parametrize("k", range(20))
def test_a_square_in_one_branch_only_has_no_free_root(k: int) -> None:
    """Where all z are negative, the root is |w|; elsewhere both sides vanish."""
    x, y = variables("x", 2)
    z = [x.graph.variable("z") for _ in range(3)]
    w = x + k * y
    root = sqrt(sum(relu(t) for t in z) + w * w)
    outside = (abs(z[0]) - z[0]) * (abs(z[1]) - z[1]) * (abs(z[2]) - z[2])
    first, second, third = merge_identities([outside * root, outside * w, -outside * w])
    assert first not in (second, third)


def test_deep_graphs_need_no_recursion() -> None:
    x, y = variables("x", 2)
    angle, product = x, y
    for _ in range(3000):
        angle, product = angle + y, product * 0.999 + x
    f = sin(angle) ** 2 + cos(angle) ** 2 + product - product * 1.0
    assert merge_identities(f) == x.graph.constant(1.0)


def test_an_alarm_keeps_the_unmerged_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = variables("x", 2)
    monkeypatch.setattr(simplify, "merged", lambda g, outputs: [y.id for _ in outputs])
    with pytest.warns(UserWarning, match="merging"):
        assert merge_identities(x * y) == x * y


@pytest.mark.parametrize("op", [op for op in Op if op > Op.VAR])
def test_every_operation_keeps_its_operands_apart(op: Op) -> None:
    """f(x) and f(2 x) are different, whatever f is."""
    x, y = variables("x", 2)
    g = x.graph
    if op == Op.SELECT:
        made = [select(a < 1.0, a, y) for a in (x, 2 * x)]
    elif op == Op.GATHER:
        made = [a.gather([1.0, 3.0]) for a in (x, 2 * x)]
    else:
        made = [Node(g, g.node(op, *[a.id, y.id][: ARITY[op]])) for a in (x, 2 * x)]
    first, second = merge_identities([select(f, x, y) if op in CONDITIONS else f for f in made])
    assert first != second
