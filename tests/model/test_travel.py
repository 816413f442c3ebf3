"""Models and trajectories after a pickle, a copy or a journey to another process: the same answers, to the bit."""

import copy
import functools
import operator
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import cloudpickle
import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, gallery, joints
from tests.crossed import crossed
from tests.joints.zoo import cam
from tests.simulate.touching import METHOD, at, ball


def loaded(data):
    return pickle.loads(data)  # noqa: S301 (our own)


WAYS = {
    "pickle": lambda x: loaded(pickle.dumps(x)),
    "cloudpickle": lambda x: loaded(cloudpickle.dumps(x)),
    "deep copy": copy.deepcopy,
    "copy": copy.copy,
}


def arm(joint=cam, **options):
    """A quaternion base, a joint of one's own with springs, a weld and a joint with parameters."""
    mech = aj.Mechanism("arm", gravity=(0.1, 0.2, -9.7))
    base = mech.add_body("base", joint=joints.FreeQuaternion(), inertia=aj.Inertia.box(2.0, 0.1, 0.2, 0.3))
    place, solid = aj.Pose.translation(0, 0.1, 0.2), aj.Inertia.box(1.1, 0.1, 0.2, 0.5)
    upper = mech.add_body("upper", base, joint, place, solid, stiffness=2.0, damping=0.1)
    plate = mech.add_body("plate", upper, joints.Fixed(), place, aj.Inertia.box(0.3, 0.1, 0.1, 0.1))
    mech.add_body("screw", plate, joints.Helical((0, 1, 2), pitch=0.2), place, solid)
    mech.set_start([0.5, 0.5, 0.5, 0.5, 0.1, 0.2, 0.3, 0.4, 0.5], [0.3] * mech.nv)
    return mech.compile(**options)


known = functools.cache(arm)  # for those who leave it as it is: a joint of one's own is traced for each model anew


def answers(model):
    """What a model says about its start, as bytes."""
    q, v = (x.astype(model.dtype) for x in model.mechanism.start)
    rows = [model.forward_dynamics(q, v), model.inverse_dynamics(q, v, v), model.mass_matrix(q), model.body_poses(q)]
    return b"".join(np.ascontiguousarray(x).tobytes() for x in (*rows, *model.energy(q, v)))


OPTIONS = [{}, {"dtype": "float32"}, {"algorithm": "recursive"}, {"form": "kernels", "width": 2}]


@pytest.mark.parametrize(("way", "options"), crossed(WAYS, OPTIONS), ids=str)
def test_a_model_answers_the_same_to_the_bit(way, options):
    model = known(**options)
    other = WAYS[way](model)
    assert answers(other) == answers(model)
    assert (other.dtype, other.algorithm, other.formulation) == (model.dtype, model.algorithm, model.formulation)
    assert (other.width, other.workshop.form) == (model.width, model.workshop.form)


@pytest.mark.parametrize("way", WAYS)
def test_changed_parameters_go_along_and_stay_apart(way):
    model = arm()
    fresh = answers(model)
    model.parameters.set({"upper/mass": 1.7, "gravity": (0.3, 0.1, -1.6), "screw/joint/pitch": 0.3})
    changed = answers(model)
    assert changed != fresh
    other = WAYS[way](model)
    assert answers(other) == changed
    other.parameters["upper/mass"] = 2.5
    assert answers(model) == changed, "a copy has parameters of its own"
    assert answers(other) != changed


@pytest.mark.slow
def test_every_joint_kind_travels():
    model = gallery.random_tree(0, coupled=True).compile()
    assert answers(loaded(pickle.dumps(model))) == answers(model)


def test_what_was_computed_stays_at_home():
    """Locks, prepared calls and compiled programs do not travel: a used model is no larger than a new one."""
    model = arm()
    new = len(pickle.dumps(model))
    answers(model)
    model.simulate(duration=0.01)
    assert len(pickle.dumps(model)) == new < 20_000


def test_another_process_says_the_same():
    model = arm()
    q, v = model.mechanism.start
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        there = pool.submit(operator.methodcaller("forward_dynamics", q, v), model).result()
    assert np.array_equal(there, model.forward_dynamics(q, v))


