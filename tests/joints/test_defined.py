"""Where joints are defined: everywhere, unless their geometry has an end or their author says so."""

import math

import numpy as np
import pytest

from anyjoint import joints
from anyjoint.errors import InputError
from anyjoint.geometry import curves, surfaces
from anyjoint.scalar import sin, sqrt
from anyjoint.spatial import Pose
from tests.joints.everything import EVERYTHING
from tests.joints.zoo import FRAMES, HILLS, LOOP, TRACK, TUBE

EVERYWHERE = (-math.inf, math.inf)
ENDS = {
    "Bezier curve": (joints.OnCurve(curves.Bezier(TRACK), frame="fixed-up"), [(0, 1)]),
    "open spline": (joints.OnCurve(curves.BSpline(TRACK), frame="fixed-up"), [(0, 2)]),
    "closed spline": (joints.OnCurve(curves.BSpline(LOOP, closed=True), frame="transport"), [EVERYWHERE]),
    "Bezier patch": (joints.OnSurface(surfaces.Bezier(np.array(HILLS)[:4, :4])), [(0, 1), (0, 1)]),
    "open patches": (joints.OnSurface(surfaces.BSpline(HILLS), spin=True), [(0, 2), (0, 3), EVERYWHERE]),
    "a tube": (joints.OnSurface(surfaces.BSpline(TUBE, closed=(True, False))), [EVERYWHERE, (0, 1)]),
    "control frames": (joints.SplineCurve(FRAMES), [(0, 4)]),
    "a ring of control frames": (joints.SplineCurve(FRAMES, closed=True), [EVERYWHERE]),
    "control values": (joints.SplineSurface(np.ones((6, 5, 6))), [(0, 2), (0, 3)]),
    "a transported frame is a table": (
        joints.OnCurve(curves.curve(lambda s: (s, sin(s), 0.1 * s), domain=(-2, 2)), frame="transport"), [(-2, 2)]
    ),
    "a line needs none": (joints.OnCurve(curves.Line((1, 1, 0)), frame="transport"), [EVERYWHERE]),
    "an arc length is a table": (
        joints.RollingWheel(0.1, curves.curve(lambda s: (s, 0.1 * sin(s), 0), domain=(-2, 2))), [(-2, 2)]
    ),
    "arc lengths in closed form": (joints.RollingWheel(0.1, curves.Circle(1.0)), [EVERYWHERE]),
    "two curves": (joints.CurveCurve(curves.Bezier(TRACK), curves.Circle(1.0)), [(0, 1), EVERYWHERE]),
    "two surfaces": (
        joints.Contact(surfaces.Plane(), surfaces.Bezier(np.array(HILLS)[:4, :4])),
        [EVERYWHERE, EVERYWHERE, (0, 1), (0, 1), EVERYWHERE],
    ),
    "a row of joints": (
        joints.Composite(joints.Revolute(), joints.SplineCurve(FRAMES)), [EVERYWHERE, (0, 4)]
    ),
    "a user's curve": (
        joints.OnCurve(curves.curve(lambda s: (s, sqrt(s), s * s), domain=(0.5, 1), defined=(0, math.inf))),
        [(0, math.inf)],
    ),
    "a user's surface": (
        joints.OnSurface(
            surfaces.surface(
                lambda u, v: (u, v, sqrt(v)), domain=((0, 1), (0.5, 1)), defined=(EVERYWHERE, (0, math.inf))
            )
        ),
        [EVERYWHERE, (0, math.inf)],
    ),
    "a user's joint": (
        joints.joint(dof=2, domain=[(0.5, 1), (-1, 1)], defined=[(0, math.inf), None])(
            lambda q: Pose.translation(sqrt(q[0]), q[1], 0)
        ),
        [(0, math.inf), EVERYWHERE],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_a_joint_is_defined_as_far_as_its_geometry(name):
    joint, expected = ENDS[name]
    assert [c.defined for c in joint.coordinates] == expected


@pytest.mark.parametrize("name", EVERYTHING)
def test_domain_and_neutral_lie_where_a_joint_is_defined(name):
    for c in EVERYTHING[name].coordinates:
        assert c.defined[0] <= c.domain[0] < c.domain[1] <= c.defined[1]
        assert c.defined[0] <= c.neutral <= c.defined[1]


@pytest.mark.parametrize(
    "make",
    [
        lambda: joints.joint(dof=1, defined=[(-2.0, 2.0)]),  # the default domain reaches beyond
        lambda: joints.joint(dof=1, domain=[(0.0, 2.0)], defined=[(0.0, 1.0)]),
        lambda: curves.curve(lambda s: (s, s, s), domain=(0, 2), defined=(0, 1)),
        lambda: surfaces.surface(lambda u, v: (u, v, 0), domain=((0, 1), (0, 2)), defined=((0, 1), (0, 1))),
    ],
)
def test_a_domain_beyond_is_refused(make):
    with pytest.raises(InputError, match="inside the interval where it is defined"):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: joints.joint(dof=1, domain=[(0.0, 1.0)], defined=[(1.0, 1.0)]),
        lambda: curves.curve(lambda s: (s, s, s), defined=(2, -2)),
    ],
)
def test_an_empty_interval_is_refused(make):
    with pytest.raises(InputError, match="low < high"):
        make()
