"""Carried unknowns against a dense KKT solve on floats."""

import numpy as np
import pytest

from tests.constraints.kkt import accelerations, errors
from tests.constraints.random_loops import closed_tree


@pytest.mark.parametrize("seed", range(20))
def test_random_loops(seed):
    rng = np.random.default_rng(seed)
    mech, q, v = closed_tree(rng)
    tau = rng.normal(size=mech.nv)
    want = accelerations(mech, q, v, tau)
    model = mech.compile()
    got = model.forward_dynamics(q, v, tau)
    assert np.abs(np.array(errors(mech, q), dtype=float)).max() < 1e-12
    assert np.abs(got - want).max() <= 1e-9 * np.abs(want).max()
