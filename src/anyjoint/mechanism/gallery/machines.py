"""Machines with many loops: a radial engine of slider cranks, Andrews' squeezer, a Stewart platform, a delta robot."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.joints import Prismatic, Revolute, Spherical, Universal
from anyjoint.mechanism import Inertia, Mechanism, shapes
from anyjoint.scalar import Scalar, cos, sin
from anyjoint.spatial import Pose, Vector, frame_about

from .drawing import Drawing, xyz
from .linkages import gently
from .palette import AMBER, CORAL, INK, IVORY, PLUM, ROSE, SEA, SKY, STEEL, TEAL

# -- slider cranks ---------------------------------------------------------------------------------------------------


def slider_crank(cylinders: int = 5, crank: float = 0.25, rod: float = 0.8, speed: float = 6.0) -> Mechanism:
    """A radial engine: one crank, and a rod and a piston for every cylinder around it. One degree of freedom."""
    if cylinders < 1:
        raise InputError(f"slider_crank(cylinders={cylinders}): an engine has at least one")
    idea = "Pistons around one crank: each rod closes a loop, and one flywheel turns them all."
    drawing = Drawing("slider crank", idea)
    wheel = shapes.Cylinder(0.45, 0.05, color=STEEL, pose=Pose.translation(0, 0.16, 0) @ Pose.rotation_x(math.pi / 2))
    arm = shapes.rod((0, 0, 0), (crank, 0, 0), 0.05, INK), shapes.Sphere(0.07, color=INK)
    disc = Inertia.cylinder(6.0, 0.45, 0.05).moved(Pose.rotation_x(math.pi / 2))
    drawing.body("crank", (0, 0, 0), Revolute((0, -1, 0)), inertia=disc, shape=[wheel, *arm])
    v = [speed]
    for k in range(cylinders):
        v += _cylinder(drawing, k, 2 * math.pi * k / cylinders, crank, rod, speed, shapes.shade(k, cylinders))
    mech = drawing.rest()
    mech.set_start(mech.neutral.tolist(), v)
    return mech


def _cylinder(drawing: Drawing, k: int, at: float, crank: float, rod: float, speed: float, color: str) -> list[float]:
    """A rod on the crank's pin and a piston that slides away from the middle; returns their velocities."""
    out = np.array([math.cos(at), 0.0, math.sin(at)])
    pin = np.array([crank, 0.0, 0.0])
    across = crank * math.sin(-at)  # of the pin, beside the cylinder's axis
    foot = out * (crank * math.cos(at) + math.sqrt(rod * rod - across * across))
    turn = Pose.from_rotation(frame_about(xyz(out)))
    low, high = rod - crank - 0.1, rod + crank + 0.2
    drawing.mech.draw(shapes.Cylinder(0.15, 0.02, color=IVORY, pose=Pose.translation(*xyz(out * high)) @ turn))
    for wall in (np.array([-out[2], 0.0, out[0]]) * w for w in (-0.14, 0.14)):
        drawing.mech.draw(shapes.rod(xyz(low * out + wall), xyz(high * out + wall), 0.012, STEEL))
    drawing.bar(f"rod {k}", pin, foot, "crank", color=color, radius=0.028, mass=0.3)
    piston = shapes.rod(xyz(-0.02 * out), xyz(0.14 * out), 0.11, color)
    solid = Inertia.cylinder(0.8, 0.11, 0.16).moved(turn)
    drawing.body(f"piston {k}", foot, Prismatic(xyz(out)), inertia=solid, shape=piston)
    drawing.meet(f"rod {k}", f"piston {k}", foot)
    # The pin moves along z; the rod's foot only along `out`. A hinge about y turns x to -z.
    side = np.array([-out[2], 0.0, out[0]])
    line, pin_speed = foot - pin, np.array([0.0, 0.0, crank * speed])
    spin = float(pin_speed @ side) / float(line @ out)  # of the rod about -y, backwards
    foot_speed = float(pin_speed @ out) + spin * float(line @ side)
    return [spin + speed, foot_speed]


# -- Andrews' squeezer -----------------------------------------------------------------------------------------------

# Places of the assembled squeezer in millimetres, rounded parts of the case of Schiehlen's handbook (1990).
PARTS = {
    "rr": 7.0, "d": 28.0, "ss": 35.0, "e": 20.0, "zt": 40.0, "zf": 20.0, "u": 40.0, "sc": 18.0, "sd": 20.0,
    "A": (-69.34, -2.27), "B": (-36.35, 32.73),
}  # fmt: skip
ANGLES = {
    "beta": -0.06171389001427645, "theta": 0.0, "gamma": 0.4552798191630704, "phi": 0.22266839016588588,
    "delta": 0.48736497954384255, "omega": -0.22266839016588588, "epsilon": 1.2305474445498212,
}  # fmt: skip


