"""Contacts that cannot be: each is refused with what was given and what to do."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import distances, joints, shapes, surfaces
from tests.simulate.touching import METHOD, RADIUS, at, ball


def free(shape=None):
    mech = aj.Mechanism("free")
    mech.add_body("ball", joint=joints.FreeQuaternion(), inertia=aj.Inertia.sphere(1.0, 0.1), shape=shape)
    return mech


def flat(p):
    return aj.maximum(p[2], 0.0)


def squared(p):
    return p[2] ** 2


def broken(p):
    return aj.sqrt(p[2])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"friction": -0.1}, "friction=-0.1; expected a finite number that is not negative"),
        ({"friction": float("nan")}, "friction=nan"),
        ({"friction": "rough"}, "friction='rough'"),
        ({"stiffness": 0.0}, "stiffness=0.0; expected a finite number that is positive"),
        ({"dissipation": -1.0}, "dissipation=-1.0"),
        ({"slip": 0.0}, "slip=0.0"),
        ({"of": "ball"}, "a body does not touch itself"),
        ({"of": "bell"}, "bell"),
        ({"at": (0, 0, 1)}, "expected a Pose"),
        ({"on": 3.0}, "expected a signed distance"),
        ({"on": flat}, r"gradient of distance function flat \(.*test_touching_bad_input.py:\d+\) vanishes"),
        ({"on": squared}, r"gradient of distance function squared \(.*\) vanishes on its surface"),
        ({"on": lambda p: (p[0] ** 2 + p[2] ** 2 - 1) ** 3}, "vanishes on its surface"),
        ({"on": broken}, r"distance function broken"),
        ({"on": lambda p: (p[0], p[1])}, "expected one number"),
        ({"shape": shapes.Torus(1.0, 0.1)}, "a Torus does not touch; give a Sphere"),
        ({"shape": shapes.Group(())}, "in which there is nothing"),
        ({"shape": [1.0, 2.0]}, "expected shapes.Sphere"),
        ({"shape": [[1.0, 2.0, np.inf]]}, "expected shapes.Sphere"),
        ({"name": ""}, "name=''"),
    ],
)
def test_contacts_that_cannot_be_are_refused(given, said):
    mech = free(shapes.Sphere(0.1))
    with pytest.raises(aj.AnyjointError, match=said):
        mech.add_contact("ball", **given)
    assert mech.contacts == []


@pytest.mark.parametrize(
    "steep",
    [
        lambda p: aj.exp(10 * p[2]) - 1,
        lambda p: p[0] ** 2 + p[1] ** 2 + p[2] ** 2 - 0.01,
        lambda p: 1e-6 * (p[2] - 0.4 * (p[0] ** 2 + p[1] ** 2)),
        lambda p: aj.maximum(p[2], aj.sqrt(p[0] ** 2 + p[1] ** 2) - 0.3),
    ],
)
def test_functions_that_are_no_distances_but_have_normals_are_taken(steep):
    mech = free(shapes.Sphere(0.1))
    assert mech.add_contact("ball", on=steep) in mech.contacts


def test_bodies_that_cannot_touch_are_refused():
    mech = free()
    with pytest.raises(aj.ModelError, match=r"expected shapes\.Sphere"):
        mech.add_contact("ball")  # it has no shape
    with pytest.raises(aj.ModelError, match="name the body that touches it first"):
        mech.add_contact(mech.ground)
    mech.add_body("table")
    with pytest.raises(aj.ModelError, match="it is welded to the ground; name the body that touches it"):
        mech.add_contact("table", (0, 0, 0))
    mech.add_contact("ball", (0, 0, 0), name="tip")
    with pytest.raises(aj.ModelError, match="no other contact has"):
        mech.add_contact("ball", (0, 0, 1), name="tip")
    mech.add_contact("ball", (0, 0, 1))
    mech.add_contact("ball", (0, 1, 1))
    assert [pair.name for pair in mech.contacts] == ["tip", "ball-ground", "ball-ground 2"]


def test_runs_that_cannot_be_are_refused(tmp_path):
    mech = ball()
    model, rest = mech.compile(), np.zeros(6)
    with pytest.raises(aj.InputError, match=r"does not feel the contacts 'ball-ground'; use method"):
        model.simulate(at(0.2), rest, duration=0.1)
    with pytest.raises(aj.InputError, match=r"begins 0\.05 m deep, and would burst apart"):
        model.simulate(at(0.05), rest, duration=0.1, method=METHOD)
    with pytest.raises(aj.InputError, match="does not feel the contacts 'ball-ground'; use method"):
        model.to_html(tmp_path / "live.html")
    assert model.simulate(at(0.2), rest, duration=0.01, method="auto").method == METHOD
    for ask in (
        lambda: model.step(at(0.2), rest),
        lambda: model.linearise(at(0.2), rest, dt=1e-3, method="bdf1"),
        lambda: model.export("c", tmp_path, steps=["rk4"]),
        lambda: model.vjp("step implicit-euler", (at(0.2), rest, rest, 1e-3), np.ones(13)),
    ):
        with pytest.raises(aj.InputError, match="does not feel the contact 'ball-ground'; use method"):
            ask()


def test_a_point_without_a_normal_ends_the_run_before_it_begins():
    mech = ball(on=distances.Sphere(0.5))
    model = mech.compile()
    with pytest.raises(aj.InputError, match=r"deep|no gradient"):
        model.simulate(at(0.0), np.zeros(6), duration=0.1, method=METHOD)


def test_modes_and_joints_that_follow_others_are_refused():
    mech = aj.Mechanism("modes")
    mech.add_contact_body(
        "ball", surfaces=(surfaces.Plane(), surfaces.Sphere(0.1)), start="flight", inertia=aj.Inertia.sphere(0.5, 0.1)
    )
    with pytest.raises(aj.InputError, match="does not change the modes of 'ball'"):
        mech.compile().simulate(at(0.2), np.zeros(6), duration=0.1, method=METHOD)
    mech = aj.gallery.tongs_with_fish(3)
    mech.add_contact(mech.bodies[-1], (0, 0, 0), on=distances.HalfSpace(offset=-9.0))
    with pytest.raises(aj.InputError, match="cannot be felt where joints follow others"):
        mech.compile().simulate(duration=0.1, method=METHOD)


def test_every_state_of_a_batch_is_looked_at():
    mech = ball()
    shape = shapes.Capsule(0.05, 0.2)
    mech.add_body("rod", joint=joints.FreeQuaternion(), inertia=shape.inertia(0.3), shape=shape)
    mech.add_contact("rod", on=distances.Sphere(RADIUS), of="ball")
    model, rows = mech.compile(), np.tile([*at(0.2), *at(0.5)], (20, 1))
    assert model.simulate(rows, duration=0.01, method=METHOD).status.ok
    rows[18, 6] = 0.05
    with pytest.raises(aj.InputError, match=r"'ball-ground' begins 0\.05 m deep in state 18, and would burst apart"):
        model.simulate(rows, duration=0.01, method=METHOD)
    rows[18, 6], rows[17, 13] = 0.2, 0.35
    with pytest.raises(aj.InputError, match=r"'rod-ball' begins 0\.1 m deep in state 17"):
        model.simulate(rows, duration=0.01, method=METHOD)


@pytest.mark.parametrize("joint", [joints.SphericalQuaternion(), joints.FreeQuaternion()])
def test_dry_friction_that_cannot_be_felt_is_refused(joint):
    mech = aj.Mechanism("ball")
    mech.add_body("ball", joint=joint, inertia=aj.Inertia.sphere(0.5, 0.1), friction=0.1)
    with pytest.raises(aj.InputError, match="'ball' has dry friction along velocities that are no rates"):
        mech.compile().simulate(duration=0.01, method=METHOD)
