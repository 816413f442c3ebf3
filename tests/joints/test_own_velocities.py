"""A joint of one's own with as many velocities as coordinates, which are no rates of them."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.scalar import cos, sin
from anyjoint.spatial import Pose, zeros

pytestmark = pytest.mark.fast_code


class Skate(joints.Joint):
    """In the plane, by velocities in the body's own axes: turning, along, across; so S is constant."""

    @property
    def coordinates(self):
        return joints.FreePlanar().coordinates

    def pose(self, q):
        return joints.FreePlanar().pose(q)

    def motion(self, q, v):
        S = zeros(6, 3)
        S[2, 0] = S[3, 1] = S[4, 2] = 1
        return joints.Motion(self.pose(q), Pose(), S, zeros(6, 3), zeros(6))

    def rate(self, q, v):
        return [cos(q[2]) * v[1] - sin(q[2]) * v[2], sin(q[2]) * v[1] + cos(q[2]) * v[2], v[0]]


def on(joint):
    """A body on the joint, and a pendulum that hangs from it."""
    mech = aj.Mechanism("skate")
    mech.add_body("skate", joint=joint, inertia=aj.Inertia.box(2.0, 0.1, 0.2, 0.3))
    bob = aj.Inertia.box(1.0, 0.1, 0.2, 0.3).moved(Pose.translation(0, 0, -0.3))
    mech.add_body("bob", "skate", joints.Revolute((0, 1, 0)), Pose.translation(0.2, 0, 0.1), bob)
    return mech.compile()


def test_steps_in_machine_code_and_in_python_go_along_its_own_rates():
    own, plain = on(Skate()), on(joints.FreePlanar())
    q, v = np.array([0.1, 0.2, 0.7, 0.4]), np.array([0.5, -0.3, 0.2, 1.0])
    assert not own.rates_are_velocities
    wanted = plain.simulate(q, own.coordinate_rates(q, v), duration=0.1, dt=1e-2).q
    np.testing.assert_allclose(own.simulate(q, v, duration=0.1, dt=1e-2).q, wanted, atol=1e-8)
    asked = own.simulate(q, v, duration=0.1, dt=1e-2, tau=lambda t, q, v: np.zeros(4))
    np.testing.assert_allclose(asked.q, wanted, atol=1e-8)
