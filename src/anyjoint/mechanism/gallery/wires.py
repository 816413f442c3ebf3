"""Beads that slide and spin on wires, each with a pendulum below [GL Fig. 5a]."""

from __future__ import annotations

import math

from anyjoint.geometry import curves
from anyjoint.joints import OnCurve, Revolute
from anyjoint.mechanism import Inertia, Mechanism, shapes
from anyjoint.scalar import Scalar, cos, sin
from anyjoint.spatial import Pose

from .palette import AMBER, CORAL, PLUM, SEA, STEEL, TEAL


def tilted_ring(s: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """An ellipse that leans over."""
    return 1.2 * cos(s), 0.8 * sin(s), 0.5 * cos(s)


def clover(s: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """A trefoil knot; its curvature never vanishes."""
    return 0.35 * (sin(s) + 2 * sin(2 * s)), 0.35 * (cos(s) - 2 * cos(2 * s)), -0.35 * sin(3 * s)


def crown(s: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """A ring that rises and falls three times."""
    return cos(s), sin(s), 0.25 * cos(3 * s)


# (wire, where it stands, starting places of its beads, colour)
WIRES = (
    (tilted_ring, (-2.8, 0.0, 0.0), (0.3, 2.0), TEAL),
    (clover, (0.0, 0.0, 0.0), (0.5, 2.6), CORAL),
    (crown, (2.6, 0.0, 0.0), (0.2, 2.3), PLUM),
)


def beads_on_wires() -> Mechanism:
    """Six beads on three wires: a bead follows the Frenet frame of its wire and spins about the tangent."""
    idea = "Beads slide and spin on wires of any shape, each with a pendulum: they can never leave the wire."
    mech = Mechanism("beads on wires", description=idea)
    q: list[float] = []
    for function, place, starts, color in WIRES:
        wire, stand = curves.curve(function, domain=(0.0, 2 * math.pi), period=2 * math.pi), Pose.translation(*place)
        mech.draw(shapes.curve(function, 0.0, 2 * math.pi, radius=0.015, color=STEEL, pose=stand))
        for k, s in enumerate(starts):
            name = f"{function.__name__}-{k}"
            bead = mech.add_body(name, None, OnCurve(wire, spin=True), stand, BEAD, _bead(color))
            mech.add_body(f"{name}-bob", bead, Revolute((1, 0, 0)), Pose.translation(0, 0, -0.3), BOB, _bob(k))
            q += [s, _hanging(wire, s), 0.4]
    mech.set_start(q)
    return mech


BEAD = Inertia.sphere(0.3, 0.07) + Inertia.capsule(0.05, 0.012, 0.3).moved(Pose.translation(0, 0, -0.15))
BOB = Inertia.sphere(0.2, 0.06).moved(Pose.translation(0, 0, -0.25))


def _bead(color: str) -> list[shapes.Shape]:
    return [shapes.Sphere(0.07, color=color), shapes.rod((0, 0, 0), (0, 0, -0.3), 0.012, STEEL)]


def _bob(k: int) -> list[shapes.Shape]:
    ball = shapes.Sphere(0.06, color=(AMBER, SEA)[k % 2], pose=Pose.translation(0, 0, -0.25))
    return [ball, shapes.rod((0, 0, 0), (0, 0, -0.25), 0.01, STEEL)]


def _hanging(wire: curves.Curve, s: float) -> float:
    """The spin at which the bead's rod points down as well as it can."""
    R = wire.frenet(s).R
    return math.atan2(float(-R[2, 1]), float(R[2, 2]))  # up in the (normal, binormal) plane, seen from z
