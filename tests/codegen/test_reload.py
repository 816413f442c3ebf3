"""Rows of products are computed a few at a time, term by term: each few load what they multiply."""

import numpy as np
import pytest

from anyjoint.codegen import Array, CompiledSchedule, Kernel, Run, Schedule, Store
from anyjoint.codegen.ir import LEAVES, Code, lower, verify
from anyjoint.codegen.passes import ROWS_OF_STATES, of_columns
from anyjoint.codegen.reload import FENCE, reloaded
from anyjoint.symbolic import Graph

ROWS, COLUMNS, TERMS = 5, 6, 3


def products(mirrored=False, chained=False, in_place=False):
    """X^T Y, side by side over the columns of Y; or its transpose as well, or each row with the one before."""
    g = Graph()
    X = [[g.variable("x") for _ in range(TERMS)] for _ in range(ROWS)]
    Y = [g.variable("y") for _ in range(TERMS)]
    loads = {X[r][k].id: (0, k * ROWS + r) for r in range(ROWS) for k in range(TERMS)}
    loads |= {Y[k].id: (1, k * COLUMNS) for k in range(TERMS)}
    arrays = (
        Array("X", "row"), Array("Y", "row", wide=True), Array("out", "row", wide=True),
        Array("mirror", "row", wide=True, step=ROWS),
    )  # fmt: skip
    stores, entry = [], 0
    for r in range(ROWS):
        entry = sum((x * y for x, y in zip(X[r], Y, strict=True)), entry if chained else 0)
        stores.append(Store(entry, 1 if in_place else 2, r * COLUMNS))
        stores += [Store(entry, 3, r)] if mirrored else []
    return Kernel(g, arrays, loads, tuple(stores), COLUMNS)


def fences(kernel):
    """How many fences the code of four columns has."""
    listing = of_columns(lower(kernel), 4)
    verify(listing)
    return sum(s.op == Code.FENCE for s in listing.statements)


def test_behind_a_fence_only_what_is_loaded_there_is_multiplied():
    listing = of_columns(lower(products(mirrored=True)), 4)
    verify(listing)
    fresh = set()
    for statement in listing.statements:
        if statement.op == Code.FENCE:
            fresh.clear()
        elif statement.op != Code.STORE:
            assert statement.op in LEAVES or fresh.issuperset(statement.args)
            fresh.add(statement.result)
    assert fences(products(mirrored=True)) == -(-ROWS // ROWS_OF_STATES) - 1


@pytest.mark.parametrize("together", [1, 2, 4, ROWS])
def test_what_rows_share_is_loaded_once_for_each_few(together):
    statements = reloaded(lower(products()), together).statements
    few = -(-ROWS // together)
    assert sum(s.op == Code.LOAD and s.data[0] == 1 for s in statements) == TERMS * few
    assert statements.count(FENCE) == few - 1
    assert [s.data[1] for s in statements if s.op == Code.STORE] == [r * COLUMNS for r in range(ROWS)]


def test_first_terms_of_a_few_rows_stand_beside_each_other():
    statements = reloaded(lower(products()), 4).statements
    first = [s.op for s in statements[: statements.index(FENCE)]]
    assert first.index(Code.STORE) == len(first) - 4
    assert [s.data[1] for s in statements if s.op == Code.LOAD and s.data[0] == 0][:4] == [0, 1, 2, 3]


def test_rows_that_need_each_other_are_left_alone():
    assert fences(products(chained=True)) == 0


def test_what_is_written_is_not_loaded_again():
    assert fences(products(in_place=True)) == 0


@pytest.mark.parametrize("states", [1, 4, 7])
def test_batches_are_right(states):
    kernel, rng = products(mirrored=True), np.random.default_rng(3)
    X, Y = rng.normal(size=(states, TERMS, ROWS)), rng.normal(size=(states, TERMS, COLUMNS))
    out, mirror = np.zeros((states, ROWS, COLUMNS)), np.zeros((states, COLUMNS, ROWS))
    run = Run.over(0, *((i, [0]) for i in range(4)))
    rows = [x.reshape(states, -1) for x in (X, Y, out, mirror)]
    CompiledSchedule(Schedule(kernel.arrays, (kernel,), (run,)))(*rows)
    np.testing.assert_allclose(out, np.einsum("skr,skc->src", X, Y), rtol=1e-13)
    assert np.array_equal(mirror, out.swapaxes(1, 2))
