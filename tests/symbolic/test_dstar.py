"""D*: factoring never changes a derivative, ends with one path per entry, and shares what can be shared."""

import math
from collections import Counter
from typing import Any

import pytest

from anyjoint.symbolic import dstar
from anyjoint.symbolic.derivative import jacobian
from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.interpret import evaluate_ids
from anyjoint.symbolic.node import Node, variables
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.partials import count_operations, derivative_graph
from anyjoint.symbolic.pathproduct import share_products
from anyjoint.symbolic.rewrite import reachable
from anyjoint.symbolic.web import Web
from tests.symbolic.random_graph import random_graph

STRATEGIES = (
    dstar.MIXED,
    dstar.TO_LEAVES,
    dstar.FROM_ROOTS,
    dstar.Strategy(dominators=True, postdominators=True, most_used_first=False, eager=True),
)


def sums_over_paths(web: Web, point: dict[int, float]) -> dict[tuple[int, int], float]:
    """The derivative of every pair, straight from the definition."""
    live = [e for v in range(len(web.down)) for e in web.down[v]]
    value = evaluate_ids(web.graph, [web.value[e] for e in live], point)
    result = {}
    for r, root in enumerate(web.root):
        for j, leaf in enumerate(web.leaf):
            total = Counter({root: 1.0})
            for e in sorted(live, key=lambda e: -web.top[e]):
                if web.roots[e] >> r & 1 and web.leaves[e] >> j & 1:
                    total[web.bottom[e]] += total[web.top[e]] * value[web.value[e]]
            result[r, j] = total[leaf]
    return result


def smooth_case(seed: int, n: int, m: int, size: int) -> tuple[Any, dict[int, float]]:
    """A random graph without branches as a derivative graph, and a point."""
    ops = (Op.ADD, Op.SUB, Op.MUL, Op.MUL, Op.DIV, Op.SIN, Op.COS, Op.ATAN2)
    case = random_graph(seed, n, m, size, ops)
    d = derivative_graph(case.x[0].graph, [y.id for y in case.outputs], [v.id for v in case.x])
    return dstar.with_forward_knowledge(d), {v.id: p for v, p in zip(case.x, case.point, strict=True)}


