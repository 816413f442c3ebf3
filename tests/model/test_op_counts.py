"""Operation counts: the six-hinge chain of the papers, and straight lines for chains of any length."""

import pytest

from anyjoint.mechanism.gallery import revolute_chain
from bench.op_counts import CHAINS, PAPERS, QUANTITIES, forward_count, growth, inverse_count

# (additions, multiplications) that must not be exceeded again, once reached.
REACHED = {
    ("inverse", "generic"): (356, 413),
    ("forward", "generic"): (672, 841),
    ("inverse", "simple"): (170, 199),
    ("forward", "simple"): (325, 405),
}


@pytest.mark.parametrize(("what", "geometry"), REACHED)
def test_six_hinges_need_fewer_operations_than_any_algorithm_of_the_papers(what, geometry):
    count = (inverse_count if what == "inverse" else forward_count)(revolute_chain(6, geometry))
    adds, muls = REACHED[what, geometry]
    assert count.add <= adds
    assert count.mul <= muls
    assert all(count.add < a and count.mul < m for a, m in PAPERS[what, geometry].values())
    assert count.trig == 12


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_counts_grow_along_a_straight_line(chain, quantity):
    found = growth(chain, quantity)
    slope, _ = found.line
    assert found.residual < 0.02 * slope * found.sizes[-1]
