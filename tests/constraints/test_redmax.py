"""RedMax's scenes with loops, gears and prescribed motion: the energies that its Euler and ode45 runs end with."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.mechanism import Mechanism
from anyjoint.quantity.constraints import baumgarte
from anyjoint.scalar import exp, less, select
from anyjoint.simulate.drive import Drive
from anyjoint.simulate.python_step import PythonStepper
from anyjoint.stepper.methods.dopri5 import DOPRI5
from dynamics.reference import SCENES, scene_mechanism
from simulate.test_redmax import matlab_ode45

CONSTRAINED = ("4", "7", "9", "15", "34")
GEARS = {"7": {1: (0, 0.5), 2: (0, 0.25)}, "34": {3: (1, -1.0)}}  # follower -> leader, ratio


def constrained(scene):
    """A scene with its constraints."""
    mech = scene_mechanism(scene)
    for c in scene["constraints"]:
        if c["type"].startswith("loop"):
            ends = [(c[f"body{x}"], np.array(scene["bodies"][c[f"body{x}"]]["E_ji"]) @ [*c[f"x{x}"], 1]) for x in "AB"]
            (a, on_a), (b, on_b) = ends
            mech.add_loop(f"body {a}", f"body {b}", joints.Revolute((0, 1, 0)), at=(on_a[:3], on_b[:3]))
        elif c["type"] == "prescribed_joint":
            mech.prescribe(f"body {c['joint']}", swing)
        else:
            pair = f"body {c['jointA']}", f"body {c['jointB']}"
            mech.add_constraint(geared(c["factor"]), coordinates=pair)
    return mech


def swing(t):
    """The motion of scene 9, which ends a little before where it then stays."""
    return select(less(t, 7.0), 1.5 * np.pi / (1 + exp(-14 * (t / 7 - 0.5))), 1.5 * np.pi)


def geared(ratio):
    return aj.constraint(lambda q: ratio * q[0] - q[1])


def euler_energy(model, scene):
    """RedMax's Euler: M v + G^T y = M v0 + h f, G v = -gdot - b g, all at the start of the step but for time.

    The same v comes from any velocities that differ by M^-1 G^T times something: here those of a constrained step.
    """
    h, b = scene["h_euler"], scene["baumgarte"][2]
    q, v = model.mechanism.start
    before = model.energy(q, v)[1]
    for k in range(round(scene["t_end_euler"] / h)):
        clock = {"t": (k + 1) * h} if model.mechanism.timed else {}
        v = v + h * model.forward_dynamics(q, v, **clock)
        error, rate = model.constraint_errors(q, v, **clock)
        G = model.constraint_jacobian(q, **clock)
        per_force = np.linalg.solve(model.mass_matrix(q), G.T)
        v = v - per_force @ np.linalg.lstsq(G @ per_force, rate + b * error, rcond=1e-12)[0]
        q = q + h * v
    kinetic, potential = model.energy(q, v)
    return kinetic + potential - before


@pytest.mark.parametrize("key", CONSTRAINED)
def test_euler_energies(key):
    scene = SCENES[key]
    made = euler_energy(constrained(scene).compile(), scene)
    assert made == pytest.approx(scene["stored_H"]["redmax_euler"], abs=1e-6)


@pytest.mark.parametrize("key", CONSTRAINED)
def test_initial_accelerations(key):
    """RedMax feeds errors of velocities back, but not those of prescribed joints."""
    scene = SCENES[key]
    model = constrained(scene).compile()
    q, v = model.mechanism.start
    a, b, _ = map(float, scene["baumgarte"])
    stabilised = model.program(baumgarte(0.0 if model.mechanism.timed else a, b))
    made = stabilised(q, v, np.zeros(model.nv), *model.clock(0.0))
    wanted = np.array(scene["recomputed_not_from_repo"]["initial_qddot_acceleration_level(joint order)"])
    assert np.abs(made - wanted).max() < 1e-10 * max(1.0, np.abs(wanted).max())


@pytest.mark.parametrize("key", ["4", "7", "15", "34"])
def test_ode45_energies(key):
    """Baumgarte's feedback, with RedMax's numbers."""
    scene = SCENES[key]
    model = constrained(scene).compile()
    feedback = baumgarte(*map(float, scene["baumgarte"][:2]))
    stepper = PythonStepper(model, Drive(np.zeros((1, model.nv))), DOPRI5, quantities=(feedback,))
    q, v = matlab_ode45(stepper, *model.mechanism.start, scene["t_end_euler"])
    kinetic, potential = model.energy(q, v)
    made = kinetic + potential - model.energy(*model.mechanism.start)[1]
    assert made == pytest.approx(scene["stored_H"]["redmax_ode45"], abs=1e-6)


@pytest.mark.parametrize("key", GEARS)
def test_gears_by_coupled_joints(key):
    """Joints that follow need no multipliers, and the same Euler steps end with the same energy."""
    scene = SCENES[key]
    mech = followed(scene_mechanism(scene), GEARS[key])
    traj = mech.compile().simulate(
        *mech.start, duration=scene["t_end_euler"], dt=scene["h_euler"], method="semi-implicit-euler"
    )
    kinetic, potential = traj.energy()
    assert kinetic[-1] + potential[-1] - potential[0] == pytest.approx(scene["stored_H"]["redmax_euler"], abs=1e-8)


def followed(plain, gears):
    """The same bodies, some of whose joints follow others."""
    mech = Mechanism(plain.name, gravity=plain.gravity)
    for body in plain.bodies:
        parent = plain.bodies[body.parent].name if body.parent >= 0 else None
        leader, ratio = gears.get(body.index, (None, None))
        joint = body.joint if leader is None else joints.Coupled(body.joint, ratio, f"body {leader}")
        mech.add_body(body.name, parent, joint, body.placement, body.inertia)
    mech.set_start(np.zeros(mech.nq))
    return mech