def squeezer(speed: float = 40.0) -> Mechanism:
    """Andrews' squeezing mechanism at ten times its size: seven bodies, three loops, one degree of freedom."""
    idea = "Andrews' squeezer: a spinning crank drives seven bodies in three loops, the classic test of solvers."
    mech = Mechanism("squeezer", gravity=(0, 0, 0), description=idea)
    upright = Pose.rotation_x(math.pi / 2)  # its plane stands up, y upwards
    at = {name: (0.01 * x[0], 0.01 * x[1]) for name, x in PARTS.items() if isinstance(x, tuple)}
    p = {name: 0.01 * x for name, x in PARTS.items() if isinstance(x, float)}
    hinge = Revolute((0, 0, 1))

    def body(name: str, parent: str | None, place: tuple[float, float], tips: list[tuple[float, float]], look: str,
             mass: float, layer: float) -> None:  # fmt: skip
        pose = Pose.translation(*place, 0)
        ends = [(x, y, 0.0) for x, y in tips]
        far = max(math.hypot(x, y) for x, y in tips)
        com = Pose.translation(*(sum(end[i] for end in ends) / (len(ends) + 1) for i in range(3)))
        solid = Inertia.box(mass, 0.6 * far, 0.6 * far, 0.02).moved(com)
        start = (0.0, 0.0, layer)
        rods = [shapes.rod(start, (x, y, layer), 0.012, look) for x, y, _ in ends]
        if len(ends) == 2:
            rods.append(shapes.rod((*tips[0], layer), (*tips[1], layer), 0.012, look))
        mech.add_body(name, parent, hinge, upright @ pose if parent is None else pose, solid, rods)

    body("beta", None, (0.0, 0.0), [(p["rr"], 0.0)], CORAL, 0.5, 0.0)
    body("theta", "beta", (p["rr"], 0.0), [(-p["d"], 0.0)], AMBER, 0.1, 0.03)
    body("gamma", None, at["B"], [(0.0, -p["ss"]), (p["sd"], -p["sc"])], TEAL, 0.3, 0.0)
    body("delta", None, at["A"], [(p["zt"], 0.0)], SKY, 0.3, -0.03)
    body("phi", "delta", (p["zt"], 0.0), [(0.0, -p["e"])], SEA, 0.1, 0.0)
    body("epsilon", None, at["A"], [(0.0, -p["u"])], PLUM, 0.3, -0.03)
    body("omega", "epsilon", (0.0, -p["u"]), [(p["zf"], 0.0)], ROSE, 0.1, 0.0)
    for name, point in (("gamma", (0, -p["ss"], 0)), ("phi", (0, -p["e"], 0)), ("omega", (p["zf"], 0, 0))):
        mech.add_loop("theta", name, hinge, at=((-p["d"], 0, 0), point))
    pivots = [(0.0, 0.0), at["A"], at["B"]]
    mech.draw(*(shapes.rod((x, -0.06, y), (x, 0.06, y), 0.02, INK) for x, y in pivots))
    q = [ANGLES[body.name] for body in mech.bodies]
    # The tip of theta stands still: rr beta' = d (beta' + theta').
    v = [speed, (p["rr"] / p["d"] - 1) * speed, 0.0, 0.0, 0.0, 0.0, 0.0]
    mech.set_start(q, v)
    return mech


# -- platforms -------------------------------------------------------------------------------------------------------


