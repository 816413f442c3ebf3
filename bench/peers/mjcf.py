"""A neutral model as MJCF text."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.models import Model
from bench.peers.coordinates import depth_first

MJCF_JOINT = {"revolute": "hinge", "prismatic": "slide"}
HEAD = """<mujoco>
<compiler angle="radian" autolimits="false"/>
<option gravity="{gravity}"><flag contact="disable" constraint="disable"/></option>
<worldbody>"""


def text(model: Model) -> str:
    """The model as MJCF, contacts and constraints disabled."""
    lines = [HEAD.format(gravity=_numbers(model.gravity))]
    path: list[int] = []
    for k in depth_first(model):
        while path and path[-1] != model.bodies[k].parent:
            path.pop()
            lines.append("</body>")
        lines += _open_body(model, k)
        path.append(k)
    return "\n".join([*lines, *["</body>"] * len(path), "</worldbody>", "</mujoco>"])


def _open_body(model: Model, k: int) -> list[str]:
    body = model.bodies[k]
    at = np.array(body.placement)
    t = np.array(body.tensor)
    inertia = _numbers([t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]])
    kind = MJCF_JOINT.get(body.kind)
    joint = f'<joint type="{kind}" axis="{_numbers(body.axis)}"/>' if kind else "<freejoint/>"
    inertial = f'<inertial pos="{_numbers(body.com)}" mass="{body.mass!r}" fullinertia="{inertia}"/>'
    pose = f'pos="{_numbers(at[:3, 3])}" xyaxes="{_numbers([*at[:3, 0], *at[:3, 1]])}"'
    return [f'<body name="b{k}" {pose}>', joint, inertial]


def _numbers(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)
