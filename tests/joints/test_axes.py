"""An axis is three numbers, or a name."""

import numpy as np
import pytest

from anyjoint import joints
from anyjoint.errors import InputError
from anyjoint.geometry import curves, functions
from anyjoint.spatial import Pose, unit_axis

NAMES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}
TAKERS = {
    "Revolute": lambda a: joints.Revolute(axis=a),
    "Prismatic": lambda a: joints.Prismatic(axis=a),
    "Helical": lambda a: joints.Helical(axis=a),
    "FunctionBased": lambda a: joints.FunctionBased(rotations=[(a, functions.Linear())]),
    "OnCurve up": lambda a: joints.OnCurve(lambda s: (s, s * s, s**3), frame="fixed-up", up=a),
    "CurveCurve up": lambda a: joints.CurveCurve(
        lambda s: (s, s * s, s**3), lambda s: (s, 2 * s * s, s**3), frame="fixed-up", up=a
    ),
    "Line": lambda a: joints.OnCurve(curves.Line(a), frame="transport"),
    "Pose": lambda a: joints.joint(dof=1)(lambda q: Pose.rotation(a, q[0])),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("taker", TAKERS)
def test_an_axis_by_name_is_the_axis_by_numbers(taker, name):
    named, numbered = TAKERS[taker](name), TAKERS[taker](NAMES[name])
    q = [0.3] * named.nq
    assert np.array_equal(named.pose(q).matrix, numbered.pose(q).matrix)


@pytest.mark.parametrize("axis", ["w", "Z", "up", "", None, 3, object(), ("a", "b", "c")])
def test_what_is_no_axis_is_told_what_one_is(axis):
    with pytest.raises(InputError, match=r"Revolute axis .*\(0, 0, 1\).*'-z'"):
        joints.Revolute(axis=axis)
    with pytest.raises(InputError, match="'-z'"):
        unit_axis(axis)
