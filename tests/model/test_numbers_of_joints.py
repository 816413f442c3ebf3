"""Traces are remembered by structure: were numbers of joints built in, the next mechanism would have others'."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints, surfaces
from anyjoint.quantity.sliding import sliding

SOLID = aj.Inertia(0.7, (0.05, -0.1, 0.2), np.diag([0.12, 0.1, 0.09]))


def led(a):
    """A ball that rolls on an ellipsoid, beside a hinge that is led."""
    mech = aj.Mechanism("led")
    mech.add_body("ball", joint=joints.Rolling(surfaces.Ellipsoid(a, 1.2, 0.8), surfaces.Sphere(0.3)), inertia=SOLID)
    mech.add_body("hinge", joint=joints.Revolute("y"), inertia=SOLID)
    mech.prescribe("hinge", lambda t: 0.3 + 0.2 * t)
    return mech


@pytest.mark.filterwarnings("ignore:.*compiling again")
def test_derivatives_of_constrained_rolling_go_with_the_surfaces():
    point, d = ([0.5, 0.6, 0.7, 1.4, 0.3, 0.3], [0.1, 0.2, 0.3, 0.2]), [0.3, -0.5, 0.7, 0]
    model = led(1.1).compile()
    for a in (1.1, 1.3):
        model.parameters["ball/joint/surface1.a"] = a
        _, along = model.jvp("forward_dynamics", point, {"q": d})
        for found in (model, led(a).compile()):
            assert found.forward_dynamics_derivatives(*point).q @ d == pytest.approx(along, rel=1e-12)


def test_friction_of_a_sliding_ball_goes_with_its_radius(monkeypatch, tmp_path):
    def answer(radius, folder):
        monkeypatch.setenv("ANYJOINT_CACHE", str(tmp_path / folder))
        mech = aj.Mechanism("sliding")
        pair = surfaces.Ellipsoid(2.0, 1.8, 1.5), surfaces.Sphere(radius)
        body = mech.add_contact_body("ball", surfaces=pair, friction=0.3, inertia=SOLID)
        rows = [0.3, 0.9, 0.5, 1.6, 0.7], [0.1, 0.2, 0.3, 0.8, 0.5], np.zeros(5), [2e-3]
        return mech.compile().evaluate(sliding(body), rows)

    first, second, alone = answer(0.3, "shared"), answer(0.45, "shared"), answer(0.45, "own")
    assert np.abs(second - first).max() > 1e-3
    assert second == pytest.approx(alone, rel=1e-12)
