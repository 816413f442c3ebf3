"""Bars in a plane that close loops: a four-bar, a ladder of many, Peaucellier's straight line, a scissor lift."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from anyjoint.constraints import constraint
from anyjoint.errors import InputError
from anyjoint.joints import Prismatic, Revolute
from anyjoint.mechanism import Inertia, Mechanism, shapes
from anyjoint.scalar import Scalar, exp, sin
from anyjoint.spatial import Pose, Vector

from .drawing import Drawing
from .palette import AMBER, CORAL, INK, IVORY, PLUM, SKY, STEEL, TEAL


def four_bar(crank: float = 0.4, coupler: float = 1.1, rocker: float = 0.9, base: float = 1.2) -> Mechanism:
    """Crank, coupler and rocker; the shortest bar goes all the way round, the rocker to and fro: one coordinate."""
    idea = "Three bars and the ground make a loop; a hinge closes it, and rows that it leaves over are found by name."
    drawing = Drawing("four-bar", idea)
    A, D = np.zeros(3), np.array([base, 0.0, 0.0])
    B = A + crank * np.array([math.cos(1.9), 0.0, math.sin(1.9)])
    C = _above(B, D, coupler, rocker)
    drawing.pins(A, D, color=STEEL)
    drawing.mech.draw(shapes.Box(base + 0.3, 0.1, 0.06, color=IVORY, pose=Pose.translation(base / 2, 0, -0.06)))
    drawing.bar("crank", A, B, color=CORAL, radius=0.035, mass=2.0)
    _plate(drawing, B, C)
    drawing.bar("rocker", D, C, color=TEAL, radius=0.03, off=0.07)
    drawing.meet("coupler", "rocker", C)
    return drawing.rest()


def _above(a: Vector, b: Vector, to_a: float, to_b: float) -> Vector:
    """The point in the x-z plane at given distances from two others, above the line between them."""
    line = b - a
    d = float(np.linalg.norm(line))
    if d > to_a + to_b or d < abs(to_a - to_b):
        raise InputError(f"bars of {to_a} and {to_b} cannot meet over a distance of {d:.3g}; choose other lengths")
    x = (d * d + to_a * to_a - to_b * to_b) / (2 * d)
    up = np.array([-line[2], 0.0, line[0]]) / d
    return np.asarray(a + line / d * x + up * math.sqrt(max(to_a * to_a - x * x, 0.0)))


def _plate(drawing: Drawing, B: Vector, C: Vector) -> None:
    """The coupler, with a pointer whose tip draws a coupler curve."""
    along = C - B
    tip = along / 2 + 0.55 * np.array([-along[2], 0.0, along[0]])
    points = [tuple(map(float, p)) for p in (np.zeros(3), along, tip)]
    look: list[shapes.Shape] = [shapes.rod(points[i], points[j], 0.022, AMBER) for i, j in ((0, 1), (1, 2), (2, 0))]
    look.append(shapes.Sphere(0.05, color=PLUM, pose=Pose.translation(*points[2])))
    middle = Pose.translation(*map(float, (along + tip) / 3))
    drawing.body("coupler", B, parent="crank", inertia=Inertia.box(1.5, 0.5, 0.05, 0.4).moved(middle), shape=look)


# -- a ladder of four-bars -------------------------------------------------------------------------------------------


def chain_of_four_bars(n: int = 40, width: float = 0.16, drop: float = 0.12, swing: float = 0.35) -> Mechanism:
    """n parallelograms that hang from one another, in turns along x and y: 3 n bodies, n loops, n freedoms."""
    if n < 1:
        raise InputError(f"chain_of_four_bars(n={n}): a chain has at least one")
    idea = "Parallelograms hang from one another, and every rung stays level: a loop in each, in linear time."
    mech = Mechanism(f"{n} four-bars", description=idea)
    half, hang = width / 2, Pose.translation(0, 0, -drop)
    mech.draw(shapes.rod((-half - 0.05, 0, 0), (half + 0.05, 0, 0), 0.02, STEEL))
    parent, middle, q = None, Pose(), list[float]()
    for k in range(n):
        axis, side = ((0, 1, 0), (half, 0, 0)) if k % 2 == 0 else ((1, 0, 0), (0, half, 0))
        color, hinge = shapes.shade(k, n), Revolute(axis)
        rod = Inertia.cylinder(0.05, 0.008, drop).moved(Pose.translation(0, 0, -drop / 2))
        look = shapes.rod((0, 0, 0), (0, 0, -drop), 0.008, color)
        for name, sign in (("left", -1), ("right", 1)):
            mech.add_body(f"{name} {k}", parent, hinge, middle @ Pose.translation(*(sign * x for x in side)), rod, look)
        rung = f"rung {k}"
        middle = Pose.translation(*side)  # of the rung, seen from its left end
        cross = shapes.Group(_rung(half, color), pose=middle)
        mech.add_body(rung, f"left {k}", hinge, hang, _RUNG.moved(middle), cross)
        mech.add_loop(f"right {k}", rung, hinge, at=((0, 0, -drop), tuple(2 * x for x in side)))
        lean = swing * (1 if k % 4 < 2 else 0.6)
        q += [lean, lean, -lean]
        parent = rung
    mech.set_start(q)
    return mech


_RUNG = Inertia.box(0.2, 0.16, 0.16, 0.02)


def _rung(half: float, color: str) -> list[shapes.Shape]:
    """A cross, since the next parallelogram hangs across."""
    return [
        shapes.rod((-half, 0, 0), (half, 0, 0), 0.012, color), shapes.rod((0, -half, 0), (0, half, 0), 0.012, color)
    ]  # fmt: skip


# -- straight lines --------------------------------------------------------------------------------------------------


def peaucellier(arm: float = 1.0, side: float = 0.45, tilt: float = 0.75) -> Mechanism:
    """Peaucellier's cell: seven bars, and a point that moves on a straight line, exactly."""
    idea = "Seven bars turn a circle into a straight line, exactly: inversion, as Peaucellier found in 1864."
    drawing = Drawing("Peaucellier's linkage", idea)
    # The inner corner runs on a circle through O, so that the outer one, at arm^2 - side^2 over its distance, is on a
    # line.
    power, radius = arm * arm - side * side, 0.32
    O, P = np.zeros(3), np.array([radius, 0.0, 0.0])
    C = P + radius * np.array([math.cos(tilt), 0.0, math.sin(tilt)])
    D = C * power / float(C @ C)
    A, B = _above(O, C, arm, side), _above(C, O, side, arm)
    x = power / (2 * radius)
    drawing.mech.draw(shapes.rod((x, 0.08, -0.7), (x, 0.08, 0.7), 0.012, INK))
    drawing.pins(O, P, color=STEEL)
    bars = (
        ("long a", O, A, None, TEAL, 0.0), ("long b", O, B, None, TEAL, 0.0), ("crank", P, C, None, CORAL, -0.05),
        ("inner a", A, C, "long a", AMBER, 0.04), ("inner b", B, C, "long b", AMBER, 0.04),
        ("outer a", A, D, "long a", SKY, -0.04), ("outer b", B, D, "long b", SKY, -0.04),
    )  # fmt: skip
    for name, start, end, parent, color, off in bars:
        drawing.bar(name, start, end, parent, color=color, radius=0.022, off=off, mass=0.6)
    for other in ("inner a", "inner b"):
        drawing.meet("crank", other, C)
    drawing.meet("outer a", "outer b", D)
    return drawing.rest()


