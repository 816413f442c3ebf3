"""What a model accepts and what it refuses, with messages that say what to do."""

import math
from functools import partial

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.codegen import all_finite
from anyjoint.errors import InputError, SingularityError
from anyjoint.mechanism import gallery

pytestmark = pytest.mark.fast_code  # to the last bit
N = 4


@pytest.fixture(scope="module")
def model():
    return gallery.revolute_chain(N).compile()


def rows(count=None):
    rng = np.random.default_rng(0)
    return [rng.normal(size=N if count is None else (count, N)) for _ in range(3)]


def test_lists_integers_and_strided_arrays_are_converted(model):
    whole = np.arange(2.0 * N).reshape(2, N) / 3
    q, v, tau = [1, 0, 2, -1], np.array([0, 1, 0, 2], dtype=np.int8), whole[0]
    a = model.forward_dynamics(np.array(q, dtype=float), v.astype(float), tau)
    assert np.array_equal(model.forward_dynamics(q, v, tau), a)
    assert np.array_equal(model.forward_dynamics(tuple(q), v.tolist(), np.repeat(tau, 2)[::2]), a)
    q, v, tau = rows(5)
    b = model.forward_dynamics(q, v, tau)
    strided = np.asfortranarray(q), np.repeat(v, 3, axis=0)[::3], np.repeat(tau, 2, axis=1)[:, ::2]
    assert np.array_equal(model.forward_dynamics(*strided), b)
    assert np.array_equal(model.forward_dynamics(q[::-1], v[::-1], tau[::-1]), b[::-1])
    readonly = q.copy()
    readonly.flags.writeable = False
    assert np.array_equal(model.forward_dynamics(readonly, v, tau), b)


def test_a_row_among_batches_serves_all_states(model):
    q, v, tau = rows(5)
    made = model.forward_dynamics(q, v[0], tau[0])
    assert made.shape == (5, N)
    for k in range(5):
        assert np.array_equal(made[k], model.forward_dynamics(q[k], v[0], tau[0]))


def test_forces_are_none_unless_given(model):
    q, v, _ = rows()
    assert np.array_equal(model.forward_dynamics(q, v), model.forward_dynamics(q, v, np.zeros(N)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros(N + 1)}, r"q has shape \(5,\); expected \(4,\) or \(batch, 4\)"),
        ({"v": np.zeros((3, N - 1))}, r"v has shape \(3, 3\)"),
        ({"tau": np.zeros((2, 2, N))}, r"tau has shape"),
        ({"q": 1.0}, r"q has shape \(\)"),
        ({"q": [[1.0], [1.0, 2.0]]}, "q is ragged"),
        ({"q": np.zeros(N, dtype=complex)}, "expected real numbers"),
        ({"q": ["a"] * N}, "expected real numbers"),
        ({"q": [None] * N}, "expected real numbers"),
        ({"q": np.full(N, np.nan)}, r"q\[0\] is not finite"),
        ({"v": [0, 0, np.inf, 0]}, r"v\[2\] is not finite"),
        ({"q": np.zeros((2, N)), "v": np.zeros((3, N))}, r"batches of \[2, 3\] states"),
        ({"threads": 0}, "threads=0"),
        ({"threads": -1}, "threads=-1"),
        ({"threads": 1.5}, r"threads=1.5"),
        ({"threads": np.array([1, 2])}, r"threads=array\(\[1, 2\]\)"),
        ({"out": np.zeros(N + 1)}, "expected a contiguous float64 array of shape"),
        ({"out": np.zeros(N, dtype="float32")}, "out is float32"),
        ({"out": [0.0] * N}, "out is list"),
        ({"out": np.zeros((N, 2))[:, 0]}, "contiguous"),
    ],
)
def test_bad_arguments_are_refused(model, change, message):
    arguments = {"q": np.zeros(N), "v": np.zeros(N), "tau": np.zeros(N)} | change
    with pytest.raises(InputError, match="forward_dynamics: .*" + message):
        model.forward_dynamics(**arguments)


@pytest.mark.parametrize("t", ["noon", math.nan, [0.0, math.inf], {"t": 1}])
def test_a_time_is_a_number_also_where_nothing_depends_on_it(model, t):
    q, v, tau = rows()
    with pytest.raises(InputError, match=r"t.*finite number"):
        model.forward_dynamics(q, v, tau, t=t)
    with pytest.raises(InputError, match=r"t.*finite number"):
        model.forward_dynamics_derivatives(q, v, tau, t=t)
    assert np.array_equal(model.forward_dynamics(q, v, tau, t=[0.3]), model.forward_dynamics(q, v, tau))


