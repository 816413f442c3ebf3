"""Springs, bushings, stops and drives of OpenSim against OpenSim's own accelerations."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces
from anyjoint.forces.program import trace_forces
from load.osim_text import PIN, body, coordinates, document, joint

CASE = json.loads((Path(__file__).parents[1] / "data" / "opensim_forces.json").read_text())

CONTACTS = json.loads((Path(__file__).parents[1] / "data" / "opensim_contacts.json").read_text())


def force_set(*given):
    return f"<ForceSet><objects>{chr(10).join(given)}</objects></ForceSet>"


@pytest.mark.parametrize("saved", [False, True], ids=["loaded", "saved"])
def test_accelerations_are_opensims(loaded, tmp_path, saved):
    """To rounding: angles stop by degrees, a coordinate of slope 2 and one that shifts do not."""
    mech = loaded(CASE["osim"])
    assert mech.source.warnings == ()
    if saved:
        aj.save(mech, tmp_path / "m.aj.json")
        mech = aj.load(tmp_path / "m.aj.json")
    else:
        places = [mech.source.coordinates[name] for name in CASE["coordinates"]]
        order = [mech[owner].q.start + k for owner, k in places]
        assert order == [0, 1, 2, 3, 5, 4]
    model = mech.compile()
    for state in CASE["states"]:
        q, v, wanted = (np.array(state[name])[[0, 1, 2, 3, 5, 4]] for name in ("q", "v", "a"))
        driven = [replace(x, control=state["controls"][name]) for name, x in mech.source.actuators.items()]
        tau = trace_forces(mech, [*mech.source.forces, *driven]).torque(0.0, q, v)
        assert model.forward_dynamics(q, v, tau) == pytest.approx(wanted, rel=1e-11, abs=1e-11)


def test_contacts_ligaments_and_cords_are_opensims(loaded):
    """Balls on half spaces and balls, of different materials and on moving bodies; each pair touches in some state."""
    mech = loaded(CONTACTS["osim"])
    assert mech.source.warnings == ()
    assert list(mech.source.coordinates) == CONTACTS["coordinates"]
    kinds = ["HuntCrossley"] * 5 + ["Ligament"] * 2 + ["Cable"]
    assert [type(force).__name__ for force in mech.source.forces] == kinds
    assert mech.source.settings == {"method": "dopri5"}, "contacts are stiff"
    model, program = mech.compile(), trace_forces(mech, mech.source.forces)
    for state in CONTACTS["states"]:
        q, v, wanted = (np.array(state[name]) for name in ("q", "v", "a"))
        found = model.forward_dynamics(q, v, program.torque(0.0, q, v))
        assert np.abs(found - wanted).max() < 1e-13 * np.abs(wanted).max() + 1e-12


def test_energy_is_kept_behind_stops_and_by_rubber(loaded):
    mech = loaded(CASE["osim"])
    still = [
        replace(x, damping=(0.0,) * 6) if isinstance(x, forces.Bushing)
        else replace(x, damping=0.0) if isinstance(x, forces.SoftStop) else x
        for x in mech.source.forces if not isinstance(x, forces.Actuator)
    ]  # fmt: skip
    assert len(still) == 7
    state = CASE["states"][0]
    run = mech.compile().simulate(
        state["q"], state["v"], 1.0, dt=0.01, forces=still, method="dopri5", rtol=1e-11, atol=1e-11
    )
    kinetic, potential = run.energy()
    assert np.ptp(kinetic) > 1.0
    assert np.ptp(kinetic + potential) < 1e-8 * np.ptp(kinetic)


def test_files_of_version_3(loaded):
    """A bushing has places in bodies, a spring has names of bodies."""
    rubber = (
        '<BushingForce name="r"><body_1>ground</body_1><location_body_1>0.1 0 0</location_body_1>'
        "<orientation_body_1>0 0 0.2</orientation_body_1><body_2>a</body_2><location_body_2>0 0.2 0</location_body_2>"
        "<rotational_stiffness>1 2 3</rotational_stiffness></BushingForce>"
    )
    ends = "<body1>a</body1><body2>ground</body2><point1>0 1 0</point1>"
    coil = f'<PointToPointSpring name="c">{ends}</PointToPointSpring>'
    mech = loaded(document([body("a")], [PIN], force_set(rubber, coil)))
    (first, second) = mech.source.forces
    assert (first.body_a, first.body_b, first.stiffness) == (None, "a", (1.0, 2.0, 3.0, 0.0, 0.0, 0.0))
    turned = aj.Pose.translation(0.1, 0, 0) @ aj.Pose.rotation_z(0.2)
    assert np.array_equal(first.at_a.matrix, turned.matrix)
    assert np.array_equal(first.at_b.p, [0, 0.2, 0])
    assert second == forces.Spring("a", (0, 1, 0), None, (0, 0, 0), 1.0, length=0.0)  # OpenSim's own usual length


def test_points_of_offset_frames_are_told(loaded):
    """OpenSim 4.6 takes numbers in an offset frame for those in its body."""
    frame = (
        '<components><PhysicalOffsetFrame name="off"><socket_parent>..</socket_parent><translation>0 0 1</translation>'
        "</PhysicalOffsetFrame></components>"
    )
    ends = "<socket_body1>/ground</socket_body1><socket_body2>/bodyset/a/off</socket_body2><point2>1 0 0</point2>"
    coil = f'<PointToPointSpring name="c">{ends}</PointToPointSpring>'
    mech = loaded(document([body("a", more=frame)], [PIN], force_set(coil)))
    assert mech.source.forces == (forces.Spring(None, (0, 0, 0), "a", (1, 0, 1), 1.0, length=0.0),)
    (warning,) = mech.source.warnings
    assert "'c' is fixed to points of offset frames; OpenSim takes their numbers for those" in warning.message


CONTACT = (
    '<HuntCrossleyForce name="h"><HuntCrossleyForce::ContactParametersSet><objects>'
    "<HuntCrossleyForce::ContactParameters><geometry>{}</geometry></HuntCrossleyForce::ContactParameters></objects></HuntCrossleyForce::ContactParametersSet>"
    "</HuntCrossleyForce>"
)
TOUCHING = (
    '<ContactGeometrySet><objects><ContactMesh name="hill"/><ContactSphere name="a"><socket_frame>/bodyset/a'
    '</socket_frame><radius>1</radius></ContactSphere><ContactHalfSpace name="b"><body_name>ground</body_name>'
    "</ContactHalfSpace></objects></ContactGeometrySet>"
)
STOP = '<CoordinateLimitForce name="s"><coordinate>{}</coordinate>{}</CoordinateLimitForce>'


@pytest.mark.parametrize(
    ("force", "lack"),
    [
        (STOP.format("nobody", ""), "'s' is left out: it acts on 'nobody', which is no coordinate"),
        (STOP.format("x", "<transition>0</transition>"), "'s' is left out: SoftStop: transition=0.0"),
        (STOP.format("x", "<lower_limit>3</lower_limit>"), "increasing order"),
        ('<BushingForce name="r"><socket_frame1>nowhere</socket_frame1></BushingForce>', "a point on 'nowhere'"),
        ('<PathSpring name="p"/>', "'p' is left out: it has no path"),
        ('<Ligament name="l"/>', "'l' is left out: it has no path"),
        (CONTACT.format("nothing"), "'h' is left out: it lets 'nothing' touch, which is no shape of the file"),
        (CONTACT.format("hill"), "'hill' touch, which is a <ContactMesh>, which has no counterpart"),
        (CONTACT.format("a b"), "'b' and 'a' touch, which are not stiff"),
        ('<PathActuator name="w"/>', "'w' is left out: it has no path"),
    ],
)
def test_what_cannot_be_meant_is_left_out_by_name(loaded, force, lack):
    mech = loaded(document([body("a")], [PIN], force_set(force) + TOUCHING))
    (warning,) = mech.source.warnings
    assert lack in warning.message
    assert (mech.source.forces, dict(mech.source.actuators)) == ((), {})


def test_a_stop_of_what_shifts_is_in_metres(loaded):
    slider = joint("SliderJoint", "ground", "a", coordinates(["x"]))
    mech = loaded(document([body("a")], [slider], force_set(STOP.format("x", "<upper_limit>2</upper_limit>"))))
    assert mech.source.forces == (forces.SoftStop("a", (0.0, 2.0), 1.0, 0.001, 0.1),)
