"""Broken files of every format: each loads, or raises an AnyjointError that names it; nothing else, and no hang."""

import json

import pytest

import anyjoint as aj
from load import (
    osim_text,
    test_mjcf,
    test_mjcf_drives,
    test_mjcf_tendons,
    test_osim,
    test_osim_forces,
    test_osim_muscles,
)
from load.mutations import mutated
from load.robots import ZOO
from load.test_own import HELIX

HAND = """{"anyjoint": 1, "name": "hand", "gravity": [0, 0, -9.8], "description": "a hand",
"joints": {"screw": {"coordinates": {"t": {"domain": [-1, 1], "limits": [-1, "inf"]}},
 "pose": [{"rotation": "t", "axis": [0, 1, 0]}, {"translation": ["t^2", 0, "min(t, 0.3)"]}], "parameters": {"r": 2}}},
"bodies": [
{"name": "palm", "joint": {"Revolute": {"axis": [0, 1, 0], "limits": [-1, 1]}},
 "inertia": {"mass": 1, "tensor": [1, 1, 1]}},
{"name": "finger", "parent": "palm", "joint": "screw", "placement": [{"translation": [0, 0, 1]}, {"rotation_x": 0.3}],
 "inertia": {"mass": 1, "com": [0, 0, 0.1], "tensor": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "damping": 0.1,
 "shapes": [{"shapes.Box": {"x": 1, "y": 2, "z": 3, "pose": {"pose": [{"rotation_z": 1}]}}}], "frames": {"tip": []}},
{"name": "torus", "parent": "palm", "joint": {"SurfaceSurface": {"surface1": {"surfaces.Torus": {"R": 1, "r": 0.3}},
 "surface2": {"surfaces.Torus": {"R": 1, "r": 0.3}}}}, "inertia": {"mass": 1, "tensor": [1, 1, 1]}}],
"start": {"q": [0, 0, 1, 1, 1, 1], "v": [0, 0, 0, 0, 0, 0]},
"forces": [{"forces.Wrench": {"body": "palm", "force": [1, 2, 3]}}]}
"""
SLOT = """{"anyjoint": 1, "name": "slot", "bodies": [
{"name": "pin", "joint": {"Planar": {}}, "inertia": {"mass": 1, "tensor": [1, 1, 1]}},
{"name": "bar", "inertia": {"mass": 1, "tensor": [1, 1, 1]}, "joint": {"coordinates": {"s": [-1, 1]},
 "where": {"w": "sin(s)", "u": "w*gather(tab, s) + select(less(s, 0.5), w, s)"}, "tables": {"tab": [1, 2.5, 3]},
 "pose": [{"rotation": "u + s"}, {"matrix": ["cos(s)", "-w", 0, "w", "cos(s)", 0, 0, 0, 1]}]}},
{"name": "tail", "parent": "bar", "inertia": {"mass": 1, "tensor": [1, 1, 1]},
 "joint": {"Coupled": {"joint": {"joints.Revolute": {}}, "source": "pin", "functions": {"function":
 {"of": {"q": 2}, "value": ["q_0*q_1"]}}}}}],
"constraints": [{"name": "in", "bodies": ["pin", "bar"], "compliance": 1e-3,
 "function": {"of": {"p": "pose", "b": "pose"}, "where": {"w": "b_xy*p_x"}, "value": "w + b_yy*p_y"}},
{"name": "moved", "coordinates": ["pin/x", "pin/y"], "time": true, "velocity": true,
 "function": {"of": {"q": 2, "qd": 2, "t": "number"}, "value": ["qd_0 - cos(t)*q_1"]}}],
"contacts": [{"body": "pin", "shape": [0, 0, 0], "on": {"formula": "z - w", "where": {"w": "x*y"}}}],
"forces": [
{"forces.Servo": {"body": "bar", "stiffness": 2, "target": {"function": {"of": ["t"], "value": "fmod(t, 2)"}}}},
{"forces.Custom": {"measure": {"function": {"of": {"a": "pose", "n": 1}, "value": "a_x*n_0"}}, "bodies": ["pin"],
 "numbers": [2], "energy": {"function": {"of": {"s": 1, "n": 1}, "value": "s_0^2"}}}}]}
"""
SEEDS = {
    "robot.urdf": ZOO.encode(),
    "model.xml": test_mjcf.ZOO.encode(),
    "gait.osim": osim_text.document(
        [osim_text.body("a"), osim_text.body("b")],
        [
            osim_text.joint("PinJoint", "ground", "a", osim_text.coordinates(["lead"])),
            osim_text.joint("SliderJoint", "a", "b", osim_text.coordinates(["follow"])),
        ],
        test_osim.COUPLER,
    ).encode(),
    "old.osim": osim_text.OLD.encode(),
    "points.osim": test_osim.TRIANGLE.encode(),
    "muscles.osim": test_osim_muscles.CASE["model_osim_xml"].replace("><", ">\n<").encode(),
    "forces.osim": test_osim_forces.CASE["osim"].replace("><", ">\n<").encode(),
    "contacts.osim": test_osim_forces.CONTACTS["osim"].replace("><", ">\n<").encode(),
    "tendons.xml": test_mjcf_tendons.TEXT.encode(),
    "drives.xml": test_mjcf_drives.TEXT.format(
        "\n".join(text.replace('"k"', f'"k{k}"') for k, text in enumerate(test_mjcf_drives.DRIVES.values()))
    ).encode(),
    "helix.aj.json": json.dumps(HELIX, indent=1).encode(),
    "hand.aj.json": HAND.encode(),
    "slot.aj.json": SLOT.encode(),
}


def attempt(path, data):
    """Load what may be anything; True if it could be."""
    path.write_bytes(data)
    try:
        aj.load(path, allow={"inertia", "mimic", "unsupported"})
    except aj.AnyjointError as error:
        message = str(error)
    else:
        return True
    assert path.name in message
    return False


@pytest.mark.parametrize("name", SEEDS)
def test_broken_files(tmp_path, name):
    loaded = sum(attempt(tmp_path / name, mutated(SEEDS[name], number)) for number in range(150))
    assert 0 < loaded < 150, "mistakes that matter, and mistakes that do not"


@pytest.mark.slow
@pytest.mark.parametrize("name", SEEDS)
def test_many_broken_files(tmp_path, name):
    for number in range(150, 5000):
        attempt(tmp_path / name, mutated(SEEDS[name], number))
