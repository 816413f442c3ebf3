"""Hints: light bodies that carry heavy ones are named with a remedy; nothing else is."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from anyjoint.simulate import chunk
from bench.formulation_stiffness import digits, exact_accelerations, heavy_tip


def test_a_heavy_tip_is_named_and_the_remedy_works():
    mech = heavy_tip(1e10)
    hints = mech.hints()
    assert [hint.where for hint in hints][:2] == ["body 'link 0'", "body 'link 1'"]
    assert "1e+10" in hints[0].message
    assert mech.check() == []
    q, v, tau = np.random.default_rng(0).uniform(-1, 1, (3, mech.nv))
    exact = exact_accelerations(mech, q, v, tau)
    made = mech.compile(algorithm="modified-articulated-body").forward_dynamics(q, v, tau)
    assert digits(made.tolist(), exact) > 12.5
    assert '"modified-articulated-body"' in hints[0].message


@pytest.mark.parametrize("mech", [heavy_tip(1e5), gallery.torus_chain(3), gallery.windmill()], ids=lambda m: m.name)
def test_ordinary_mechanisms_have_no_hints(mech):
    assert mech.hints() == []


def test_what_is_welded_together_is_one_body():
    mech = aj.Mechanism("welded")
    mech.add_body("foil", joint=joints.Revolute(), inertia=aj.Inertia.sphere(1e-6, 0.1))
    mech.add_body("block", "foil", joints.Fixed(), inertia=aj.Inertia.sphere(10.0, 0.1))
    mech.add_body("arm", "block", joints.Revolute(), inertia=aj.Inertia.sphere(10.0, 0.1))
    assert mech.hints() == []
    mech.add_body("light", "arm", joints.Revolute(), inertia=aj.Inertia.sphere(1e-6, 0.1))
    assert mech.hints() == []  # a light tip loses nothing


def test_steps_that_shrink_to_nothing_say_what_may_be_behind_it():
    mech = heavy_tip(1e10)
    start = np.linspace(-0.5, 0.5, 8), np.zeros(8)
    tight = {"method": "dopri5", "rtol": 1e-9, "atol": 1e-9, "dt": 0.05}
    run = mech.compile(algorithm="recursive").simulate(*start, duration=1.2, **tight)
    assert "too small" in str(run.status)
    assert "modified-articulated-body" in str(run.status)


@pytest.mark.slow
@pytest.mark.fast_code  # it takes many steps
def test_where_steps_shrink_to_nothing_does_not_depend_on_the_clock(monkeypatch):
    """Steps are taken in pieces that last a moment; all of them are looked at."""
    model, ends = heavy_tip(1e10).compile(algorithm="recursive"), []
    for count in (7, 1000, 100_000):
        monkeypatch.setattr(chunk.Pace, "start", lambda _, count=count: count)
        run = model.simulate(np.linspace(-0.5, 0.5, 8), duration=1.2, method="dopri5", rtol=1e-9, atol=1e-9, dt=0.05)
        ends.append(run.status.time)
    assert ends[0] == ends[1] == ends[2] < 1.2
