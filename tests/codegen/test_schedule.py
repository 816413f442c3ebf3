"""Schedules: kernels over bodies and states, against a plain Python walk over the same runs."""

import ctypes
import gc
import json
import subprocess
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from anyjoint.codegen import Array, CompiledSchedule, Kernel, Run, Schedule, Store
from anyjoint.codegen.finite import finite_function
from anyjoint.codegen.jit import compile_module
from anyjoint.codegen.kernel import decode
from anyjoint.codegen.merge import merged
from anyjoint.errors import ExpressionError, InputError
from anyjoint.symbolic import Graph
from codegen import support


def first_body():
    """Writes two numbers of work from a parameter."""
    g = Graph()
    p = g.variable("p")
    arrays = (Array("parameters", "uniform"), Array("own", "lane"))
    return Kernel(g, arrays, {p.id: (0, 0)}, (Store(p, 1, 0), Store(2.0 * p, 1, 1)))


def next_body():
    """Turns the parent's pair by q, scales by a parameter, keeps it, gives the sum out and adds into a total."""
    g = Graph()
    q, p, u, v = (g.variable(name) for name in "qpuv")
    x, y = q.cos() * u - q.sin() * v, q.sin() * u + q.cos() * v
    arrays = tuple(
        Array(name, kind)
        for name, kind in (
            ("q", "row"),
            ("p", "uniform"),
            ("up", "lane"),
            ("own", "lane"),
            ("out", "row"),
            ("sum", "lane"),
        )
    )
    stores = (Store(p * x, 3, 0), Store(p * y, 3, 1), Store(x + y, 4, 0), Store(x * x, 5, 0, accumulate=True))
    return Kernel(g, arrays, {q.id: (0, 0), p.id: (1, 0), u.id: (2, 0), v.id: (2, 1)}, stores)


def total():
    """Writes the accumulated total out, or clears it."""
    g = Graph()
    t = g.variable("t")
    return Kernel(g, (Array("sum", "lane"), Array("out", "row")), {t.id: (0, 0)}, (Store(t, 1, 0),))


def clear():
    g = Graph()
    return Kernel(g, (Array("sum", "lane"),), {}, (Store(g.constant(0.0), 0, 0),))


def tree(parents):
    """A schedule over a tree of bodies; body i hangs on parents[i], 0 is the root record."""
    n = len(parents)
    arrays = (Array("q", "row"), Array("p", "uniform"), Array("work", "lane"), Array("out", "row"))
    own = tuple(2 * i + 2 for i in range(n))
    body = Run.over(
        1,
        (0, range(n)),
        (1, range(1, n + 1)),
        (2, [2 * parent for parent in parents]),
        (2, own),
        (3, range(n)),
        (2, (2 * n + 2,) * n),
    )
    runs = (
        Run.over(0, (1, (0,)), (2, (0,))),
        Run.over(3, (2, (2 * n + 2,))),
        body,
        Run.over(2, (2, (2 * n + 2,)), (3, (n,))),
    )
    return Schedule(arrays, (first_body(), next_body(), total(), clear()), runs, 2 * n + 3)


def by_hand(parents, q, p):
    pairs, out, sum_of_squares = [(p[0], 2 * p[0])], [], 0.0
    for i, parent in enumerate(parents):
        u, v = pairs[parent]
        x, y = np.cos(q[i]) * u - np.sin(q[i]) * v, np.sin(q[i]) * u + np.cos(q[i]) * v
        pairs.append((p[i + 1] * x, p[i + 1] * y))
        out.append(x + y)
        sum_of_squares += x * x
    return np.array([*out, sum_of_squares])


PARENTS = (0, 1, 1, 3, 0, 5, 4)
N = len(PARENTS)


@pytest.fixture(scope="module")
def compiled():
    return CompiledSchedule(tree(PARENTS))


def data(states, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(states, N)), rng.uniform(0.5, 1.0, N + 1)


@pytest.mark.parametrize("states", [1, 2, support.WIDTH, 2 * support.WIDTH + 3])
@pytest.mark.parametrize("threads", [1, 2])
def test_batches_equal_the_walk_by_hand(compiled, states, threads):
    q, p = data(states)
    out = np.full((states, N + 1), np.nan)
    compiled(q, p, out, threads=threads)
    np.testing.assert_allclose(out, [by_hand(PARENTS, row, p) for row in q], rtol=1e-13, atol=1e-14)


def test_single_states_equal_batches_bit_for_bit(compiled):
    q, p = data(9)
    many, one = np.empty((9, N + 1)), np.empty(N + 1)
    compiled(q, p, many)
    for i in range(9):
        compiled(q[i], p, one)
        assert one.tobytes() == many[i].tobytes()


