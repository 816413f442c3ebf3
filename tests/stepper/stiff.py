"""Stiff mechanisms and forces, and their accelerations over a step."""


import numpy as np

import anyjoint as aj
from anyjoint import forces, joints
from anyjoint.forces.program import trace_forces
from anyjoint.model.program import Program
from anyjoint.quantity.implicit import implicit
from anyjoint.trace.workshop import Workshop

SOLID = aj.Inertia.box(1.0, 0.2, 0.3, 0.5)
H = 0.02


def tree():
    """A floating base with two arms, springs in some joints, and a pendulum beside it."""
    mech = aj.Mechanism("tree")
    base = mech.add_body("base", None, joints.FreeQuaternion(), inertia=SOLID)
    place = aj.Pose.translation(0.1, 0.2, 0.4)
    arm = mech.add_body("arm", base, joints.Revolute((0, 1, 0)), place, SOLID, stiffness=2e3, damping=3.0, rest=0.1)
    hand = mech.add_body("hand", arm, joints.Spherical(), place, SOLID, stiffness=40.0, damping=0.3)
    mech.add_body("finger", hand, joints.Prismatic((1, 0, 0)), place, SOLID, armature=0.3)
    mech.add_body("other", base, joints.Universal(), aj.Pose.translation(-0.3, 0, 0.1), SOLID)
    mech.add_body("beside", None, joints.Revolute((1, 0, 0)), aj.Pose.translation(1, 0, 0), SOLID)
    q = [0.5, 0.5, -0.5, 0.5, 0.1, 0.2, 0.3, 0.4, 0.3, -0.2, 0.1, 0.25, 0.3, 0.5, 0.7]
    mech.set_start(q, 0.3 * np.cos(np.arange(mech.nv)))
    return mech


def elastic():
    """Springs to the ground, to an ancestor, across branches, to another tree; all with tension."""
    return [
        forces.Spring("hand", (0.1, 0.2, 0.3), None, (1, 2, 3), 300.0),
        forces.Spring("hand", (0.1, 0, 0), "base", (0, 0.4, 0), 500.0, 0.0, 0.2),
        forces.Spring("finger", (0, 0.1, 0), "other", (0.2, 0, 0.1), 200.0, 0.0, 0.1),
        forces.Spring("other", (0, 0.1, 0), "beside", (0.2, 0, 0.1), 100.0),
        forces.Spring("arm", (0, 0, 0.1), "hand", (0.2, 0.3, 0), 700.0, 0.0, 0.3),
    ]


def other_forces():
    """Dampers, drags, servos, stops and inputs."""
    return [
        forces.Spring("finger", (0, 0.1, 0), "beside", (0.2, 0, 0.1), 10.0, 30.0, 0.1),
        forces.Drag("hand", 5.0, 0.3, point=(0.1, 0.2, 0.3)),
        forces.Drag("base", quadratic=2.0, lift=1.0, wind=(1, 2, 3)),
        forces.Servo("arm", lambda t: 0.4 + t, 80.0, 2.0),
        forces.Servo("finger", 0.7, 90.0, 1.0),
        forces.Wrench("other", (0.1, 0.2, 0.3), (np.cos, 0, 1.0), (0.1, 0.1, 0)),
        forces.Actuator("beside", 0.3, 2.0, (0.1, -4.0, -0.5), gear=3.0),
    ]


def by_length(mech, acting, form="auto", pull=0.0, t=0.3):
    """Accelerations under forces, at the start, by machine code: a function of the length of the step."""
    program = trace_forces(mech, acting)
    quantity = implicit(pull, program.pushes)
    code = Program(quantity, quantity.trace(Workshop(mech, form), "auto"), mech)
    signals = [np.array([f(t) for f in program.functions])] if program.functions else []
    return lambda h: code(*mech.start, np.zeros(mech.nv), np.array([h]), *signals)


def accelerations(mech, acting, form="auto", pull=0.0):
    return by_length(mech, acting, form, pull)(H)


def looped(compliance=0.0):
    """A four-bar with springs in its joints, closed by a pin, and a slider on a gear."""
    mech = aj.Mechanism("looped")
    rod = aj.Inertia.box(1.0, 0.05, 0.05, 1.0)
    crank = mech.add_body("crank", None, joints.Revolute((0, 1, 0)), inertia=rod, stiffness=30.0)
    bar = mech.add_body("bar", crank, joints.Revolute((0, 1, 0)), aj.Pose.translation(0, 0, 1), rod, damping=2.0)
    rocker = mech.add_body("rocker", None, joints.Revolute((0, 1, 0)), aj.Pose.translation(1, 0, 0), rod)
    mech.add_body("slider", None, joints.Prismatic((0, 0, 1)), aj.Pose.translation(2, 0, 0), rod, stiffness=100.0)
    mech.add_constraint(aj.constraint(lambda q: q[0] - 0.5 * q[1]), coordinates=("slider", "rocker"))
    mech.add_loop(bar, rocker, joints.Spherical(), at=((0, 0, 1), (0, 0, 1)), compliance=compliance)
    q, v = mech.compile().assemble([0.3, 1.0, 0.2, 0.1], [0.4, 0, 0, 0])
    mech.set_start(q, v)
    return mech


def stiff_pendulum(k, d=0.0):
    mech = aj.Mechanism("stiff")
    inertia = aj.Inertia(1.0, (0, 0, -0.5), np.diag([0.02, 0.02, 0.001]))
    mech.add_body("rod", None, joints.Revolute((0, 1, 0)), inertia=inertia, stiffness=k, damping=d)
    return mech
