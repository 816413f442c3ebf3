"""A windmill hung with spheres, ellipsoids and tori that slide on one another [SG Fig. 2]."""

from __future__ import annotations

import math

from anyjoint.frozen import frozen
from anyjoint.geometry import surfaces
from anyjoint.geometry.surfaces import Surface
from anyjoint.joints import Revolute, SurfaceSurface
from anyjoint.mechanism import Body, Inertia, Mechanism, shapes
from anyjoint.spatial import Pose

from .palette import AMBER, CORAL, INK, IVORY, PLUM, SKY, STEEL, TEAL

Place = tuple[float, float]
SIDE = math.pi / 2  # v on the equator of a sphere or ellipsoid


@frozen
class Pendant:
    """A solid with two places to touch: `top` where it hangs, `bottom` where the next one hangs from it."""

    surface: Surface
    solid: shapes.Shape
    mass: float
    top: Place
    bottom: Place
    twist: float = 0.0  # a quarter turn for rings that hang in one another, and back again below


def _ball(radius: float, color: str, twist: float = 0.0) -> Pendant:
    look = shapes.Sphere(radius, color=color)
    return Pendant(surfaces.Sphere(radius), look, 0.4, (0.0, SIDE), (math.pi, SIDE), twist)


def _egg(a: float, b: float, color: str) -> Pendant:
    solid = shapes.Ellipsoid(a, b, b, color=color)
    return Pendant(surfaces.Ellipsoid(a, b, b), solid, 0.6, (0.0, SIDE), (math.pi, SIDE))


def _ring(color: str, top: Place, bottom: Place, twist: float = 0.0) -> Pendant:
    return Pendant(surfaces.Torus(0.22, 0.06), shapes.Torus(0.22, 0.06, color=color), 0.5, top, bottom, twist)


OUTSIDE, INSIDE = 0.0, math.pi
# Sphere-sphere, sphere-ellipsoid, ellipsoid-torus, torus-torus, torus-sphere, sphere-sphere: 24 coordinates an arm.
PENDANTS = (
    _ball(0.16, CORAL),
    _egg(0.28, 0.14, TEAL),
    _ring(AMBER, (0.0, OUTSIDE), (math.pi, INSIDE)),
    _ring(SKY, (0.0, INSIDE), (math.pi, OUTSIDE), twist=math.pi / 2),
    _ball(0.14, PLUM, twist=math.pi / 2),
    _ball(0.10, CORAL),
)


def windmill(arms: int = 3, reach: float = 2.2, spin: float = 0.9) -> Mechanism:
    """A hub on a tower turns `arms` arms; six solids hang in a row from each. 1 + 24 arms coordinates, 73 for three."""
    idea = "Spheres, eggs and rings hang from a windmill and slide on one another, whatever their shapes."
    mech = Mechanism("windmill", description=idea)
    tower = shapes.rod((-0.6, 0, 0), (-0.6, 0, -4.6), 0.16, IVORY), shapes.rod((-0.6, 0, 0), (-0.1, 0, 0), 0.1, STEEL)
    mech.draw(shapes.Group(tower, pose=FACING))
    tips = [(0.0, -reach * math.sin(a), reach * math.cos(a)) for a in (2 * math.pi * k / arms for k in range(arms))]
    knobs = [shapes.Sphere(0.2, color=INK, pose=Pose.translation(*tip)) for tip in tips]
    rotor = [shapes.Sphere(0.26, color=CORAL), *knobs, *(shapes.rod((0, 0, 0), tip, 0.06, STEEL) for tip in tips)]
    disc = Inertia.cylinder(30.0, reach, 0.2).moved(Pose.rotation_y(math.pi / 2))
    hub = mech.add_body("hub", None, Revolute((1, 0, 0)), FACING, disc, rotor)
    q = [0.35]
    for k, tip in enumerate(tips):
        q += _string(mech, hub, k, tip, q[0])
    # The strings swing in the plane of the arms: the poles of all charts are on axes across it, and stay out of reach.
    mech.set_start(q, [spin] + [0.0] * (len(q) - 1))
    return mech


FACING = Pose.rotation_z(-1.1)  # the hub's axis looks towards the viewer


def _string(mech: Mechanism, hub: Body, arm: int, tip: tuple[float, float, float], hub_angle: float) -> list[float]:
    """Hang the pendants from a knob of the hub; returns their coordinates when all hang straight down."""
    above: Surface = surfaces.Sphere(0.2, axis="x")
    # Poles on the hub's axis: the place (u, pi/2) of the knob looks towards (0, cos u, sin u) of the hub.
    place, parent, placement, q = (-math.pi / 2 - hub_angle, SIDE), hub, Pose.translation(*tip), list[float]()
    for k, pendant in enumerate(PENDANTS):
        joint = SurfaceSurface(above, pendant.surface, pendant.twist)
        inertia = pendant.solid.inertia(pendant.mass)
        parent = mech.add_body(f"arm{arm}-{k}", parent, joint, placement, inertia, pendant.solid)
        q += [*place, *pendant.top]
        above, place, placement = pendant.surface, pendant.bottom, Pose()
    return q
