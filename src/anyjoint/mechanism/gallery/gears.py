"""A gear train with a differential: every mesh is one row on coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from anyjoint.constraints import ConstraintFunction, constraint
from anyjoint.joints import Revolute
from anyjoint.mechanism import Inertia, Mechanism, shapes
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .palette import AMBER, CORAL, INK, IVORY, PLUM, SKY, STEEL, TEAL

ACROSS = Pose.rotation_x(math.pi / 2)  # a wheel about y
PINION, CROWN, SIDE, PLANET = 0.12, 0.42, 0.18, 0.14


def differential(torque_side: float = 0.15, speed: float = 12.0) -> Mechanism:
    """An engine's shaft, a pinion on a crown wheel, two planets in the cage between two half shafts.

    The half shafts share what the cage brings: their speeds add up to twice its own. A brake on the left one, a damper
    of `torque_side` N m s, slows it down and speeds the right one up.
    """
    idea = "A differential: the half shafts may turn at different speeds, but their mean is the cage's, always."
    mech = Mechanism("differential", gravity=(0, 0, 0), description=idea)
    for y in (-1.0, 1.0):
        mech.draw(shapes.Box(0.1, 0.05, 0.5, color=IVORY, pose=Pose.translation(0, 0.72 * y, -0.2)))
    mech.draw(shapes.Box(0.9, 1.6, 0.05, color=IVORY, pose=Pose.translation(0.2, 0, -0.55)))
    _shaft(mech)
    _cage(mech)
    wheels = (("left", -1, CORAL, torque_side), ("right", 1, TEAL, 0.0))
    for name, y, color, brake in wheels:
        _half_shaft(mech, name, y, color, brake)
    ratio = PINION / CROWN
    _mesh(mech, "pinion on crown", ("engine", "cage"), lambda q: ratio * q[0] - q[1])
    _mesh(mech, "sharing", ("left", "right", "cage"), lambda q: q[0] + q[1] - 2 * q[2])
    for k in (0, 1):  # a planet turns in the cage as a half shaft turns against it
        sign = (1, -1)[k] * SIDE / PLANET
        _mesh(mech, f"planet {k}", (f"planet {k}", "right", "cage"), _planet(sign))
    cage = ratio * speed
    v = {"engine": speed, "cage": cage, "left": cage, "right": cage, "planet 0": 0.0, "planet 1": 0.0}
    mech.set_start([0.0] * mech.nq, [v[body.name] for body in mech.bodies])
    return mech


def _planet(sign: float) -> Callable[[Any], Scalar]:
    return lambda q: q[0] - sign * (q[1] - q[2])


def _mesh(mech: Mechanism, name: str, bodies: tuple[str, ...], rows: Callable[[Any], Scalar]) -> None:
    """Teeth that mesh: a row on angles."""
    made: ConstraintFunction = constraint(rows)
    mech.add_constraint(made, coordinates=bodies, name=name)


def _shaft(mech: Mechanism) -> None:
    """The engine's shaft, along x, with a heavy flywheel."""
    along = Pose.rotation_y(math.pi / 2)
    look = [
        shapes.rod((0.45, 0, 0), (1.2, 0, 0), 0.04, STEEL),
        gear(PINION, 0.1, 10, AMBER, Pose.translation(CROWN, 0, 0) @ along),
        gear(0.3, 0.08, 24, INK, Pose.translation(1.2, 0, 0) @ along),
    ]
    solid = Inertia.cylinder(4.0, 0.3, 0.08).moved(Pose.translation(1.2, 0, 0) @ along)
    place = Pose.translation(0, -0.32, 0)
    mech.add_body("engine", None, Revolute((1, 0, 0)), place, solid, look)


def _cage(mech: Mechanism) -> None:
    """The crown wheel with the planets' cage, about y."""
    crown = gear(CROWN, 0.06, 36, SKY, Pose.translation(0, -0.26, 0) @ ACROSS)
    bars = [shapes.rod((x, -0.26, 0), (x, 0.2, 0), 0.025, SKY) for x in (-0.27, 0.27)]
    solid = Inertia.cylinder(1.5, CROWN, 0.2).moved(ACROSS)
    mech.add_body("cage", None, Revolute((0, 1, 0)), None, solid, [crown, *bars])
    for k, x in enumerate((0.19, -0.19)):
        look = [
            gear(PLANET, 0.06, 14, PLUM, Pose.rotation_y(math.pi / 2)),
            shapes.rod((0, 0, 0), (0.4 * x, 0, 0), 0.03, PLUM),
        ]
        solid = Inertia.cylinder(0.3, PLANET, 0.06).moved(Pose.rotation_y(math.pi / 2))
        mech.add_body(f"planet {k}", "cage", Revolute((1, 0, 0)), Pose.translation(x, 0, 0), solid, look)


def _half_shaft(mech: Mechanism, name: str, y: float, color: str, brake: float) -> None:
    """A side gear, a shaft and a road wheel with spokes, so that one sees it turn."""
    wheel = Pose.translation(0, 0.95 * y, 0) @ ACROSS
    spokes = [shapes.rod((0, 0.95 * y, 0), (0.4 * math.cos(a), 0.95 * y, 0.4 * math.sin(a)), 0.03, color)
              for a in (2 * math.pi * k / 5 for k in range(5))]  # fmt: skip
    look = [
        gear(SIDE, 0.06, 18, color, Pose.translation(0, 0.16 * y, 0) @ ACROSS),
        shapes.rod((0, 0.16 * y, 0), (0, 0.95 * y, 0), 0.035, STEEL),
        shapes.Torus(0.42, 0.06, color=INK, pose=wheel),
        *spokes,
    ]
    solid = Inertia.torus(2.0, 0.42, 0.06).moved(wheel)
    mech.add_body(name, None, Revolute((0, 1, 0)), None, solid, look, damping=brake)


def gear(radius: float, width: float, teeth: int, color: str, pose: Pose) -> shapes.Group:
    """A wheel about z with teeth."""
    pitch = 2 * math.pi * radius / teeth
    cog = [
        shapes.Box(0.5 * pitch, 0.5 * pitch, width, color=color,
                   pose=Pose.rotation_z(2 * math.pi * k / teeth) @ Pose.translation(radius, 0, 0))
        for k in range(teeth)
    ]  # fmt: skip
    return shapes.Group((shapes.Cylinder(radius, width, color=color), *cog), pose=pose)
