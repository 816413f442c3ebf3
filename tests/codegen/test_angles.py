"""Rotations whose sines and cosines stand in memory: derivatives go by the angle, if that is what stands there."""

import numpy as np
import pytest

from anyjoint.codegen import Kernel, Run, Schedule, Store, count_schedule
from anyjoint.codegen.adjoint import adjoint
from anyjoint.codegen.angles import Angles
from anyjoint.codegen.tangent import tangent
from anyjoint.symbolic import Graph
from codegen.test_adjoint import ROWS, check

CALLS = 3
X = np.array([0.3, 0.5, -0.7, 0.2, 0.9])  # two coordinates of a vector, and three angles
P = np.array([1.3])
WORK = 2 + 2 * CALLS  # the vector, then sines with their cosines


def kernel(arrays, loads, function):
    """A kernel over rows that loads and stores: `function` answers {(argument, offset): value}."""
    graph = Graph()
    variables = [graph.variable("x") for _ in loads]
    stores = tuple(Store(graph.as_node(x), *place) for place, x in function(*variables).items())
    at = {v.id: place for v, place in zip(variables, loads, strict=True)}
    return Kernel(graph, tuple(ROWS[k] for k in arrays), at, stores)


def turning(behind=1):
    """A vector that is turned by one angle after the other; sines are stored first, cosines `behind` them."""
    begin = kernel((0, 3), [(0, 0), (0, 1)], lambda x, y: {(1, 0): x, (1, 1): y})
    front = kernel((0, 2, 3), [(0, 0), (1, 0)], lambda q, p: {(2, 0): (q * p).sin(), (2, behind): (q * p).cos()})
    turn = kernel(
        (3, 3), [(0, 0), (0, 1), (1, 0), (1, behind)],
        lambda x, y, s, c: {(0, 0): c * x - s * y, (0, 1): c * y + s * x},
    )  # fmt: skip
    end = kernel((3, 1), [(0, 0), (0, 1)], lambda x, y: {(1, 0): x * y, (1, 1): y + x * x})
    angles, places = [2, 3, 4], [2, 4, 6] if behind == 1 else [2, 3, 4]
    runs = (
        Run.over(0, (0, [0]), (3, [0])), Run.over(1, (0, angles), (2, [0] * 3), (3, places)),
        Run.over(2, (3, [0] * 3), (3, places)), Run.over(3, (3, [0]), (1, [0])),
    )  # fmt: skip
    return Schedule(ROWS, (begin, front, turn, end), runs, WORK)


def with_run(schedule, made, where, *columns):
    """The schedule with a run of one more kernel at a place among the others."""
    more = Run.over(len(schedule.kernels), *columns)
    runs = (*schedule.runs[:where], more, *schedule.runs[where:])
    return Schedule(ROWS, (*schedule.kernels, made), runs, schedule.work)


def written_again():
    """The sine of the first angle is halved on the way."""
    half = kernel((3,), [(0, 0)], lambda s: {(0, 0): 0.5 * s})
    return with_run(turning(), half, 2, (3, [2]))


def used_otherwise():
    """The kernel that turns is also called with a sine and a cosine that are none: the vector itself."""
    schedule = turning()
    more = Run.over(2, (3, [2]), (3, [0]))
    return Schedule(ROWS, schedule.kernels, (*schedule.runs[:3], more, *schedule.runs[3:]), WORK)


def read_before():
    """The sine's place is read before the sine is there."""
    early = kernel((0, 3), [(0, 1)], lambda x: {(1, 0): x})
    first = with_run(turning(), early, 0, (0, [0]), (3, [2]))
    add = kernel((3, 1), [(0, 0)], lambda x: {(1, 2): x * x})
    return with_run(first, add, 1, (3, [2]), (1, [0]))


def test_derivatives_go_by_angles():
    """One rate for each angle, four operations for what it turns; then sines and cosines stand as before."""
    schedule = turning()
    angles = Angles(schedule, ())
    assert [len(found) for found in angles.loads] == [0, 0, 1, 0]
    assert [len(found) for found in angles.stores] == [0, 1, 0, 0]
    check(schedule, X, P, 2)
    made = schedule, tangent(schedule, ["x"]), adjoint(schedule, ["x"])
    assert [count_schedule(x).total for x in made] == [30, 69, 76]  # 87 and 97 by rates of sines and of cosines


@pytest.mark.parametrize("make", [written_again, used_otherwise, read_before, lambda: turning(behind=3)])
def test_where_something_else_may_stand_there_is_no_angle(make):
    schedule = make()
    angles = Angles(schedule, ())
    assert angles.loads[2] == {}
    check(schedule, X, P, 3)


def test_none_in_loops():
    schedule = turning()
    assert Angles(schedule, [None]).schedule is schedule


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("of_numbers", [False, True])
def test_straight_code(sign, of_numbers):
    """Both ways round, of what moves and of numbers, and of a vector that something else uses as well."""

    def turned(x, y, q, p):
        a, b = (p, p * p) if of_numbers else (x, y)
        s, c = q.sin(), q.cos()
        one, other = c * a + sign * s * b, c * b - sign * s * a
        return {(1, 0): one * other + x, (1, 1): -other * y, (1, 2): s * one}

    made = kernel((0, 1, 2), [(0, 0), (0, 1), (0, 2), (2, 0)], turned)
    check(Schedule(ROWS, (made,), (Run.over(0, (0, [0]), (1, [0]), (2, [0])),), 1), X[:3], P, 3)


def test_a_sum_that_is_part_of_two_rotations():
    """cos a cos b - sin a sin b is a rotation by a and one by b; each of its operands has one rate all the same."""

    def turned(a, b):
        (s, c), (t, d) = ((x.sin(), x.cos()) for x in (a, b))
        return {(1, 0): c * d - s * t, (1, 1): s * d + c * t, (1, 2): s * d - c * t}

    made = kernel((0, 1), [(0, 0), (0, 1)], turned)
    check(Schedule(ROWS, (made,), (Run.over(0, (0, [0]), (1, [0])),), 1), X[:2], np.zeros(0), 3)
