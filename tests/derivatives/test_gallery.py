"""Every mechanism of the gallery: its derivatives against complex steps through its own programs."""

import inspect

import numpy as np
import pytest

from anyjoint import gallery, joints
from derivatives.support import Interpreted, close, slopes, tangents

pytestmark = pytest.mark.slow  # a mechanism takes seconds to compile


MECHANISMS = [
    name for name in gallery.__all__
    if name != "every_kind" and not any(
        x.default is inspect.Parameter.empty for x in inspect.signature(getattr(gallery, name)).parameters.values()
    )
]  # fmt: skip
QUICK = ("torus_chain", "four_bar")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in MECHANISMS]
)
def test_derivatives_of_a_mechanism(name):
    """Tolerances grow with the condition of what is solved."""
    mech = getattr(gallery, name)()
    model, rng = mech.compile(), np.random.default_rng(0)
    q, v = np.array(mech.start[0]), 0.3 * rng.normal(size=mech.nv)
    if mech.constraints:
        q, v = model.assemble(q, v)
    a = rng.normal(size=mech.nv)
    T, unit = tangents(mech, q), np.eye(mech.nv)
    d, inverse = model.inverse_dynamics_derivatives(q, v, a), Interpreted(mech, "inverse_dynamics")
    for which, directions, made in ((0, T, d.q), (1, unit, d.v), (2, unit, d.a)):
        assert close(made, slopes(inverse, (q, v, a), which, directions), 1e-12, np.abs(d.a).max())
    f = model.forward_dynamics_derivatives(q, v, a)
    if mech.constraints:
        forward, given = Interpreted(mech, "forward_dynamics"), (q, v, a, *([np.zeros(1)] if mech.timed else []))
        assert close(f.q, slopes(forward, given, 0, T), 1e-8, 1.0)
        assert close(f.v, slopes(forward, given, 1, unit), 1e-8, 1.0)
        return
    e = model.inverse_dynamics_derivatives(q, v, model.forward_dynamics(q, v, a))
    condition = np.linalg.cond(e.a)
    assert close(e.a @ f.q, -e.q, 1e-13 * condition)
    assert close(e.a @ f.v, -e.v, 1e-13 * condition)


def test_the_gallery_has_every_way():
    """Trees, joints that follow others, and constraints are among them."""
    made = [getattr(gallery, name)() for name in ("torus_chain", "four_bar_knee", "four_bar")]
    assert any(isinstance(body.joint, joints.Coupled) for body in made[1].bodies)
    assert made[2].constraints
    assert not made[0].constraints
