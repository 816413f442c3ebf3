"""Small mechanisms that touch."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint import joints, shapes

METHOD = "time-stepping"
MASS, RADIUS, G = 0.5, 0.1, 9.81


def ball(friction: float = 0.3, **options: Any) -> aj.Mechanism:
    """A free ball above level ground, or above what is given."""
    mech = aj.Mechanism("ball")
    mech.add_body("ball", joint=joints.FreeQuaternion(), inertia=aj.Inertia.sphere(MASS, RADIUS),
                  shape=shapes.Sphere(RADIUS))  # fmt: skip
    mech.add_contact("ball", friction=friction, **options)
    return mech


def at(z: float, x: float = 0.0, y: float = 0.0) -> Any:
    """Coordinates of a free body that is not turned."""
    return np.array([1.0, 0, 0, 0, x, y, z])


def block(slope: float, friction: float) -> aj.Mechanism:
    """A block on an incline, seen by somebody who stands upright on it."""
    mech = aj.Mechanism("block", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    size = 0.4, 0.3, 0.1
    mech.add_body("block", joint=joints.FreeQuaternion(), inertia=aj.Inertia.box(2.0, *size), shape=shapes.Box(*size))
    mech.add_contact("block", friction=friction)
    return mech


def leg(**options: Any) -> aj.Mechanism:
    """A hip and a knee on a slider, with springs, and a foot that touches the ground."""
    mech = aj.Mechanism("leg")
    mech.add_body("hip", joint=joints.Prismatic("z"), inertia=aj.Inertia.sphere(3.0, 0.1))
    thigh = aj.Inertia.point(0.6, (0, 0, -0.2)) + aj.Inertia.sphere(0.4, 0.1)
    for name, parent in (("thigh", "hip"), ("shank", "thigh")):
        at = aj.Pose.translation(0, 0, -0.4 if name == "shank" else 0)
        mech.add_body(name, parent, joints.Revolute("y"), at, thigh, stiffness=60.0, damping=1.5)
    mech.add_contact("shank", (0, 0, -0.4), friction=0.7, name="foot", **options)
    return mech


@cache
def ball_model() -> aj.Model:
    """A ball, compiled once for all that look at it."""
    return ball().compile()


def run(mech: Any, q: Any, v: Any = None, duration: float = 0.5, dt: float = 1e-3, **options: Any) -> Any:
    """A run of a mechanism or a model from a start, at rest where no velocities are given."""
    model = mech.compile() if isinstance(mech, aj.Mechanism) else mech
    return model.simulate(q, np.zeros(model.nv) if v is None else v, duration=duration, dt=dt, method=METHOD, **options)