def test_out_is_filled_and_returned(model):
    q, v, tau = rows(3)
    out = np.empty((3, N))
    assert model.forward_dynamics(q, v, tau, out=out) is out
    assert np.array_equal(out, model.forward_dynamics(q, v, tau))
    single = np.empty(N)
    assert model.inverse_dynamics(q[0], v[0], tau[0], out=single) is single
    assert np.array_equal(single, model.inverse_dynamics(q[0], v[0], tau[0]))


@pytest.mark.parametrize("name", ["mass_matrix", "body_poses", "regressor"])
def test_tables_are_written_where_they_should_be(model, name):
    """In the array itself: an array in another order was copied, and stayed as it was."""
    q, v, a = rows(3)
    given = {"mass_matrix": (q,), "body_poses": (q,)}
    ask = partial(getattr(model, name), *given.get(name, (q, v, a)))
    wanted = ask()
    out = np.full(wanted.shape, np.nan)
    assert np.shares_memory(ask(out=out), out)
    assert np.array_equal(out, wanted)
    with pytest.raises(InputError, match=f"{name}: out is not contiguous"):
        ask(out=np.zeros(wanted.shape, order="F"))
    with pytest.raises(InputError, match=rf"{name}: out has shape .*; expected \({wanted.shape[1]}, .*, or \(batch, "):
        ask(out=np.zeros((*wanted.shape, 2)))
    rows_of_tables = np.full((3, wanted[0].size), np.nan)  # as programs write them
    ask(out=rows_of_tables)
    assert np.array_equal(rows_of_tables.reshape(wanted.shape), wanted)


def test_large_matrices_of_joints_that_follow_are_written_too(monkeypatch):
    """They are made column by column; a small one stands for a large one here."""
    monkeypatch.setattr("anyjoint.model.model.DENSE", 1)
    mech = gallery.revolute_chain(3)
    mech.add_body("follower", mech.bodies[0], joints.Coupled(joints.Revolute(), 2.0, mech.bodies[0].name))
    model, out = mech.compile(), np.full((3, 3), np.nan)
    assert model.mass_matrix(mech.neutral, out=out) is out
    assert np.array_equal(out, model.mass_matrix(mech.neutral))
    with pytest.raises(InputError, match=r"mass_matrix: out is float64 \(2, 2\); expected arrays to write to"):
        model.mass_matrix(mech.neutral, out=np.zeros((2, 2)))


def test_out_may_not_overlap_an_input(model):
    q, v, tau = rows(3)
    with pytest.raises(InputError, match="overlaps an input"):
        model.forward_dynamics(q, v, tau, out=v)
    memory = np.zeros(2 * N)
    with pytest.raises(InputError, match="overlaps"):
        model.forward_dynamics(memory[:N], v[0], tau[0], out=memory[1 : N + 1])


def test_out_may_not_be_read_only(model):
    q, v, tau = rows()
    out = np.zeros(N)
    out.flags.writeable = False
    with pytest.raises(InputError, match="writ"):
        model.forward_dynamics(q, v, tau, out=out)


def test_an_empty_batch_gives_an_empty_result(model):
    empty = np.zeros((0, N))
    assert model.forward_dynamics(empty, empty, empty).shape == (0, N)
    assert model.mass_matrix(empty).shape == (0, N, N)
    assert model.body_poses(empty).shape == (0, N, 4, 4)
    assert model.energy(empty, empty)[0].shape == (0,)


def test_so_it_does_where_places_are_looked_at_and_with_tables():
    model = gallery.torus_chain(2).compile()
    empty = np.zeros((0, model.nq))
    assert model.forward_dynamics(empty, empty).shape == (0, model.nv)
    assert model.forward_dynamics(empty, empty, wrenches=np.zeros((0, 2, 6))).shape == (0, model.nv)
    out = np.zeros((0, 2, 4, 4))
    assert model.body_poses(empty, out=out).shape == out.shape


