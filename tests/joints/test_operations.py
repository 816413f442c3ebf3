"""What joints cost in generated code."""

import pytest

from bench.joint_ops import operations
from tests.joints.zoo import KINDS

CEILINGS = {"tori": 60, "tori-aligned": 60, "revolute-x": 2, "universal": 12, "on-torus": 30, "contact": 450}


@pytest.mark.parametrize("name", CEILINGS)
def test_operations_stay_below(name):
    assert operations(KINDS[name]).total <= CEILINGS[name]


def test_a_torus_on_a_torus_costs_at_most_500_operations():
    assert operations(KINDS["tori"]).total <= 500
