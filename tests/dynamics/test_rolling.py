"""Rolling against its oracle: the sliding joint's five velocities, held by two multipliers in a dense KKT solve."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints, surfaces
from anyjoint.mechanism.gallery.kinds import random_inertia
from anyjoint.quantity.formulations import FORMULATIONS
from tests.joints.zoo import paraboloid


def egg_tray(u, v):
    """A surface of one's own, with hills, hollows and saddles flatter than what rolls on it."""
    return u, v, 0.2 * aj.sin(u) * aj.cos(0.7 * v) + 0.05 * u * v


SURFACES = {
    "sphere": surfaces.Sphere(0.3),
    "ellipsoid": surfaces.Ellipsoid(0.5, 0.4, 0.3, axis="y"),
    "torus": surfaces.Torus(0.7, 0.2),
    "plane": surfaces.Plane(),
    "bowl": surfaces.Inside(surfaces.Sphere(2.0)),
    "own": surfaces.surface(egg_tray, domain=((-2, 2), (-2, 2))),
    "paraboloid": surfaces.surface(paraboloid, domain=((-1, 1), (-1, 1))),
}
FLAT = {"plane", "bowl", "own", "paraboloid"}  # two of these have no reason to bend differently
PAIRS = [pair for pair in combinations_with_replacement(SURFACES, 2) if not set(pair) <= FLAT]


def tree(kind, first, second, seed):
    """The joint between a hinged arm and a solid that carries another arm."""
    rng = np.random.default_rng(seed)
    mech = aj.Mechanism(kind.__name__, gravity=rng.normal(size=3).tolist())
    place = aj.Pose.translation(*rng.normal(size=3)) @ aj.Pose.rpy(*rng.normal(size=3))
    arm = mech.add_body("arm", joint=joints.Revolute((1, 2, 3)), placement=place, inertia=random_inertia(rng))
    solid = mech.add_body("solid", arm, kind(first, second), place, random_inertia(rng))
    mech.add_body("tail", solid, joints.Universal(), aj.Pose.translation(0.1, 0.2, 0.3), random_inertia(rng))
    return mech


def widened(joint, q):
    """S in the contact frame and c of the joint with five velocities, as floats."""
    at = lambda v: joint.motion(q.tolist(), v.tolist())  # noqa: E731
    return np.array(at(np.zeros(5)).S, dtype=float), lambda rates: np.array(at(rates).c, dtype=float)


def regular(joint, rng, count):
    """Random states, in both charts where there are two, away from poles, where the oracle loses digits."""
    low, high = np.array([c.domain for c in joint.coordinates]).T
    while count:
        q = low + rng.uniform(0.15, 0.85, 5) * (high - low)
        for k, surface in ((1, joint.surface1), (3, joint.surface2)):
            q[k] += 2 * np.pi * rng.integers(2) * (surface.all_charts().other_chart(0.0, 1.0) is not None)
        if abs(joint.share(q.tolist())) > 0.05:
            count -= 1
            yield q, rng.normal(size=3)


