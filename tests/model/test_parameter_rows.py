"""One row of parameters per state: the same answers as setting them one after the other, the same checks."""

import copy

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.errors import InputError
from anyjoint.simulate import Trajectory

B = 6
RNG = np.random.default_rng(2)


def machine():
    """A hinge with a welded plate, a sprung slider, a bead on a circle."""
    mech = aj.Mechanism("machine", gravity=(0, 0, -10))
    box, ball = aj.Inertia.box(1.0, 0.1, 0.2, 1.0), aj.Inertia.sphere(1.0, 0.1)
    rod = mech.add_body("rod", joint=joints.Revolute(axis=(0, 1, 0)), inertia=box)
    aside = aj.Pose.translation(0.2, 0, -1)
    plate = mech.add_body("plate", parent=rod, placement=aside, inertia=aj.Inertia.point(1.0), joint=joints.Fixed())
    slider = mech.add_body("slider", parent=plate, joint=joints.Prismatic(), inertia=ball, stiffness=1.0, damping=1.0)
    circle = joints.OnCurve(aj.curves.Circle(1.0))
    mech.add_body("bead", parent=slider, joint=circle, inertia=aj.Inertia.sphere(0.5, 0.2))
    return mech


# Exact numbers are among them, which programs build in elsewhere.
ROWS = {
    "rod/mass": [1.0, 2.0, 0.5, 1.0, 3.0, 0.1],
    "plate/mass": [0.0, 1.0, 2.0, 0.3, 1.0, 0.0],
    "rod/com": np.vstack([np.zeros(3), np.eye(3), RNG.normal(size=(2, 3))]),
    "rod/tensor": np.array([np.diag(d) for d in RNG.uniform(1.0, 1.5, (B, 3))]),
    "gravity": np.vstack([np.zeros(3), np.eye(3), RNG.normal(size=(2, 3))]),
    "slider/stiffness": [0.0, 1.0, 2.0, 30.0, 0.5, 0.0],
    "slider/damping": [0.0, 1.0, 0.0, 0.1, 0.2, 0.3],
    "plate/placement": [aj.Pose.translation(*x) @ aj.Pose.rotation_y(y) for *x, y in RNG.normal(size=(B, 4))],
    "bead/joint/curve.radius": [1.0, 2.0, 0.5, 1.0, 0.7, 3.0],
}
ONES, SOME, ALL = [(name,) for name in ROWS], ("rod/mass", "rod/com", "gravity"), tuple(ROWS)
CASES = [(names, form) for names in (*ONES, SOME, ALL) for form in ("straight", "kernels")]
# One by one by straight code, of which every second one soon; together by both.
SLOW = [names in ONES and (form == "kernels" or ONES.index(names) % 2) for names, form in CASES]
Q, V, TAU = RNG.uniform(-1, 1, (3, B, 3))


def one_by_one(model, names, call):
    """Answers with the parameters set row by row."""
    found = []
    for k in range(B):
        model.parameters.set({name: ROWS[name][k] for name in names})
        found.append(call(model, k))
    return found


def chosen(names):
    return {name: ROWS[name] for name in names}


@pytest.mark.parametrize(
    ("names", "form"),
    [
        pytest.param(*case, marks=pytest.mark.slow if slow else (), id=f"{'+'.join(case[0])}-{case[1]}")
        for case, slow in zip(CASES, SLOW, strict=True)
    ],
)
@pytest.mark.filterwarnings("ignore:.*compiling again")
def test_a_row_per_state_is_as_setting_them_one_by_one(names, form):
    model, other = machine().compile(form=form), machine().compile(form=form)
    inputs = {"forward_dynamics": (Q, V, TAU), "inverse_dynamics": (Q, V, TAU), "mass_matrix": (Q,), "body_poses": (Q,)}

    def answers(asked, at, **options):
        made = {name: getattr(asked, name)(*(row[at] for row in rows), **options) for name, rows in inputs.items()}
        return made | {"step": np.hstack(asked.step(Q[at], V[at], TAU[at], dt=0.01, **options))}

    found = answers(model, slice(None), parameters=model.parameter_rows(chosen(names)))
    for k, wanted in enumerate(one_by_one(other, names, answers)):
        for name, answer in wanted.items():
            # Rounding of two ways to write the same formulas.
            assert found[name][k] == pytest.approx(answer, rel=1e-11, abs=1e-11), name


def test_rows_that_were_taken_are_those_rows():
    """Their numbers are made once, with those of all rows; six programs are more than are remembered."""
    model = machine().compile()
    rows = model.parameter_rows(ROWS)
    which = [3, 1, 4, 3, 1, 4]
    few = rows.take([3, 1, 4]).tiled(2)
    assert (few.count, few.row(4)["rod/mass"]) == (6, ROWS["rod/mass"][1])
    fresh = model.parameter_rows({name: [column[k] for k in which] for name, column in ROWS.items()})
    for _ in range(2):
        for name, inputs in (("mass_matrix", 1), ("body_poses", 1), ("gravity_forces", 1), ("bias_forces", 2),
                             ("energy", 2), ("forward_dynamics", 3)):  # fmt: skip
            found, wanted = (getattr(model, name)(*(Q, V, TAU)[:inputs], parameters=x) for x in (few, fresh))
            assert all(map(np.array_equal, np.atleast_2d(found), np.atleast_2d(wanted))), name


