"""Mechanisms to sweep over, and a sweep that most tests vary."""

import copy

import numpy as np

import anyjoint as aj
from anyjoint import joints

SPACE = {"rod/mass": aj.uniform(1, 2), "q0": aj.uniform(-1, 1)}


def pendulum(**options):
    """One hinge."""
    mech = aj.Mechanism("pendulum", gravity=(0, 0, -9.81))
    solid = aj.Inertia(mass=1.0, com=(0, 0, -0.5), tensor=np.diag([0.02, 0.02, 0.001]).tolist())
    mech.add_body("rod", joint=joints.Revolute(axis=(0, 1, 0)), inertia=solid)
    return mech.compile(**options)


def double_pendulum():
    """Two hinges, and chaos."""
    mech = aj.Mechanism("double pendulum")
    solid = aj.Inertia.point(1.0, (0, 0, -1)) + aj.Inertia.sphere(0.1, 0.1)
    hinge = joints.Revolute(axis=(0, 1, 0))
    upper = mech.add_body("upper", joint=hinge, inertia=solid)
    mech.add_body("lower", upper, hinge, aj.Pose.translation(0, 0, -1), solid)
    return mech.compile()


def four_bar(height=0.0):
    """A loop of three moving bars, and coordinates at which it is closed."""
    mech = aj.Mechanism("four bar")
    hinge, ball = joints.Revolute(axis=(0, 1, 0)), aj.Inertia.sphere(1.0, 0.1)
    crank = mech.add_body("crank", joint=hinge, inertia=ball)
    coupler = mech.add_body("coupler", crank, hinge, aj.Pose.translation(0.5, 0, 0), ball)
    rocker = mech.add_body("rocker", coupler, hinge, aj.Pose.translation(1.2, 0, 0), ball)
    mech.add_loop(rocker, mech.ground, hinge, at=((0, 0, -1.0), (1.5, 0, height)))
    model = mech.compile()
    return model, model.assemble([1.0, -0.5, 0.5])[0]


def wild(speeds):
    """Starts of a double pendulum; a speed of 1e200 is too much for the squares of velocities."""
    return {"v0/upper/angle": np.asarray(speeds, dtype=float)}


def last_angle(traj):
    """A measure at the top of a module, which plain pickle takes along."""
    return traj.q[-1, 0]


def swept(model=None, **options):
    """A small sweep; options replace its own."""
    given = {"n": 40, "duration": 0.05, "dt": 1e-3, "measure": last_angle, "seed": 7, **options}
    return aj.sweep(model or pendulum(), given.pop("space", SPACE), given.pop("n"), **given)


def alone(model, sample, **options):
    """A run by `simulate`, with the parameters of a sample set."""
    own = copy.copy(model)
    own.parameters.set({name: value for name, value in sample.items() if name not in ("q0", "v0", "tau")})
    states = {name: sample.get(name) for name in ("q0", "v0", "tau")}
    return own.simulate(**{**states, "duration": 0.05, "dt": 1e-3, **options})
