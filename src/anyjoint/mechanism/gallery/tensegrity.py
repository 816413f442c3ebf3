"""A tensegrity: struts that touch nothing but cables, which are soft loops."""

from __future__ import annotations

import math

import numpy as np

from anyjoint.joints import Spherical
from anyjoint.mechanism import Mechanism, shapes
from anyjoint.spatial import Vector

from .drawing import Drawing
from .palette import AMBER, CORAL, IVORY, STEEL, TEAL

COLORS = (CORAL, TEAL, AMBER)
TWIST = 5 * math.pi / 6  # between the triangles, where cables can all be tight


def tensegrity(
    radius: float = 0.5, height: float = 1.0, pull: float = 40.0, compliance: float = 5e-4, push: float = 0.6
) -> Mechanism:
    """A twisted prism of three struts on the floor; six cables hold their tops. It is pushed sideways at the start.

    A cable is a light rod that is a little too short: its end is tied to the next strut by a loop of `compliance` m/N,
    whose stretch pulls with about `pull` N.
    """
    idea = "Three struts that touch one another nowhere stand because cables pull: loops that give way, as springs do."
    drawing = Drawing("tensegrity", idea)
    feet, tops = ([_place(radius, k, turn, z) for k in range(3)] for turn, z in ((0.4, 0.0), (0.4 + TWIST, height)))
    drawing.mech.draw(
        shapes.Cylinder(1.2 * radius, 0.04, color=IVORY, pose=shapes.between((0, 0, -0.06), (0, 0, -0.02)))
    )
    for k in range(3):
        drawing.bar(f"strut {k}", feet[k], tops[k], color=COLORS[k], radius=0.03, joint=Spherical(), mass=1.0)
    for k in range(3):
        before, after = (k + 2) % 3, (k + 1) % 3
        stay, girdle = pull * compliance, pull * compliance / math.sqrt(3)
        _cable(drawing, f"stay {k}", None, feet[k], f"strut {before}", tops[before], stay, compliance)
        _cable(drawing, f"girdle {k}", f"strut {k}", tops[k], f"strut {after}", tops[after], girdle, compliance)
    mech = drawing.rest()
    mech.set_start(mech.neutral.tolist(), [push if k == 0 else 0.0 for k in range(mech.nv)])
    return mech


def _place(radius: float, k: int, turn: float, z: float) -> Vector:
    angle = 2 * math.pi * k / 3 + turn
    return np.array([radius * math.cos(angle), radius * math.sin(angle), z])


def _cable(
    drawing: Drawing, name: str, parent: str | None, start: Vector, other: str, end: Vector, stretch: float,
    compliance: float,
) -> None:  # fmt: skip
    """A light rod from a place to a little before a place on another strut, and the loop between the two."""
    line = end - start
    length = float(np.linalg.norm(line))
    tip = start + line * (1 - stretch / length)
    drawing.bar(name, start, tip, parent, color=STEEL, radius=0.009, joint=Spherical(), mass=0.1)
    drawing.tie(name, tip, other, end, compliance)