def test_forces_beside_wrenches_are_checked(model):
    q, v, _ = rows()
    push, fields = np.ones((N, 6)), {"gravity": np.zeros((3, 3))}
    for tau in ("x", [1.0, 2.0], 2.0):
        with pytest.raises(InputError, match="forward_dynamics: tau "):
            model.forward_dynamics(q, v, tau, wrenches=push, parameters=fields)
    with pytest.raises(InputError, match="tau has 2 rows beside 3 states"):
        model.forward_dynamics(q, v, np.zeros((2, N)), wrenches=push, parameters=fields)
    with pytest.raises(InputError, match="tau has 2 rows beside 3 states"):
        model.forward_dynamics(q, v, np.zeros((2, N)), wrenches=np.ones((3, N, 6)))


def test_a_quaternion_out_of_range_is_told():
    mech = aj.Mechanism("stone")
    mech.add_body("stone", joint=joints.FreeQuaternion(), inertia=aj.Inertia.sphere(1.0, 0.1))
    with pytest.raises(aj.SingularityError, match="as large as 1e\\+200"):
        mech.compile().body_poses([1e200, 0, 1e200, 1e200, 0, 0, 0])


@pytest.mark.parametrize("name", ["body_poses", "mass_matrix", "gravity_forces", "center_of_mass"])
def test_what_is_not_finite_does_not_travel(model, name):
    with pytest.raises(InputError, match=r"q\[1\] is not finite"):
        getattr(model, name)([0.0, np.nan, 0.0, 0.0])


def test_unknown_bodies_algorithms_and_quantities(model):
    q, v, tau = rows()
    with pytest.raises(InputError, match="link9"):
        model.body_jacobian(q, "link9")
    with pytest.raises(InputError, match="not one of the 4 bodies"):
        model.body_jacobian(q, 7)
    with pytest.raises(InputError, match="body True is not one of the 4 bodies"):
        model.body_jacobian(q, True)
    stranger = gallery.torus_chain(2).bodies[1]
    with pytest.raises(InputError, match="not one of the 4 bodies"):
        model.body_jacobian(q, stranger)
    assert np.array_equal(model.body_jacobian(q, np.int64(1)), model.body_jacobian(q, "link1"))
    with pytest.raises(InputError, match="elbow"):
        model.hybrid_dynamics(q, v, tau, tau, ["elbow"])
    with pytest.raises(InputError, match=r"expected \(4, 6\)"):
        model.generalized_forces(q, np.zeros((3, 6)))
    with pytest.raises(InputError, match=r"expected \(4, 6\)"):
        model.forward_dynamics(q, v, wrenches=np.zeros(6))
    with pytest.raises(InputError, match="newton-euler, lagrangian"):
        model.inverse_dynamics(q, v, tau, algorithm="euler")
    with pytest.raises(InputError, match="choose one of"):
        model.op_count("forward")
    with pytest.raises(InputError, match="choose one of"):
        model.source("c", "forward")
    with pytest.raises(InputError, match="articulated-body"):
        gallery.revolute_chain(2).compile("aba")
    with pytest.raises(InputError, match='expected "auto", "straight" or "kernels"'):
        gallery.revolute_chain(2).compile(form="loops")


def test_welded_bodies_have_nothing_to_prescribe():
    mech = gallery.revolute_chain(2)
    mech.add_body("flag", "link1", inertia=aj.Inertia.sphere(0.1, 0.1))
    q = np.zeros(2)
    with pytest.raises(InputError, match="'flag' has no coordinates"):
        mech.compile().hybrid_dynamics(q, q, q, q, ["flag"])


@pytest.mark.parametrize("algorithm", ["auto", "articulated-body", "recursive", "composite-rigid-body", "augmented"])
def test_a_singular_mass_matrix_names_body_and_coordinate(algorithm):
    """A point mass that a slider can carry to the axis of a hinge, on a heavy turntable."""
    mech = aj.Mechanism("plumb bob")
    mech.add_body("table", joint=joints.Revolute((1, 0, 0)), inertia=aj.Inertia.sphere(10.0, 1.0))
    mech.add_body("arm", "table", joints.Revolute((0, 0, 1)), aj.Pose.translation(0.5, 0, 0))
    mech.add_body("bob", "arm", joints.Prismatic((1, 0, 0)), inertia=aj.Inertia.point(1.0))
    model = mech.compile(algorithm)
    v = np.array([0.1, 1.0, 1.0])
    assert np.isfinite(model.forward_dynamics([0.2, 0.3, 0.5], v)).all()
    for q, message in ([0.2, 0.3, 0.0], r"q = \[0.2, 0.3, 0.0\]"), ([[0.2, 0.3, 0.5], [0.2, 0.3, 0.0]], r"0.0\]"):
        with pytest.raises(SingularityError, match=r"mass matrix is singular.*'arm/.*body 'arm'") as caught:
            model.forward_dynamics(q, v)
        assert caught.match(message)


