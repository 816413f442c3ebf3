"""Kernels of several columns: one state side by side, batches column by column, C and JavaScript in loops."""

import ctypes
import json
import subprocess

import numpy as np
import pytest

from anyjoint.codegen import Array, CompiledSchedule, Kernel, Run, Schedule, Store
from anyjoint.codegen.schedule import count_schedule
from anyjoint.codegen.shadow import one_by_one
from anyjoint.errors import ExpressionError
from anyjoint.symbolic import Graph
from anyjoint.trace.store import pack, unpack
from codegen import support

ROWS, COLUMNS = 3, 5


def load():
    """Copies a row of the matrix to work, COLUMNS entries side by side."""
    g = Graph()
    x = g.variable("x")
    arrays = (Array("x", "row", wide=True), Array("work", "lane", wide=True))
    return Kernel(g, arrays, {x.id: (0, 0)}, (Store(x, 1, 0),), COLUMNS)


def combine():
    """out = f * x + 1, and the sum of all rows grows by it; f is one number for all columns."""
    g = Graph()
    f, x = g.variable("f"), g.variable("x")
    y = f * x + 1.0
    arrays = (
        Array("f", "row"), Array("x", "lane", wide=True), Array("out", "row", wide=True),
        Array("sum", "lane", wide=True),
    )  # fmt: skip
    stores = (Store(y, 2, 0), Store(y, 3, 0, accumulate=True))
    return Kernel(g, arrays, {f.id: (0, 0), x.id: (1, 0)}, stores, COLUMNS)


def finish():
    g = Graph()
    x = g.variable("x")
    arrays = (Array("sum", "lane", wide=True), Array("out", "row", wide=True))
    return Kernel(g, arrays, {x.id: (0, 0)}, (Store(x, 1, 0),), COLUMNS)


def clear():
    g = Graph()
    return Kernel(g, (Array("sum", "lane", wide=True),), {}, (Store(g.constant(0.0), 0, 0),), COLUMNS)


def schedule():
    """(f, X) -> f_r X_r + 1 row by row, then the sum of the rows."""
    arrays = (Array("f", "row"), Array("X", "row"), Array("work", "lane"), Array("out", "row"))
    rows = [COLUMNS * r for r in range(ROWS)]
    total = COLUMNS * ROWS
    runs = (
        Run.over(0, (1, rows), (2, rows)),
        Run.over(3, (2, [total])),
        Run.over(1, (0, range(ROWS)), (2, rows), (3, rows), (2, [total] * ROWS)),
        Run.over(2, (2, [total]), (3, [total])),
    )
    return Schedule(arrays, (load(), combine(), finish(), clear()), runs, total + COLUMNS)


def expected(f, X):
    made = f[:, :, None] * X.reshape(len(f), ROWS, COLUMNS) + 1.0
    return np.concatenate([made, made.sum(axis=1, keepdims=True)], axis=1).reshape(len(f), -1)


def data(states):
    rng = np.random.default_rng(states)
    return rng.normal(size=(states, ROWS)), rng.normal(size=(states, ROWS * COLUMNS))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("states", [1, 11])
def test_machine_code_equals_the_formula(states, dtype):
    f, X = (x.astype(dtype) for x in data(states))
    out = np.zeros((states, (ROWS + 1) * COLUMNS), dtype)
    code = CompiledSchedule(schedule(), dtype=dtype)
    code(f, X, out)
    np.testing.assert_allclose(out, expected(f, X), rtol=1e-13 if dtype == "float64" else 1e-5)
    one = np.zeros_like(out[0])
    code(f[0], X[0], one)
    assert np.array_equal(one, out[0])


def test_c_and_javascript_run_the_same(tmp_path):
    code, (f, X) = CompiledSchedule(schedule()), data(1)
    work, out = np.empty(code.schedule.work), np.empty((ROWS + 1) * COLUMNS)
    run = support.c_function(code.source("c"), "run", tmp_path)
    run(*(ctypes.c_void_p(a.ctypes.data) for a in (f, X, work, out)))
    np.testing.assert_allclose(out, expected(f, X)[0], rtol=1e-13)
    program = tmp_path / "run.js"
    program.write_text(
        f"{code.source('js')}\nconst out = new Float64Array({len(out)});\n"
        f"run({f[0].tolist()}, {X[0].tolist()}, new Float64Array(WORK), out);\n"
        "console.log(JSON.stringify(Array.from(out)));\n"
    )
    answer = subprocess.run([support.NODE, str(program)], check=True, capture_output=True, text=True).stdout
    np.testing.assert_allclose(json.loads(answer), expected(f, X)[0], rtol=1e-13)