def test_a_bound_call_sees_what_its_arrays_hold(compiled):
    q, p = data(2)
    state, out = q[0].copy(), np.empty(N + 1)
    call = compiled.bind(state, p, out)
    for row in q:
        state[:] = row
        call()
        np.testing.assert_allclose(out, by_hand(PARENTS, row, p), rtol=1e-13, atol=1e-14)


def test_no_states_is_no_work(compiled):
    q, p = data(0)
    compiled(q, p, np.empty((0, N + 1)))


def test_rows_may_be_strided_or_shared(compiled):
    q, p = data(10)
    wide = np.zeros((10, 3 * N))
    wide[:, N : 2 * N] = q
    out, want = np.empty((10, N + 1)), np.empty((10, N + 1))
    compiled(q, p, want)
    compiled(wide[:, N : 2 * N], p, out)
    assert out.tobytes() == want.tobytes()
    compiled(q[::-1], p, out)
    assert out.tobytes() == want[::-1].tobytes()
    compiled(q[4], p, out)
    assert all(row.tobytes() == want[4].tobytes() for row in out)


def test_neighbouring_memory_is_left_alone(compiled):
    q, p = data(5)
    guarded = np.full((7, N + 3), -7.0)
    compiled(q, p, guarded[1:6, 1 : N + 2])
    assert (guarded[[0, 6]] == -7).all()
    assert (guarded[:, [0, N + 2]] == -7).all()


def test_chains_of_any_length_share_their_machine_code(tmp_path, monkeypatch):
    monkeypatch.setenv("ANYJOINT_CACHE", str(tmp_path / "cache"))
    assert not CompiledSchedule(tree(range(5))).library(1).cached
    assert CompiledSchedule(tree(range(50))).library(1).cached


def test_many_python_threads_may_call_at_once(compiled):
    q, p = data(64)
    want = np.empty((64, N + 1))
    compiled(q, p, want)
    results = [np.empty_like(want) for _ in range(8)]
    workers = [threading.Thread(target=lambda out=out: [compiled(q, p, out) for _ in range(20)]) for out in results]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(out.tobytes() == want.tobytes() for out in results)


def test_c_runs_the_same_schedule(compiled, tmp_path):
    source, library = tmp_path / "run.c", tmp_path / "run.so"
    source.write_text(compiled.source("c"))
    command = [support.COMPILER, "-std=c99", "-Wall", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC"]
    subprocess.run([*command, str(source), "-o", str(library), "-lm"], check=True)
    q, p = data(1)
    work, out = np.empty(2 * N + 3), np.empty(N + 1)
    ctypes.CDLL(str(library)).run(*(ctypes.c_void_p(a.ctypes.data) for a in (q, p, work, out)))
    np.testing.assert_allclose(out, by_hand(PARENTS, q[0], p), rtol=1e-13)


def test_javascript_runs_the_same_schedule(compiled, tmp_path):
    q, p = data(1)
    program = tmp_path / "run.js"
    program.write_text(
        f"{compiled.source('js')}\nconst out = new Float64Array({N + 1});\n"
        f"run(Float64Array.from({q[0].tolist()}), Float64Array.from({p.tolist()}), new Float64Array(WORK), out);\n"
        "console.log(JSON.stringify(Array.from(out)));\n"
    )
    answer = subprocess.run([support.NODE, str(program)], check=True, capture_output=True, text=True).stdout
    np.testing.assert_allclose(json.loads(answer), by_hand(PARENTS, q[0], p), rtol=1e-13)


def test_single_precision(compiled):
    narrow = CompiledSchedule(tree(PARENTS), dtype="float32")
    q, p = data(support.WIDTH + 1)
    out, want = np.empty((len(q), N + 1), np.float32), np.empty((len(q), N + 1))
    narrow(q.astype(np.float32), p.astype(np.float32), out)
    compiled(q, p, want)
    np.testing.assert_allclose(out, want, rtol=1e-4, atol=1e-5)


def test_operations_are_counted_per_evaluation(compiled):
    count = compiled.op_count()
    assert count.trig == 2 * N
    assert count.mul == 7 * N + 1
    assert count.add == 4 * N


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda q, p, out: (q, p), "3"),
        (lambda q, p, out: (q[:, :-1].copy(), p, out), "shape"),
        (lambda q, p, out: (q, p[:-1].copy(), out), "shape"),
        (lambda q, p, out: (q.astype(np.float32), p, out), "float64"),
        (lambda q, p, out: (q, p, out[0]), "one row for each state"),
        (lambda q, p, out: (q, p, out[1:]), "equal numbers"),
        (lambda q, p, out: (np.asfortranarray(q), p, out), "adjacent"),
        (lambda q, p, out: (q, p, np.broadcast_to(0.0, out.shape)), "adjacent|written"),
    ],
)
def test_unsafe_arrays_are_refused(compiled, make, message):
    q, p = data(4)
    with pytest.raises(InputError, match=message):
        compiled(*make(q, p, np.empty((4, N + 1))))


