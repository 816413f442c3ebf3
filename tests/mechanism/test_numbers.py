"""Texts and truth values are not numbers, wherever a mechanism wants numbers."""

from fractions import Fraction

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints, surfaces
from anyjoint.errors import AnyjointError

P = aj.Pose
MAKERS = {
    "mass": lambda x: aj.Inertia(x),
    "com": lambda x: aj.Inertia(1.0, com=(0.0, x, 0.0)),
    "tensor": lambda x: aj.Inertia(1.0, tensor=[[1.0, 0, 0], [0, x, 0], [0, 0, 1.0]]),
    "point": lambda x: aj.Inertia.point(x),
    "mass of a box": lambda x: aj.Inertia.box(x, 1.0, 1.0, 1.0),
    "edge of a box": lambda x: aj.Inertia.box(1.0, x, 1.0, 1.0),
    "radius": lambda x: aj.Inertia.sphere(1.0, x),
    "translation": lambda x: P.translation(0.0, x, 0.0),
    "angle": lambda x: P.rotation_y(x),
    "roll": lambda x: P.rpy(x, 0.0, 0.0),
    "angle about an axis": lambda x: P.rotation((1, 2, 3), x),
    "axis": lambda x: P.rotation((1, x, 3), 0.5),
    "quaternion": lambda x: P.quaternion(1.0, x, 0.0, 0.0),
    "origin": lambda x: P.from_rotation(np.eye(3), (0.0, x, 0.0)),
    "joint axis": lambda x: joints.Revolute((0.0, x, 0.0)),
    "pitch": lambda x: joints.Helical((0, 0, 1), pitch=x),
    "ring": lambda x: surfaces.Torus(x, 0.1),
    "gravity": lambda x: aj.Mechanism("m", gravity=(0, 0, x)),
    "stiffness": lambda x: pendulum(stiffness=x).validate(),
    "rest": lambda x: pendulum(rest=[x]).validate(),
    "armature": lambda x: pendulum(armature=x).validate(),
    "armature of nothing": lambda x: without_mass(x).validate(),
    "start": lambda x: pendulum().set_start([x]),
    "start velocity": lambda x: pendulum().set_start([0.1], [x]),
}


def pendulum(**options):
    mech = aj.Mechanism("pendulum")
    mech.add_body("bob", joint=joints.Revolute((0, 1, 0)), inertia=aj.Inertia.point(1.0, (0, 0, -1)), **options)
    return mech


def without_mass(armature):
    """A body that has to be looked at with what it carries."""
    mech = aj.Mechanism("nothing")
    mech.add_body("nothing", joint=joints.Free(), inertia=aj.Inertia(0.0))
    mech.add_body("ball", "nothing", joints.Spherical(), inertia=aj.Inertia.box(1.0, 1.0, 2.0, 3.0), armature=armature)
    return mech


@pytest.mark.parametrize("bad", ["3", True, np.True_, b"3", None, np.nan, np.inf])
@pytest.mark.parametrize("what", MAKERS)
def test_refused(what, bad):
    with pytest.raises(AnyjointError):
        MAKERS[what](bad)


@pytest.mark.parametrize("good", [1, 1.0, np.float32(1), np.int64(1), Fraction(1)])
@pytest.mark.parametrize("what", ["mass", "com", "tensor", "gravity", "start"])
def test_every_kind_of_number_is_welcome(what, good):
    MAKERS[what](good)
