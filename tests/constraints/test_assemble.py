"""Rough guesses become states on the constraints: of any size and mass, in batches, or an error says why."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.errors import InputError
from tests.constraints.kkt import System

GUESS, SPEEDS = [0.3, 1.0, 0.0], [0.1, 0.0, 0.0]


def four_bar(size=1.0, ratio=1.0):
    """Bars of some length, the coupler so many times as heavy."""
    mech, hinge = aj.Mechanism("four-bar"), joints.Revolute((0, 1, 0))
    bars = [aj.Inertia(m, (0, 0, 0.5 * size), m * size**2 / 12 * np.eye(3)) for m in (1.0, ratio, 1.0)]
    mech.add_body("crank", joint=hinge, inertia=bars[0])
    mech.add_body("coupler", "crank", hinge, aj.Pose.translation(0, 0, size), bars[1])
    mech.add_body("rocker", joint=hinge, placement=aj.Pose.translation(1.5 * size, 0, 0), inertia=bars[2])
    mech.add_loop("coupler", "rocker", joint=hinge, at=((0, 0, size), (0, 0, size)), name="pin")
    return mech


@pytest.mark.parametrize(("size", "ratio"), [(1.0, 1.0), (1e-9, 1.0), (1e6, 1.0), (1.0, 1e-10), (1.0, 1e10)])
def test_any_size_and_mass(size, ratio):
    """Closed to rounding of its own size; and the motion there is that of the dense equations on what is free."""
    mech = four_bar(size, ratio)
    model = mech.compile()
    q, v = model.assemble(GUESS, SPEEDS)
    assert np.abs(model.constraint_errors(q, v)[0]).max() < 1e-14 * size
    assert model.mobility(q).degrees_of_freedom == 1
    if ratio > 1:  # articulated bodies keep the digits that the ratio of masses leaves
        return
    dense = System(mech, q)
    dense.move(v)
    along = np.linalg.svd(dense.G)[2][-1]
    least = -np.linalg.pinv(dense.G, rcond=1e-9) @ dense.gamma
    want = least + along * (along @ (-dense.bias - dense.M @ least)) / (along @ dense.M @ along)
    assert model.forward_dynamics(q, v) == pytest.approx(want, rel=1e-11)


def test_batches_are_assembled_row_by_row():
    model = four_bar().compile()
    guesses = np.array([GUESS, [0.6, 0.9, -0.1]])
    q, v = model.assemble(guesses, SPEEDS, hold="crank")
    for k, guess in enumerate(guesses):
        one = model.assemble(guess, SPEEDS, hold="crank")
        assert np.array_equal(q[k], one[0])
        assert np.array_equal(v[k], one[1])
    assert q[:, 0].tolist() == guesses[:, 0].tolist()
    with pytest.raises(InputError, match="assemble: 2 rows of q0, but 3 of v0"):
        model.assemble(guesses, np.zeros((3, 3)))
    with pytest.raises(InputError, match=r"mobility: q has shape \(2, 3\); it is about one place, of shape \(3,\)"):
        model.mobility(q)


def test_a_closed_state_stays_as_it_is():
    model = four_bar().compile()
    q, _ = model.assemble(GUESS)
    assert np.array_equal(model.assemble(q)[0], q)


def test_a_motion_of_infinite_speed():
    mech = four_bar()
    mech.prescribe("crank", lambda t: 0.3 + aj.sqrt(t))
    with pytest.raises(InputError, match="assemble: no velocities meet motion of crank: rates there are not finite"):
        mech.compile().assemble(GUESS)