def broken(**changes):
    good = tree(PARENTS)
    return Schedule(**{"arrays": good.arrays, "kernels": good.kernels, "runs": good.runs, "work": good.work, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"work": 3}, "work"),
        ({"runs": (Run.over(9, (2, (0,))),)}, "kernel 9"),
        ({"runs": (Run.over(3, (2, (0,)), (2, (0,))),)}, "1 arguments"),
        ({"runs": (Run.over(3, (2, ())),)}, "count"),
        ({"runs": (Run.over(3, (2, (-1,))),)}, "offset of -1"),
        ({"runs": (Run.over(3, (0, (0,))),)}, "kind"),
    ],
)
def test_wrong_schedules_are_refused(changes, message):
    with pytest.raises(ExpressionError, match=message):
        CompiledSchedule(broken(**changes))


def test_columns_of_a_run_are_equally_long():
    with pytest.raises(ExpressionError, match=r"columns of \[2, 1\] offsets"):
        Run.over(0, (1, (0, 1)), (2, (0,)))


def test_runs_come_back_from_the_words_of_the_driver():
    schedule = tree(PARENTS)
    runs = decode(schedule.words, [len(kernel.arrays) for kernel in schedule.kernels])
    assert [(r.kernel, r.arrays, r.offsets.tolist()) for r in runs] == [
        (r.kernel, r.arrays, r.offsets.tolist()) for r in schedule.runs
    ]


def test_kernels_that_say_the_same_on_the_same_arrays_become_one(compiled):
    good = tree(PARENTS)
    first, cleared, body, last = good.runs
    halves = (Run(k, body.arrays, part) for k, part in ((1, body.offsets[:3]), (4, body.offsets[3:])))
    made = merged(broken(kernels=(*good.kernels, next_body()), runs=(first, cleared, *halves, last)))
    assert len(made.kernels) == len(good.kernels)
    q, p = data(3)
    out, expected = np.empty((2, 3, N + 1))
    CompiledSchedule(made)(q, p, out)
    compiled(q, p, expected)
    np.testing.assert_array_equal(out, expected)


def test_kernels_that_differ_in_arrays_or_places_stay_apart():
    g = Graph()
    t = g.variable("t")
    further = Kernel(g, (Array("sum", "lane"), Array("out", "row")), {t.id: (0, 0)}, (Store(t, 1, 1),))
    arrays = (Array("work", "lane"), Array("out", "row"), Array("other", "row"))
    places = (0, (0,))
    runs = [Run.over(0, places, (1, (0,))), Run.over(1, places, (2, (0,))), Run.over(2, places, (1, (0,)))]
    assert len(merged(Schedule(arrays, (total(), total(), further), tuple(runs), 1)).kernels) == 3


def test_kernels_that_are_seldom_called_are_made_quickly_and_compute_the_same():
    """One call in a thousand need not be fast: LLVM does not optimise it, to the same bits for one state and many."""
    n = 3000
    parents = [max(0, i - 7) for i in range(n)]
    code = CompiledSchedule(tree(parents))
    text = code.module(1).text
    quick = [line.split("(")[0].split("@")[1] for line in text.splitlines() if "optnone" in line]
    assert quick == ["k0", "k2", "k3"]  # the body's kernel is called 3000 times, the others once
    assert "optnone" not in CompiledSchedule(tree(range(20))).module(1).text
    rng = np.random.default_rng(3)
    q, p = rng.uniform(-1, 1, (16, n)), rng.uniform(0.5, 1, n + 1)
    together, one = np.empty((16, n + 1)), np.empty(n + 1)
    code(q, p, together)
    code(q[5], p, one)
    assert np.array_equal(one, together[5])
    np.testing.assert_allclose(one, by_hand(parents, q[5], p), rtol=1e-11, atol=1e-300)  # after 430 turns


def test_threads_that_ask_at_once_get_the_same_machine_code(monkeypatch):
    """What one of them would drop is in use: its addresses are bound."""
    made, both = CompiledSchedule(tree([0, 0, 1])), threading.Barrier(2)

    def compiled(identity, make):
        both.wait()
        return compile_module(identity, make)

    monkeypatch.setattr("anyjoint.codegen.schedule.compile_module", compiled)
    with ThreadPoolExecutor(2) as threads:
        one, two = threads.map(made.library, (1, 1))
    assert one is two


def test_a_look_for_numbers_that_are_not_finite_keeps_its_code():
    look, row = finite_function("float64"), np.array([1.0, np.inf])
    library = weakref.ref(look.library)
    finite_function.cache_clear()  # as where two threads make it at once, of which one is kept
    gc.collect()
    assert library() is not None
    assert not look(row.ctypes.data, 2)
    assert look(row.ctypes.data, 1)
