"""What hangs in one another stays so: chains of tori are linked in every frame of the runs that we show."""

import numpy as np
import pytest

from anyjoint.cli.target import resolve
from anyjoint.mechanism import gallery
from tests.mechanism.linking import neighbours, through_disc
from tests.mechanism.test_gallery import MAJOR, linking_number


def test_counting_crossings_agrees_with_gauss():
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(300):
        T = np.eye(4)
        T[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        T[:3, 3] = rng.uniform(-0.3, 0.3, 3)
        gauss = linking_number(T)
        if abs(gauss - round(gauss)) < 1e-3:  # where circles nearly meet, the integral has not converged
            seen.add(round(gauss))
            assert through_disc(T, MAJOR) == round(gauss)
    assert seen == {-1, 0, 1}


def linked_all_the_way(mech, duration, dt, method):
    model = mech.compile()
    traj = model.simulate(*mech.start, duration=duration, dt=dt, method=method)
    assert traj.status.ok
    links = neighbours(mech, model.body_poses(traj.q[:: max(1, round(0.01 / dt))]))
    return bool((np.abs(links) == 1).all() and (links == links[0]).all())


@pytest.mark.parametrize(
    "name", ["torus-chain", *(pytest.param(x, marks=pytest.mark.slow) for x in ("torus-chain-on-spline", "windmill"))]
)
def test_the_runs_of_the_command_line_stay_linked(name):
    target = resolve(name)
    assert linked_all_the_way(target.mechanism, target.duration, target.dt, target.method)


@pytest.mark.parametrize("make", [gallery.torus_chain, gallery.torus_chain_on_spline])
def test_the_starts_of_the_gallery_stay_linked_without_friction(make):
    assert linked_all_the_way(make(), 10.0, 1e-3, "rk4")


def test_a_wild_start_without_friction_comes_apart():
    """What a bilateral contact is: the torus passes through its neighbour, and this test would see it."""
    assert not linked_all_the_way(gallery.torus_chain(20, bend=0.09), 3.0, 1e-3, "rk4")
