"""Laws of scenes: nothing is lost on the way to the page, nothing harmful gets in."""

import base64
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyjoint.errors import InputError
from anyjoint.spatial.quaternions import quaternions
from anyjoint.view import BodyDrawing, Motion, Scene
from tests.view.unpacking import unpacked


def rotation(q):
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1))
def test_a_rotation_and_its_quaternion_agree(q):
    R = rotation(np.array(q) / np.linalg.norm(q))
    assert np.allclose(rotation(quaternions(R)), R, atol=1e-14)


@pytest.mark.parametrize("axis", range(3))
def test_half_turns_have_quaternions_too(axis):
    R = -np.eye(3)
    R[axis, axis] = 1.0
    assert np.allclose(rotation(quaternions(R)), R)


def motion(n=3):
    poses = np.broadcast_to(np.eye(4), (n, 1, 4, 4)).copy()
    poses[:, 0, 0, 3] = np.arange(n)
    points = tuple(np.zeros((k, 3)) for k in range(n))
    return Motion(np.arange(n, dtype=float), poses, np.ones(n), np.zeros(n), points)


def floats(text):
    return np.frombuffer(base64.b64decode(text), dtype="<f4")


def test_arrays_travel_as_little_endian_floats_and_packed_tracks():
    data = json.loads(Scene("x", (BodyDrawing("b"),), motion()).json())
    assert floats(data["times"]).tolist() == [0, 1, 2]
    assert unpacked(data["poses"])[2, 0] == pytest.approx([2, 0, 0, 0, 0, 0, 1], abs=1e-15)
    assert np.frombuffer(base64.b64decode(data["contacts"]["starts"]), "<u4").tolist() == [0, 0, 1, 3]


def test_names_cannot_end_the_script_element():
    text = Scene("</script><b>", (BodyDrawing("<!--&"),), motion()).json()
    assert not set("<>&") & set(text)
    assert json.loads(text)["title"] == "</script><b>"


@pytest.mark.parametrize("name", ["times", "poses", "kinetic", "potential"])
def test_numbers_that_are_not_finite_are_refused(name):
    good = motion()
    values = {k: getattr(good, k).copy() for k in ("times", "poses", "kinetic", "potential")}
    values[name].flat[0] = np.nan
    with pytest.raises(InputError, match=name):
        Motion(**values)


def test_shapes_of_arrays_are_checked():
    with pytest.raises(InputError, match=r"\(n, bodies, 4, 4\)"):
        Motion(np.arange(3.0), np.zeros((2, 1, 4, 4)))
