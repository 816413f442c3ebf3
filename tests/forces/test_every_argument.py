"""Every argument of every force: what cannot be meant is refused with a sentence, nothing else is raised."""

import contextlib
import dataclasses
import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints

POINT = (0, 0, 0.1)
PATH = [("arm", (0, 0, 0.2)), ("hand", (0.1, 0, 0.1))]
FORCES = [
    forces.Actuator("arm", control=0.3, gain=2.0, control_range=(-1, 1), effort_range=(-5, 5)),
    forces.Attraction(["arm", "hand"], constant=1e-3),
    forces.BoxDrag("arm", size=(0.1, 0.1, 0.1), density=1.0, viscosity=0.1, wind=(1, 0, 0)),
    forces.Bushing("arm", "hand", stiffness=[1] * 6, damping=[0.1] * 6),
    forces.Cable(PATH, stiffness=10.0, length=0.3, damping=0.1, dissipation=0.2),
    forces.Drag("arm", linear=0.1, angular=0.1, quadratic=0.1, lift=0.1),
    forces.DryFriction(PATH, force=1.0),
    forces.HuntCrossley("arm", POINT, 0.1, "hand", POINT, other_radius=0.2, stiffness=1e3, static=0.5, dynamic=0.3),
    forces.HuntCrossley("arm", POINT, 0.1, normal=(0, 0, 1), viscous=0.1, dissipation=0.2),
    forces.Ligament(PATH, curve=lambda x: x - 1, length=0.2, force=10.0),
    forces.Limits(stiffness=10.0, damping=0.1, onset=0.01),
    forces.Magnets("arm", POINT, (0, 0, 1), "hand", POINT, (0, 0, 1)),
    forces.Motor("arm", command=0.5, stall_torque=1.0, no_load_speed=10.0, gear=2.0),
    forces.Muscle(PATH, forces.Hill(100, 0.3), activation=0.5),
    forces.Servo("arm", target=0.3, stiffness=5.0, damping=0.1, limit=10.0),
    forces.SoftStop("arm", limits=(-0.1, 0.1), stiffness=5.0, damping=0.1),
    forces.Spring("arm", POINT, "hand", POINT, stiffness=5.0, damping=0.1, length=0.2),
    forces.Tendon(PATH, stiffness=5.0, damping=0.1, length=0.2),
    forces.Tether(PATH, range=(0.1, 0.4), stiffness=100.0, damping=1.0),
    forces.Thruster("arm", control=0.5, force=(1, 0, 0), control_range=(0, 1), effort_range=(-5, 5)),
    forces.Wrench("arm", torque=(0, 0, 1), force=(1, 0, 0)),
]
OBSTACLES = [
    forces.Drum("arm", radius=0.1),
    forces.WrapSphere("arm", center=(0, 0, 0), radius=0.05),
    forces.WrapCylinder("arm", center=(0, 0, 0), axis=(0, 1, 0), radius=0.05, length=1.0),
    forces.WrapEllipsoid("arm", center=(0, 0, 0), radii=(0.05, 0.04, 0.03)),
]
WAYS = [
    forces.Displacement("arm", "hand", force=(1, 0, 0), own_torque=(0, 0, 1)),
    forces.SliderCrank("arm", POINT, (0, 0, 1), "hand", POINT, rod=0.3),
]
LAWS = [forces.FLV(max_force=100.0, unit=0.3), forces.Hill(max_force=100.0, optimal_length=0.3)]
LAGS = [forces.Filter(tau=0.1, range=(0, 1)), forces.Integrator(range=(0, 1)), forces.MuscleLag()]
ALL = [*FORCES, *OBSTACLES, *WAYS, *LAWS, *LAGS]
LONE = {"Custom", "Pulley", "MovingPoint", "ConditionalPoint"}  # tested with the paths and functions that they are for
NEVER = (math.nan, "text", "1.0", object(), {})
PERHAPS = (math.inf, None, -1.0, (1, 2), [], True, (1, 2, 3, 4), np.array([[1.0]]), 3.5, 10**30)


