"""Small mechanisms that the tests of the simulation share."""

from functools import cache

import numpy as np

import anyjoint as aj
from anyjoint import joints


@cache
def double_pendulum(**springs):
    """Two rods on hinges; `stiffness`, `damping` and `rest` go to both."""
    return rods(2, **springs).compile()


def rods(n, **springs):
    mech = aj.Mechanism(f"{n} rods")
    for k in range(n):
        place = aj.Pose.translation(0, 0, -1) if k else aj.Pose()
        rod = aj.Inertia(1.0, (0, 0, -0.5), np.diag([1 / 12, 1 / 12, 0.01]))
        parent = mech.bodies[-1] if k else None
        mech.add_body(f"rod {k}", parent, joints.Revolute((0, 1, 0)), place, rod, **springs)
    return mech


@cache
def top(quaternion=False, gravity=(0.0, 0.0, -9.81)):
    """A body on a ball joint."""
    mech = aj.Mechanism("top", gravity=gravity)
    joint = joints.SphericalQuaternion() if quaternion else joints.Spherical()
    mech.add_body("top", None, joint, inertia=aj.Inertia(1.0, (0, 0.1, 0.5), np.diag([0.2, 0.25, 0.1])))
    return mech.compile()


@cache
def floating(quaternion=False):
    """Two bodies in free space."""
    mech = aj.Mechanism("floating", gravity=(0, 0, 0))
    joint = joints.FreeQuaternion() if quaternion else joints.Free()
    inertia = aj.Inertia(1.0, (0.1, 0.0, 0.2), np.diag([0.2, 0.25, 0.1]))
    first = mech.add_body("first", None, joint, inertia=inertia)
    mech.add_body("second", first, joints.Universal(), aj.Pose.translation(0, 0, 1), inertia)
    return mech.compile()


def total(traj):
    """Energy at every sample."""
    return np.sum(traj.energy(), axis=0)
