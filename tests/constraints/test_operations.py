"""Operations of mechanisms with constraints: linear in the number of loops and of joints that follow."""

from functools import cache

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from anyjoint.codegen import count_schedule
from anyjoint.quantity.answers.forward_dynamics import FORWARD_DYNAMICS
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
    """Nor are there two that do the same, or any for closures that hand on what their hubs say."""
    kernels = [
        len(FORWARD_DYNAMICS.trace(Workshop(gallery.chain_of_four_bars(n), "kernels"), "auto").schedule.kernels)
        for n in (6, 12)
    ]
    assert kernels[0] == kernels[1] <= 56


def pinned(n):
    """A chain of hinges whose tip is held to a point of the ground."""
    mech, arm = aj.Mechanism("pinned"), aj.Inertia(mass=1.0, com=(0.1, 0.02, 0.03), tensor=np.diag([1.0, 2.0, 2.5]))
    for k in range(n):
        axis = np.eye(3)[k % 3]
        placement = aj.Pose.translation(0.2, 0.01, 0.02) @ aj.Pose.rotation_x(0.3)
        mech.add_body(f"b{k}", mech.bodies[-1] if k else None, joints.Revolute(axis), placement, arm)
    mech.add_loop(mech.bodies[-1], mech.ground, joint=joints.Spherical(), at=((0.2, 0, 0), (1, 0, 1)))
    return mech


def test_kernels_compute_of_frames_what_rows_need():
    """A point that is held feels which way is up, not where it is."""
    assert operations(pinned, 12, "kernels") <= 1.07 * operations(pinned, 12, "straight")
