"""Rolling without slip: rates against the sliding joint's, charts at poles, places and surfaces that cannot roll."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints, surfaces
from anyjoint.errors import InputError, SingularityError
from tests.joints.zoo import KINDS, configurations

ROLLING = {name: joint for name, joint in KINDS.items() if isinstance(joint, joints.Rolling)}


def floats(values):
    return np.array(values, dtype=float)


def sliding(joint):
    """The joint that may also slip, on the same surfaces in the same coordinates."""
    return joints.Contact(joint.surface1, joint.surface2)


@pytest.mark.parametrize("name", ROLLING)
def test_rates_of_coordinates_move_the_sliding_joint_alike(name):
    """The rates N v, put into the joint with five velocities, give the twist of the joint with three."""
    joint = ROLLING[name]
    for q, v in configurations(joint, 40, seed=5):
        twist = floats(joint.jacobian(q.tolist())) @ v
        rates = floats(joint.rate(q.tolist(), v.tolist()))
        scale = max(1.0, np.abs(rates).max())
        assert np.abs(floats(sliding(joint).jacobian(q.tolist())) @ rates - twist).max() < 1e-13 * scale


@pytest.mark.parametrize("name", ROLLING)
def test_the_point_that_touches_stands_still(name):
    """The body's own point at the contact has the velocity of slip, if any; its angular velocity there is v."""
    joint = ROLLING[name]
    for q, v in configurations(joint, 40, seed=6):
        contact = joint.legs(q.tolist())[1]
        twist = floats(joint.jacobian(q.tolist())) @ v
        moved = floats(contact.R).T @ (twist[3:] + np.cross(twist[:3], floats(contact.p)))
        slip = np.append(v[3:] if joint.slip else [0.0, 0.0], 0.0)
        assert np.abs(moved - slip).max() < 1e-14 * max(1.0, np.abs(twist).max())
        assert np.abs(floats(contact.R).T @ twist[:3] - v[:3]).max() < 1e-13


@pytest.mark.parametrize("name", ["rolling-ball", "rolling-rattleback", "slipping-ball"])
@pytest.mark.parametrize("distance", [0.4, 1e-3, 1e-9, 0.0])
def test_coordinates_leave_poles_on_either_side_and_come_back(name, distance):
    """Pose and twist stay; at the pole itself, where rates are infinite, the rewritten rates are ordinary."""
    joint, rng = ROLLING[name], np.random.default_rng(3)
    for low in (0.0, 2 * math.pi):
        for pole in (0.0, math.pi):
            v2 = low + abs(pole - distance)
            q = [0.3, 1.2, rng.uniform(-3, 3), v2, rng.uniform(-3, 3)]
            v = rng.normal(size=joint.nv).tolist()
            new_q, new_v = (floats(x) for x in joint.chart(q, v))
            assert (new_q[3] > 1.5 * math.pi) == (low == 0.0)
            assert abs(math.sin(new_q[3])) > 0.5
            assert np.abs(floats(joint.pose(q).matrix) - floats(joint.pose(new_q.tolist()).matrix)).max() < 1e-15
            assert np.abs(floats(joint.rate(new_q.tolist(), new_v.tolist()))).max() < 100
            if distance > 1e-6:
                before, after = (floats(joint.jacobian(list(x))) @ y for x, y in ((q, v), (new_q, new_v)))
                assert np.abs(before - after).max() < 1e-12


def test_charts_are_kept_until_it_is_time():
    joint = ROLLING["rolling-ball"]
    q, v = [0.3, 1.2, 0.4, 0.6, 0.5], [1.0, 2.0, 3.0]
    assert joint.chart(q, v) == (q, v)


def test_surfaces_without_other_charts_are_not_rewritten():
    assert ROLLING["rolling-tori"].chart([0.1] * 5, [1.0] * 3) is None


@pytest.mark.parametrize(
    "pair",
    [
        (surfaces.Plane(), surfaces.Plane()),
        (surfaces.Plane(), surfaces.Cylinder(0.3)),
        (surfaces.Inside(surfaces.Sphere(0.3)), surfaces.Sphere(0.3)),
        (lambda u, v: (u, v, 0.0), lambda u, v: (u, 0.1 * v, 0.0)),
    ],
)
def test_surfaces_that_touch_along_lines_are_refused(pair):
    with pytest.raises(InputError, match=r"Rolling\(.*touch along a line.*RollingWheel"):
        joints.Rolling(*pair)


def test_places_where_surfaces_bend_alike_are_refused():
    crossed = joints.Rolling(surfaces.Cylinder(0.3), surfaces.Cylinder(0.2))
    assert crossed.singularity([0.0, 0.0, 0.0, 0.0, 1.0]) is None
    assert "bend alike" in crossed.singularity([0.0, 0.0, 0.0, 0.0, 1e-9])
    mech = aj.Mechanism("cylinders")
    mech.add_body("roller", joint=crossed, inertia=aj.Inertia.box(1.0, 0.1, 0.2, 0.3))
    with pytest.raises(SingularityError, match=r"'roller'.*bend alike where they touch.*start elsewhere"):
        mech.compile().forward_dynamics([0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0])


def test_poles_are_named_with_the_way_out():
    mech = aj.Mechanism("ball")
    roll = joints.Rolling(surfaces.Plane(), surfaces.Sphere(0.2))
    mech.add_body("ball", joint=roll, inertia=aj.Inertia.sphere(1, 0.2))
    model, q, v = mech.compile(), [0.0, 0.0, 0.3, 0.0, 0.0], [1.0, 2.0, 3.0]
    with pytest.raises(SingularityError, match=r"pole of the Sphere in this chart.*model\.rechart"):
        model.forward_dynamics(q, v)
    with pytest.raises(SingularityError, match="pole of the Sphere"):
        model.coordinate_rates(q, v)
    assert np.isfinite(model.forward_dynamics(*model.rechart(q, v))).all()


def test_what_needs_rates_that_are_velocities_is_refused():
    roll = joints.Rolling(surfaces.Plane(), surfaces.Sphere(0.2))
    with pytest.raises(InputError, match="no rates of coordinates cannot follow"):
        joints.Coupled(roll, 2.0, "leader")
    mech = aj.Mechanism("ball")
    mech.add_body("ball", joint=roll, inertia=aj.Inertia.sphere(1, 0.2))
    model = mech.compile()
    with pytest.raises(InputError, match="no coordinate 0 to drive"):
        model.simulate(duration=0.1, forces=[aj.forces.Servo("ball", target=0.0, stiffness=1.0)])
    mech.add_body("follower", joint=joints.Coupled(joints.Revolute(), 2.0, "ball"), inertia=aj.Inertia.sphere(1, 0.2))
    assert ["velocities of Rolling are no rates" in str(problem) for problem in mech.check()] == [True]