@pytest.mark.parametrize(
    ("first", "second"), [pytest.param(*x, marks=[pytest.mark.slow] * bool(k % 8)) for k, x in enumerate(PAIRS)]
)
def test_accelerations_are_those_of_the_sliding_joint_with_two_multipliers(first, second):
    """M qdd + P^T lambda = tau - bias and P qdd = -Pdot qdot, where P are the slip velocities; omega' from qdd."""
    pair = SURFACES[first].all_charts(), SURFACES[second].all_charts()
    rolls, slides = (tree(kind, *pair, seed=4).compile() for kind in (joints.Rolling, joints.Contact))
    joint = rolls.mechanism["solid"].joint
    free = joints.Contact(*pair)
    rng = np.random.default_rng(len(first) + 10 * len(second))
    for q, omega in regular(joint, rng, 8):
        state = np.concatenate([[0.4], q, [0.3, -0.5]])
        v, tau = np.concatenate([[0.7], omega, [1.0, -0.6]]), rng.normal(size=6)
        S, c = widened(free, q)
        rates = np.array(joint.rate(q.tolist(), omega.tolist()), dtype=float)
        v5 = np.concatenate([v[:1], rates, v[4:]])
        tau5 = np.concatenate([tau[:1], S[:3].T @ tau[1:4], tau[4:]])
        P = np.zeros((2, 8))
        P[:, 1:6] = S[3:5]
        M, bias = slides.mass_matrix(state), slides.bias_forces(state, v5)
        kkt = np.block([[M, P.T], [P, np.zeros((2, 2))]])
        scale = 1 / np.sqrt(np.concatenate([np.diag(M), np.diag(P @ np.linalg.solve(M, P.T))]))
        right = np.concatenate([tau5 - bias, -c(rates)[3:5]])
        solved = scale * np.linalg.solve(kkt * np.outer(scale, scale), scale * right)
        expected = np.concatenate([solved[:1], S[:3] @ solved[1:6] + c(rates)[:3], solved[6:8]])
        made = rolls.forward_dynamics(state, v, tau)
        size = max(1.0, np.abs(expected).max(), np.abs(c(rates)).max())
        assert np.abs(made - expected).max() < 1e-12 * size
        assert np.abs(rolls.inverse_dynamics(state, v, made) - tau).max() < 1e-12 * size
        assert np.allclose(rolls.energy(state, v), slides.energy(state, v5), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("algorithm", FORMULATIONS)
def test_every_formulation_rolls(algorithm):
    """All of them use virtual motions S and accelerations, none the rates of coordinates, so all of them can."""
    mech = tree(joints.Rolling, SURFACES["ellipsoid"], SURFACES["torus"], seed=2)
    rng = np.random.default_rng(1)
    q = np.array([0.4, 0.3, 1.1, 0.2, 0.5, 0.7, 0.3, -0.5])
    v, tau = rng.normal(size=6), rng.normal(size=6)
    expected = mech.compile().forward_dynamics(q, v, tau)
    assert np.allclose(mech.compile(algorithm=algorithm).forward_dynamics(q, v, tau), expected, rtol=1e-11, atol=1e-11)


def test_power_is_the_rate_of_energy():
    """Also without holonomy: constraint forces do no work where nothing slips."""
    mech = tree(joints.Rolling, SURFACES["ellipsoid"], SURFACES["own"], seed=3)
    model, rng = mech.compile(), np.random.default_rng(5)
    q, v, tau = np.array([0.4, 0.3, 1.1, 0.2, 0.5, 0.7, 0.3, -0.5]), rng.normal(size=6), rng.normal(size=6)
    traj = model.simulate(q, v, duration=0.2, dt=1e-4, tau=tau)
    assert traj.status.ok
    energy, power = np.sum(traj.energy(), axis=0), traj.v @ tau
    work = 1e-4 * (np.sum(power) - (power[0] + power[-1]) / 2)  # the trapezoidal rule errs by h^2
    assert energy[-1] - energy[0] == pytest.approx(work, rel=1e-6)


def test_gravity_forces_are_the_slope_of_the_potential_along_rolling():
    """N^T dV/dq, by central differences along the rates of unit velocities."""
    model = tree(joints.Rolling, SURFACES["torus"], SURFACES["ellipsoid"], seed=6).compile()
    q, h = np.array([0.4, 0.3, 1.1, 0.2, 1.2, 0.7, 0.3, -0.5]), 1e-6
    made = model.gravity_forces(q)
    for k, unit in enumerate(np.eye(6)):
        way = h * model.coordinate_rates(q, unit)
        slope = (model.energy(q + way, 0 * unit)[1] - model.energy(q - way, 0 * unit)[1]) / (2 * h)
        assert made[k] == pytest.approx(slope, abs=1e-7)


def test_prescribed_rolling():
    """Hybrid dynamics give the forces that roll the solid as prescribed, and the accelerations of the others."""
    mech = tree(joints.Rolling, SURFACES["torus"], SURFACES["ellipsoid"], seed=6)
    model, rng = mech.compile(), np.random.default_rng(2)
    q = np.array([0.4, 0.3, 1.1, 0.2, 1.2, 0.7, 0.3, -0.5])
    v, tau = rng.normal(size=6), rng.normal(size=6)
    a = model.forward_dynamics(q, v, tau)
    given_tau, given_a = tau.copy(), a.copy()
    given_tau[1:4], given_a[[0, 4, 5]] = 0.0, 0.0
    found_a, found_tau = model.hybrid_dynamics(q, v, given_tau, given_a, ["solid"])
    assert np.allclose(found_a, a, atol=1e-11)
    assert np.allclose(found_tau, tau, atol=1e-11)