def test_one_state_serves_all_rows_and_out_is_written():
    model = machine().compile()
    out = np.full((B, 3), np.nan)
    found = model.forward_dynamics(Q[0], V[0], parameters=chosen(["rod/mass"]), out=out)
    assert found is out
    q, v = np.tile(Q[0], (B, 1)), np.tile(V[0], (B, 1))
    every = model.forward_dynamics(q, v, parameters=chosen(["rod/mass"]), threads=2)
    np.testing.assert_array_equal(out, every)


def test_one_state_begins_the_runs_of_all_rows():
    model, given = machine().compile(), chosen(["rod/mass"])
    run = model.simulate(Q[0], V[0], duration=0.1, dt=0.01, parameters=given)
    same = model.simulate(np.tile(Q[0], (B, 1)), np.tile(V[0], (B, 1)), duration=0.1, dt=0.01, parameters=given)
    assert run.q.shape == (11, B, 3)
    np.testing.assert_array_equal(run.q, same.q)


def test_rows_follow_other_parameters_of_the_model():
    model = machine().compile()
    rows = model.parameter_rows(chosen(["rod/mass"]))
    before = model.forward_dynamics(Q, V, parameters=rows)
    model.parameters["slider/mass"] = 2.5
    after = model.forward_dynamics(Q, V, parameters=rows)
    fresh = machine().compile()
    fresh.parameters["slider/mass"] = 2.5
    assert np.abs(before - after).max() > 1e-3
    assert after == pytest.approx(fresh.forward_dynamics(Q, V, parameters=chosen(["rod/mass"])), rel=1e-12)


@pytest.mark.parametrize("method", ["rk4", "semi-implicit-euler", "dopri5"])
@pytest.mark.parametrize("tau", [None, ([0.0, 0.2], [[0, 0, 0], [1, 2, 3]])], ids=["free", "driven"])
@pytest.mark.filterwarnings("ignore:.*compiling again")
def test_runs_of_a_batch_have_parameters_of_their_own(method, tau, tmp_path):
    names = ("rod/mass", "gravity")
    model, other = machine().compile(), machine().compile()
    run = {"duration": 0.2, "dt": 0.01, "method": method, "tau": tau}
    batch = model.simulate(Q, V, **run, parameters=chosen(names), threads=2)
    energies = []
    for k in range(B):
        other.parameters.set({name: ROWS[name][k] for name in names})
        traj = other.simulate(Q[k], V[k], **run)
        assert batch.q[:, k] == pytest.approx(traj.q, abs=1e-8 if method == "dopri5" else 1e-11)
        energies.append(traj.energy())
    kinetic, potential = batch.energy()
    wanted = np.array(energies)
    assert kinetic == pytest.approx(wanted[:, 0].T, abs=1e-7)
    assert potential == pytest.approx(wanted[:, 1].T, abs=1e-7)
    again = Trajectory.load(batch.save(tmp_path / "run.npz"), model)
    np.testing.assert_array_equal(again.energy(), batch.energy())
    np.testing.assert_array_equal(copy.deepcopy(batch).member(2).energy(), np.array(batch.energy())[:, :, 2])


BAD = {
    "rod/mass": (-1.0, np.nan),
    "rod/com": ([np.inf, 0, 0],),
    "rod/tensor": (np.diag([1.0, 1.0, 3.0]),),
    "gravity": ([np.nan, 0, 0],),
    "slider/stiffness": (-2.0,),
    "bead/joint/curve.radius": (-1.0,),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_every_row_is_checked_as_if_it_were_set(name, value):
    model = machine().compile()
    rows = [*ROWS[name]]
    rows[4] = value
    with pytest.raises(InputError, match="row 4"):
        model.forward_dynamics(Q, V, parameters={name: rows})
    with pytest.raises(InputError):
        model.parameters[name] = value


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "expected names"),
        ({"rod/weight": [1.0]}, "'rod/weight' is unknown"),
        ({"rod/mass": 1.0}, r"has shape \(\); expected \(states\)"),
        ({"rod/com": [1.0, 2.0, 3.0]}, r"expected \(states, 3\)"),
        ({"rod/mass": ["heavy"]}, "not real numbers"),
        ({"rod/mass": [1.0, 2.0], "gravity": [[0, 0, 0]]}, "different numbers of states"),
        ({"rod/mass": [1.0, 2.0]}, "6 states were given with 2 rows"),
        ({"plate/placement": aj.Pose.identity()}, "a list of poses"),
    ],
)
def test_what_is_no_row_per_state_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        machine().compile().forward_dynamics(Q, V, parameters=given)