@pytest.mark.parametrize("algorithm", ["augmented", "redmax"])
def test_numeric_formulations_check_their_arguments_too(algorithm):
    model = gallery.revolute_chain(N).compile(algorithm)
    q, v, tau = rows(3)
    out = np.empty((3, N))
    assert model.forward_dynamics(q, v, tau, out=out) is out
    with pytest.raises(InputError, match="tau has shape"):
        model.forward_dynamics(q, v, tau[:, 1:])
    with pytest.raises(InputError, match="out is"):
        model.forward_dynamics(q, v, tau, out=out[1:])
    with pytest.raises(InputError, match="numerically"):
        model.op_count()
    assert model.op_count("blocks").total > 0


def idle():
    """A mechanism in which some inputs do not matter: a slider along gravity's side, a massless flag, a welded post."""
    mech = aj.Mechanism("idle", gravity=(0, 0, 0))
    mech.add_body("post", inertia=aj.Inertia.point(1.0))
    mech.add_body("cart", joint=joints.Prismatic((1, 0, 0)), inertia=aj.Inertia.point(2.0))
    mech.add_body("bob", "cart", joints.Prismatic((0, 1, 0)), inertia=aj.Inertia.point(1.0))
    return mech


QUANTITIES = {
    "forward_dynamics": ("q", "v", "tau"),
    "inverse_dynamics": ("q", "v", "a"),
    "mass_matrix": ("q",),
    "bias_forces": ("q", "v"),
    "gravity_forces": ("q",),
    "body_poses": ("q",),
    "energy": ("q", "v"),
    "momentum": ("q", "v"),
    "center_of_mass": ("q",),
    "blocks": ("q", "v"),
    "body_twists": ("q", "v"),
    "jacobian_rate_times": ("q", "v", "x"),
    "joint_wrenches": ("q", "v", "a"),
}


@pytest.fixture(scope="module")
def carts():
    return {name: idle().compile(name) for name in ("auto", "augmented", "articulated-body")}


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", QUANTITIES)
def test_inputs_that_do_not_matter_must_be_finite_too(carts, name, bad):
    """A mass matrix of sliders is constant, and so is everything else here; single calls, lists, batches, threads."""
    for model in carts.values():
        for which, what in enumerate(QUANTITIES[name]):
            arrays = [np.zeros(2) for _ in QUANTITIES[name]]
            getattr(model, name)(*arrays)  # single calls are prepared now
            arrays[which][1] = bad
            for given in (arrays, [x.tolist() for x in arrays], [np.tile(x, (5, 1)) for x in arrays]):
                with pytest.raises(InputError, match=rf"{what}\[(\d, )?1\] is not finite"):
                    getattr(model, name)(*given)


def test_prescribed_accelerations_forces_of_prescribed_joints_and_wrenches_must_be_finite(carts):
    model, zero, bad = carts["auto"], np.zeros(2), np.array([np.nan, 0.0])
    for tau, a, what in ((bad, zero, "tau"), (zero, bad, "a"), (zero, bad[::-1].copy(), "a")):
        with pytest.raises(InputError, match=rf"{what}\[\d\] is not finite"):
            model.hybrid_dynamics(zero, zero, tau, a, ["cart"])
    wrenches = np.zeros((3, 6))
    wrenches[0, 2] = np.inf  # on a body that does not move
    for call in (lambda w: model.generalized_forces(zero, w), lambda w: model.forward_dynamics(zero, zero, wrenches=w)):
        with pytest.raises(InputError, match=r"wrenches\[0, 2\] is not finite"):
            call(wrenches)
    with pytest.raises(InputError, match="finite"):
        model.cartesian(zero, points=np.full((3, 3), np.nan))
    assert np.isfinite(model.forward_dynamics(zero, zero, np.full(2, 1e308))).all()


@pytest.mark.parametrize("given", [["0.1", "0.2"], ["0.1", 0.2], [True, False], [True, 0.5], np.array([True, False])])
def test_texts_and_truth_values_are_no_coordinates(carts, given):
    model, zero = carts["auto"], np.zeros(2)
    for arrays in ((given, zero, zero), (zero, given, zero), (zero, zero, given), ([given, given], zero, zero)):
        with pytest.raises(InputError, match="expected real numbers"):
            model.forward_dynamics(*arrays)
    with pytest.raises(InputError, match="real numbers"):
        model.forward_dynamics(zero, zero, wrenches=[given * 3] * 3 if isinstance(given, list) else np.ones((3, 6)) > 0)
    with pytest.raises(InputError, match="real numbers"):
        model.cartesian(given)


