"""Rows of constraints that repeat others but for the last digits of a file: oracles that count them are told."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.load.oracle.weak import weak_rows

ROD = aj.Inertia.box(1.0, 0.1, 0.1, 0.5)


def three(apart):
    """Slides whose sum is held twice, but for a share of b's."""
    mech = aj.Mechanism("three")
    for name in "abc":
        mech.add_body(name, joint=joints.Prismatic("x"), inertia=ROD)

    @aj.constraint
    def total(x):
        return [x[0] + x[1] + x[2], x[0] + (1 + apart) * x[1] + x[2]]

    mech.add_constraint(total, coordinates=["a", "b", "c"])
    return mech.compile()


@pytest.mark.parametrize(("apart", "weak"), [(0.0, 0), (2e-9, 1), (0.3, 0)])
def test_rows_that_only_rounding_tells_apart_are_counted(apart, weak):
    assert weak_rows(three(apart), np.zeros(3)) == weak


def test_moment_arms_are_those_without_such_rows():
    """To the letter b is held, so that c goes as a does, backward; but for 2e-9, each goes half as far."""
    paths = {name: [(None, (-2.0, 0, 0)), (name, (0, 0, 0))] for name in "bc"}  # whose lengths are 2 + x
    ours = three(2e-9).moment_arms(np.zeros(3), paths, constrained=True)
    assert ours[:, [0, 2]] == pytest.approx(np.array([[0.5, 0.5], [0.5, -1.0]]), abs=1e-8)