@pytest.mark.parametrize("seed", range(8))
def test_every_single_factoring_keeps_the_sums(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    d, point = smooth_case(seed, n=4, m=4, size=60)
    for strategy in STRATEGIES:
        web = Web(d, strategy.eager)
        before = sums_over_paths(web, point)
        factorings = []
        plain = web.replace

        def checked(
            *arguments: Any, web: Web = web, plain: Any = plain, log: Any = factorings, want: Any = before
        ) -> None:
            plain(*arguments)
            log.append(arguments)
            assert sums_over_paths(web, point) == pytest.approx(want, rel=1e-9, abs=1e-9)

        monkeypatch.setattr(web, "replace", checked)
        while dstar.factor_round(web, strategy):
            pass
        assert factorings


@pytest.mark.parametrize("seed", range(40))
def test_one_path_is_left_per_entry(seed: int) -> None:
    d, _ = smooth_case(100 + seed, n=1 + seed % 5, m=1 + seed // 5 % 5, size=90)
    for strategy in STRATEGIES:
        web = Web(d, strategy.eager)
        while dstar.factor_round(web, strategy):
            pass
        paths = [dstar.single_path(web, r, j) for r in range(len(web.root)) for j in range(len(web.leaf))]
        assert None not in paths


@pytest.mark.parametrize("seed", range(20))
def test_entries_are_right_even_where_ways_still_fork(seed: int) -> None:
    d, point = smooth_case(200 + seed, n=3, m=4, size=30)
    web = Web(d, False)
    expected = sums_over_paths(web, point)
    rows = dstar.entries(web)
    value = evaluate_ids(d.graph, [i for row in rows for i in row.values()], point)
    found = {(r, j): value[rows[r][j]] if j in rows[r] else 0.0 for r, j in expected}
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def operations(outputs: Any, j: Any) -> Counter[str]:
    """Operations of the derivatives that the outputs themselves do not need."""
    g = j.flat[0].graph
    own = set(reachable(g, [y.id for y in outputs]))
    new = [i for i in reachable(g, [e.id for e in j.flat]) if i not in own and g.op[i] > Op.VAR]
    return Counter(Op(g.op[i]).name for i in new)


def test_a_chain_of_diamonds_costs_what_the_theory_says() -> None:
    """10 diamonds, 40 edges, 2^10 paths: 29 multiplications and 10 additions besides the partials."""
    (x,) = variables("x", 1)
    f = x
    for _ in range(10):
        f = f.exp() * f.sin()
    found = operations([f], jacobian([f], [x], "dstar"))
    assert found["MUL"] <= 29 + 10  # exp' = exp is an edge value too, so that each diamond has one product more
    assert found["ADD"] + found["SUB"] == 10


def test_products_are_shared_around_a_waist() -> None:
    """Four inputs, one waist, four outputs: nothing to factor, so all the gain is in shared products."""
    x = variables("x", 4)
    waist = (x[0].sin() + x[1].exp()) * (x[2].cos() + x[3].sqrt())
    outputs = [waist.sin(), waist.exp(), waist.cos(), waist.sqrt()]
    size = {m: sum(operations(outputs, jacobian(outputs, x, m)).values()) for m in ("dstar", "forward", "reverse")}
    assert size["dstar"] <= min(size["forward"], size["reverse"])


def test_a_chain_of_rotations_shares_most_of_its_derivatives() -> None:
    q = variables("q", 12)
    r: list[list[Any]] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for k, angle in enumerate(q):
        c, s, one = angle.cos(), angle.sin(), 1.0
        turn = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, one]]
        turn = [row[-(k % 2) :] + row[: -(k % 2)] for row in turn[-(k % 2) :] + turn[: -(k % 2)]] if k % 2 else turn
        r = [[sum(row[i] * turn[i][j] for i in range(3)) for j in range(3)] for row in r]
    outputs = [Node(q[0].graph, e.id) for row in r for e in row if isinstance(e, Node)]
    size = {m: _total(outputs, jacobian(outputs, q, m)) for m in ("dstar", "forward", "reverse")}
    assert size["dstar"] < 0.7 * min(size["forward"], size["reverse"])


def _total(outputs: Any, j: Any) -> int:
    return count_operations(outputs[0].graph, [e.id for e in (*outputs, *j.flat)])


def test_known_derivatives_are_reused() -> None:
    """d/dq of (c x - s y, s x + c y) are the outputs themselves, up to sign."""
    q, x, y = variables("q", 3)
    outputs = [q.cos() * x - q.sin() * y, q.sin() * x + q.cos() * y]
    j = jacobian(outputs, [q], "dstar")
    assert j[1, 0] == outputs[0]
    assert sum(operations(outputs, j).values()) <= 1


def test_pairs_that_occur_most_are_multiplied_first() -> None:
    g = Graph()
    a, b, c, d = (g.variable(name).id for name in "abcd")
    paths = {1: [a, b, c], 2: [b, c, d], 3: [d, b, c, a], 4: [c], 5: []}
    before = len(g)
    products = share_products(g, paths)
    values = evaluate_ids(g, products.values(), {a: 2.0, b: 3.0, c: 5.0, d: 7.0})
    assert [values[products[k]] for k in paths] == [30.0, 105.0, 210.0, 5.0, 1.0]
    assert len(g) - before <= 5  # the constant 1, bc, abc, bcd, abcd


def test_repeated_factors_are_merged_completely() -> None:
    g = Graph()
    a, b = g.variable("a").id, g.variable("b").id
    products = share_products(g, {0: [a] * 7, 1: [a, b] * 3, 2: [b, a, a, a, b]})
    values = evaluate_ids(g, products.values(), {a: 2.0, b: 3.0})
    assert [values[products[k]] for k in range(3)] == [2.0**7, 6.0**3, 72.0]
    assert all(math.isfinite(v) for v in values.values())
