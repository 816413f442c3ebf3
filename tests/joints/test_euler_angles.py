"""Euler angles in all twelve orders: SciPy's rotations, the columns of the Jacobian, gimbal lock."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import anyjoint as aj
from anyjoint.errors import InputError
from anyjoint.joints import EulerAngles, Spherical

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


@pytest.mark.parametrize("order", ORDERS)
def test_orders_that_switch_show_the_same_motion_far_from_lock(order):
    """There and back: pose and angular velocity stay, and the other order is far from its own lock [SG section 6]."""
    joint, rng = EulerAngles(order, switch=True), np.random.default_rng(1)
    for _ in range(20):
        q, v = rng.uniform(-3, 3, 3), rng.normal(size=3)
        q[1] = joint.coordinates[1].neutral + rng.choice([-1, 1]) * rng.uniform(1.1, 1.5)
        new_q, new_v = (np.array(x, float) for x in joint.chart(q.tolist(), v.tolist()))
        assert new_q[1] > 2 * np.pi
        assert np.abs(joint.pose(q.tolist()).matrix - joint.pose(new_q.tolist()).matrix).max() < 1e-14
        S, new_S = (np.array(joint.jacobian(x.tolist()), float)[:3] for x in (q, new_q))
        assert np.allclose(S @ v, new_S @ new_v, atol=1e-13)
        assert np.linalg.cond(new_S) < 4
        again_q, again_v = joint.chart(new_q.tolist(), new_v.tolist())
        assert list(again_q) == new_q.tolist()  # not at once back
        assert list(again_v) == new_v.tolist()


def test_a_top_falls_through_the_lock_of_its_angles():
    """With one order the run ends; with two it goes on, as with rotation vectors."""
    ends = {}
    for name, joint in {"one": EulerAngles("zyx"), "two": EulerAngles("zyx", switch=True), "none": Spherical()}.items():
        mech = aj.Mechanism(name)
        mech.add_body("rod", joint=joint, inertia=aj.Inertia(1.0, (0.5, 0, 0), np.diag([0.001, 0.02, 0.02])))
        model = mech.compile()
        v = np.linalg.solve(model.body_jacobian(np.zeros(3), "rod")[:3], [1e-6, 0.0, 1e-6])
        run = model.simulate(np.zeros(3), v, duration=3.0, dt=1e-3, method="rk4", save_every=500)
        drift = np.ptp(np.sum(run.energy(), axis=0)) if run.status.ok else np.inf
        ends[name] = (drift, model.body_poses(run.q[-1])[0])
    assert ends["two"][0] < 1e-8
    assert ends["one"][0] > 1.0  # it ends, or what it says is nothing
    assert np.abs(ends["two"][1] - ends["none"][1]).max() < 1e-6


def test_a_run_that_ends_in_the_lock_says_so_and_names_a_ball_joint():
    mech = aj.Mechanism("locked", gravity=(0, 0, 0))
    mech.add_body("rod", joint=EulerAngles("xyz"), inertia=aj.Inertia.box(1.0, 0.1, 0.2, 0.4))
    model, q = mech.compile(), [0.3, 1.0, 0.2]
    for method, dt in (("rk4", 1e-3), ("time-stepping", 4e-2), ("time-stepping", 1e-2)):
        run = model.simulate(q, [0.01, 2.0, 0.0], duration=1.0, dt=dt, method=method)
        assert not run.status.ok
        assert "gimbal lock" in run.status.reason
        assert "joints.SphericalQuaternion()" in run.status.reason
    with pytest.warns(UserWarning, match="energy rose .* or body 'rod' was where its first and third axis"):
        assert model.simulate(q, [0.3, 2.0, 0.05], duration=1.0, dt=4e-2, method="time-stepping").status.note
