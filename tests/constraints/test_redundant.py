"""Planar mechanisms that stand askew: what is exactly zero in a plane is rounding here, in single precision too.

The oracle is the same mechanism in the plane, under gravity that is turned instead.
"""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints

TURN = aj.Pose.rpy(0.3, 0.7, -0.4)
FORMULATIONS = ("auto", "augmented", "composite-rigid-body", "lagrangian", "redmax")
DIGITS = {"float64": 1e-12, "float32": 1e-5}
BOX = aj.Inertia.box(1.0, 0.1, 0.2, 0.3)


class Plane:
    """Points and axes of a plane, which may stand askew."""

    def __init__(self, turn):
        self.turn = turn
        self.gravity = tuple(turn.R @ TURN.R.T @ np.array([1.0, -7.0, 6.0]))
        self.normal = self(0, 0, 1)

    def __call__(self, x, y, z=0.0):
        return tuple(float(a) for a in self.turn.R @ np.array([x, y, z]))

    def at(self, x, y):
        """A frame of the plane."""
        return aj.Pose.translation(*self(x, y)) @ self.turn

    def solid(self, x=0.0, y=0.0):
        """A box that is turned with the plane."""
        return BOX.moved(self.at(x, y))


def four_bar(plane):
    """Three of the five rows are redundant."""
    mech, hinge = aj.Mechanism("four-bar", gravity=plane.gravity), joints.Revolute(plane.normal)
    mech.add_body("crank", joint=hinge, inertia=plane.solid(0.4, 0.1))
    mech.add_body("coupler", "crank", hinge, aj.Pose.translation(*plane(1, 0)), plane.solid(0.7, 0.1))
    mech.add_body("rocker", joint=hinge, placement=aj.Pose.translation(*plane(2, 0)), inertia=plane.solid())
    mech.add_loop("coupler", "rocker", joints.Revolute((0, 0, 1)), at=(plane.at(1.5, 0), plane.at(0, 1.2)))
    return mech


def cardan(plane):
    """A massless arm on gears, whose tip is on a straight line anyway: all four rows are redundant."""
    mech, hinge = aj.Mechanism("Cardan's gears", gravity=plane.gravity), joints.Revolute(plane.normal)
    across = np.array(plane(0, 1))
    mech.add_body("crank", joint=hinge, inertia=plane.solid(0.4, 0.1))
    mech.add_body("arm", "crank", joints.Coupled(hinge, -2.0, "crank"), aj.Pose.translation(*plane(1, 0)))
    mech.add_constraint(aj.constraint(lambda arm: arm.act(plane(1, 0)) @ across), bodies="arm", name="line")
    mech.add_loop("arm", mech.ground, joints.FreePlanar(), at=(plane.at(0.5, 0), plane.at(0, 0)), name="table")
    return mech


START = {four_bar: ([1.0, -0.5, 0.4], [1.0, 0, 0]), cardan: ([0.4], [1.3])}
REDUNDANT = {
    four_bar: ("coupler-rocker/shift z", "coupler-rocker/turn x", "coupler-rocker/turn y"),
    cardan: ("line", "table/shift z", "table/turn x", "table/turn y"),
}


@pytest.fixture(scope="module", params=START, ids=lambda make: make.__name__)
def case(request):
    """A mechanism askew, a state on its constraints, forces, and what the same one in a plane does."""
    flat, mech = (request.param(Plane(turn)) for turn in (aj.Pose(), TURN))
    model = flat.compile()
    q, v = model.assemble(*START[request.param])
    tau = np.array([0.3, -0.2, 0.5])[: mech.nv]
    expected = model.forward_dynamics(q, v, tau), model.constraint_multipliers(q, v, tau)
    return mech, (q, v, tau), expected, REDUNDANT[request.param]


@pytest.mark.parametrize("dtype", DIGITS)
@pytest.mark.parametrize("algorithm", FORMULATIONS)
def test_rounding_of_redundant_rows_does_no_harm(case, algorithm, dtype):
    mech, state, (a, y), _ = case
    if algorithm in ("augmented", "redmax") and any(body.joint.follows for body in mech.bodies):
        return  # they do not know joints that follow
    model = mech.compile(algorithm=algorithm, dtype=dtype)
    state = [np.asarray(x, dtype) for x in state]
    for found, expected in ((model.forward_dynamics(*state), a), (model.constraint_multipliers(*state), y)):
        np.testing.assert_allclose(found, expected, atol=DIGITS[dtype] * np.abs(a).max())


@pytest.mark.parametrize("dtype", DIGITS)
def test_redundant_rows_are_named(case, dtype):
    mech, (q, v, _), _, names = case
    model = mech.compile(dtype=dtype)
    found = model.mobility(q)
    assert (found.degrees_of_freedom, found.rows, found.redundant) == (1, mech.nc, names)
    assert model.simulate(q, v, duration=0.05, dt=0.01).status.ok


@pytest.mark.parametrize("dtype", DIGITS)
def test_rounding_carries_no_load(case, dtype):
    """The crank alone drives the mechanism: rows that cannot move give it nothing."""
    mech, (q, v, _), _, _ = case
    model, tau = mech.compile(dtype=dtype), 3.0 * np.eye(mech.nv)[0]
    q, v, tau = (np.asarray(x, dtype) for x in (q, v, tau))
    found = model.inverse_dynamics(q, v, model.forward_dynamics(q, v, tau), actuated=["crank"])
    np.testing.assert_allclose(found, tau, atol=10 * DIGITS[dtype])


def two_bearings(kind, again):
    """A shaft or slide on a free base, and on request a second bearing like the first, so that every row is said."""
    mech, up = aj.Mechanism("two bearings"), TURN.R[:, 2]
    at = aj.Pose.translation(0.3, -0.5, 0.2) @ aj.Pose.rpy(0.5, -0.2, 0.9)
    mech.add_body("base", joint=joints.FreeQuaternion(), inertia=BOX.moved(at))
    mech.add_body("shaft", "base", kind(tuple(map(float, up))), at, aj.Inertia.box(200.0, 0.1, 0.2, 0.3).moved(at))
    mech.add_body("arm", "shaft", joints.Revolute((1, 2, 3)), at, BOX)
    frame = aj.Pose.translation(*(0.7 * up)) @ TURN
    if again:
        mech.add_loop("shaft", "base", joint=kind((0, 0, 1)), at=(frame, at @ frame))
    return mech


@pytest.mark.parametrize("algorithm", FORMULATIONS)
@pytest.mark.parametrize("kind", [joints.Revolute, joints.Prismatic])
def test_rows_that_are_all_rounding_hold_nothing(kind, algorithm):
    rng = np.random.default_rng(3)
    state = np.concatenate([[0.5, 0.5, -0.5, 0.5], rng.normal(size=5)]), *rng.normal(size=(2, 8))
    want = two_bearings(kind, again=False).compile().forward_dynamics(*state)
    got = two_bearings(kind, again=True).compile(algorithm=algorithm).forward_dynamics(*state)
    np.testing.assert_allclose(got, want, atol=1e-11 * np.abs(want).max())
