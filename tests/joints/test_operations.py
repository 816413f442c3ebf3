"""What joints cost in generated code."""

import pytest

import anyjoint as aj
from anyjoint import joints, surfaces
from bench.joint_ops import dynamics, operations
from tests.joints.zoo import KINDS

CEILINGS = {"tori": 60, "tori-aligned": 60, "revolute-x": 2, "universal": 12, "on-torus": 30, "contact": 450}


@pytest.mark.parametrize("name", CEILINGS)
def test_operations_stay_below(name):
    assert operations(KINDS[name]).total <= CEILINGS[name]


SOLIDS = {
    "ball on ellipsoid": (surfaces.Ellipsoid(2.0, 1.5, 1.0), surfaces.Sphere(0.2)),
    "ball on plane": (surfaces.Plane(), surfaces.Sphere(0.2)),
    "rattleback": (surfaces.Plane(), surfaces.Ellipsoid(0.2, 0.03, 0.02)),
    "ellipsoids": (surfaces.Ellipsoid(2.0, 1.5, 1.0), surfaces.Ellipsoid(0.3, 0.2, 0.1)),
    "tori": (surfaces.Torus(1.0, 0.3), surfaces.Torus(0.8, 0.2)),
    "ball in a ring": (surfaces.Inside(surfaces.Torus(1.0, 0.3)), surfaces.Sphere(0.2)),
    "ball on hills": (lambda u, v: (u, v, 0.3 * u * u + 0.2 * v * v), surfaces.Sphere(0.2)),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_rolling_costs_no_more_than_sliding(name):
    """Forward dynamics, even with the rates of coordinates, which sliding gets for nothing."""
    rolls, slides = joints.Rolling(*SOLIDS[name]), joints.Contact(*SOLIDS[name])
    assert sum(dynamics(rolls)) <= sum(dynamics(slides))


def test_a_ball_that_rolls_on_an_ellipsoid_takes_half_of_one_that_slides():
    """Both charts included."""
    counts = []
    for kind in (joints.Rolling, joints.Contact):
        mech = aj.Mechanism("ball")
        mech.add_body("ball", joint=kind(*SOLIDS["ball on ellipsoid"]), inertia=aj.Inertia.sphere(1.0, 0.2))
        counts.append(mech.compile().op_count("forward_dynamics").total)
    assert counts[0] <= 354
    assert counts[0] <= 0.55 * counts[1]


def test_a_torus_on_a_torus_costs_at_most_500_operations():
    assert operations(KINDS["tori"]).total <= 500
