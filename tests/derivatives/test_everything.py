"""Derivatives of every quantity and step of a mechanism of every sort by everything; a few of them quickly."""

import pytest

from derivatives.every_mechanism import MECHANISMS
from derivatives.everything import EVERY, Case, concerns, plain_code, subject_of, worst_errors

QUICK = [("rolling", "gravity_forces"), ("timed", "constraint_errors")]
SAME = {"rows": 1e-9, "batch": 1e-9, "exact": 1e-12, "vjp": 1e-10, "symmetric": 1e-9}
TOLERANCES = {**SAME, "jvp": 1e-6, "hvp": 1e-6}  # differences lose digits, those of steps that are solved to 1e-11 most
# Contacts bend within a tenth of a micrometre, and are solved to 1e-8 of their forces: no length is good.
TOUCHING = {"jvp": 2e-4, "hvp": 1e-3}


def check(subject, name):
    """All laws hold."""
    allowed = TOLERANCES | (TOUCHING if EVERY[name].among == "touching" else {})
    for law, (error, by) in worst_errors(Case(subject, name)).items():
        assert error <= allowed[law], f"{name}: {by} is off by {error:.2g}"


@pytest.mark.filterwarnings("ignore")  # numbers that change may be built in
@pytest.mark.parametrize(("mechanism", "name"), QUICK)
def test_some(mechanism, name):
    check(subject_of(mechanism), name)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_quantity(mechanism):
    with plain_code():
        subject = subject_of(mechanism)
        for name in EVERY:
            if concerns(subject.model.mechanism, name):
                check(subject, name)
