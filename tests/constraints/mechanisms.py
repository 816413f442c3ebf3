"""Mechanisms with every kind of constraint, each with a state on it."""

from __future__ import annotations

import numpy as np

import anyjoint as aj
from anyjoint import joints

ROD = aj.Inertia(mass=1.0, com=(0.5, 0, 0), tensor=np.diag([1e-3, 1 / 12, 1 / 12]).tolist())


def four_bar(hinge=True):
    """Crank, coupler and rocker that a hinge closes: three rows too many; or a point, with one too many."""
    mech = aj.Mechanism("four-bar", gravity=(0, -9.81, 0))
    mech.add_body("crank", joint=joints.Revolute((0, 0, 1)), inertia=ROD, damping=0.1, armature=0.02)
    mech.add_body("coupler", "crank", joints.Revolute((0, 0, 1)), aj.Pose.translation(1, 0, 0), ROD)
    mech.add_body("rocker", joint=joints.Revolute((0, 0, 1)), placement=aj.Pose.translation(1.5, 0, 0), inertia=ROD)
    closing = joints.Revolute((0, 0, 1)) if hinge else joints.Spherical()
    mech.add_loop("coupler", "rocker", joint=closing, at=((1, 0, 0), (1, 0, 0)), name="pin")
    return mech, *mech.compile().assemble([1.2, -1.0, 1.9], [0.7, 0.0, 0.0], hold=("crank",))


@aj.constraint
def rod(a, b):
    """A massless rod."""
    d = a.act((1, 0, 0)) - b.act((1, 0, 0.1))
    return d @ d - 0.5


def rods():
    """A function of two poses, and one of a coordinate and the time."""
    mech = aj.Mechanism("rods", gravity=(0, 0, -9.81))
    mech.add_body("a", joint=joints.Spherical(), inertia=aj.Inertia.box(1.0, 0.3, 0.2, 0.1))
    mech.add_body("b", "a", joints.Universal(), aj.Pose.translation(0.5, 0, 0), aj.Inertia.box(2.0, 0.1, 0.2, 0.4))
    mech.add_body("c", joint=joints.Revolute((0, 1, 0)), placement=aj.Pose.translation(0, 1, 0), inertia=ROD)
    mech.add_constraint(rod, bodies=("b", "c"))
    mech.prescribe("c", lambda t: 0.3 + 0.2 * aj.sin(t))
    return mech, *mech.compile().assemble(np.full(mech.nq, 0.3), np.full(mech.nv, 0.5))


@aj.velocity_constraint
def knife(pose, twist):
    """An edge that does not slip sideways."""
    return twist.linear[1]


def sleigh():
    """A velocity row, and a trailer on a weak link."""
    mech = aj.Mechanism("sleigh", gravity=(0, 0, -9.81))
    mech.add_body("sleigh", joint=joints.Planar(), inertia=ROD)
    mech.add_body("trailer", "sleigh", joints.Revolute((0, 0, 1)), aj.Pose.translation(-1, 0, 0), ROD)
    mech.add_constraint(knife, bodies=("sleigh",))
    mech.add_constraint(knife, bodies=("trailer",), compliance=0.3)
    return mech, *mech.compile().assemble([0.1, 0.2, 0.3, 0.4][: mech.nq], [0.4, 0.3, 0.2, 0.1][: mech.nv])


def geared():
    """A four-bar whose crank drives a gear that another loop hangs on."""
    mech, *_ = four_bar(hinge=False)
    gear = joints.Coupled(joints.Revolute((0, 0, 1)), -2.0, "crank", offset=0.3)
    mech.add_body("gear", joint=gear, placement=aj.Pose.translation(0, 2, 0), inertia=ROD)
    mech.add_body("string", joint=joints.Translational(), inertia=aj.Inertia.sphere(0.5, 0.1))
    mech.add_loop("gear", "string", joint=joints.Spherical(), at=((1, 0, 0), (0, 0, 0)), compliance=0.05)
    return mech, *mech.compile().assemble([1.2, -1.0, 1.9, 0, 0, 0], [0.7, 0.0, 0.0, 0, 0, 0], hold=("crank",))


OWN = {"hinge": four_bar, "rods": rods, "sleigh": sleigh}  # all joints have coordinates of their own
ALL = OWN | {"gear": geared}
