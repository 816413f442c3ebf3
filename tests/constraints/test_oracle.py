"""Carried unknowns against a dense KKT solve on floats."""

import numpy as np
import pytest

from tests.constraints.kkt import accelerations, errors, system
from tests.constraints.random_loops import closed_tree


@pytest.mark.parametrize("form", ["straight", "kernels"])
@pytest.mark.parametrize("seed", range(8))
def test_random_loops(seed, form):
    """To 1e-11: some of these mechanisms are near places where rows become dependent."""
    rng = np.random.default_rng(seed)
    mech, q, v = closed_tree(rng, bodies=5)
    tau = rng.normal(size=mech.nv)
    want = accelerations(mech, q, v, tau)
    got = mech.compile(form=form).forward_dynamics(q, v, tau)
    assert np.abs(np.array(errors(mech, q), dtype=float)).max() < 1e-12
    assert np.abs(got - want).max() <= 1e-11 * max(np.abs(want).max(), 1.0)


@pytest.mark.parametrize("seed", range(3))
def test_forms_agree_on_everything(seed):
    rng = np.random.default_rng(100 + seed)
    mech, q, v = closed_tree(rng, bodies=5)
    straight, kernels = (mech.compile(form=form) for form in ("straight", "kernels"))
    tau = rng.normal(size=mech.nv)
    for name in ("constraint_multipliers", "constraint_errors", "velocity_correction", "constraint_entries"):
        given = {"constraint_multipliers": (q, v, tau), "constraint_entries": (q,)}.get(name, (q, v))
        want, got = straight.evaluate(name, given), kernels.evaluate(name, given)
        assert np.abs(got - want).max() <= 1e-11 * max(np.abs(want).max(), 1.0), name
    assert kernels.constraint_jacobian(q) == pytest.approx(system(mech, q, v)[2], abs=1e-12)
