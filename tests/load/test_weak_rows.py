"""Rows of constraints that repeat others but for the last digits of a file: an oracle that counts them is told."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.load.oracle.weak import decided_by_weak_rows

ROD = aj.Inertia.box(1.0, 0.1, 0.1, 0.5)
PATHS = {name: [(None, (-2.0, 0, 0)), (name, (0, 0, 0))] for name in "bc"}  # whose lengths are 2 + x
Q = np.zeros(3)


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


def test_arms_with_every_row_are_known_for_what_they_are():
    """To the letter b is held, so that c goes as a does, backward; but for 2e-9, each goes half as far."""
    model = three(2e-9)
    ours = model.moment_arms(Q, PATHS, constrained=True)
    assert ours[:, [0, 2]] == pytest.approx(np.array([[0.5, 0.5], [0.5, -1.0]]), abs=1e-8)
    literal = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, -1.0]])
    assert "they agree to" in decided_by_weak_rows(model, Q, PATHS, literal)


@pytest.mark.parametrize("theirs", [
    [[0.0, 0.0, 0.0], [1.01, 0.0, -1.0]],  # near to those with every row, which is not enough
    [[0.5, -1.0, 0.5], [0.5, 0.5, -1.0]],  # ours
    [[3.0, 1.0, 2.0], [0.0, 0.0, 7.0]],
])  # fmt: skip
def test_other_arms_are_differences(theirs):
    assert not decided_by_weak_rows(three(2e-9), Q, PATHS, np.array(theirs))


@pytest.mark.parametrize("apart", [0.0, 0.3])
def test_rows_that_repeat_others_exactly_or_do_not_at_all_decide_nothing(apart):
    model = three(apart)
    ours = np.nan_to_num(model.moment_arms(Q, PATHS, constrained=True))
    assert not decided_by_weak_rows(model, Q, PATHS, ours)
    assert not decided_by_weak_rows(model, Q, PATHS, ours + 0.1)
