"""Numbers nobody here made up: RedMax, high-precision beads and pendulums, OpenSim; on floats."""

import numpy as np
import pytest

from anyjoint import joints
from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.dynamics.hybrid import HYBRID
from anyjoint.dynamics.kinematics import MEASURE
from anyjoint.dynamics.newton_euler import NEWTON_EULER
from anyjoint.mechanism import Inertia, Mechanism
from dynamics import reference
from dynamics.reference import BEADS, FREE_SCENES, SCENES, load, numbers
from dynamics.support import State, close


def forward(mech, q, v, tau=None):
    return State(mech, q, v).row(ARTICULATED_BODY, tau=np.zeros(mech.nv) if tau is None else tau)


def recomputed(scene, what):
    return np.array(scene["recomputed_not_from_repo"][what])


@pytest.mark.parametrize("key", SCENES)
def test_redmax_mass_matrices(key):
    scene = SCENES[key]
    M = State(reference.scene_mechanism(scene)).mass_matrix()
    assert close(M, recomputed(scene, "initial_reduced_mass_matrix(joint order)"), 1e-12)


@pytest.mark.parametrize("key", FREE_SCENES)
def test_redmax_accelerations(key):
    scene = FREE_SCENES[key]
    state = State(reference.scene_mechanism(scene))
    state.scene = scene
    qdd = state.row(ARTICULATED_BODY, tau=reference.scene_forces(scene, state))
    assert close(qdd, recomputed(scene, "initial_qddot_acceleration_level(joint order)"), 1e-10)


@pytest.mark.parametrize("name", BEADS)
def test_beads_on_wires(name):
    curve, spin, q, v = BEADS[name]
    case = load(name)
    made = forward(reference.bead(name, curve, spin), numbers(case, *q), numbers(case, *v))
    assert close(made, [float(x) for x in case["initial_accelerations"]], 1e-13)


def test_bead_on_a_wire_that_is_free_to_turn():
    case = load("bead_ellipse_free_spin")
    mech = reference.turning_wire("wire", reference.ellipse, 2.0)
    made = forward(mech, numbers(case, "v", "u"), numbers(case, "dv", "du"))
    assert close(made[::-1], [float(x) for x in case["initial_accelerations"]], 1e-13)


def test_bead_on_a_hoop_that_turns_at_a_given_speed():
    """The hoop's acceleration is prescribed: hybrid dynamics."""
    case = load("bead_rotating_hoop")
    mech = reference.turning_wire("hoop", reference.hoop, 1.0)
    state = State(mech, [0.0, *numbers(case, "u")], [5.0, *numbers(case, "du")])
    qdd = state.run(HYBRID, tau=np.zeros(2), qdd_in=np.zeros(2), prescribed=[True, False])[0]
    assert close(qdd[1], [float(case["initial_accelerations"][0])], 1e-13)
    assert float(qdd[0][0]) == 0.0


def test_particle_on_an_ellipsoid():
    case, mech = load("particle_on_ellipsoid"), Mechanism("particle")
    mech.add_body("particle", None, joints.OnSurface(reference.ellipsoid), inertia=Inertia(1.0))
    made = forward(mech, numbers(case, "u", "v"), numbers(case, "du", "dv"))
    assert close(made, [float(x) for x in case["initial_accelerations"]], 1e-13)


@pytest.mark.parametrize(("name", "n"), [("double_pendulum_point", 2), ("triple_pendulum_point", 3)])
def test_point_pendulums(name, n):
    case = load(name)
    made = forward(reference.pendulum(n), [np.pi / 2, *[0.0] * (n - 1)], np.zeros(n))
    assert close(np.cumsum(made), [float(x) for x in case["initial_qdd"]], 1e-13)


def test_energy_of_an_euler_top_along_its_reference_motion():
    case, mech = load("euler_top"), Mechanism("top", gravity=(0, 0, 0))
    mech.add_body(
        "top", None, joints.SphericalQuaternion(), inertia=Inertia(1.0, tensor=np.diag(case["model"]["inertia"]))
    )
    for at in case["reference"]:
        state = State(mech, [float(x) for x in at["quat_wxyz"]], [float(x) for x in at["omega_body"]])
        kinetic, _, momentum, *_ = state.run(MEASURE)
        assert close(2 * kinetic[0][0], float(case["twoT"]), 1e-14)
        assert close(float(np.dot(momentum[0][:3], momentum[0][:3])), float(case["L2"]), 1e-14)


def test_energy_of_a_heavy_top_along_its_reference_motion():
    case = load("heavy_top_geradin_cardona")
    model, mech = case["model"], Mechanism("top")
    com, diagonal = ([float(x) for x in model[k]] for k in ("com_from_fixed_point", "inertia_com_diag"))
    mech.add_body("top", None, joints.SphericalQuaternion(), inertia=Inertia(15.0, com, np.diag(diagonal)))
    states = [(case["initial"]["quat"], case["initial"]["omega_body"])]
    states += [(at["quat_wxyz"], at["omega_body"]) for at in case["reference"]]
    energies = []
    for quat, omega in states:
        kinetic, moment, *_ = State(mech, [float(x) for x in quat], [float(x) for x in omega]).run(MEASURE)
        energies.append(float(kinetic[0][0] + 9.81 * moment[0][2]))
    assert close(energies, [energies[0]] * len(energies), 1e-12)


GAIT = reference.gait()


@pytest.mark.parametrize("state", GAIT[2]["states"], ids=range(len(GAIT[2]["states"])))
def test_gait2392(state):
    """OpenSim's mass matrix, bias and accelerations, knees of splines included."""
    mech, names, case = GAIT
    order = [case["coordinate_order"].index(name) for name in names]
    q, u = ([state[k][name] for name in names] for k in ("q", "u"))
    ours = State(mech, q, u)
    assert close(ours.mass_matrix(), np.array(state["mass_matrix"])[np.ix_(order, order)], 1e-11)
    assert close(ours.row(NEWTON_EULER, qdd=np.zeros(mech.nv)), np.array(state["bias_with_gravity"])[order], 1e-11)
    assert close(forward(mech, q, u), np.array(state["udot_forward_dynamics"])[order], 1e-8)


def test_a_scapula_on_an_ellipsoid():
    mech, case = reference.shoulder()
    for state in case["states"]:
        ours = State(mech, state["Q"], state["Qdot"])
        assert close(ours.mass_matrix(), state["mass_matrix_in_qdot"], 1e-11)
        assert close(forward(mech, state["Q"], state["Qdot"]), state["Qdotdot_free_motion_with_gravity"], 1e-9)
