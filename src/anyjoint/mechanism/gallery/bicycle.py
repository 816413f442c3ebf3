"""A bicycle that balances itself, by the benchmark of Meijaard, Papadopoulos, Ruina and Schwab (2007)."""

from __future__ import annotations

import math

import numpy as np

from anyjoint.geometry import curves, surfaces
from anyjoint.joints import Free, Revolute
from anyjoint.mechanism import Inertia, Mechanism, shapes
from anyjoint.spatial import Pose

from .drawing import Drawing
from .palette import AMBER, CORAL, INK, SAND, SKY, STEEL, TEAL

WHEELBASE, TRAIL, TILT = 1.02, 0.08, math.pi / 10
REAR, FRONT = 0.3, 0.35  # radii of wheels
AXLE = Revolute((0, 1, 0))
LYING = Pose.rotation_x(math.pi / 2)  # wheels turn about y


def bicycle(speed: float = 4.6, push: float = 0.4) -> Mechanism:
    """A frame with its rider, a fork and two wheels that roll: between 4.3 and 6 m/s it rights itself, hands off.

    It is pushed sideways at the start, by a lean rate of `push` rad/s. x is ahead, y to the left, z up.
    """
    idea = "Pushed sideways, the bicycle steers into the fall and rights itself, by nothing but rolling wheels."
    drawing = Drawing("bicycle", idea)
    rider = _tensor(85.0, (0.3, 0.9), (9.2, 11.0, 2.8), -2.4)
    bars = _tensor(4.0, (0.9 - WHEELBASE - TRAIL, 0.7), (0.05892, 0.06, 0.00708), 0.00756)
    steering = Revolute((math.sin(TILT), 0.0, -math.cos(TILT)))
    drawing.body("frame", (0, 0, 0), Free(), inertia=rider, shape=_frame())
    drawing.body(
        "rear wheel", (0, 0, REAR), AXLE, "frame", inertia=_wheel(2.0, 0.0603, 0.12), shape=_round(REAR, CORAL)
    )
    drawing.body("fork", (WHEELBASE + TRAIL, 0, 0), steering, "frame", inertia=bars, shape=_fork())
    front = _wheel(3.0, 0.1405, 0.28)
    drawing.body("front wheel", (WHEELBASE, 0, FRONT), AXLE, "fork", inertia=front, shape=_round(FRONT, TEAL))
    for name, radius in (("rear wheel", REAR), ("front wheel", FRONT)):
        drawing.mech.add_rolling(name, curves.Circle(radius), on=surfaces.Plane(), at=LYING)
    mech = drawing.mech
    v = [push, 0.0, 0.0, speed, 0.0, 0.0, speed / REAR, 0.0, speed / FRONT]
    mech.set_start(mech.neutral.tolist(), v)
    return mech


def _tensor(mass: float, at: tuple[float, float], diagonal: tuple[float, float, float], xz: float) -> Inertia:
    """A body that is the same on both sides; z is up, so the benchmark's products of inertia change their sign."""
    tensor = np.diag(diagonal)
    tensor[0, 2] = tensor[2, 0] = xz
    return Inertia(mass, (at[0], 0.0, at[1]), tensor)


def _wheel(mass: float, across: float, about: float) -> Inertia:
    return Inertia(mass, (0, 0, 0), np.diag([across, about, across]))


def _round(radius: float, color: str) -> list[shapes.Shape]:
    """A tyre, a hub and spokes."""
    ends = [
        (0.96 * radius * math.cos(a), 0.0, 0.96 * radius * math.sin(a)) for a in (math.pi * k / 6 for k in range(12))
    ]
    tyre = shapes.Torus(radius - 0.02, 0.02, color=INK, pose=LYING)
    return [tyre, *(shapes.rod((0, 0, 0), end, 0.004, color) for end in ends), shapes.Sphere(0.03, color=color)]


def _frame() -> list[shapes.Shape]:
    hub, pedals, seat, head, neck = (0, 0, REAR), (0.45, 0, 0.3), (0.28, 0, 0.85), (0.86, 0, 0.8), (0.93, 0, 0.58)
    tubes = [(hub, pedals), (hub, seat), (pedals, seat), (seat, head), (pedals, neck), (head, neck)]
    tail = [shapes.Ellipsoid(0.13, 0.07, 0.03, color=INK, pose=Pose.translation(0.25, 0, 0.88))]
    torso = shapes.rod((0.27, 0, 1.0), (0.48, 0, 1.38), 0.11, AMBER)
    face = shapes.Sphere(0.1, color=SAND, pose=Pose.translation(0.56, 0, 1.57))
    arms = [shapes.rod((0.46, y, 1.33), (0.42, 1.25 * y, 0.98), 0.035, AMBER) for y in (-0.14, 0.14)]  # hands off
    legs = [shapes.rod((0.3, y, 0.95), (0.6, y, 0.62), 0.06, SKY) for y in (-0.1, 0.1)]
    legs += [shapes.rod((0.6, y, 0.62), (0.45, y, 0.25), 0.05, SKY) for y in (-0.1, 0.1)]
    return [*(shapes.rod(a, b, 0.02, CORAL) for a, b in tubes), *tail, torso, face, *arms, *legs]


def _fork() -> list[shapes.Shape]:
    """In the frame at the foot of the steering axis."""
    foot = WHEELBASE + TRAIL

    def seen(x: float, y: float, z: float) -> tuple[float, float, float]:
        return x - foot, y, z

    crown = seen(0.955, 0, 0.48)
    blades = [shapes.rod((crown[0], y, crown[2]), seen(WHEELBASE, y, FRONT), 0.014, STEEL) for y in (-0.04, 0.04)]
    stem = shapes.rod(crown, seen(0.84, 0, 0.93), 0.018, STEEL)
    bars = [shapes.rod(seen(0.84, 0, 0.93), seen(0.78, y, 0.97), 0.015, INK) for y in (-0.28, 0.28)]
    return [*blades, stem, *bars]
