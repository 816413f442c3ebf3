"""Contacts that slide and rub, many steps at once by machine code, against single steps in Python."""

import pytest

import anyjoint as aj
from anyjoint import joints, surfaces
from anyjoint.simulate.contact.stride import Strider

GROUND, SOLID = surfaces.Plane(), aj.Inertia.box(1.0, 0.08, 0.1, 0.14)


def alone():
    """An egg that slides, spins and ends up rolling."""
    mech = aj.Mechanism("egg")
    egg = surfaces.Ellipsoid(0.05, 0.06, 0.08)
    mech.add_contact_body("egg", surfaces=(GROUND, egg), friction=0.3, start="sliding", inertia=SOLID)
    return mech, [0, 0, 0.3, 0.2, 0.5], [3.5, 10.0, 20.0, 0.2, 0.1]


def loaded():
    """A puck that carries a pendulum with a damper: normal force and friction need each other."""
    mech = aj.Mechanism("puck")
    ball = surfaces.Sphere(0.1)
    mech.add_contact_body("puck", surfaces=(GROUND, ball), friction=0.4, start="sliding", inertia=SOLID)
    rod = aj.Inertia.point(0.5, (0, 0, -0.3))
    mech.add_body("rod", "puck", joint=joints.Revolute("y"), inertia=rod, damping=0.01)
    return mech, [0, 0, 0.3, 0.2, 0.5, 0.4], [1.0, 0.5, 2.0, 1.5, 0.7, 1.0]


RK4, EULER = ("rk4", 1e-3), ("semi-implicit-euler", 5e-4)
LONG = [pytest.param(*x, marks=pytest.mark.slow) for x in ((alone, *RK4), (loaded, *EULER))]


@pytest.mark.parametrize(("make", "method", "dt"), [(alone, *EULER), (loaded, *RK4), *LONG])
def test_strides_are_steps(make, method, dt, monkeypatch):
    """States, forces, work and changes of modes are those of single steps, to rounding."""
    mech, q, v = make()
    model, taken = mech.compile(), []
    stride = Strider.take
    monkeypatch.setattr(Strider, "take", lambda self, now: taken.append(x := stride(self, now)) or x)
    fast = model.simulate(q, v, duration=0.25, dt=dt, method=method)
    assert sum(len(x.t) for x in taken if x) > 0.5 * fast.steps
    monkeypatch.setattr(Strider, "take", lambda self, now: None)
    slow = model.simulate(q, v, duration=0.25, dt=dt, method=method)
    assert [x[1:] for x in fast.modes] == [x[1:] for x in slow.modes]
    assert fast.t == pytest.approx(slow.t, abs=1e-11)
    for x, y in ((fast.q, slow.q), (fast.v, slow.v), (fast.energy_balance(), slow.energy_balance())):
        assert x == pytest.approx(y, abs=1e-9)
    for name, track in fast.contacts.items():
        assert track.forces == pytest.approx(slow.contacts[name].forces, abs=1e-8)
