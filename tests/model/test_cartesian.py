"""Bodies in world axes: Jacobians, their rates, velocities and forces there and back."""

import numpy as np
import pytest

from anyjoint.errors import InputError
from anyjoint.mechanism import gallery
from dynamics.support import bumped, close

KINDS = ("revolute", "fixed", "spherical", "prismatic", "free-quaternion", "on-surface")
H = 1e-5


@pytest.fixture(scope="module")
def tree():
    kinds = gallery.every_kind()
    mech = gallery.random_tree(4, n=8, kinds={name: kinds[name] for name in KINDS})
    return mech, mech.compile(), *mech.start


def test_velocities_are_rates_of_positions(tree):
    mech, model, q, v = tree
    linear, omega = model.cartesian(q).velocities(v)

    def centres(at):
        poses = model.body_poses(at)
        return np.stack([T[:3, :3] @ b.inertia.com + T[:3, 3] for T, b in zip(poses, mech.bodies, strict=True)])

    ends = [bumped(mech, q, v, h) for h in (H, -H)]
    assert close(linear, (centres(ends[0]) - centres(ends[1])) / (2 * H), 1e-8)
    R, Rdot = model.cartesian(q).rotations, np.subtract(*(model.body_poses(e)[:, :3, :3] for e in ends)) / (2 * H)
    spin = Rdot @ np.swapaxes(R, 1, 2)
    assert close(omega, np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1), 1e-8)


def test_rates_are_slopes_of_the_jacobians(tree):
    mech, model, q, v = tree
    ahead, behind = (model.cartesian(bumped(mech, q, v, h)) for h in (H, -H))
    rate_v, rate_w = model.cartesian(q).jacobian_rates(v)
    assert close(rate_v, (ahead.J_v - behind.J_v) / (2 * H), 1e-7)
    assert close(rate_w, (ahead.J_w - behind.J_w) / (2 * H), 1e-7)


def test_velocities_come_back(tree):
    _, model, q, v = tree
    at = model.cartesian(q)
    found, miss = at.generalized_velocities(*at.velocities(v))
    assert close(found, v, 1e-9)
    assert miss < 1e-10


def test_forces_do_the_same_work_and_come_back(tree):
    mech, model, q, v = tree
    rng = np.random.default_rng(0)
    at = model.cartesian(q, points=rng.normal(size=(mech.nb, 3)))
    f, tau = rng.normal(size=(2, mech.nb, 3))
    linear, omega = at.velocities(v)
    assert close(at.generalized_forces(f, tau) @ v, np.sum(f * linear) + np.sum(tau * omega), 1e-11)
    Q = rng.normal(size=mech.nv)
    assert close(at.generalized_forces(*at.forces(Q)), Q, 1e-9)


def test_wrong_shapes_are_refused(tree):
    mech, model, q, _ = tree
    with pytest.raises(InputError, match=r"q of shape"):
        model.cartesian(q[:-1])
    with pytest.raises(InputError, match=r"points of shape"):
        model.cartesian(q, points=[0, 0, 0])
    with pytest.raises(InputError, match=r"forces of shape"):
        model.cartesian(q).generalized_forces(np.zeros(3), np.zeros((mech.nb, 3)))
    with pytest.raises(InputError, match=r"finite"):
        model.cartesian(q).velocities(np.full(mech.nv, np.nan))
