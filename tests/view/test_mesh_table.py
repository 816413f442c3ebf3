"""Meshes of pages: each once, coarser where large, and packed so that little is lost."""

import base64
import json
import zlib

import numpy as np

import anyjoint as aj
from anyjoint import joints, shapes
from anyjoint.view.live import live_scene, model_info
from anyjoint.view.mesh_table import MeshTable, coarser
from anyjoint.view.record import body_drawings
from anyjoint.view.scene import Scene


def ball(n):
    """A sphere of about 4 n^2 triangles."""
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 2 * n, endpoint=False), np.linspace(0, np.pi, n + 1), indexing="ij")
    points = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], axis=-1).reshape(-1, 3)
    i, k = (x.ravel() for x in np.meshgrid(np.arange(2 * n), np.arange(n), indexing="ij"))
    corner = lambda a, b: (a % (2 * n)) * (n + 1) + b  # noqa: E731
    faces = np.stack([corner(i, k), corner(i, k + 1), corner(i + 1, k + 1)], axis=1)
    return points, np.concatenate([faces, np.stack([corner(i, k), corner(i + 1, k + 1), corner(i + 1, k)], axis=1)])


def unpacked(mesh):
    levels = np.frombuffer(zlib.decompress(base64.b64decode(mesh["vertices"])), "<u2").reshape(-1, 3)
    zigzag = np.frombuffer(zlib.decompress(base64.b64decode(mesh["faces"])), "<u4").astype(np.int64)
    change = np.where(zigzag % 2, -(zigzag + 1) // 2, zigzag // 2)
    return np.array(mesh["low"]) + levels * np.array(mesh["step"]), np.cumsum(change).reshape(-1, 3)


def test_packed_meshes_are_the_same_to_a_level():
    vertices, faces = ball(12)
    table = MeshTable()
    assert table.number(vertices, faces) == table.number(vertices.copy(), faces.copy()) == 0
    found, corners = unpacked(table.data[0])
    assert np.abs(found - vertices).max() <= 2 / 65535
    assert np.array_equal(corners, faces)
    flat = MeshTable()
    flat.number(vertices * [1, 1, 0], faces)
    assert np.abs(unpacked(flat.data[0])[0][:, 2]).max() == 0


def test_large_meshes_become_coarser_and_stay_in_shape():
    vertices, faces = ball(120)
    few, corners = coarser(vertices, faces, 5000)
    assert 2000 < len(corners) <= 5000
    assert np.abs(np.linalg.norm(few, axis=1) - 1).max() < 0.05
    a, b, c = (few[corners[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    assert 0.95 < abs(volume) / (4 / 3 * np.pi) < 1.01
    assert coarser(vertices, faces, len(faces))[1] is faces


def test_links_share_their_meshes():
    mech, parent = aj.Mechanism("chain"), None
    vertices, faces = ball(30)
    for k in range(4):
        shape = shapes.Mesh(vertices, faces, pose=aj.Pose.translation(0, 0, k))
        parent = mech.add_body(f"b{k}", parent, joints.Revolute(), inertia=aj.Inertia.sphere(1.0, 0.1), shape=shape)
    text = Scene("chain", body_drawings(mech)).json()
    data = json.loads(text)
    assert len(data["meshes"]) == 1
    assert [body["shapes"][0]["mesh"] for body in data["bodies"]] == [0, 0, 0, 0]
    assert len(text) < 40_000


def test_sliders_stay_within_limits_and_leave_quaternions_out():
    mech = aj.Mechanism("robot")
    solid = aj.Inertia.sphere(1.0, 0.1)
    mech.add_body("base", joint=joints.FreeQuaternion(), inertia=solid)
    for k in range(20):
        place = aj.Pose.translation(0.2, 0, 0)
        mech.add_body(f"b{k}", mech.bodies[-1], joints.Revolute("y", (-0.5, 0.25 + k)), place, solid)
    found = live_scene(model_info(mech)).live["coordinates"]
    assert len(found) == 20
    assert (found[0]["index"], found[0]["min"], found[0]["max"]) == (7, -0.5, 0.25)
