"""Operations of mechanisms with constraints: linear in the number of loops and of joints that follow."""

from functools import cache

import pytest

from anyjoint import gallery
from anyjoint.codegen import count_schedule
from anyjoint.quantity.forward_dynamics import FORWARD_DYNAMICS
from anyjoint.trace.workshop import Workshop


@cache
def operations(make, n, form="auto"):
    trace = FORWARD_DYNAMICS.trace(Workshop(make(n), form), "auto")
    return count_schedule(trace.schedule).total


def test_tongs_are_linear():
    few, many = (operations(gallery.tongs_with_fish, n) for n in (16, 64))
    assert many <= 4.2 * few
    assert many <= 40 * 129  # bodies


@pytest.mark.parametrize("form", ["straight", "kernels"])
def test_loops_are_linear(form):
    """Every further four-bar costs what the one before did."""
    made = [operations(gallery.chain_of_four_bars, n, form) for n in (4, 6, 8, 10)]
    assert made[3] - made[2] <= 1.02 * (made[2] - made[1])
    assert made[-1] <= {"straight": 1000, "kernels": 1300}[form] * 10


def test_kernels_do_not_grow_with_loops():
    kernels = [
        len(FORWARD_DYNAMICS.trace(Workshop(gallery.chain_of_four_bars(n), "kernels"), "auto").schedule.kernels)
        for n in (6, 12)
    ]
    assert kernels[0] == kernels[1]
