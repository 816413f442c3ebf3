"""One small mechanism for each kind of constraint, with a guess from which it can be assembled."""

import numpy as np

import anyjoint as aj
from anyjoint import curves, joints, surfaces

SOLID = aj.Inertia.box(1.3, 0.2, 0.3, 0.4).moved(aj.Pose.translation(0.1, 0.05, -0.1))
HINGE, UP = joints.Revolute((0, 1, 0)), aj.Pose.translation(0, 0, 0.5)


def pair():
    """A double pendulum, and another body."""
    mech = aj.Mechanism("pair", gravity=(0.3, -0.2, -9.81))
    mech.add_body("crank", joint=HINGE, inertia=SOLID)
    mech.add_body("rod", "crank", HINGE, UP, SOLID)
    return mech


def loop(**how):
    mech = pair()
    mech.add_body("rocker", joint=HINGE, placement=aj.Pose.translation(1, 0, 0), inertia=SOLID)
    mech.add_loop("rod", "rocker", joint=HINGE, at=((0, 0, 0.9), (0, 0, 0.7)), **how)
    return mech, [0.3, 1.0, 0.2]


def function():
    mech = pair()
    mech.add_body("ball", joint=joints.SphericalQuaternion(), placement=aj.Pose.translation(1, 0, 0), inertia=SOLID)
    rod = aj.constraint(lambda a, b: (a.p - b.act((0.1, 0, 0.4))) @ (a.p - b.act((0.1, 0, 0.4))) - 0.8)
    mech.add_constraint(rod, bodies=("rod", "ball"), name="rod")
    return mech, [0.3, 1.0, 1.0, 0.0, 0.0, 0.0]


def velocity():
    mech = aj.Mechanism("sleigh", gravity=(0.3, -0.2, -9.81))
    mech.add_body("sleigh", joint=joints.FreePlanar(), inertia=SOLID)
    mech.add_body("trailer", "sleigh", joints.Revolute((0, 0, 1)), aj.Pose.translation(-1, 0, 0), SOLID)
    mech.add_constraint(aj.velocity_constraint(lambda pose, twist: twist.linear[1]), bodies="sleigh", name="knife")
    return mech, [0.1, 0.2, 0.3, 0.4]


def rolling():
    mech = aj.Mechanism("ball", gravity=(0.3, -0.2, -9.81))
    roll = joints.Rolling(surfaces.Ellipsoid(2.0, 1.5, 1.0), surfaces.Sphere(0.3))
    mech.add_body("ball", joint=roll, inertia=SOLID)
    mech.add_body("rod", "ball", HINGE, UP, SOLID)
    return mech, [0.3, 1.0, 0.5, 0.45, 0.2, 0.4]


def wheel():
    mech = aj.Mechanism("wheel", gravity=(0.3, -0.2, -9.81))
    mech.add_body("wheel", joint=joints.Free(), inertia=SOLID)
    mech.add_rolling("wheel", curves.Circle(0.5), on=surfaces.Plane(), at=aj.Pose.rotation_x(np.pi / 2))
    return mech, [0.0, 0.2, 0.1, 0.0, 0.0, 0.5]


def shared():
    mech = pair()
    mech.add_body("gear", "rod", joints.Coupled(HINGE, -2.0, "crank", offset=0.3), UP, SOLID)
    mech.add_body("cam", "gear", joints.Coupled(joints.Prismatic((1, 0, 0)), aj.sin, "gear"), UP, SOLID)
    return mech, [0.3, 1.0]


def soft():
    return loop(compliance=0.01)


def prescribed():
    mech = pair()
    mech.prescribe("crank", lambda t: 0.3 + 0.2 * aj.sin(2 * t))
    return mech, [0.3, 1.0]


KINDS = {f.__name__: f for f in (loop, function, velocity, rolling, wheel, shared, soft, prescribed)}
