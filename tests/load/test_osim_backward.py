"""Joints of OpenSim that lead from a body to one nearer to the ground; numbers are OpenSim 4.6's."""

import numpy as np
import pytest

import anyjoint as aj
from load.osim_text import OLD, body, coordinates, document, joint

AT, BACK = ((0.1, 0.2, -0.3), (0.3, -0.2, 0.5)), ((-0.2, 0.1, 0.05), (0.4, 0.3, -0.2))
BODIES = [body("a", 2.0, (0.1, -0.05, 0.2)), body("b", 1.0, (0, 0.1, 0.1))]
BASE = joint("PlanarJoint", "a", "ground", coordinates(["t", "x", "y"]), "base", AT, BACK)
KNEE = joint("PinJoint", "b", "a", coordinates(["k"]), "knee", AT, BACK)
STATE = {"t": (0.4, 0.3, 0.2842853921992905), "x": (0.2, -0.5, -4.575257204486942),
         "y": (-0.1, 0.7, 7.842658173258205), "k": (0.6, -0.9, -0.6861746620188525)}  # fmt: skip
PLACES = {"a": (-0.29765597855371395, 0.10334751321932067, 0.4918402919444855),
          "b": (-0.15971206920096215, 0.07271718554984107, 0.9117858600573087)}  # fmt: skip


@pytest.mark.parametrize("saved", [False, True], ids=["loaded", "saved"])
@pytest.mark.parametrize("members", [[BASE, KNEE], [KNEE, BASE]], ids=["in order", "out of order"])
def test_chains_towards_the_ground(loaded, tmp_path, members, saved):
    mech = loaded(document(BODIES, members))
    assert mech.source.warnings == ()
    if saved:
        aj.save(mech, tmp_path / "m.aj.json")
        mech = aj.load(tmp_path / "m.aj.json")
    order = [mech[body].q.start + k for body, k in (mech.source.coordinates[name] for name in STATE)]
    q, v, a = (np.zeros(4) for _ in range(3))
    q[order], v[order], a[order] = zip(*STATE.values(), strict=True)
    model = mech.compile()
    assert model.forward_dynamics(q, v) == pytest.approx(a, abs=1e-12)
    for name, place in PLACES.items():
        assert model.frame_pose(q, name)[:3, 3] == pytest.approx(place, abs=1e-14)


@pytest.mark.parametrize("kind", ["PinJoint", "SliderJoint"])
def test_version_3_says_reverse(loaded, kind):
    """The pose between the frames of the joint is the inverse."""
    text = OLD.replace("PinJoint", kind)
    forth = loaded(text).compile()
    back = loaded(text.replace("</CoordinateSet>", "</CoordinateSet><reverse>true</reverse>")).compile()
    at, out = (
        aj.Pose.translation(*p) @ aj.Pose.rotation_x(t[0]) @ aj.Pose.rotation_y(t[1]) @ aj.Pose.rotation_z(t[2])
        for p, t in (((1, 2, 3), (0.1, 0.2, 0.3)), ((0.4, 0.5, 0.6), (-0.3, 0.2, 0.1)))
    )
    moved, again = (
        np.linalg.inv(at.matrix) @ model.frame_pose([0.3], "b") @ out.matrix for model in (forth, back)
    )
    assert again == pytest.approx(np.linalg.inv(moved), abs=1e-14)
    assert np.abs(moved - np.eye(4)).max() > 0.2