def test_columns_may_be_called_one_by_one():
    made, (f, X) = one_by_one(schedule()), data(3)
    assert {kernel.columns for kernel in made.kernels} == {1}
    out = np.zeros((3, (ROWS + 1) * COLUMNS))
    CompiledSchedule(made)(f, X, out)
    np.testing.assert_allclose(out, expected(f, X), rtol=1e-13)
    assert count_schedule(made).total == count_schedule(schedule()).total


def test_every_column_counts_and_is_stored():
    made = schedule()
    assert count_schedule(made).total == 3 * ROWS * COLUMNS
    again, _ = unpack(pack(made, []))
    assert [kernel.columns for kernel in again.kernels] == [COLUMNS] * 4
    assert [[a.wide for a in k.arrays] for k in again.kernels] == [[a.wide for a in k.arrays] for k in made.kernels]


def mirror(rows, columns, kind="row"):
    """The transpose of a matrix of rows x columns, by way of the work array or not."""
    g = Graph()
    x = [g.variable("x") for _ in range(rows)]
    arrays = (Array("x", "row", wide=True), Array("out", kind, wide=True, step=rows))
    loads = {x[r].id: (0, r * columns) for r in range(rows)}
    kernel = Kernel(g, arrays, loads, tuple(Store(x[r], 1, r) for r in range(rows)), columns)
    if kind == "row":
        return Schedule(arrays, (kernel,), (Run.over(0, (0, [0]), (1, [0])),))
    y = g.variable("y")
    copy = Kernel(g, (Array("work", "lane"), Array("out", "row")), {y.id: (0, 0)}, (Store(y, 1, 0),))
    places = range(rows * columns)
    runs = (Run.over(0, (0, [0]), (1, [0])), Run.over(1, (1, places), (2, places)))
    return Schedule((arrays[0], Array("work", "lane"), Array("out", "row")), (kernel, copy), runs, rows * columns)


@pytest.mark.parametrize("kind", ["row", "lane"])
@pytest.mark.parametrize(("rows", "columns"), [(8, 8), (4, 4), (2, 3), (1, 5), (11, 7), (13, 2)])
def test_columns_may_lie_apart(rows, columns, kind, tmp_path):
    made = mirror(rows, columns, kind)
    X = np.random.default_rng(rows).normal(size=(11, rows * columns))
    turned = X.reshape(-1, rows, columns).swapaxes(1, 2).reshape(11, -1)
    for states in (1, 11):
        for code in (CompiledSchedule(made), CompiledSchedule(one_by_one(made))):
            out = np.zeros((states, rows * columns))
            code(X[:states], out)
            assert np.array_equal(out, turned[:states])
    one, code = np.zeros(rows * columns), CompiledSchedule(unpack(pack(made, []))[0])
    code(X[0], one)
    assert np.array_equal(one, turned[0])
    work = [np.empty(code.schedule.work)] if kind == "lane" else []
    out = np.empty(rows * columns)
    run = support.c_function(code.source("c"), "run", tmp_path)
    run(*(ctypes.c_void_p(a.ctypes.data) for a in (X[0], *work, out)))
    assert np.array_equal(out, turned[0])


def test_columns_need_places_of_their_own():
    g = Graph()
    x = g.variable("x")
    arrays = (Array("x", "row", wide=True), Array("out", "row"))
    kernel = Kernel(g, arrays, {x.id: (0, 0)}, (Store(x, 1, 0),), COLUMNS)
    runs = (Run.over(0, (0, [0]), (1, [0])),)
    with pytest.raises(ExpressionError, match="5 columns are stored to one place; store to wide arrays only"):
        CompiledSchedule(Schedule(arrays, (kernel,), runs))