@pytest.mark.parametrize("method", ["rk4", "bdf2", "dopri5"])
def test_forces_on_bodies_want_them_where_they_are(method):
    """Placements of each state would move what forces act on, which are traced once."""
    mech = aj.Mechanism("pair")
    bob, hinge = aj.Inertia.point(1.0, (0, 0, -1)), joints.Revolute((0, 1, 0))
    mech.add_body("a", None, hinge, inertia=bob)
    mech.add_body("b", "a", hinge, aj.Pose.translation(0, 0, -1), bob)
    rows = {"b/placement": [aj.Pose.translation(0, 0, -1), aj.Pose.translation(0, 0, -2)]}
    spring = aj.forces.Spring("b", (0, 0, -1), None, (1, 0, 0), 50.0)
    with pytest.raises(InputError, match="'b/placement' moves bodies that forces or contacts act on"):
        mech.compile().simulate(np.zeros((2, 2)), duration=0.1, method=method, forces=[spring], parameters=rows)


SLOW = [pytest.param(method, marks=pytest.mark.slow) for method in ("bdf1", "implicit-midpoint")]


@pytest.mark.parametrize("method", [*SLOW, "time-stepping"])
@pytest.mark.parametrize("name", ["lower/placement", "lower/mass"])
def test_rows_that_take_plans_of_their_own_know_stops_and_forces(method, name):
    """Where frames change with the row, or joints follow others, each row has a plan."""
    follows, hinge = name == "lower/mass", joints.Revolute("y")
    mech, rod = aj.Mechanism("legs"), aj.Inertia(1.0, (0.1, 0, -0.5), np.diag([0.1, 0.1, 0.02]).tolist())
    mech.add_body("upper", None, hinge if follows else joints.Revolute("y", limits=(-0.4, 0.4)), inertia=rod)
    mech.add_body("lower", "upper", hinge, aj.Pose.translation(0, 0, -1), rod)
    pull = []
    if follows:
        mech.add_body("gear", "upper", joints.Coupled(joints.Revolute("z"), -0.5, "lower"), inertia=rod)
        pull = [aj.forces.Spring("lower", (0, 0, -1), None, (1, 0, 0), 50.0, 1.0)]
    values = [1.0, 2.0] if follows else [aj.Pose.translation(0, 0, -1), aj.Pose.translation(0.2, 0.1, -0.8)]
    model, start = mech.compile(), ([0.1, 0.3], [1.0, 0.0])  # whose stops are those of the model as it is
    options = {"duration": 0.1, "dt": 0.01, "method": method, "forces": pull}
    many = model.simulate(*(np.tile(x, (2, 1)) for x in start), parameters={name: values}, **options)
    for k, value in enumerate(values):
        model.parameters[name] = value
        assert many.q[-1, k] == pytest.approx(model.simulate(*start, **options).q[-1], rel=1e-11)


@pytest.mark.parametrize("name", ["b/mass", "b/com", "post/placement"])
def test_forces_that_are_made_of_parameters_are_refused(name):
    """An attraction knows masses, and a spring where what is welded to the ground stands: as numbers of their own."""
    mech = aj.Mechanism("planets", gravity=(0, 0, 0))
    for body in "ab":
        mech.add_body(body, None, joints.Translational(), inertia=aj.Inertia.sphere(1.0, 0.1))
    mech.add_body("post", inertia=aj.Inertia.sphere(1.0, 0.1))
    rows = {"b/mass": [1.0, 2.0], "b/com": np.zeros((2, 3)), "post/placement": [aj.Pose(), aj.Pose.rotation_x(1.0)]}
    pull = aj.forces.Attraction(["a", "b"], constant=1.0)
    spring = aj.forces.Spring("a", (0, 0, 0), "post", (0, 0, 1), 5.0)
    model, q = mech.compile(), np.tile([0, 0, 0, 1.0, 0, 0], (2, 1))
    with pytest.raises(InputError, match=f"is made of '{name}'|'{name}' moves bodies"):
        model.simulate(q, duration=0.1, forces=[pull, spring], parameters={name: rows[name]})
    if name != "post/placement":  # masses of what a spring pulls are its own affair
        assert model.simulate(q, duration=0.1, forces=[spring], parameters={name: rows[name]}).status.ok
    traj = model.simulate(q[0], duration=0.01, forces=[pull, spring], gradient=True)
    with pytest.raises(InputError, match=f"gradient: the force .* is made of '{name}'"):
        traj.gradient(dq=np.ones(6), wrt=(name,))


def test_where_nothing_moves_there_is_nothing_to_vary_but_poses():
    mech = aj.Mechanism("still")
    mech.add_body("post", joint=joints.Fixed(), inertia=aj.Inertia.sphere(1.0, 1.0))
    model = mech.compile()
    poses = model.body_poses(np.zeros(0), parameters={"post/mass": [1.0, 2.0]})
    assert poses == pytest.approx(np.array([model.body_poses(np.zeros(0))] * 2))


def test_rows_of_another_model_or_another_number_are_refused():
    model = machine().compile()
    rows = model.parameter_rows(chosen(["rod/mass"]))
    with pytest.raises(InputError, match="another model"):
        machine().compile().forward_dynamics(Q, V, parameters=rows)
    with pytest.raises(InputError, match="parameters have 6 rows, but 2 states begin; give one q0, or 6"):
        model.simulate(Q[:2], V[:2], duration=0.1, parameters=rows)
