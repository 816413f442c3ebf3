"""Tangents and adjoints of schedules by hand: branches, places used again, arguments that meet."""

import ctypes

import numpy as np
import pytest

from anyjoint.codegen import Array, CompiledSchedule, Kernel, Run, Schedule, Store
from anyjoint.codegen.activity import activity, lasting
from anyjoint.codegen.adjoint import adjoint, bar_of
from anyjoint.codegen.tangent import rate_of, tangent
from anyjoint.scalar import less, select
from anyjoint.symbolic import Graph

ROWS = (Array("x", "row"), Array("result", "row"), Array("numbers", "uniform"), Array("work", "lane"))


def evaluate(schedule, rows):
    """All given arrays after a run; outputs begin as zeros, the work array as NaN."""
    code = CompiledSchedule(schedule)
    ctypes.memset(code.work(1), 0xFF, 8 * schedule.work)
    arrays = [rows.setdefault(array.name, np.zeros(8)) for array in schedule.arrays if array.kind != "lane"]
    code(*arrays)
    return rows


def check(schedule, x, p, size):
    """JVP against differences of high order, VJP against JVP, HVP against differences of VJP."""
    rng = np.random.default_rng(1)
    d, w = rng.normal(size=len(x)), rng.normal(size=size)
    at = lambda e: {"x": x + e * d, "numbers": p.copy(), "result": np.zeros(size)}  # noqa: E731
    value = lambda e: evaluate(schedule, at(e))["result"].copy()  # noqa: E731
    slope = lambda f, h=1e-3: (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)  # noqa: E731
    found = evaluate(tangent(schedule, ["x"]), at(0.0) | {rate_of("x"): d, rate_of("result"): np.zeros(size)})
    np.testing.assert_allclose(found["result"], value(0.0), rtol=0, atol=0)
    np.testing.assert_allclose(found[rate_of("result")], slope(value), rtol=1e-9, atol=1e-9)
    back = adjoint(schedule, ["x", "numbers"])
    rows = lambda e: at(e) | {bar_of("result"): w.copy(), bar_of("x"): np.zeros(len(x)), bar_of("numbers"): np.zeros(len(p))}  # noqa: E731, E501
    made = evaluate(back, rows(0.0))
    np.testing.assert_allclose(made[bar_of("x")] @ d, w @ found[rate_of("result")], rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(made["result"], value(0.0), rtol=0, atol=0)
    if len(p):
        by_number = slope(lambda e: evaluate(schedule, {"x": x, "numbers": p + e, "result": np.zeros(size)})["result"])
        np.testing.assert_allclose(made[bar_of("numbers")].sum(), w @ by_number, rtol=1e-8, atol=1e-9)
    second = tangent(back, ["x"], ["result", bar_of("x"), bar_of("numbers")])
    rates = {rate_of(n): np.zeros(k) for n, k in (("result", size), (bar_of("x"), len(x)), (bar_of("numbers"), len(p)))}
    curved = evaluate(second, rows(0.0) | rates | {rate_of("x"): d})
    by_steps = slope(lambda e: evaluate(back, rows(e))[bar_of("x")].copy())
    np.testing.assert_allclose(curved[rate_of(bar_of("x"))], by_steps, rtol=1e-8, atol=1e-8)


def one_kernel(function, loads, columns, size):
    """A schedule of one kernel called several times: y = f(x...) with a plain store of each answer."""
    graph = Graph()
    variables = [graph.variable("x") for _ in loads]
    nodes = function(*variables)
    places = {v.id: place for v, place in zip(variables, loads, strict=True)}
    stores = tuple(Store(node, len(columns) - 1, k) for k, node in enumerate(nodes))
    arrays = tuple(ROWS[array] for array, _ in columns)
    kernel = Kernel(graph, arrays, places, stores)
    return Schedule(ROWS, (kernel,), (Run.over(0, *columns),), 1)


def test_a_chain_of_calls_that_hand_on_through_one_place():
    """y <- sin(y) + x_k p: the same place is read and written by each call."""
    graph = Graph()
    y, x, p = (graph.variable(name) for name in "yxp")
    step = Kernel(graph, (ROWS[3], ROWS[0], ROWS[2]), {y.id: (0, 0), x.id: (1, 0), p.id: (2, 0)},
                  (Store(y.sin() + x * p * y, 0, 0),))  # fmt: skip
    begin, end = Graph(), Graph()
    first, last = begin.variable("x"), end.variable("y")
    start = Kernel(begin, (ROWS[0], ROWS[3]), {first.id: (0, 0)}, (Store(first * first, 1, 0),))
    stop = Kernel(end, (ROWS[3], ROWS[1]), {last.id: (0, 0)}, (Store(last.exp(), 1, 0), Store(last, 1, 1)))
    runs = (Run.over(0, (0, [0]), (3, [0])), Run.over(1, (3, [0] * 3), (0, [1, 2, 3]), (2, [0, 0, 0])),
            Run.over(2, (3, [0]), (1, [0])))  # fmt: skip
    check(Schedule(ROWS, (start, step, stop), runs, 1), np.array([0.3, 0.5, -0.7, 0.2]), np.array([1.3]), 2)


def test_calls_of_one_kernel_of_which_some_stand_still():
    """Work of the first call does not depend on x, that of the second does: its rates are zero, not what was there."""
    graph = Graph()
    x, p = graph.variable("x"), graph.variable("p")
    stores = (Store(p * p, 2, 0), Store(x * x, 2, 1))
    before = Kernel(graph, (ROWS[0], ROWS[2], ROWS[3]), {x.id: (0, 0), p.id: (1, 0)}, stores)
    graph = Graph()
    y = graph.variable("y")
    after = Kernel(graph, (ROWS[3], ROWS[1]), {y.id: (0, 0)}, (Store(y.sin(), 1, 0),))
    runs = (Run.over(0, (0, [0]), (2, [0]), (3, [0])), Run.over(1, (3, [0, 1]), (1, [0, 1])))
    check(Schedule(ROWS, (before, after), runs, 2), np.array([0.7]), np.array([0.4]), 2)


def test_sums_that_many_calls_add_to():
    graph = Graph()
    x, y = graph.variable("x"), graph.variable("y")
    add = Kernel(graph, (ROWS[0], ROWS[1]), {x.id: (0, 0), y.id: (0, 1)}, (Store(x * y.cos(), 1, 0, True),))
    plain = Graph()
    kernel = Kernel(plain, (ROWS[1],), {}, (Store(plain.constant(0.0), 0, 0),))
    runs = (Run.over(1, (1, [0])), Run.over(0, (0, [0, 1, 2]), (1, [0, 0, 0])))
    check(Schedule(ROWS, (add, kernel), runs, 1), np.array([0.3, 0.5, -0.7, 0.2]), np.zeros(0), 1)


def test_two_arguments_that_meet_in_one_place():
    """Both arguments of a call read the same coordinate: its adjoint is the sum of both."""
    schedule = one_kernel(
        lambda a, b: [a * b.sin()], [(0, 0), (1, 0)], [(0, [0, 1, 2]), (0, [0, 2, 2]), (1, [0, 1, 2])], 3
    )
    check(schedule, np.array([0.3, 0.5, -0.7]), np.zeros(0), 3)


@pytest.mark.parametrize("x", [0.0, 0.5, -0.5])
@pytest.mark.parametrize("calls", [1, 2])
def test_the_side_that_is_not_taken_does_not_matter(x, calls):
    """sqrt and 1/x below a branch are infinite at 0, where the other side is taken."""

    def f(a, b):
        safe = select(less(0.1, a), a.sqrt() + 1 / a + b * (1 / a), 3 * a * a * b)
        return [safe * b + a]

    columns = [(0, [2 * k for k in range(calls)]), (1, list(range(calls)))]
    schedule = one_kernel(f, [(0, 0), (0, 1)], columns, calls)
    check(schedule, np.array([x, 0.7, x, -0.4]), np.zeros(0), calls)


def test_only_what_depends_on_the_inputs_is_active():
    schedule = one_kernel(lambda a, p: [a * p, p * p], [(0, 0), (1, 0)], [(0, [0]), (2, [0]), (1, [0])], 2)
    found = activity(schedule, ["x"])
    assert found.stores[0] == {0}
    assert found.alive[1].tolist() == [True, False]


@pytest.mark.parametrize("calls", [1, 2])
def test_derivatives_by_some_entries_alone(calls):
    """Those by the entries that are named are what they were; in straight code, others are left out."""
    columns = [(0, [2 * k for k in range(calls)]), (1, list(range(calls)))]
    schedule = one_kernel(lambda a, b: [a.sin() * b.exp()], [(0, 0), (0, 1)], columns, calls)
    x, d, w = np.array([0.3, 0.5, -0.7, 0.2])[: 2 * calls], np.array([0.0, 1.3, 0.0, 0.0])[: 2 * calls], np.ones(calls)
    found, some = activity(schedule, ["x"]), activity(schedule, ["x"], {"x": (1,)})
    assert (len(found.loads[0]), len(some.loads[0])) == (2, 1)
    gradients, rates = [], []
    for only in (None, {"x": (1,)}):
        rows = {"x": x, bar_of("result"): w.copy(), bar_of("x"): np.zeros(len(x)), "result": np.zeros(calls)}
        gradients.append(evaluate(adjoint(schedule, ["x"], only=only), rows)[bar_of("x")])
        rows = {"x": x, rate_of("x"): d, "result": np.zeros(calls), rate_of("result"): np.zeros(calls)}
        rates.append(evaluate(tangent(schedule, ["x"], only=only), rows)[rate_of("result")])
    assert gradients[0][1] == gradients[1][1] != 0
    assert gradients[1][0] == 0 != gradients[0][0]
    np.testing.assert_allclose(rates[1], rates[0], rtol=1e-15, atol=0)


def test_what_is_overwritten_does_not_last():
    graph = Graph()
    x, y = graph.variable("x"), graph.variable("y")
    kernel = Kernel(graph, (ROWS[0], ROWS[3]), {x.id: (0, 0), y.id: (1, 0)}, (Store(x * y, 1, 0), Store(x + y, 1, 1)))
    found = lasting(Schedule(ROWS, (kernel,), (Run.over(0, (0, [0, 1]), (3, [0, 0])),), 2))
    assert found.loads[0] == {x.id}
    assert found.stores[0] == frozenset()
