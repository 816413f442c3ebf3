"""Real robots from the `example-robot-data` wheel, read by Pinocchio and written in the neutral form.

Runs in the peers' environment: `python -m bench.robots OUT_DIR [NAME ...]`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio

from bench.models import ROBOTS, Body, Model

URDF = {
    "UR5": ("ur_description/urdf/ur5_robot.urdf", False),
    "Panda": ("panda_description/urdf/panda.urdf", False),
    "ANYmal": ("anymal_b_simple_description/robots/anymal.urdf", True),
    "Talos": ("talos_data/robots/talos_reduced.urdf", True),
    "iCub": ("icub_description/robots/icub_reduced.urdf", True),
}
"""Robot -> (URDF in the wheel, whether the base is free)."""

FEET = {
    "ANYmal": ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"),
    "Talos": ("left_sole_link", "right_sole_link"),
}
"""Frames that `bench.constraints` holds to the ground."""

REVOLUTE = re.compile(r"JointModelR(?:UB)?([XYZ])$|JointModelRevolute(?:Unbounded)?Unaligned$")
PRISMATIC = re.compile(r"JointModelP([XYZ])$|JointModelPrismaticUnaligned$")


def robot(name: str) -> Model:
    """Pinocchio's model (fixed joints already lumped) of a robot, in the neutral form."""
    model = _read(name)
    return Model(name, tuple(_body(model, k) for k in range(1, model.njoints)))


def feet(name: str) -> list[tuple[int, list[list[float]]]]:
    """The body of each foot, and the foot's frame in it."""
    model = _read(name)
    frames = [model.frames[model.getFrameId(foot)] for foot in FEET.get(name, ())]
    return [(int(frame.parentJoint) - 1, frame.placement.homogeneous.tolist()) for frame in frames]


def _read(name: str) -> Any:
    path, floating = URDF[name]
    root = Path(pinocchio.__file__).parents[4] / "share" / "example-robot-data" / "robots"
    base = [pinocchio.JointModelFreeFlyer()] if floating else []
    return pinocchio.buildModelFromUrdf(str(root / path), *base)


def _body(model: Any, k: int) -> Body:
    kind, axis = _joint(model.joints[k])
    inertia = model.inertias[k]
    return Body(
        name=str(model.names[k]),
        parent=int(model.parents[k]) - 1,
        kind=kind,
        axis=axis,
        placement=tuple(tuple(float(x) for x in row) for row in model.jointPlacements[k].homogeneous),
        mass=float(inertia.mass),
        com=tuple(float(x) for x in inertia.lever),
        tensor=tuple(tuple(float(x) for x in row) for row in _tensor(inertia.inertia)),
    )


def _tensor(tensor: Any) -> Any:
    """Point masses (iCub has some) stay point masses: lumping leaves rounding errors there, some of them negative."""
    return np.zeros((3, 3)) if np.abs(tensor).max() < 1e-15 else tensor


def _joint(joint: Any) -> tuple[str, tuple[float, ...]]:
    """Kind and axis; unbounded hinges become plain ones, their angle is the coordinate."""
    name = joint.shortname()
    if name == "JointModelFreeFlyer":
        return "free", (0.0, 0.0, 0.0)
    for kind, pattern in (("revolute", REVOLUTE), ("prismatic", PRISMATIC)):
        if match := pattern.match(name):
            letter = match.group(1)
            axis = np.eye(3)["XYZ".index(letter)] if letter else joint.extract().axis
            return kind, tuple(float(x) for x in axis)
    raise SystemExit(f"bench.robots: joint {name} has no neutral form")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for wanted in sys.argv[2:] or ROBOTS:
        robot(wanted).save(folder / f"{wanted}.json")
        if wanted in FEET:
            (folder / f"{wanted}-feet.json").write_text(json.dumps(feet(wanted)), encoding="utf-8")
