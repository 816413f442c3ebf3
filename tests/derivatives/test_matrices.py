"""Derivatives of inverse and forward dynamics against complex steps through the programs of these."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from anyjoint.codegen.kernel import lane_array
from anyjoint.codegen.shadow import one_by_one
from anyjoint.mechanism.gallery.kinds import regular_coordinates
from derivatives.support import Interpreted, close, slopes, tangents
from tests.joints.everything import EVERYTHING
from tests.joints.zoo import configurations

# Every way that a joint can have: constant S, S(q), branches, quaternions, two legs, functions of one's own. Rolling
# takes as long as all of these; test_constrained differentiates its matrices, too.
SOME = ("revolute", "universal", "spherical", "spherical-quaternion", "tori", "helix")
REST = [name for name, joint in EVERYTHING.items() if joint.nv and name not in SOME]


def chain(joint, **options):
    """A hinge, the joint, and a slider; all constants are random."""
    rng = np.random.default_rng(3)
    mech, last = aj.Mechanism("chain", gravity=(1, 2, -9)), None
    for k, kind in enumerate((joints.Revolute((1, 2, 2)), joint, joints.Prismatic((0, 1, 1)))):
        place = aj.Pose.translation(*rng.normal(size=3)) @ aj.Pose.rpy(*rng.normal(size=3))
        turned = aj.Pose.translation(*(0.3 * rng.normal(size=3))) @ aj.Pose.rpy(*rng.normal(size=3))
        solid = aj.Inertia.box(1.0 + k, 0.6, 0.8, 1.0).moved(turned)
        last = mech.add_body(f"body {k}", last, kind, place, solid, **options)
    return mech


def state(mech, joint, seed=2):
    """Coordinates in the joint's domain, velocities, and accelerations or forces."""
    q, _ = next(configurations(joint, 1, seed=seed))
    rng = np.random.default_rng(seed)
    return np.concatenate([[0.3], q, [0.2]]), rng.normal(size=mech.nv), rng.normal(size=mech.nv)


def check_inverse(model, q, v, a, tolerance=1e-12):
    """dtau by complex steps of inverse dynamics; by coordinates themselves, too."""
    mech = model.mechanism
    inverse, unit = Interpreted(mech, "inverse_dynamics"), np.eye(mech.nv)
    d = model.inverse_dynamics_derivatives(q, v, a)
    assert close(d.q, slopes(inverse, (q, v, a), 0, tangents(mech, q)), tolerance)
    assert close(d.v, slopes(inverse, (q, v, a), 1, unit), tolerance)
    assert close(d.a, slopes(inverse, (q, v, a), 2, unit), tolerance)
    assert close(d.a, model.mass_matrix(q), tolerance)
    raw = model.inverse_dynamics_derivatives(q, v, a, raw=True)
    assert close(raw.q, slopes(inverse, (q, v, a), 0, np.eye(mech.nq)), tolerance)


def check_forward(model, q, v, tau, tolerance=1e-12):
    """dFD = -M^-1 dID where the accelerations are those of forward dynamics, and M^-1 M = 1."""
    a = model.forward_dynamics(q, v, tau)
    d, e = model.forward_dynamics_derivatives(q, v, tau), model.inverse_dynamics_derivatives(q, v, a)
    condition = np.linalg.cond(e.a)
    for mine, theirs in ((d.q, e.q), (d.v, e.v)):
        assert close(e.a @ mine, -theirs, tolerance * condition**0.5)
    assert close(d.tau @ e.a, np.eye(model.nv), tolerance * condition**0.5)
    assert np.array_equal(d.tau, d.tau.T) or close(d.tau, d.tau.T, 1e-13 * condition)
    assert close(model.inverse_mass_matrix(q), d.tau, tolerance * condition**0.5)


@pytest.mark.parametrize("name", SOME)
def test_every_way_of_a_joint(name):
    joint = EVERYTHING[name]
    mech = chain(joint, stiffness=2.0, damping=0.3, armature=0.1)
    model = mech.compile()
    check_inverse(model, *state(mech, joint))
    check_forward(model, *state(mech, joint))


@pytest.mark.slow
@pytest.mark.parametrize("name", REST)
def test_every_joint(name):
    joint = EVERYTHING[name]
    mech = chain(joint)
    model = mech.compile()
    check_inverse(model, *state(mech, joint), tolerance=1e-11)
    check_forward(model, *state(mech, joint), tolerance=1e-11)


def tree():
    """Branches, also on the ground, a weld, several kinds."""
    kinds = gallery.every_kind()
    names = ("revolute", "prismatic", "fixed", "universal", "spherical-quaternion", "own")
    mech = gallery.random_tree(3, n=6, kinds={name: kinds[name] for name in names})
    rng = np.random.default_rng(0)
    start = list(mech.start[0])
    for k in range(2):
        joint, solid = joints.Revolute((1, k, 2)), aj.Inertia.box(1.0, 0.3, 0.2, 0.1)
        mech.add_body(f"more {k}", None if k == 0 else "more 0", joint, aj.Pose.translation(0.1, 0.2, 0.3), solid)
        start.append(float(rng.normal()))
    mech.set_start(start)
    return mech


