"""Every shape of the library can be drawn, at its place and in its colour."""

import numpy as np
import pytest

from anyjoint.errors import InputError
from anyjoint.mechanism import shapes
from anyjoint.spatial import Pose
from anyjoint.view.drawing import capsule_between, curve_drawing, drawings
from anyjoint.view.palette import body_colors, checked_color, ramp

TETRAHEDRON = ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
EVERY = [
    shapes.Box(1, 2, 3),
    shapes.Sphere(1),
    shapes.Ellipsoid(1, 2, 3),
    shapes.Cylinder(1, 2),
    shapes.Capsule(1, 2),
    shapes.Torus(2, 1),
    shapes.Mesh(*TETRAHEDRON),
    shapes.Tube([(0, 0, 0), (1, 0, 0), (1, 1, 0)], 0.1),
]


@pytest.mark.parametrize("shape", EVERY, ids=lambda s: type(s).__name__)
def test_every_shape_has_a_drawing(shape):
    (drawing,) = drawings(shape)
    assert drawing["type"] == type(shape).__name__.lower()
    assert not {"pose", "color"} & set(drawing)


def test_poses_of_groups_and_parts_compose():
    part = shapes.Sphere(1, pose=Pose.translation(1, 0, 0))
    turned = shapes.Group([part], color="red", pose=Pose.rotation_z(np.pi / 2))
    (drawing,) = drawings([turned])
    assert np.allclose(np.reshape(drawing["pose"], (3, 4))[:, 3], (0, 1, 0))
    assert drawing["color"] == checked_color("red", "")


def test_what_is_no_shape_is_refused_by_name():
    with pytest.raises(InputError, match="body 'arm': cannot draw a complex"):
        drawings(1j, "body 'arm'")


def test_a_curve_that_returns_to_its_start_is_closed():
    angle = np.linspace(0, 2 * np.pi, 50)
    circle = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    assert curve_drawing(circle, 0.1)["closed"]
    assert not curve_drawing(circle[:30], 0.1)["closed"]


@pytest.mark.parametrize("end", [(1, 2, 3), (0, 0, 2), (0, 0, -2), (1e-3, 0, 0)])
def test_a_rod_reaches_from_end_to_end(end):
    rod = capsule_between((0, 0, 0), end, 0.1)
    pose = np.reshape(rod["pose"], (3, 4))
    for sign in (-0.5, 0.5):
        tip = pose @ [0, 0, sign * rod["length"], 1]
        assert np.allclose(tip, np.array(end) * (0.5 + sign), atol=1e-8)
    assert np.allclose(pose[:, :3].T @ pose[:, :3], np.eye(3), atol=1e-8)
    assert capsule_between(end, end, 0.1) is None


def test_colours_are_checked():
    assert checked_color("#ABC", "") == "#aabbcc"
    assert checked_color("RebeccaPurple", "") == "rebeccapurple"
    with pytest.raises(InputError, match="body 'arm': color 'reddish'"):
        checked_color("reddish", "body 'arm'")


def test_every_body_gets_a_colour_and_few_bodies_get_different_ones():
    for count in (0, 1, 2, 8, 9, 100):
        colors = body_colors(count)
        assert len(colors) == count
        assert all(checked_color(c, "") == c for c in colors)
    assert len(set(body_colors(8))) == 8
    assert ramp(-1.0) == ramp(0.0) != ramp(1.0) == ramp(2.0)
