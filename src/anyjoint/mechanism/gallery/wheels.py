"""Wheels that roll and never slip, in one another and over hills [GL Fig. 5c]."""

from __future__ import annotations

import math

from anyjoint.geometry import curves
from anyjoint.joints import RollingWheel
from anyjoint.mechanism import Inertia, Mechanism, shapes
from anyjoint.scalar import Scalar, cos
from anyjoint.spatial import Pose

from .palette import AMBER, CORAL, IVORY, PLUM, SEA, STEEL, TEAL

UPRIGHT = Pose.rotation_x(math.pi / 2)  # the X-Y plane of a path stands on its edge, y upwards
TROUGH, WHEEL, INNER, SMALL = 1.5, 0.55, 0.45, 0.16
BOTTOM = -math.pi / 2  # of a circle


def hills(s: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """A road in the X-Y plane, a valley in its middle."""
    return s, 0.12 * s * s - 0.25 * cos(2 * s), 0


def rolling_wheels() -> Mechanism:
    """A hollow wheel in half a circle, one inside it, one inside that, and one on a hilly road: 4 coordinates."""
    idea = "Wheels roll in one another and never slip: how far each has turned is the length of its path."
    mech = Mechanism("rolling wheels", description=idea)
    low = [(TROUGH * math.cos(a), 0, TROUGH * math.sin(a)) for a in (-math.pi * k / 60 for k in range(61))]
    mech.draw(shapes.Tube(low, 0.03, color=STEEL))
    outer, inner, disc = _look(WHEEL, INNER, CORAL), _look(0.22, SMALL, TEAL), _look(0.07, 0.0, AMBER)
    ring = mech.add_body("hollow wheel", None, _roll(WHEEL, TROUGH), UPRIGHT, _hoop(2.0, WHEEL), outer)
    middle = mech.add_body("wheel within", ring, _roll(0.22, INNER), None, _hoop(0.6, 0.22), inner)
    mech.add_body("smallest", middle, _roll(0.07, SMALL), None, Inertia.cylinder(0.2, 0.07, 0.06), disc)
    _road(mech)
    mech.set_start([*_resting(BOTTOM + 0.8), -1.9])
    return mech


def _resting(s: float) -> list[float]:
    """Places of the three wheels with the first at s, each of the others at the lowest place of the one around it."""
    q, turned = [s], 0.0
    for track, radius in ((TROUGH, WHEEL), (INNER, 0.22)):
        turned += q[-1] - BOTTOM - track * q[-1] / radius
        q.append(BOTTOM - turned)
    return q


def _road(mech: Mechanism) -> None:
    """A wheel on any curve: the arc length is integrated along it."""
    road = curves.curve(hills, domain=(-2.2, 2.2))
    stand = Pose.translation(0, 1.2, -1.2) @ UPRIGHT
    mech.draw(shapes.curve(road, radius=0.03, color=STEEL, pose=stand))
    mech.add_body("rider", None, RollingWheel(0.3, road), stand, _hoop(1.0, 0.3), _look(0.3, 0.2, PLUM))


def _roll(radius: float, around: float) -> RollingWheel:
    return RollingWheel(radius, curves.Circle(around))


def _hoop(mass: float, radius: float) -> Inertia:
    """Most of the mass in the rim, and a weight on it that makes the roll uneven."""
    return Inertia.cylinder(mass, 0.9 * radius, 0.1) + Inertia.point(0.3 * mass, (0.75 * radius, 0, 0))


def _look(radius: float, hole: float, color: str) -> list[shapes.Shape]:
    """A rim (or a disc if there is no hole) with marks, so that turning can be seen."""
    thick = (radius - hole) / 2
    rim = shapes.Torus(radius - thick, thick, color=color) if hole else shapes.Cylinder(radius, 0.06, color=color)
    weight = shapes.Sphere(1.4 * thick if hole else 0.02, color=SEA, pose=Pose.translation(radius - thick, 0, 0))
    return [rim, weight, shapes.Sphere(0.02, color=IVORY, pose=Pose.translation(-(radius - thick), 0, 0.05))]