@pytest.mark.parametrize("form", [pytest.param("straight", marks=pytest.mark.slow), "kernels"])
def test_branches_in_both_forms(form):
    mech = tree()
    model, rng = mech.compile(form=form), np.random.default_rng(1)
    q, v, a = mech.start[0], rng.normal(size=mech.nv), rng.normal(size=mech.nv)
    check_inverse(model, q, v, a)
    check_forward(model, q, v, a)
    if form == "straight":  # by tangents of coordinates, too
        made = model.forward_dynamics_derivatives(q, v, a, raw=True)
        assert close(made.q @ tangents(mech, q).T, model.forward_dynamics_derivatives(q, v, a).q, 1e-11)


@pytest.mark.slow  # the tail of the limbs below is as long
def test_a_chain_of_several_blocks():
    """Long enough for a block of eight with its parts, and for another one."""
    mech = gallery.revolute_chain(10)
    model, (q, v, tau) = mech.compile(form="kernels"), np.random.default_rng(0).normal(size=(3, mech.nv))
    check_inverse(model, q, v, tau)
    check_forward(model, q, v, tau)


def limbs():
    """A trunk that branches, of whose limbs one is longer than a block and another one branches again."""
    rng, mech = np.random.default_rng(4), aj.Mechanism("limbs", gravity=(1, 2, -9))

    def limb(name, parent, *kinds, **options):
        for k, joint in enumerate(kinds):
            place = aj.Pose.translation(*(0.3 * rng.normal(size=3))) @ aj.Pose.rpy(*rng.normal(size=3))
            solid = aj.Inertia.box(1.0 + k, 0.6, 0.8, 1.0).moved(aj.Pose.translation(*(0.2 * rng.normal(size=3))))
            parent = mech.add_body(f"{name} {k}", parent, joint, place, solid, **options)
        return parent

    hinge, bent = joints.Revolute((1, 2, 2)), joints.Universal()
    trunk = limb("trunk", None, bent, hinge, hinge)
    limb("tail", trunk, *[hinge] * 9, stiffness=2.0, damping=0.3, armature=0.1)
    fork = limb("arm", trunk, hinge, bent)
    limb("finger", fork, hinge)
    limb("thumb", fork, joints.SphericalQuaternion())
    return mech


def test_limbs_that_branch_again():
    """All that wrenches and accelerations can meet between two joints."""
    mech, rng = limbs(), np.random.default_rng(3)
    model, q = mech.compile(form="kernels"), regular_state(mech, rng)
    v, tau = rng.normal(size=(2, mech.nv))
    check_forward(model, q, v, tau)
    inverse = model.forward_dynamics_derivatives(q, v, tau).tau
    assert np.array_equal(inverse, inverse.T)


MATRICES = ["inverse_mass_matrix", "inverse_dynamics_derivatives", "forward_dynamics_derivatives"]


@pytest.mark.parametrize("name", MATRICES)
def test_nothing_is_loaded_that_nobody_has_stored(name):
    """Not even what is overwritten in the end: adjoints carry it on, and batches look at all that they write."""
    schedule = one_by_one(limbs().compile(form="kernels").program(name).code.schedule)
    work, written = lane_array(schedule.arrays), np.zeros(schedule.work, dtype=bool)
    for run in schedule.runs:
        kernel = schedule.kernels[run.kernel]
        for call in run.offsets:
            loads = [call[a] + k for a, k in kernel.loads.values() if run.arrays[a] == work]
            assert written[loads].all(), [array.name for array in kernel.arrays]
            written[[call[x.array] + x.offset for x in kernel.stores if run.arrays[x.array] == work]] = True


@pytest.mark.parametrize("name", MATRICES)
def test_sweeps_keep_nothing_twice_and_no_results_that_nobody_wants(name):
    schedule = gallery.revolute_chain(12).compile(form="kernels").program(name).code.schedule
    seen = set()
    for kernel in schedule.kernels:
        where = {}
        for store in kernel.stores:
            where.setdefault(store.node.id, set()).add(kernel.arrays[store.array].name)
        kept = [names for names in where.values() if "keep" in names]
        assert not any(name.startswith("result ") for names in kept for name in names)
        seen.update(name for names in where.values() for name in names)
    assert {"keep", "mine"} < seen
    assert not {"result Lambda", "result Pu"} & seen  # for trees that branch


@pytest.mark.slow
def test_products_of_limbs():
    """Kernels that have nothing left to do but sines, and places that are written again and again."""
    mech, rng = limbs(), np.random.default_rng(3)
    model, q = mech.compile(form="kernels"), regular_state(mech, rng)
    w, d = rng.normal(size=mech.nv**2), rng.normal(size=mech.nv)
    _, gradient = model.vjp("inverse_mass_matrix", (q,), w)
    _, rate = model.jvp("inverse_mass_matrix", (q,), (d,))
    assert close(w @ np.ravel(rate), gradient["q"] @ d, 1e-11)


