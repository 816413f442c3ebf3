"""Numbers of joints that vary say where each run is defined: it ends where a run of its own would end."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from tests.sweep.models import alone


@pytest.fixture(scope="module")
def linkage():
    """A four-bar that does not close at all angles of its crank."""
    mech = aj.Mechanism("linkage")
    four_bar = joints.FourBar(ground=1.0, crank=1.2, coupler=0.6, rocker=1.1)
    mech.add_body("coupler", None, four_bar, aj.Pose.rotation_x(np.pi / 2), aj.Inertia.sphere(1.0, 0.1))
    return mech.compile()


@pytest.mark.parametrize(("speed", "method"), [(3.0, "rk4"), (10.0, "rk4"), (3.0, "dopri5")])
def test_a_run_ends_where_its_own_joint_does(linkage, speed, method):
    given = {"duration": 0.45, "dt": 2e-3, "method": method}
    rods = np.linspace(0.85, 1.3, 5)
    result = aj.sweep(linkage, {"coupler/joint/rocker": rods}, q0=[0.8], v0=[speed], **given)
    for k, rod in enumerate(rods):
        sample = {"coupler/joint/rocker": rod, "q0": [0.8], "v0": [speed]}
        status = alone(linkage, sample, **given).status
        assert bool(result.ok[k]) == status.ok
        assert result.run(k).status.time == pytest.approx(status.time, abs=2e-3)
        assert status.ok or "stretched out or does not close" in result.failures[k]


def test_a_start_is_judged_by_the_run_itself(linkage):
    """The crank begins at 0.3: within (0.25, 1.54) for a rocker of 0.94, not within (0.42, 1.76) for the model's."""
    rods = [0.94, 1.1, 0.94]
    given = {"duration": 0.01, "dt": 1e-3}
    result = aj.sweep(linkage, {"coupler/joint/rocker": rods}, q0=[0.3], **given)
    assert list(result.ok) == [True, False, True], result.status
    assert "the run cannot begin" in result.failures[1]
    traj = alone(linkage, {"coupler/joint/rocker": 0.94, "q0": [0.3]}, **given)
    assert result.values[0] == pytest.approx([*traj.q[-1], *traj.v[-1]], rel=1e-11, abs=1e-11)
