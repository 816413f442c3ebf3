"""Straight code and kernels give the same answers about constraints."""

import numpy as np
import pytest

from tests.constraints.random_loops import random_case

QUESTIONS = {
    "forward_dynamics": "qvt",
    "constraint_multipliers": "qvt",
    "constraint_errors": "qv",
    "position_correction": "q",
    "velocity_correction": "qv",
    "constraint_entries": "q",
}


@pytest.mark.parametrize("seed", [12, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (18, 24))])
def test_forms_agree(seed):
    """To 1e-11 of what a question is about: rows may be near places where they become dependent."""
    case = random_case(seed)
    straight, kernels = (case.mech.compile(form=form) for form in ("straight", "kernels"))
    rows = {"q": case.q, "v": case.v, "t": np.random.default_rng(seed).normal(size=case.mech.nv)}
    clock = straight.clock(case.t)
    for name, inputs in QUESTIONS.items():
        given = (*(rows[letter] for letter in inputs), *clock)
        want, got = straight.evaluate(name, given), kernels.evaluate(name, given)
        assert np.abs(got - want).max() <= 1e-11 * max(np.abs(want).max(), 1.0), name
    assert kernels.program("forward_dynamics").trace.form == "kernels"
