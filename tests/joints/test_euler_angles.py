"""Euler angles in all twelve orders: SciPy's rotations, the columns of the Jacobian, gimbal lock."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from anyjoint.errors import InputError
from anyjoint.joints import EulerAngles

ORDERS = ["".join(o) for o in itertools.product("xyz", repeat=3) if o[0] != o[1] != o[2]]
Q = [0.3, 0.8, -0.5]


@pytest.mark.parametrize("order", ORDERS)
def test_orders_are_scipys_about_moving_axes(order):
    theirs = Rotation.from_euler(order.upper(), Q).as_matrix()
    assert np.allclose(EulerAngles(order).pose(Q).matrix[:3, :3].astype(float), theirs, atol=1e-15)


def test_columns_of_the_jacobian_are_turned_axes():
    """J-hat = (x, Rx y, Rx Ry z) in the parent's frame [LJ eq. 52]."""
    joint = EulerAngles("xyz")
    R = joint.pose(Q).matrix[:3, :3].astype(float)
    turns = [Rotation.from_euler(axis, angle).as_matrix() for axis, angle in zip("xyz", Q, strict=True)]
    expected = np.stack([[1, 0, 0], turns[0] @ [0, 1, 0], turns[0] @ turns[1] @ [0, 0, 1]], axis=1)
    assert np.allclose(R @ joint.jacobian(Q)[:3].astype(float), expected, atol=1e-15)


@pytest.mark.parametrize(("order", "locked"), [("zyx", np.pi / 2), ("zxz", 0.0)])
def test_gimbal_lock_is_named_with_a_way_out(order, locked):
    joint = EulerAngles(order)
    assert "Spherical" in joint.singularity([0.3, locked, 0.2])
    assert joint.singularity([0.3, joint.coordinates[1].neutral, 0.2]) is None
    assert len({c.name for c in joint.coordinates}) == 3


@pytest.mark.parametrize("order", ["xxy", "xy", "abc", "xyzx", 123, ""])
def test_other_orders_are_refused(order):
    with pytest.raises(InputError, match="three of the letters"):
        EulerAngles(order)