def test_a_batch_of_one_state_of_one_coordinate_is_a_batch():
    model = gallery.revolute_chain(1).compile()
    one = np.zeros((1, 1))
    assert model.forward_dynamics(one, one, one).shape == (1, 1)
    assert model.mass_matrix(one).shape == (1, 1, 1)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 100])
def test_every_number_of_an_array_is_looked_at(count, dtype):
    array = np.full(count, np.finfo(dtype).max, dtype)
    assert all_finite(array)
    for k in range(count):
        for bad in (np.nan, np.inf, -np.inf):
            changed = array.copy()
            changed[k] = bad
            assert not all_finite(changed)
            assert not all_finite(np.stack([array, changed], axis=-1)[::-1])


@aj.constraint
def led(pose, time):
    return pose.act((0.0, 0.0, -1.0))[0] - 0.1 * aj.sin(time)


@pytest.mark.parametrize("t", ["noon", "1.0", True, 1j, None])
def test_times_are_numbers(t):
    """A text, a truth value and an imaginary time were bent into numbers, or failed inside NumPy."""
    mech = aj.Mechanism("led")
    solid = aj.Inertia(1.0, (0, 0, -0.5), np.eye(3))
    mech.add_body("upper", joint=joints.Revolute((0, 1, 0)), inertia=solid)
    mech.add_body("lower", "upper", joints.Revolute((0, 1, 0)), aj.Pose.translation(0, 0, -1), solid)
    mech.add_constraint(led, bodies=["lower"], time=True)
    model, q, v = mech.compile(), [0.1, 0.2], [0.0, 0.0]
    asked = [
        partial(model.forward_dynamics, q, v),
        partial(model.forward_dynamics_derivatives, q, v),
        partial(model.step, q, v, dt=1e-3),
        partial(model.constraint_errors, q, v),
        lambda t: model.vjp("forward_dynamics", (q, v, None, t), [1.0, 1.0]),
    ]
    for ask in asked:
        if t is None:
            ask(t=np.array(0.3))  # one number, as NumPy hands it out
        else:
            with pytest.raises(InputError, match=r"t is of type .*; expected real numbers"):
                ask(t=t)


def test_options_of_exports_and_derivatives_that_do_not_exist(model, tmp_path):
    q, v, tau = rows()
    with pytest.raises(InputError, match="export has no option 'product'; did you mean 'products'"):
        model.export("c", tmp_path, product=["vjp forward_dynamics"])
    with pytest.raises(InputError, match="vjp has no option 'wtr'; did you mean 'wrt'"):
        model.vjp("forward_dynamics", (q, v, tau), tau, wtr=("q",))
    with pytest.raises(InputError, match="regressor has no option 'thread'; did you mean 'threads'"):
        model.regressor(q, v, tau, thread=2)


def test_the_nearest_name_is_suggested(model):
    body = model.mechanism.bodies[0].name
    with pytest.raises(InputError, match=rf"parameter '{body}/mas' is unknown \(did you mean '{body}/mass'\?\)"):
        model.parameters[f"{body}/mas"]
    with pytest.raises(InputError, match=r"'forward_dynamic' is unknown \(did you mean 'forward_dynamics'\?\)"):
        model.op_count("forward_dynamic")


@pytest.mark.parametrize("prescribed", [None, "hinge1", 3])
def test_prescribed_bodies_are_a_list(model, prescribed):
    q, v, tau = rows()
    with pytest.raises(InputError, match=r"hybrid_dynamics: prescribed=.*; expected a list of bodies"):
        model.hybrid_dynamics(q, v, tau, v, prescribed)


def test_a_loaded_motion_says_that_it_lacks_its_model(model, tmp_path):
    path = model.simulate(duration=0.01).save(tmp_path / "run.npz")
    with pytest.raises(InputError, match="loaded without its model"):
        aj.Trajectory.load(path).to_html(tmp_path / "run.html")
    for given, said in ((model.mechanism, "the mechanism '.*'"), ("chain", "'chain'")):
        with pytest.raises(InputError, match=rf"Trajectory\.load: model is {said}; expected a compiled one"):
            aj.Trajectory.load(path, model=given)
