"""Traced programs of mechanisms with constraints are kept on disk, as those of other mechanisms are."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from anyjoint.quantity.answers.constraint_errors import CONSTRAINT_ERRORS
from anyjoint.quantity.answers.forward_dynamics import FORWARD_DYNAMICS
from anyjoint.quantity.constraints import HELD, baumgarte
from anyjoint.quantity.implicit import implicit
from anyjoint.trace import constrained_kernels, workshop
from anyjoint.trace.store import pack
from anyjoint.trace.workshop import Workshop


def tied(length=0.5, compliance=0.0, mass=1.0):
    """Two pendulums, held together by a massless rod."""
    mech, bob = aj.Mechanism("tied"), aj.Inertia(mass=mass, com=(0, 0, -0.3), tensor=np.diag([0.1, 0.1, 0.01]))
    for k in range(2):
        mech.add_body(f"b{k}", None, joints.Spherical(), aj.Pose.translation(k, 0, 0), bob)

    @aj.constraint
    def rod(a, b):
        d = a.act((0, 0, -1)) - b.act((0, 0, -1))
        return d @ d / length**2 - 1

    mech.add_constraint(rod, bodies=("b0", "b1"), compliance=compliance)
    return mech


@pytest.fixture
def traced(tmp_path, monkeypatch):
    """Names of what has been traced, with an empty cache."""
    monkeypatch.setenv("ANYJOINT_CACHE", str(tmp_path))
    names = []
    for place, name in ((constrained_kernels, "constrained_kernels"), (workshop, "constrained")):
        whole = getattr(place, name)
        monkeypatch.setattr(place, name, lambda *given, whole=whole: names.append(whole.__name__) or whole(*given))
    return names


def program(mech, form="straight", quantity=FORWARD_DYNAMICS):
    trace = quantity.trace(Workshop(mech, form), "auto")
    return pack(trace.schedule, trace.setups)


@pytest.mark.parametrize("form", ["straight", "kernels"])
@pytest.mark.parametrize("make", [tied, lambda: gallery.chain_of_four_bars(2)])
def test_the_second_time_nothing_is_traced(traced, form, make):
    first = program(make(), form)
    assert len(traced) == 1
    assert program(make(), form) == first
    assert len(traced) == 1


def test_what_differs_is_traced_anew(traced):
    """Another number in a function, another closing joint, another question: nothing may be mistaken for another."""
    programs = [program(tied()), program(tied(0.6)), program(tied(compliance=0.1)), program(tied(compliance=0.2))]
    four_bars = gallery.chain_of_four_bars(2)
    programs += [program(four_bars), program(four_bars, quantity=CONSTRAINT_ERRORS)]
    programs += [program(four_bars, quantity=baumgarte(1.0, b)) for b in (2.0, 3.0)]
    programs += [program(four_bars, quantity=implicit(pull)) for pull in (0.0, 1.0, 2.0)]
    assert len(traced) == len(set(programs)) == len(programs)


def test_parameters_are_no_part_of_it(traced):
    """What comes from disk answers for other masses, too."""
    q, v = np.array([0.1, 0.2, 0.1, -0.2, 0.3, 0.1]), np.zeros(6)
    program(tied(mass=2.0), "auto", HELD)
    heavy = tied(mass=3.0).compile().forward_dynamics(q, v)
    assert len(traced) == 1
    oracle = tied(mass=3.0).compile(algorithm="augmented").forward_dynamics(q, v)
    assert heavy == pytest.approx(oracle, rel=1e-10)
