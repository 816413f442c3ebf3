"""Rows of products a few at a time: the same numbers, loads of their own for each few, stores row by row."""

from dataclasses import replace

import numpy as np
import pytest

from anyjoint.codegen import Array, CompiledSchedule, Kernel, Run, Schedule, Store
from anyjoint.codegen.ir import Code, lower
from anyjoint.codegen.reload import FENCE, reloaded
from anyjoint.symbolic import Graph

ROWS, TERMS, COLUMNS = 7, 5, 8


def products():
    """out = X^T Y, for the rows of X^T all columns of Y side by side."""
    g = Graph()
    x = [[g.variable(f"x{k}_{r}") for r in range(ROWS)] for k in range(TERMS)]
    y = [g.variable(f"y{k}") for k in range(TERMS)]
    loads = {x[k][r].id: (0, k * ROWS + r) for k in range(TERMS) for r in range(ROWS)}
    loads |= {y[k].id: (1, k * COLUMNS) for k in range(TERMS)}
    arrays = (Array("X", "row"), Array("Y", "row", wide=True), Array("out", "row", wide=True))
    entries = [sum((x[k][r] * y[k] for k in range(1, TERMS)), x[0][r] * y[0]) for r in range(ROWS)]
    return Kernel(g, arrays, loads, tuple(Store(e, 2, r * COLUMNS) for r, e in enumerate(entries)), COLUMNS)


@pytest.mark.parametrize("together", [1, 2, 4, ROWS])
def test_what_rows_share_is_loaded_once_for_each_few(together):
    listing = reloaded(lower(products()), together)
    few = -(-ROWS // together)
    shared = [s for s in listing.statements if s.op == Code.LOAD and s.data[0] == 1]
    assert len(shared) == TERMS * few
    assert listing.statements.count(FENCE) == few - 1
    stored = [s.data[1] for s in listing.statements if s.op == Code.STORE]
    assert stored == [r * COLUMNS for r in range(ROWS)]


def test_terms_of_rows_that_are_computed_together_stand_beside_each_other():
    statements = reloaded(lower(products()), 4).statements
    first = [s.op for s in statements[: statements.index(FENCE)]]
    last_term, first_store = len(first) - first[::-1].index(Code.LOAD), first.index(Code.STORE)
    assert last_term < first_store == len(first) - 4
    loaded = [s.data[1] for s in statements if s.op == Code.LOAD and s.data[0] == 0]
    assert loaded[:4] == [0, 1, 2, 3]


def test_rows_that_share_what_they_compute_are_left_alone():
    kernel = products()
    both = kernel.stores[0].node + kernel.stores[1].node
    listing = lower(replace(kernel, stores=(*kernel.stores, Store(both, 2, ROWS * COLUMNS))))
    assert reloaded(listing, 2) is listing


def test_machine_code_multiplies_matrices():
    arrays = (Array("X", "row"), Array("Y", "row"), Array("out", "row"))
    schedule = Schedule(arrays, (products(),), (Run.over(0, (0, (0,)), (1, (0,)), (2, (0,))),), 0)
    code, rng = CompiledSchedule(schedule), np.random.default_rng(0)
    X, Y = rng.normal(size=(6, TERMS, ROWS)), rng.normal(size=(6, TERMS, COLUMNS))
    want = np.einsum("skr,skc->src", X, Y).reshape(6, -1)
    out = np.zeros_like(want)
    code(X.reshape(6, -1), Y.reshape(6, -1), out)
    one = np.zeros(want.shape[1])
    code(X[0].ravel(), Y[0].ravel(), one)
    assert np.abs(out - want).max() < 1e-14  # five products of numbers around one
    assert np.abs(one - want[0]).max() < 1e-14