def stewart_platform(base: float = 0.9, top: float = 0.55, height: float = 1.0) -> Mechanism:
    """Six legs that lengthen and shorten carry a platform: 13 bodies, 5 loops, all six motions at once."""
    idea = "Six legs change their lengths, and the platform heaves, sways and tilts: flight simulators stand on this."
    drawing = Drawing("Stewart platform", idea)
    feet = [_on_circle(base, math.radians(60 * (k // 2 * 2) + (25, 95)[k % 2]), 0.0) for k in range(6)]
    tops = [_on_circle(top, math.radians(60 * (k // 2 * 2) + (55, 65)[k % 2]), height) for k in range(6)]
    drawing.mech.draw(shapes.Cylinder(base + 0.12, 0.05, color=IVORY, pose=Pose.translation(0, 0, -0.04)))
    for k, (foot, end) in enumerate(zip(feet, tops, strict=True)):
        _leg(drawing, k, foot, end, shapes.shade(k, 6))
    centre = xyz(np.array([0, 0, height]) - tops[0])
    deck = shapes.Cylinder(top + 0.08, 0.05, color=TEAL, pose=Pose.translation(*centre) @ Pose.translation(0, 0, 0.03))
    nose = shapes.Box(0.3, 0.06, 0.05, color=CORAL, pose=Pose.translation(centre[0] + 0.3, centre[1], centre[2] + 0.08))
    disc = Inertia.cylinder(4.0, top, 0.05).moved(Pose.translation(*centre))
    drawing.body("platform", tops[0], Spherical(), "piston 0", inertia=disc, shape=[deck, nose])
    for k in range(1, 6):
        drawing.meet(f"piston {k}", "platform", tops[k], Spherical())
    for k in range(6):
        drawing.mech.prescribe(f"piston {k}", _stroke(k))
    return drawing.rest()


def _stroke(k: int) -> Callable[[Scalar], Scalar]:
    """How a leg lengthens; the phases make the platform heave and wobble."""
    phase = math.pi * k / 3
    return lambda t: gently(t) * (0.07 * sin(1.5 * t) + 0.08 * sin(2 * t + phase))


def _on_circle(radius: float, angle: float, z: float) -> Vector:
    return np.array([radius * math.cos(angle), radius * math.sin(angle), z])


def _leg(drawing: Drawing, k: int, foot: Vector, end: Vector, color: str) -> None:
    """A cylinder on a universal joint, and a piston that slides in it to a ball under the platform."""
    line = end - foot
    length = float(np.linalg.norm(line))
    out = line / length

    def point(x: float) -> tuple[float, ...]:
        return xyz(out * x)

    lower, upper = (
        shapes.rod((0, 0, 0), point(0.6 * length), 0.04, STEEL),
        shapes.rod(point(-0.55), (0, 0, 0), 0.024, color),
    )
    ball = shapes.Sphere(0.045, color=color)
    tube = Inertia.cylinder(0.6, 0.04, 0.6 * length).moved(shapes.between((0, 0, 0), point(0.6 * length)))
    rod = Inertia.cylinder(0.4, 0.024, 0.55).moved(shapes.between(point(-0.55), (0, 0, 0)))
    drawing.body(f"cylinder {k}", foot, Universal(), inertia=tube, shape=lower)
    drawing.body(f"piston {k}", end, Prismatic(xyz(out)), f"cylinder {k}", inertia=rod, shape=[upper, ball])


def delta_robot(base: float = 0.35, arm: float = 0.5, rods: float = 0.95, hand: float = 0.12) -> Mechanism:
    """Three arms and three pairs of rods; the hand moves, and never turns. Ten bodies, five loops."""
    idea = "Three motors, six thin rods: the hand of a delta robot moves fast in all directions and never turns."
    drawing = Drawing("delta robot", idea)
    drawing.mech.draw(shapes.Cylinder(base + 0.1, 0.06, color=IVORY, pose=Pose.translation(0, 0, 0.06)))
    drop = -math.sqrt(rods * rods - (base + arm * math.cos(0.3) - hand) ** 2) - arm * math.sin(0.3)
    ends: list[tuple[str, Vector]] = []
    for k in range(3):
        ends += _delta_arm(drawing, k, base, arm, hand, drop)
    first, at = ends[0]
    centre = xyz(np.array([0, 0, drop]) - at)
    look = [shapes.Cylinder(hand + 0.05, 0.03, color=CORAL, pose=Pose.translation(*centre)),
            shapes.rod(centre, (centre[0], centre[1], centre[2] - 0.16), 0.015, INK)]  # fmt: skip
    solid = Inertia.cylinder(0.5, hand, 0.03).moved(Pose.translation(*centre))
    drawing.body("hand", at, Spherical(), first, inertia=solid, shape=look)
    for name, end in ends[1:]:
        drawing.meet(name, "hand", end, Spherical())
    for k in range(3):
        drawing.mech.prescribe(f"arm {k}", _swing(k))
    return drawing.rest()


def _swing(k: int) -> Callable[[Scalar], Scalar]:
    """How a motor turns: the hand goes round in a circle, up and down."""
    phase = 2 * math.pi * k / 3
    return lambda t: gently(t) * (0.35 * cos(2.5 * t + phase) + 0.12 * sin(4 * t))


def _delta_arm(drawing: Drawing, k: int, base: float, arm: float, hand: float, drop: float) -> list[tuple[str, Any]]:
    """An arm on a motor and two parallel rods; returns the rods and where they end."""
    angle = 2 * math.pi * k / 3
    out, side = _on_circle(1.0, angle, 0.0), _on_circle(1.0, angle + math.pi / 2, 0.0)
    shoulder = out * base
    elbow = shoulder + arm * (math.cos(0.3) * out + math.sin(0.3) * np.array([0.0, 0.0, -1.0]))
    color, axis = shapes.shade(k, 3), xyz(side)
    tip = xyz(elbow - shoulder)
    ends = [xyz(elbow - shoulder + s * 0.09 * side) for s in (-1, 1)]
    cross = shapes.rod(ends[0], ends[1], 0.018, color)
    look = [shapes.rod((0, 0, 0), tip, 0.03, color), cross]
    solid = Inertia.cylinder(0.8, 0.03, arm).moved(shapes.between((0, 0, 0), tip))
    drawing.body(f"arm {k}", shoulder, Revolute(axis), inertia=solid, shape=look)
    made = []
    for letter, s in (("a", -1), ("b", 1)):
        start, end = elbow + 0.09 * s * side, hand * out + 0.09 * s * side + np.array([0, 0, drop])
        name = f"rod {k}{letter}"
        drawing.bar(name, start, end, f"arm {k}", color=STEEL, radius=0.012, mass=0.1, joint=Universal())
        made.append((name, end))
    return made
