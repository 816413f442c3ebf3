"""Parameters that are named to vary are variables whatever their value: nothing is compiled again, nobody is warned."""

import copy
import warnings
from dataclasses import replace

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.errors import InputError

VALUES = {
    "rod/mass": (1.0, 2.5, 0.5, 1.0),
    "rod/com": ((0, 0, -1), (0, 0, 0), (1, 0, 0), (0.3, -0.2, 0.7)),
    "rod/tensor": (np.eye(3), np.diag([1.0, 2.0, 2.0]), 0.1 * np.eye(3)),
    "weight/placement": (
        aj.Pose.translation(0, 0, -1), aj.Pose.identity(), aj.Pose.rotation_x(0.4) @ aj.Pose.translation(1, 0, 0),
    ),
    "weight/stiffness": (1.0, 0.0, 30.0, 1.0),
    "weight/damping": (0.0, 1.0, 0.0, 0.2),
    "bead/joint/curve.radius": (1.0, 2.0, 0.5),
    "gravity": ((0, 0, -1), (0, 0, 0), (1, 2, 3)),
}  # fmt: skip


def machine(values=None):
    """A rod, a weight on a spring that slides on it, and a bead on a circle, with some parameters as given."""
    given = {name: options[0] for name, options in VALUES.items()} | (values or {})
    mech = aj.Mechanism("machine", gravity=given["gravity"])
    inertia = aj.Inertia(mass=given["rod/mass"], com=given["rod/com"], tensor=given["rod/tensor"])
    rod = mech.add_body("rod", joint=joints.Revolute(axis=(0, 1, 0)), inertia=inertia)
    weight = mech.add_body(
        "weight", parent=rod, joint=joints.Prismatic(), placement=given["weight/placement"],
        inertia=aj.Inertia.sphere(1.0, 0.1), stiffness=1.0, damping=1.0,
    )  # fmt: skip
    circle = aj.curves.Circle(given["bead/joint/curve.radius"])
    mech.add_body("bead", parent=weight, joint=joints.OnCurve(circle), inertia=aj.Inertia.sphere(0.5, 0.2))
    for what in ("stiffness", "damping"):
        body = mech["weight"]
        mech.replace_body(replace(body, **{what: (given[f"weight/{what}"],)}))
    return mech


STATE = np.array([0.3, -0.2, 0.5]), np.array([0.7, 0.1, -0.4])


@pytest.mark.parametrize("form", ["straight", "kernels"])
@pytest.mark.parametrize("name", VALUES)
def test_a_varying_parameter_takes_any_value_without_compiling_again(name, form):
    model = machine().compile(vary=[name], form=form)
    program = model.program("forward_dynamics")
    for value in (*VALUES[name], VALUES[name][0]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.parameters[name] = value
        assert model.program("forward_dynamics") is program
        fresh = machine({name: value}).compile(form=form)
        wanted = fresh.forward_dynamics(*STATE)
        # Both are exact up to rounding; formulas without built-in numbers round otherwise.
        assert model.forward_dynamics(*STATE) == pytest.approx(wanted, rel=1e-11, abs=1e-11)


def test_numbers_that_do_not_depend_on_it_stay_built_in():
    mech = machine()
    everything, mass = mech.compile(vary=list(VALUES)), mech.compile(vary=["rod/mass"])
    assert mech.compile().op_count().total <= mass.op_count().total < everything.op_count().total


def test_several_may_vary_together():
    model = machine().compile(vary=list(VALUES))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.parameters.set({name: options[1] for name, options in VALUES.items()})
    fresh = machine({name: options[1] for name, options in VALUES.items()}).compile()
    assert model.forward_dynamics(*STATE) == pytest.approx(fresh.forward_dynamics(*STATE), rel=1e-11, abs=1e-11)


def test_springs_may_be_set_to_zero_and_back():
    model = machine().compile()
    model.parameters.set({"weight/stiffness": 0.0, "weight/damping": 0.0})
    assert "weight/stiffness" in model.parameters
    model.parameters["weight/stiffness"] = 5.0
    fresh = machine({"weight/stiffness": 5.0}).compile()
    assert model.gravity_forces(STATE[0]) == pytest.approx(fresh.gravity_forces(STATE[0]))


def test_names_are_checked():
    with pytest.raises(InputError, match="'rod/weight' is unknown"):
        machine().compile(vary=["rod/weight"])
    with pytest.raises(InputError, match=r"expected a list of names .* \['rod/mass'\]"):
        machine().compile(vary="rod/mass")


def test_a_model_that_travels_still_varies():
    model = copy.deepcopy(machine().compile(vary=["rod/mass"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.parameters["rod/mass"] = 2.0
    assert model.vary == ("rod/mass",)


@pytest.mark.parametrize("form", ["straight", "kernels"])
def test_springs_that_a_body_was_added_without_may_vary(form):
    names = ["rod/stiffness", "rod/rest", "bead/armature"]
    mech = machine()
    model = copy.deepcopy(mech.compile(vary=names, form=form))
    program = model.program("forward_dynamics")
    np.testing.assert_allclose(
        model.forward_dynamics(*STATE), machine().compile().forward_dynamics(*STATE), rtol=1e-12
    )
    values = {"rod/stiffness": 7.0, "rod/rest": 0.4, "bead/armature": 0.2}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.parameters.set(values)
    assert model.program("forward_dynamics") is program
    rod, bead = mech["rod"], mech["bead"]
    mech.replace_body(replace(rod, stiffness=(7.0,), rest=(0.4,)))
    mech.replace_body(replace(bead, armature=(0.2,)))
    np.testing.assert_allclose(model.forward_dynamics(*STATE), mech.compile().forward_dynamics(*STATE), rtol=1e-12)


def test_springs_that_are_not_there_are_told_how_to_come():
    model = machine().compile()
    with pytest.raises(InputError, match=r"'rod' was added without springs.*compile\(vary=\['rod/stiffness'\]\)"):
        model.parameters["rod/stiffness"] = 1.0


@pytest.mark.parametrize("given", [None, 3, "rod/mass"])
def test_what_is_no_list_of_names_is_refused(given):
    with pytest.raises(InputError, match=r"vary=.*expected a list of names of parameters, such as \['rod/mass'\]"):
        machine().compile(vary=given)
