"""Formulation stiffness: a light arm with a heavy tip, against 50-digit arithmetic."""

import pytest

from bench.formulation_stiffness import digits_kept


@pytest.mark.parametrize("ratio", [1.0, 1e6, 1e12])
def test_the_modified_method_keeps_its_digits(ratio):
    kept = digits_kept(ratio, states=2)
    assert kept["modified"] > 13.0
    if ratio > 1.0:
        lost = {name: 16.0 - digits for name, digits in kept.items()}
        for name in ("composite", "recursive", "articulated"):
            assert lost[name] > lost["modified"] + 2.0, name
    if ratio == 1e12:
        assert kept["composite"] < 4.0
        assert kept["articulated"] < 6.0