@pytest.mark.slow
def test_limbs_by_coordinates_and_in_batches():
    mech, rng = limbs(), np.random.default_rng(3)
    model, q = mech.compile(form="kernels"), regular_state(mech, rng)
    v, tau = rng.normal(size=(2, mech.nv))
    one, raw = (model.forward_dynamics_derivatives(q, v, tau, raw=raw) for raw in (False, True))
    assert close(raw.q @ tangents(mech, q).T, one.q, 1e-12)
    a = model.forward_dynamics(q, v, tau)
    assert close(np.linalg.solve(one.tau, raw.q), -model.inverse_dynamics_derivatives(q, v, a, raw=True).q, 1e-10)
    batch = model.forward_dynamics_derivatives(*(np.tile(x, (5, 1)) for x in (q, v, tau)))
    for name in ("q", "v", "tau"):
        assert close(getattr(batch, name)[3], getattr(one, name), 1e-13)


def regular_state(mech, rng):
    """Coordinates of regular places."""
    return np.concatenate([regular_coordinates(body.joint, rng) for body in mech.bodies])


def test_parameters_may_change_and_differ_from_state_to_state():
    mech = gallery.revolute_chain(3)
    model, (q, v, a) = mech.compile(), np.random.default_rng(0).normal(size=(3, mech.nv))
    name = next(name for name in model.parameters if name.endswith("/mass"))
    masses = [1.5, 2.5]
    states = (np.tile(x, (2, 1)) for x in (q, v, a))
    rows = model.inverse_dynamics_derivatives(*states, parameters={name: masses})
    for k, mass in enumerate(masses):
        model.parameters[name] = mass
        check_inverse(model, q, v, a)
        assert close(rows.q[k], model.inverse_dynamics_derivatives(q, v, a).q, 1e-13)


def test_single_precision():
    mech = gallery.revolute_chain(3)
    q, v, a = np.random.default_rng(0).normal(size=(3, mech.nv))
    rough, fine = (mech.compile(dtype=x, form="kernels").forward_dynamics_derivatives(q, v, a) for x in ("f4", "f8"))
    assert rough.q.dtype == np.float32
    assert close(rough.q, fine.q, 1e-3)


def test_batches_and_threads_have_the_bits_of_single_states():
    mech = tree()
    model, rng = mech.compile(form="kernels"), np.random.default_rng(1)
    q = np.tile(mech.start[0], (9, 1))
    q[:, 0] += np.linspace(0, 0.3, 9)
    v, tau = rng.normal(size=(2, 9, mech.nv))
    whole = model.forward_dynamics_derivatives(q, v, tau)
    again = model.forward_dynamics_derivatives(q, v, tau, threads=2)
    one = model.forward_dynamics_derivatives(q[:4], v[:4], tau[:4])
    assert whole.q.shape == (9, mech.nv, mech.nv)
    for name in ("q", "v", "tau"):
        assert np.array_equal(getattr(whole, name), getattr(again, name))
        assert np.array_equal(getattr(whole, name)[:4], getattr(one, name))


def test_nothing_moves():
    mech = aj.Mechanism("rock")
    mech.add_body("rock", inertia=aj.Inertia.sphere(1.0, 1.0))
    model, none = mech.compile(), np.zeros(0)
    assert model.inverse_dynamics_derivatives(none, none, none).q.shape == (0, 0)
    assert model.forward_dynamics_derivatives(none, none).tau.shape == (0, 0)


def test_singular_places_are_told_by_matrices():
    """At gimbal lock they were numbers of 1e35, without a word; a batch names the state."""
    mech = aj.Mechanism("top", gravity=(0, 0, -9.81))
    solid = aj.Inertia(0.7, (0.05, -0.1, 0.2), np.diag([0.12, 0.1, 0.09]))
    mech.add_body("top", joint=joints.EulerAngles("zyx"), inertia=solid)
    model, good, locked, v = mech.compile(), [0.1, 0.2, 0.3], [0.0, np.pi / 2, 0.0], np.ones(3)
    assert close(model.inverse_mass_matrix(good), np.linalg.inv(model.mass_matrix(good)), 1e-12)
    out = np.empty((3, 3))
    model.inverse_mass_matrix(good, out=out)
    assert np.array_equal(out, model.inverse_mass_matrix(good))
    with pytest.raises(aj.SingularityError, match=r"inverse_mass_matrix: body 'top' at q = .* is singular"):
        model.inverse_mass_matrix(locked)
    assert close(model.inverse_mass_times(good, v), out @ v, 1e-12)
    with pytest.raises(aj.SingularityError, match="inverse_mass_times: body 'top' at q"):
        model.inverse_mass_times(locked, v)
    for ask in (model.forward_dynamics_derivatives, model.linearise):
        with pytest.raises(aj.SingularityError, match="forward_dynamics_derivatives: body 'top'"):
            ask(locked, v)
    with pytest.raises(aj.SingularityError, match="forward_dynamics_derivatives: state 1, body 'top'"):
        model.forward_dynamics_derivatives([good, locked], v)
