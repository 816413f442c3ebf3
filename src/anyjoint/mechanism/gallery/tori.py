"""Chains of tori that hang in one another, free [SG Fig. 1, GL Fig. 5b] or from a ring on a spline [SG Fig. 3]."""

from __future__ import annotations

import math

from anyjoint.errors import InputError
from anyjoint.geometry import curves, surfaces
from anyjoint.joints import OnCurve, OnSurface, SurfaceSurface
from anyjoint.mechanism import Inertia, Mechanism, shapes
from anyjoint.spatial import Pose

from .palette import CORAL, STEEL

MAJOR, MINOR = 0.2, 0.05
RING = surfaces.Torus(MAJOR, MINOR)
SOLID = Inertia.torus(0.5, MAJOR, MINOR)
# Crossed rings hang in one another, and such a joint is regular everywhere for R > 2 r.
LINKED = SurfaceSurface(RING, RING, twist=math.pi / 2)


def torus_chain(n: int = 20, bend: float = 0.03, damping: float = 0.0) -> Mechanism:
    """n tori, each hanging in the one above; the first slides over a fixed point. 4 n - 2 coordinates.

    At the start every link is tilted by `bend` against the one above, so the chain hangs out sideways. The contact is
    bilateral: it neither breaks nor knows inside from outside, so a wild chain can leave itself through its own tubes.
    A small `bend`, or `damping` of the sliding in N m s (0.05 calms a bend of 0.09), keeps it linked.
    """
    if n < 1:
        raise InputError(f"torus_chain(n={n}): a chain has at least one torus")
    idea = "Tori hang in one another; each slides on the next in four ways, and no constraint holds them."
    mech = Mechanism(f"{n} tori", description=idea)
    mech.draw(shapes.Sphere(0.4 * MINOR, color=CORAL))
    # The normal of the surface at the held point is the z axis of the joint frame: downwards, to the torus's middle.
    held, down = OnSurface(RING, slide=True), Pose.rotation_x(math.pi)
    mech.add_body("torus0", None, held, down, SOLID, _ring(0, n), damping=damping)
    q = [0.0, math.pi + 0.15]
    for k in range(1, n):
        _hang(mech, k, n, damping)
        q += linked_coordinates(k, bend)
    mech.set_start(q)
    return mech


def torus_chain_on_spline(n: int = 8, bend: float = 0.03, damping: float = 0.0, start: float = 0.2) -> Mechanism:
    """A chain of tori whose first slides along a Bezier curve of 7 control points, its axis along the tangent.

    `start` is its place on the curve, from 0 to 1; from higher up than 0.2 the chain needs some `damping` of its
    links, in N m s, to stay linked: see `torus_chain`.
    """
    if n < 1:
        raise InputError(f"torus_chain_on_spline(n={n}): a chain has at least one torus")
    points = [(-3, 0, 1.2), (-2, 0.8, -0.6), (-1, -1, -0.4), (0, 0.3, -1.1), (1, 1, -0.4), (2, -0.8, -0.6), (3, 0, 1.2)]
    spline = curves.Bezier(points)
    idea = "A chain of tori slides along a spline: a joint on a curve, then joints between surfaces."
    mech = Mechanism(f"{n} tori on a spline", description=idea)
    mech.draw(shapes.curve(spline, radius=0.02, color=STEEL))
    # The curve's frame has its tangent along x; a torus turns about z.
    tangent = Pose.rotation_y(math.pi / 2)
    ride = OnCurve(spline, frame="fixed-up", spin=True)
    first = shapes.Torus(MAJOR, MINOR, color=shapes.shade(0, n), pose=tangent)
    mech.add_body("torus0", None, ride, None, SOLID.moved(tangent), first)
    q = [start, 0.0]
    for k in range(1, n):
        _hang(mech, k, n, damping, tangent if k == 1 else None)
        q += linked_coordinates(k, bend)
    q[2:3] = [0.0] * (n > 1)  # down is towards u = 0 for the first ring, whose axis lies along the wire
    mech.set_start(q)
    return mech


def linked_coordinates(k: int, bend: float) -> list[float]:
    """(u1, v1, u2, v2) of link k: the inner equators touch, tilted by `bend` in the same plane all along the chain.

    Planes of rings alternate, so the tilt goes over the upper tube for even links and over the lower for odd ones;
    every second pair of links faces the other way.
    """
    tilt = bend * (1, -1, -1, 1)[k % 4]
    upper, lower = (tilt, 0.0) if k % 2 == 0 else (0.0, tilt)
    return [math.pi, math.pi + upper, 0.0, math.pi + lower]


def _hang(mech: Mechanism, k: int, n: int, damping: float, placement: Pose | None = None) -> None:
    """Hang torus k in the last one."""
    mech.add_body(f"torus{k}", mech.bodies[-1], LINKED, placement, SOLID, _ring(k, n), damping=damping)


def _ring(k: int, n: int) -> shapes.Torus:
    return shapes.Torus(MAJOR, MINOR, color=shapes.shade(k, n))
