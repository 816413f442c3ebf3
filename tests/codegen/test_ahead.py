"""Sines and cosines computed before all runs: the same answers, each once, and never where they are not known yet."""

import numpy as np
import pytest

from anyjoint.codegen import Array, CompiledSchedule, Kernel, Run, Schedule, Store, count_schedule
from anyjoint.codegen.ahead import ahead
from anyjoint.symbolic import Graph
from anyjoint.symbolic.ops import Op

ARRAYS = (Array("q", "row"), Array("p", "uniform"), Array("out", "row"), Array("work", "lane"))
N = 11


def turning(keep, count=1):
    """A kernel of angles q + p that writes sines and cosines, kept too, and products of them."""
    g, loads, stores = Graph(), {}, []
    for k in range(count):
        q, p = g.variable("q"), g.variable("p")
        loads |= {q.id: (0, k), p.id: (1, k)}
        s, c = (q + p).sin(), (q + p).cos()
        stores.append(Store(s * c + q, 2, k))
        if keep:
            stores += [Store(s, 3, 2 * k), Store(c, 3, 2 * k + 1)]
    return Kernel(g, ARRAYS if keep else ARRAYS[:3], loads, tuple(stores))


def reading():
    """A kernel that reads what was kept and adds to the output."""
    g = Graph()
    s, c = g.variable("s"), g.variable("c")
    return Kernel(g, ARRAYS[2:], {s.id: (1, 0), c.id: (1, 1)}, (Store(s - 2 * c, 0, 0, accumulate=True),))


def two_sweeps(begins):
    """Links turn, then read; link i's record begins at begins[i]."""
    first = Run.over(0, (0, range(N)), (1, range(N)), (2, range(N)), (3, begins))
    second = Run.over(1, (2, range(N)), (3, begins))
    return Schedule(ARRAYS, (turning(keep=True), reading()), (first, second), 2 * N + 2)


def run(schedule, q, p):
    out = np.zeros((len(q), N))
    CompiledSchedule(schedule)(q, p, out)
    single = np.zeros(N)
    CompiledSchedule(schedule).single(q[0], p, single)
    assert single == pytest.approx(out[0], abs=1e-15)
    return out


def data():
    rng = np.random.default_rng(3)
    return rng.uniform(-3, 3, (5, N)), rng.uniform(-1, 1, N)


def functions_of(kernel):
    return [op for op in kernel.graph.op if op in (Op.SIN, Op.COS)]


def test_kernels_load_what_one_kernel_has_computed_for_all_links():
    schedule = two_sweeps([2 * i for i in range(N)])
    made = ahead(schedule)
    assert not any(functions_of(kernel) for kernel in made.kernels[:2])
    assert made.work == schedule.work  # the place where they are kept serves
    assert [len(kernel.stores) for kernel in made.kernels[2:]] == [12, 10]  # of eleven angles, six and five at a time
    assert count_schedule(made).trig == count_schedule(schedule).trig
    assert run(made, *data()) == pytest.approx(run(schedule, *data()), abs=1e-15)


def test_what_is_not_kept_gets_room_of_its_own():
    schedule = Schedule(
        ARRAYS[:3], (turning(keep=False),), (Run.over(0, (0, range(N)), (1, range(N)), (2, range(N))),)
    )
    made = ahead(schedule)
    assert made.work == 2 * N
    assert not functions_of(made.kernels[0])
    assert run(made, *data()) == pytest.approx(run(schedule, *data()), abs=1e-15)


def test_several_angles_of_a_kernel_share_an_argument():
    pairs = Run.over(0, *((array, range(0, N - 1, 2)) for array in range(3)))
    schedule = Schedule(ARRAYS[:3], (turning(keep=False, count=2),), (pairs,))
    made = ahead(schedule)
    assert count_schedule(made).trig <= count_schedule(schedule).trig + 2 * 7  # the last group may repeat some
    assert run(made, *data()) == pytest.approx(run(schedule, *data()), abs=1e-15)


def test_places_that_are_written_again_are_not_used_early():
    shared = [2 * (i % 2) for i in range(N)]  # records of links that share memory, as messages do
    once = [Run.over(k, *((a, [x]) for a, x in columns)) for i in range(N) for k, columns in (
        (0, ((0, i), (1, i), (2, i), (3, shared[i]))), (1, ((2, i), (3, shared[i]))))]  # fmt: skip
    schedule = Schedule(ARRAYS, (turning(keep=True), reading()), tuple(once), 2 * N + 2)
    made = ahead(schedule)
    assert made.work > schedule.work
    assert run(made, *data()) == pytest.approx(run(schedule, *data()), abs=1e-15)


def test_angles_that_another_run_writes_stay_where_they_are():
    g = Graph()
    q = g.variable("q")
    move = Kernel(g, ARRAYS[:1], {q.id: (0, 0)}, (Store(q + 1, 0, 0),))
    runs = (Run.over(1, (0, range(N))), Run.over(0, *((array, range(N)) for array in range(3))))
    schedule = Schedule(ARRAYS[:3], (turning(keep=False), move), runs)
    assert ahead(schedule) is schedule


def test_straight_code_is_left_alone():
    schedule = Schedule(ARRAYS[:3], (turning(keep=False, count=4),), (Run.over(0, (0, [0]), (1, [0]), (2, [0])),))
    assert ahead(schedule) is schedule
