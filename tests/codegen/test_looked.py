"""Batches say whether all numbers that they have written are finite, and look only at those."""

import numpy as np
import pytest

from anyjoint.codegen import Array, CompiledSchedule, Kernel, Store
from anyjoint.codegen.kernel import Run, Schedule
from anyjoint.symbolic import Graph

STATES = 21  # no whole tiles


def inverses(columns):
    """1 / x of each column."""
    g = Graph()
    x = g.variable("x")
    stores = (Store(1 / x, 1, 0), Store(x * x, 1, columns))
    arrays = (Array("x", "row", wide=True), Array("result", "row", wide=True))
    kernel = Kernel(g, arrays, {x.id: (0, 0)}, stores, columns)
    return Schedule((Array("x", "row"), Array("result", "row")), (kernel,), (Run.over(0, (0, [0]), (1, [0])),))


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 7])
def test_a_number_that_is_not_finite(columns):
    code = CompiledSchedule(inverses(columns))
    rng = np.random.default_rng(0)
    for bad in (None, *range(STATES)):
        for value in (0.0, 1e200, np.nan):  # 1 / 0, the square of a large number, none
            x, result = rng.uniform(1, 2, (STATES, columns)), np.zeros((STATES, 2 * columns))
            if bad is not None:
                x[bad, bad % columns] = value
            call = code.bind_rows([columns, 2 * columns], np.zeros(1), code.target.width)
            assert call(STATES, x, result) == int(bad is None)
            assert np.isfinite(result).all() == (bad is None)
