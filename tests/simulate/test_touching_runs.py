"""Ways to run contacts: batches, steps, files, short steps, and piles of many pairs."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import distances, joints, shapes
from anyjoint.view.contact import contact_marks
from tests.simulate.touching import MASS, METHOD, RADIUS, G, at, ball, ball_model, run


@pytest.mark.fast_code
def test_batches_steps_callbacks_and_short_numbers_agree():
    model, v = ball().compile(), np.array([0, 1.0, 0, 1.0, 0, 0])
    q = np.array([at(0.11), at(0.13), at(0.3)])
    traj = model.simulate(q, np.tile(v, (3, 1)), duration=0.2, method=METHOD)
    for k in range(3):
        one, many = model.simulate(q[k], v, duration=0.2, method=METHOD), traj.member(k)
        assert np.array_equal(one.q, many.q)
        track, other = one.contacts["ball-ground"], many.contacts["ball-ground"]
        assert np.array_equal(track.forces, other.forces)
    asked = model.simulate(q[0], v, duration=0.2, method=METHOD, tau=lambda t, q, v: np.zeros(6))
    assert asked.q == pytest.approx(traj.q[:, 0], abs=1e-12)
    assert asked.contacts["ball-ground"].forces == pytest.approx(traj.contacts["ball-ground"].forces[:, 0], abs=1e-8)
    at_q, at_v = q[0], v
    for _ in range(50):
        at_q, at_v = model.step(at_q, at_v, dt=1e-3, method=METHOD)
    assert np.array_equal(at_q, traj.q[50, 0])
    short = ball().compile(dtype="float32").simulate(q[0], v, duration=0.2, method=METHOD)
    assert short.q[-1] == pytest.approx(traj.q[-1, 0], abs=5e-4)
    assert short.contacts["ball-ground"].force[-1, 2] == pytest.approx(MASS * G, rel=1e-3)


def test_contacts_are_drawn_saved_and_resampled(tmp_path):
    traj = run(ball_model(), at(0.11), duration=0.2, save_every=2)
    poses = traj.model.body_poses(traj.q[[0, -1]])
    points, forces = contact_marks(traj, traj.model.mechanism, np.array([0, len(traj.t) - 1]), poses)
    assert (len(points[0]), len(points[1])) == (0, 1)  # in the air, on the ground
    assert points[1][0] == pytest.approx([0, 0, 0], abs=1e-5)
    assert forces[1][0, 2] > 0
    again = aj.Trajectory.load(traj.save(tmp_path / "run.npz"), traj.model)
    for what in ("points", "normals", "forces"):
        kept, read = (getattr(x.contacts["ball-ground"], what) for x in (traj, again))
        assert np.array_equal(kept, read, equal_nan=True)
    some = traj.resample([0.05, 0.199, 0.2])
    assert np.array_equal(some.contacts["ball-ground"].forces[-1], traj.contacts["ball-ground"].forces[-1])
    assert some.v[-1] == pytest.approx(traj.v[-1], abs=1e-9)


def test_forces_are_felt_within_the_same_step():
    """A stiff spring that presses a ball onto the ground adds to its weight."""
    press = aj.forces.Spring("ball", (0, 0, 0), None, (0, 0, -2.0), stiffness=100.0, length=2.0)
    traj = run(ball_model(), at(RADIUS), duration=0.3, forces=[press])
    assert traj.contacts["ball-ground"].force[-1, 2] == pytest.approx(MASS * G + 100 * RADIUS, rel=1e-3)  # it sinks in


@pytest.mark.parametrize("part", [1e-3, 0.3])
def test_a_short_step_throws_nothing_out(part):
    """A contact is as stiff in a step that is cut short, by an event or by the end, as in all others."""
    dt, rest = 1e-3, at(RADIUS - G * 1e-6 / 25)
    last = run(ball_model(), rest, duration=(10 + part) * dt, dt=dt)
    assert np.abs(last.v[-1]).max() < 1e-9
    assert last.contacts["ball-ground"].force[-1] == pytest.approx([0, 0, MASS * G], rel=1e-6)
    end = aj.Event(lambda t, q, v: t - (5 + part) * dt, terminal=True)
    cut = run(ball_model(), rest, duration=0.01, dt=dt, events=[end])
    assert cut.t[-1] == pytest.approx((5 + part) * dt)
    assert np.abs(cut.v[-1]).max() < 1e-9


# -- piles -----------------------------------------------------------------------------------------------------


def tower(count, near):
    """Balls above each other; every ball may touch the ground and `near` balls below it."""
    mech = aj.Mechanism("tower")
    for k in range(count):
        solid = aj.Inertia.sphere(MASS, RADIUS).moved(aj.Pose.translation(0.01 * k, 0, 0))
        mech.add_body(f"ball {k}", joint=joints.FreeQuaternion(), inertia=solid, shape=shapes.Sphere(RADIUS))
        mech.add_contact(f"ball {k}", friction=0.4)
        for j in range(max(0, k - near), k):
            mech.add_contact(f"ball {k}", on=distances.Sphere(RADIUS), of=f"ball {j}", friction=0.3)
    return mech, np.concatenate([at(RADIUS + 2.01 * RADIUS * k, 0.02 * (k % 3), 0.01 * (k % 2)) for k in range(count)])


def test_a_pile_is_solved_block_by_block_and_says_the_same():
    """Where more pairs are named than ever touch, twists are eliminated instead of multipliers: the same motion."""
    options = {"duration": 0.2, "dt": 2e-3, "method": METHOD}
    (many, q0), (few, _) = tower(6, 6), tower(6, 1)
    pile, chain = (mech.compile().simulate(q0, **options) for mech in (many, few))
    assert pile.status.ok
    assert np.abs(pile.q - chain.q).max() < 1e-8  # equations are solved to that
    for k in range(1, 6):
        name = f"ball {k}-ball {k - 1}"
        assert pile.contacts[name].force == pytest.approx(chain.contacts[name].force, abs=1e-5)  # of up to 50 N


def test_the_code_of_a_pile_does_not_grow():
    sizes = []
    for count in (7, 9):
        trace = tower(count, count)[0].compile().program("contact_acceleration").trace
        sizes.append(sum(len(kernel.stores) for kernel in trace.schedule.kernels))
    assert sizes[1] < 1.1 * sizes[0]  # pairs grow from 21 to 36; rows are copied in blocks, the last varies
