"""Contact points lie where both bodies say they touch."""

import json
import math
import subprocess

import numpy as np
import pytest

from anyjoint import scalar
from anyjoint.geometry import curves, surfaces
from anyjoint.joints import OnCurve, Revolute, SurfaceSurface
from anyjoint.mechanism import Inertia, Mechanism, gallery
from anyjoint.spatial import Pose
from anyjoint.view.contact import contact_in_joint, contact_points, contact_script, touching
from tests.view.stand_in import FloatModel, double_pendulum


def test_both_tori_touch_at_the_point():
    ring = surfaces.Torus(1.0, 0.25)
    mech = Mechanism("two tori")
    inertia = Inertia.torus(1.0, 1.0, 0.25)
    first = mech.add_body("first", joint=Revolute(axis=(0, 1, 0)), placement=Pose.translation(1, 2, 3), inertia=inertia)
    mech.add_body("second", first, SurfaceSurface(ring, ring, twist=math.pi / 2), Pose.rotation_x(0.3), inertia)
    q = np.random.default_rng(0).uniform(-1, 1, (5, mech.nq))
    poses = FloatModel(mech).body_poses(q)
    points = contact_points(mech, q, poses)
    for k in range(5):
        here = np.array([float(x) for x in ring.point(q[k, 3], q[k, 4])])  # the same point on the second torus
        assert np.allclose(points[k][0], poses[k, 1, :3, :3] @ here + poses[k, 1, :3, 3], atol=1e-12)


def helix(s):
    """A user's function that was never meant for arrays."""
    if isinstance(s, np.ndarray):
        raise TypeError("one number, please")
    return scalar.cos(s), scalar.sin(s), 0.1 * s


@pytest.mark.parametrize("wire", [curves.Circle(2.0), helix])
def test_single_numbers_and_columns_agree(wire):
    joint = OnCurve(wire, frame="fixed-up")
    s = np.linspace(0.1, 1.0, 4)
    alone = [[float(x) for x in joint.pose([float(x)]).p] for x in s]
    assert np.allclose(contact_in_joint(joint, s[:, None]), alone, atol=1e-12)


@pytest.mark.parametrize("make", [gallery.windmill, gallery.beads_on_wires, gallery.torus_chain_on_spline])
def test_generated_contacts_agree_with_floats(make, tmp_path):
    """What a live page shows is where the joints say that bodies touch; node runs the generated code."""
    mech = make()
    q = mech.start[0][None]
    poses = FloatModel(mech).body_poses(q)
    script = tmp_path / "contacts.js"
    script.write_text(
        contact_script(mech) + f"const out = new Float64Array({3 * len(touching(mech))});"
        f"makeContacts()(Float64Array.from({q[0].tolist()}), out); console.log(JSON.stringify([...out]));"
    )
    done = subprocess.run(["node", str(script)], capture_output=True, text=True, check=True)
    local = np.reshape(json.loads(done.stdout), (-1, 3))
    parents = [np.eye(4) if k < 0 else poses[0, k] for k in touching(mech)]
    seen = [T[:3, :3] @ p + T[:3, 3] for T, p in zip(parents, local, strict=True)]
    assert np.abs(np.array(seen) - contact_points(mech, q, poses)[0]).max() < 1e-12


def test_hinges_touch_nothing():
    assert contact_script(double_pendulum()) == ""
    assert touching(double_pendulum()) == []
    mech = double_pendulum()
    q = np.zeros((3, 2))
    assert contact_points(mech, q, FloatModel(mech).body_poses(q)) is None