# -- a scissor lift --------------------------------------------------------------------------------------------------


def scissor_lift(stages: int = 4, length: float = 1.2, opening: float = 0.35) -> Mechanism:
    """Crossed bars under a platform; one foot is driven along the floor, and everything follows."""
    if stages < 1:
        raise InputError(f"scissor_lift(stages={stages}): a lift has at least one pair of bars")
    idea = "One foot is pushed along the floor, and loops of crossed bars lift the platform straight up."
    drawing = Drawing("scissor lift", idea)
    w, h = length * math.cos(opening), length * math.sin(opening)
    ground = shapes.Box(length + 0.5, 0.8, 0.06, color=IVORY, pose=Pose.translation(length / 2, 0, -0.08))
    drawing.mech.draw(ground)
    drawing.pins((0, 0, 0), color=STEEL, length=0.6)
    foot = shapes.Box(0.14, 0.6, 0.1, color=CORAL)
    drawing.body("foot", (w, 0, 0), Prismatic((1, 0, 0)), inertia=Inertia.box(1.0, 0.12, 0.3, 0.08), shape=foot)
    left, right = None, "foot"  # what the lower ends of a pair are hinged to
    for k in range(stages):
        ends = [np.array([x, 0.0, z]) for z in (k * h, (k + 1) * h) for x in (0.0, w)]
        rising, falling = f"rising {k}", f"falling {k}"
        color = shapes.shade(k, stages)
        drawing.bar(rising, ends[0], ends[3], left, color=color, radius=0.035, off=(-0.26, 0.26), mass=2.0)
        drawing.bar(falling, ends[1], ends[2], right, color=color, radius=0.035, off=(-0.18, 0.18), mass=2.0)
        drawing.meet(rising, falling, (w / 2, 0, (k + 0.5) * h))
        axle = shapes.rod((0, -0.3, 0), (0, 0.3, 0), 0.025, STEEL)
        body = drawing.mech[rising]
        drawing.mech.replace_body(replace(body, shapes=(*body.shapes, axle)))
        left, right = falling, rising  # bars cross
    top = stages * h
    deck = shapes.Box(length + 0.2, 0.8, 0.06, color=TEAL, pose=Pose.translation(length / 2, 0, 0.09))
    flat = Inertia.box(5.0, length, 0.5, 0.06).moved(Pose.translation(length / 2, 0, 0.09))
    drawing.body("platform", (0, 0, top), parent=left, inertia=flat, shape=deck)
    reach = float(length)

    @constraint
    def slot(bar: Pose, platform: Pose) -> Scalar:
        """The other end of the bars slides under the platform."""
        tip = bar.act((w, 0, h))
        return (platform.R.T @ (tip - platform.p))[2]

    drawing.mech.add_constraint(slot, bodies=(right, "platform"))
    drawing.mech.prescribe("foot", lambda t: 0.45 * reach * gently(t) * (_slow(t) - 1) / 2)
    return drawing.rest()


def gently(t: Scalar) -> Scalar:
    """From 0 to 1 within about two seconds, starting at rest."""
    return 1 - exp(-t * t)


def _slow(t: Scalar) -> Scalar:
    return sin(1.3 * t - math.pi / 2)
