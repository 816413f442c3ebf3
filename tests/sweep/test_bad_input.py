"""Mistakes are refused with the name of what is wrong and what to do."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.errors import InputError
from tests.simulate.contacts import ball_on_plane
from tests.sweep.models import SPACE, pendulum, swept


def varying(traj):
    return traj.q[: 3 + int(10 * abs(traj.q[0, 0])), 0]


def failing(traj):
    raise RuntimeError("no luck")


def spoiling(traj):
    traj.q[:] = 0.0
    return 1.0


MASS, ANY = {"rod/mass": aj.uniform(1, 2)}, aj.uniform(0, 1)
BAD = {
    "unknown parameter": ({"space": {"rod/mas": aj.uniform(1, 2)}}, "did you mean 'rod/mass'"),
    "unknown coordinate": ({"space": {"q0/rod/angel": aj.uniform(1, 2)}}, "did you mean 'q0/rod/angle'"),
    "nothing like it": ({"space": {"zzzzzzzzz": aj.uniform(1, 2)}}, "list\\(model.parameters\\)"),
    "nothing": ({"space": {}}, "says nothing to vary"),
    "no mapping": ({"space": "rod/mass"}, "expected names with distributions"),
    "negative mass": ({"space": {"rod/mass": aj.uniform(-1, 2)}}, "'rod/mass' leaves its domain: it reaches -1"),
    "wide normal": ({"space": {"rod/mass": aj.normal(1, 0.5)}}, "leaves its domain.*log_normal"),
    "bad choice": ({"space": {"rod/mass": aj.choice([1, -3])}}, "reaches -3"),
    "bad grid": ({"space": {"rod/mass": aj.grid([1, -3])}, "n": None}, "reaches -3"),
    "no runs": ({"n": 0}, "n=0; expected a whole number of runs"),
    "negative runs": ({"n": -5}, "n=-5"),
    "half a run": ({"n": 1.5}, "n=1.5"),
    "no n": ({"n": None}, "say how many runs"),
    "measure raises": ({"measure": failing}, "'failing' raised RuntimeError: no luck"),
    "measure varies": ({"measure": varying}, "'varying' returned shape \\(\\d+,\\) for one run and shape \\(\\d+,\\)"),
    "measure is text": ({"measure": lambda traj: "far"}, "returned 'far'; expected a number"),
    "measure of nothing": ({"measure": lambda traj: {}}, "returned {}; expected a number"),
    "measure of no numbers": ({"measure": lambda traj: []}, "returned \\[\\]; expected a number"),
    "measure spoils": ({"measure": spoiling}, "'spoiling' raised ValueError: assignment destination is read-only"),
    "measure and part": ({"measure": {"a": "final", "a/b": "final"}}, "'a/b' is named like a part of another"),
    "measure and sample": ({"measure": {"rod/mass": "energy_drift"}}, "'rod/mass' is the name of what varies"),
    "measure called status": ({"measure": {"status": "energy_drift"}}, "'status' is the name of"),
    "measure unknown": ({"measure": "finale"}, "did you mean 'final'"),
    "measure is a number": ({"measure": 3}, "expected one of 'final'"),
    "measure empty": ({"measure": []}, "measure is empty"),
    "one sample": ({"measure": ("trajectory", 1)}, "at least 2 samples"),
    "twice": ({"space": {**MASS, ("rod/mass", "v0/rod/angle"): aj.normal([1, 1], 0.1)}}, "varied twice"),
    "whole and entry": ({"space": {"q0": ANY, "q0/rod/angle": ANY}}, "as a whole and in an entry"),
    "shape": ({"space": {"rod/com": aj.uniform([0, 0], [1, 1])}}, "shape \\(3,\\), its distribution \\(2,\\)"),
    "choice for a vector": ({"space": {"rod/com": aj.choice([1, 2])}}, "values of that shape"),
    "vectors together": ({"space": {("rod/com", "rod/mass"): aj.normal([1, 1], 1)}}, "each must be a single number"),
    "pose by numbers": ({"space": {"rod/placement": aj.uniform(0, 1)}}, "a choice, grid or list of poses"),
    "pose rows": ({"space": {"rod/placement": [1, 2]}, "n": None}, "give a list of poses"),
    "mass by poses": ({"space": {"rod/mass": aj.choice([aj.Pose.identity()])}}, "expected numbers"),
    "rows of text": ({"space": {"rod/mass": "heavy"}}, "expected a distribution"),
    "rows of nan": ({"space": {"rod/mass": [1, np.nan]}, "n": None}, "NaN or infinity"),
    "rows of another shape": ({"space": {"rod/com": [1, 2]}, "n": None}, "expected \\(runs, 3\\)"),
    "rows that disagree": ({"space": {"rod/mass": [1, 2], "q0": [[1.0]]}, "n": None}, "different numbers of runs"),
    "rows and n": ({"space": {"rod/mass": [1, 2]}, "n": 3}, "n=3, but rows for 2"),
    "grid and n": ({"space": {"rod/mass": aj.grid([1, 2])}, "n": 3}, "give a multiple"),
    "a function drives": ({"tau": lambda t, q, v: [0.0]}, "tau is a function"),
    "tau varies and moves": ({"space": {"tau": aj.uniform(0, 1)}, "tau": np.zeros((5, 1))}, "tau must be constant"),
    "tau varies beside times": (
        {"space": {"tau": aj.uniform(0, 1)}, "tau": ([0.0, 0.1, 1.0], np.zeros((3, 1)))}, "tau must be constant",
    ),
    "many starts": ({"q0": [[0.1], [0.2]], "space": MASS}, "under 'q0' in the space"),
    "executor": ({"executor": "four"}, "expected None \\(threads"),
    "design": ({"design": "sobel"}, "did you mean 'sobol'"),
    "seed": ({"seed": 1.5}, "seed=1.5"),
    "method": ({"method": "rk5"}, "did you mean 'rk4'"),
    "dt": ({"dt": -1}, "dt=-1"),
    "option": ({"durations": 1}, "did you mean 'duration'"),
    "limits": ({"limits": 3}, "limits=3"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused(case, the_pendulum):
    options, words = BAD[case]
    with pytest.raises(InputError, match=words):
        swept(the_pendulum, **options)


@pytest.fixture(scope="module")
def the_pendulum():
    return pendulum()


def test_distributions_keep_to_limits_and_to_what_joints_allow():
    mech = aj.Mechanism("limited")
    solid = aj.Inertia.box(1.0, 0.1, 0.2, 0.3)
    hinge = mech.add_body("rod", joint=joints.Revolute(axis=(0, 1, 0), limits=(-1, 1)), inertia=solid)
    mech.add_body("bead", hinge, joints.OnCurve(aj.curves.Circle(1.0)), inertia=solid)
    model = mech.compile()
    for space, words in (
        ({"q0/rod/angle": aj.uniform(-2, 0)}, r"reaches -2.*limits of rod/angle are \(-1, 1\)"),
        ({"q0": aj.normal([0, 0], 0.5)}, "leaves its domain"),
        ({"bead/joint/curve.radius": aj.uniform(-1, 1)}, "reaches -1.*curve.radius"),
        ({"rod/tensor": aj.choice([np.diag([1, 1, 5]).tolist()])}, "leaves its domain"),
    ):
        with pytest.raises(InputError, match=words):
            aj.sweep(model, space, 10, duration=0.01)
    free = aj.sweep(model, {"q0/rod/angle": aj.uniform(-2, 0)}, 10, duration=0.01, limits=False)
    assert free.ok.all()


def test_a_mechanism_is_no_model():
    with pytest.raises(InputError, match="compile a mechanism first"):
        aj.sweep(aj.Mechanism("x"), SPACE, 4)


def test_contacts_that_open_and_close_are_refused():
    model = ball_on_plane().compile()
    with pytest.raises(InputError, match="contacts of 'ball' open and close, which only simulate follows"):
        aj.sweep(model, {"ball/mass": aj.uniform(0.5, 1)}, 3, duration=0.1)