@pytest.fixture(scope="module")
def arm():
    mech = aj.Mechanism("arm")
    limited = joints.Revolute((0, 1, 0), limits=(-1, 1))
    upper = mech.add_body("arm", joint=limited, inertia=aj.Inertia.sphere(1, 0.1))
    at = aj.Pose.translation(0.5, 0, 0)
    mech.add_body("hand", upper, joints.Revolute((0, 1, 0)), placement=at, inertia=aj.Inertia.sphere(1, 0.1))
    return mech


def pushes(mech, force):
    """What a force does, or one that has this part."""
    if type(force) in map(type, OBSTACLES):
        force = forces.Cable([PATH[0], force, PATH[1]], stiffness=10.0, length=0.3)
    elif type(force) in map(type, WAYS):
        force = forces.Actuator(along=force)
    elif type(force) in map(type, LAWS):
        force = forces.Muscle(PATH, force, activation=0.5)
    elif type(force) in map(type, LAGS):
        force = forces.Actuator("arm", control=0.3, lag=force)
    return force.pushes(mech)


def name(force):
    return type(force).__name__


def test_every_force_is_here():
    made = {name for name in forces.__all__ if isinstance(getattr(forces, name), type)}
    assert {*map(name, ALL), *LONE, "Force", "Push"} >= made


@pytest.mark.parametrize("force", ALL, ids=name)
def test_of_every_argument_what_cannot_be_meant_is_refused(arm, force):
    assert pushes(arm, force)
    for argument in (field.name for field in dataclasses.fields(force)):
        for value in NEVER:
            with pytest.raises(aj.AnyjointError, match=r"\S+: .{15,}"):
                pushes(arm, dataclasses.replace(force, **{argument: value}))
        for value in PERHAPS:
            with contextlib.suppress(aj.AnyjointError):
                pushes(arm, dataclasses.replace(force, **{argument: value}))


@pytest.mark.parametrize("body", [None, "ground", -1])
@pytest.mark.parametrize("force", [force for force in FORCES if hasattr(force, "body")], ids=name)
def test_the_ground_cannot_be_driven(arm, force, body):
    """The last body was driven instead."""
    with pytest.raises(aj.InputError, match=f"{name(force)}: body=.* is the ground"):
        pushes(arm, dataclasses.replace(force, body=body))


MISTAKES = {
    "both ends are on 'arm'": forces.Spring("arm", POINT, "arm", (0, 0, 1), stiffness=5.0),
    "both ends are on the ground": forces.Bushing(None, "ground", stiffness=[1] * 6),
    "both ends are on 'hand'": forces.Magnets("hand", POINT, (0, 0, 1), "hand", (0, 0, 1), (0, 0, 1)),
    "is not a force": forces.Spring,
    "takes 2 positional arguments": forces.Muscle(PATH, lambda length, rate: length),
    "Custom: measure (": forces.Custom(lambda a: 1 / 0, lambda s, rate, n, signals: s, bodies=["arm"]),
    "the constant nan is not finite": forces.Muscle(PATH, lambda length, rate, activation: math.nan),
}


@pytest.mark.parametrize("words", MISTAKES)
def test_what_would_do_nothing_or_fail_elsewhere_is_refused(arm, words):
    with pytest.raises(aj.AnyjointError) as error:
        arm.compile().simulate([0.1, 0.2], duration=0.01, forces=[MISTAKES[words]])
    assert words in str(error.value)


def test_a_muscle_without_a_value_ends_the_run(arm):
    """No number is no tension of 0; nor is a word from a function of time."""
    no_root = forces.Muscle(PATH, lambda length, rate, activation: aj.sqrt(length - 10))
    model, q = arm.compile(), [0.1, 0.2]
    assert not model.simulate(q, duration=0.01, forces=[no_root]).status.ok
    said = model.simulate(q, duration=0.01, forces=[forces.Wrench("arm", torque=(0, lambda t: "much", 0))]).status
    assert "returned 'much' at t = 0 s" in said.reason