SCRIPT = """
import pickle, sys
import anyjoint as aj

@aj.joint(dof=1)
def slide(q):
    return aj.Pose.translation(0.1 * q[0] * q[0], 0, q[0])

mech = aj.Mechanism("script")
wire = aj.joints.OnCurve(lambda s: (aj.cos(s), aj.sin(s), 0.1 * s))
body = mech.add_body("a", joint=slide, inertia=aj.Inertia.sphere(1.0, 0.1))
mech.add_body("b", body, wire, inertia=aj.Inertia.sphere(1.0, 0.1))
traj = mech.compile().simulate([0.3, 0.2], [0.0, 0.0], duration=0.1, tau=lambda t, q, v: [t, -t])
pickle.dump((traj, traj.accelerations().tobytes()), open(sys.argv[1], "wb"))
"""


def test_functions_of_a_script_travel_through_cloudpickle(tmp_path):
    """What a script or a notebook defines has no module that another process could import it from."""
    (tmp_path / "script.py").write_text(SCRIPT)
    subprocess.run([sys.executable, "script.py", "traj.pickle"], cwd=tmp_path, check=True)
    traj, there = loaded((tmp_path / "traj.pickle").read_bytes())
    assert traj.accelerations().tobytes() == there
    assert traj.model.simulate([0.3, 0.2], duration=0.01).status.ok


@pytest.fixture
def without_cloudpickle(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)


@pytest.mark.usefixtures("without_cloudpickle")
def test_without_cloudpickle_functions_with_a_name_travel_and_others_are_refused():
    model = arm(cam)
    assert answers(loaded(pickle.dumps(model))) == answers(model)
    own = arm(aj.joint(dof=1)(lambda q: aj.Pose.rotation_z(q[0])))
    with pytest.raises(aj.AnyjointError, match=r"cannot be stored: .*lambda.*pip install cloudpickle"):
        pickle.dumps(own)
    assert answers(copy.deepcopy(own)) == answers(own), "copies share functions, so nothing has to be stored"


def test_what_even_cloudpickle_refuses_is_explained():
    lock = threading.Lock()
    own = arm(aj.joint(dof=1)(lambda q: aj.Pose.rotation_z(q[0] if lock else 0)))
    with pytest.raises(aj.AnyjointError, match=r"cannot be stored: .*lock.*define it at the top of a module$"):
        pickle.dumps(own)


def plain(q):
    return aj.Pose.rotation_z(q[0])


made = joints.joint(dof=1)(plain)


@joints.joint(dof=1)
def decorated(q):
    return aj.Pose.rotation_z(q[0])


@pytest.mark.usefixtures("without_cloudpickle")
@pytest.mark.parametrize("joint", [made, decorated], ids=["called", "decorated"])
def test_functions_are_pickled_by_name(joint):
    assert loaded(pickle.dumps(joint)).function is joint.function


@pytest.mark.parametrize(("way", "case"), crossed(WAYS, ["forces", "callback", "samples", "batch", "alone"]))
def test_a_trajectory_travels_with_its_model_and_inputs(way, case):
    model = known()
    q, v = model.mechanism.start
    options = {
        "forces": {"forces": [
            forces.Spring(None, (0, 0, 1), model.mechanism["plate"], (0, 0, 0), 3.0, 0.1),
            forces.Wrench("upper", force=(lambda t: t, 0, 1)),
        ]},
        "callback": {"tau": lambda t, q, v: -0.1 * v},
        "samples": {"tau": np.linspace(0, 1, 3 * model.nv).reshape(3, model.nv)},
        "batch": {},
        "alone": {"events": [aj.Event(lambda t, q, v: t - 0.0123, "late")]},
    }  # fmt: skip
    start = np.tile(q, (3, 1)) if case == "batch" else q
    traj = model.simulate(start, v, duration=0.02, **options[case])
    if case == "alone":
        traj.model = None
    other = WAYS[way](traj)
    assert (other.method, other.steps, str(other.status)) == (traj.method, traj.steps, str(traj.status))
    assert [(e.event, e.time) for e in other.events] == [(e.event, e.time) for e in traj.events]
    asked = [lambda x: x.t, lambda x: x.q, lambda x: x.v, lambda x: x.accelerations()]
    if traj.model is not None:
        asked += [lambda x: np.array(x.energy()), lambda x: x.work()]
    for ask in asked:
        assert np.array_equal(ask(other), ask(traj))


