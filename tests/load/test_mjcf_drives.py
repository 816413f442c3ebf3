"""Drives of MJCF on balls, free bodies, sites and cranks against MuJoCo at random states."""

from dataclasses import replace

import numpy as np
import pytest

import anyjoint as aj
from anyjoint.forces.program import trace_forces
from anyjoint.load.oracle.mujoco import Oracle

TEXT = """<mujoco model="drives">
  <worldbody><site name="wall" pos="0.3 0.2 0.1"/>
    <body name="float" pos="0 0 1"><freejoint name="root"/><geom size="0.1"/><site name="ear" pos="0.1 0.1 0.1"/>
      <body name="upper" pos="0 0 -0.2" euler="10 20 30"><joint name="ball" type="ball" pos="0.01 0.02 0.03"/>
        <geom size="0.06" pos="0.02 0 -0.2"/><site name="thigh" pos="0.05 0.01 -0.1"/>
        <body name="lower" pos="0 0 -0.4"><joint name="b" axis="0 1 0"/><joint name="c" axis="1 0 0"/>
          <geom size="0.05" pos="0 0 -0.2"/><site name="shin" pos="0.04 -0.02 -0.15"/>
          <site name="tilted" pos="0.1 0 0" euler="30 20 10"/></body>
      </body>
      <body name="arm"><joint name="d" axis="0 1 0"/><geom size="0.05" pos="0.2 0 0"/>
        <site name="hand" pos="0.3 0 0.1"/></body>
    </body>
    <body name="crank" pos="2 0 0"><joint name="e" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/>
      <site name="pin" pos="0.1 0.05 0.02"/></body>
    <body name="rail" pos="2.6 0 0"><joint name="f" axis="0 1 0"/><geom size="0.1"/>
      <site name="slot" euler="0 -90 0"/></body>
  </worldbody>
  <actuator>{}</actuator>
</mujoco>"""
SERVO = 'biastype="affine" biasprm="0.2 -3 -0.4" gaintype="affine" gainprm="2 0.5 -0.3"'
DRIVES = {
    "ball": '<motor name="k" joint="ball" gear="1 2 3"/>',
    "ball servo": f'<general name="k" joint="ball" gear="1 2 3" {SERVO}/>',
    "ball in its parent": f'<general name="k" jointinparent="ball" gear="1 2 3" {SERVO}/>',
    "free": f'<general name="k" joint="root" gear="1 2 3 4 5 6" {SERVO}/>',
    "free in its parent": f'<general name="k" jointinparent="root" gear="1 2 3 4 5 6" {SERVO}/>',
    "site": f'<general name="k" site="tilted" gear="1 2 3 4 5 6" {SERVO}/>',
    "below": f'<general name="k" site="shin" refsite="ear" gear="1 2 3 4 5 6" {SERVO}/>',
    "above": f'<general name="k" site="ear" refsite="shin" gear="1 2 3 4 5 6" {SERVO}/>',
    "beside": f'<general name="k" site="hand" refsite="thigh" gear="1 2 3 4 5 6" {SERVO}/>',
    "another tree": f'<general name="k" site="pin" refsite="thigh" gear="1 2 3 4 5 6" {SERVO}/>',
    "the world": f'<general name="k" site="shin" refsite="wall" gear="1 2 3 4 5 6" {SERVO}/>',
    "from the world": f'<general name="k" site="wall" refsite="shin" gear="1 2 3 4 5 6" {SERVO}/>',
    "tilted": '<position name="k" site="tilted" refsite="ear" gear="1 2 3 4 5 6" kp="3" kv="1"/>',
    # Beyond half a turn, the nearest of the targets that mean the same.
    "ball far": '<position name="k" joint="ball" gear="0.1 0.05 0.02" kp="3" kv="1"/>',
    "ball far in its parent": '<position name="k" jointinparent="ball" gear="0.1 0.05 0.02" kp="3"/>',
    "tilted far": '<position name="k" site="tilted" refsite="ear" gear="0 0 0 0.01 0.05 0.1" kp="3" kv="1"/>',
    "no servo": '<general name="k" joint="ball" gear="0.1 0 0" biastype="affine" biasprm="0 -3 0" gainprm="2"/>',
    "crank": f'<general name="k" cranksite="pin" slidersite="slot" cranklength="0.7" gear="2" {SERVO}/>',
    "short crank": f'<general name="k" cranksite="pin" slidersite="slot" cranklength="0.01" gear="2" {SERVO}/>',
    # A drive with three controls and three forces moves the numbers of those behind it on.
    "behind another": '<orientation name="o" joint="ball" kp="0" kv="0"/>'
    '<motor name="k" joint="e" gear="7" ctrlrange="-0.3 0.2"/>',
}  # fmt: skip


def loaded(tmp_path, drive):
    path = tmp_path / "drives.xml"
    path.write_text(TEXT.format(drive))
    return aj.load(path), path


@pytest.mark.parametrize("name", DRIVES)
def test_drives_are_mujocos(tmp_path, name):
    mech, path = loaded(tmp_path, DRIVES[name])
    oracle = Oracle(path, mech)
    for seed in range(3):
        q, v = oracle.state(np.random.default_rng(seed))
        wanted = oracle.actuator_forces(np.full(oracle.model.nu, 0.7))
        found = trace_forces(mech, [replace(mech.source.actuators["k"], control=0.7)]).torque(0.0, q, v)
        assert np.abs(found - wanted).max() < 1e-10 * (1 + np.abs(wanted).max())
        assert np.abs(wanted).max() > 1e-3


@pytest.mark.parametrize(("drive", "words"), [
    ('<motor name="k" site="wall" gear="1 0 0 0 0 0"/>', "needs a site that moves"),
    ('<motor name="k" site="shin" refsite="tilted" gear="1 0 0 0 0 0"/>', "needs two sites that move apart"),
    ('<adhesion name="k" body="arm" ctrlrange="0 1"/>', "needs a transmission other than a joint, a tendon"),
    ('<orientation name="k" joint="ball"/>', "needs a gain or bias other than affine"),
    ('<muscle name="k" joint="ball" lengthrange="0 1"/>', "needs a muscle along something else than"),
])  # fmt: skip
def test_what_drives_lack_is_told(tmp_path, drive, words):
    mech, _ = loaded(tmp_path, drive)
    (told,) = [x.message for x in mech.source.warnings if x.rule == "actuator"]
    assert words in told
    assert "k" not in mech.source.actuators
