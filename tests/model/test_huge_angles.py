"""Angles after millions of turns: what frames add to a coordinate costs none of its digits."""

import mpmath
import numpy as np
import pytest

from anyjoint.mechanism import gallery
from dynamics.support import State, close

TURNS = (0, 10, 1_000_000, 16_000_000)


def reduced(q):
    """The same angles without whole turns."""
    with mpmath.workdps(40):
        return np.array([float(x - 2 * mpmath.pi * mpmath.nint(x / (2 * mpmath.pi))) for x in map(mpmath.mpf, q)])


@pytest.mark.parametrize("form", ["straight", "kernels"])
@pytest.mark.parametrize("turns", TURNS)
def test_whole_turns_do_not_show(turns, form):
    mech = gallery.revolute_chain(9)
    model = mech.compile(form=form)
    rng = np.random.default_rng(turns)
    q, (v, tau) = 2 * np.pi * turns + rng.normal(size=9), rng.normal(size=(2, 9))
    near = reduced(q)
    # `near` is rounded at 4e-16, which poses of nine links show nine times.
    assert close(model.body_poses(q), model.body_poses(near), 1e-14)
    assert close(model.mass_matrix(q), model.mass_matrix(near), 2e-14)
    assert close(model.inverse_dynamics(q, v, tau), model.inverse_dynamics(near, v, tau), 2e-14)
    batch = model.inverse_dynamics(np.tile(q, (5, 1)), v, tau)
    assert close(batch, np.tile(model.inverse_dynamics(near, v, tau), (5, 1)), 2e-14)
    assert close(State(mech, q, v).mass_matrix(), model.mass_matrix(near), 2e-14)