@functools.cache
def _run(case):
    if case == "loop":
        return gallery.four_bar().compile().simulate(duration=0.02)
    if case == "contact":
        return ball().compile().simulate(at(0.1), [0, 0, 0, 1, 0, 0], duration=0.05, method=METHOD)
    if case == "impact":
        mech = aj.Mechanism("hammer")
        hinge = joints.Revolute((0, 1, 0), limits=(-1.0, 0.1))
        mech.add_body("hammer", joint=hinge, inertia=aj.Inertia.sphere(1.0, 0.1))
        return mech.compile().simulate([0.05], [2.0], duration=0.1, limits="impact", restitution=0.5)
    if case == "stiff forces":
        model, springs = known(), [forces.Spring("ground", (0, 0, 1), "plate", (0, 0, 0), 3.0, 0.1)]
        return model.simulate(duration=0.02, forces=springs, method="implicit-euler")
    if case == "many forces":
        model = gallery.revolute_chain(30).compile()
        springs = [forces.Spring("ground", (0, 0, 1), body, (0, 0, 0), 3.0, 0.1) for body in model.mechanism.bodies]
        return model.simulate(duration=0.005, forces=springs)
    return known().simulate(duration=0.02, gradient=True)


@pytest.mark.parametrize(
    ("way", "case"), crossed(WAYS, ["loop", "contact", "impact", "stiff forces", "many forces", "gradient"])
)
def test_a_trajectory_of_every_kind_travels(way, case):
    traj = _run(case)
    assert traj.status.ok
    other = WAYS[way](traj)
    assert type(other) is type(traj)
    assert all(np.array_equal(getattr(other, name), getattr(traj, name)) for name in "tqv")
    assert np.array_equal(other.energy(), traj.energy())
    assert np.array_equal(other.accelerations(), traj.accelerations())
    assert other.contacts.keys() == traj.contacts.keys()
    if case == "contact":
        (name,) = traj.contacts
        assert np.abs(traj.contacts[name].forces).max() > 0
        assert np.array_equal(other.contacts[name].forces, traj.contacts[name].forces)
    if case == "gradient":
        found, wanted = (x.gradient(dq=np.ones(x.model.nv)) for x in (other, traj))
        assert all(np.array_equal(found[name], wanted[name]) for name in wanted)


@pytest.mark.parametrize("way", ["pickle", "cloudpickle", "deep copy", "copy"])
def test_a_mechanism_travels_with_its_loops_and_functions(way):
    mech = gallery.scissor_lift()  # constraints by functions inside functions
    other = WAYS[way](mech)
    q, v = mech.start
    there, here = (m.compile().forward_dynamics(q, v) for m in (other, mech))
    assert np.array_equal(there, here)
    other.add_body("load", inertia=aj.Inertia.sphere(1.0, 0.1))
    assert len(other.bodies) == len(mech.bodies) + 1


@pytest.mark.usefixtures("without_cloudpickle")
def test_without_cloudpickle_a_mechanism_says_what_cannot_be_stored():
    with pytest.raises(aj.AnyjointError, match=r"cannot be stored: .*local.*pip install cloudpickle"):
        pickle.dumps(gallery.scissor_lift())


class Louder(aj.Model):
    """A model with an answer of its own."""

    def energy(self, q, v):
        return 2 * sum(super().energy(q, v))


def test_a_copy_of_a_model_of_ones_own_class_is_of_that_class():
    mech = gallery.torus_chain(1)
    model, one = Louder(mech), np.ones(mech.nv)
    for twin in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):  # noqa: S301
        assert type(twin) is Louder
        assert twin.energy(one, one) == model.energy(one, one)
