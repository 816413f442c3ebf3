"""Parameters of a compiled model: a changed model equals a freshly compiled one, and keeps its machine code."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints, surfaces
from anyjoint.errors import AnyjointError, InputError
from anyjoint.mechanism import gallery
from dynamics.support import close

TENSOR = np.array([[0.3, 0.02, 0.01], [0.02, 0.4, 0.03], [0.01, 0.03, 0.5]])


def mixed(mass=1.3, com=(0.1, -0.2, 0.3), tensor=TENSOR, placement=None, pitch=0.2, major=0.7, gravity=(1.5, 2, -9)):
    """A tree with a hinge, a screw and a torus; every number that a test may change is an argument."""
    mech = aj.Mechanism("mixed", gravity=gravity)
    solid = aj.Inertia(mass, com, tensor)
    placement = placement or aj.Pose.translation(0.3, -0.1, 0.4) @ aj.Pose.rpy(0.3, -0.5, 0.7)
    mech.add_body("upper", joint=joints.Revolute((1, 2, 3)), placement=placement, inertia=solid)
    other = aj.Inertia(0.8, (0.2, 0.1, -0.1), TENSOR / 2)
    arm = aj.Pose.translation(0.2, 0.3, -0.5) @ aj.Pose.rpy(-0.2, 0.4, 0.1)
    mech.add_body("screw", "upper", joints.Helical((1, 0, 1), pitch=pitch), arm, other)
    mech.add_body("flag", "screw", placement=arm, inertia=other)
    mech.add_body("ring", "upper", joints.OnSurface(surfaces.Torus(major, 0.15)), arm.inverse(), other)
    return mech


PLACE = aj.Pose.translation(-0.2, 0.3, 0.1) @ aj.Pose.rpy(0.1, 0.2, -0.9)
CHANGES = {
    "mass": ("upper/mass", 2.7, {"mass": 2.7}),
    "com": ("upper/com", (0.3, 0.2, 0.1), {"com": (0.3, 0.2, 0.1)}),
    "tensor": ("upper/tensor", 1.5 * TENSOR, {"tensor": 1.5 * TENSOR}),
    "placement": ("upper/placement", PLACE, {"placement": PLACE}),
    "pitch": ("screw/joint/pitch", 0.35, {"pitch": 0.35}),
    "gravity": ("gravity", (3.0, -1.0, 2.0), {"gravity": (3.0, -1.0, 2.0)}),
}
QUANTITIES = ("forward_dynamics", "inverse_dynamics", "mass_matrix", "gravity_forces", "body_poses", "energy")


def values(model):
    """Every quantity at one state."""
    rng = np.random.default_rng(3)
    q, v, tau = 0.4 * rng.normal(size=(3, model.nv))
    q[-2:] += 1.0
    return {
        "forward_dynamics": model.forward_dynamics(q, v, tau),
        "inverse_dynamics": model.inverse_dynamics(q, v, tau),
        "lagrangian": model.inverse_dynamics(q, v, tau, algorithm="lagrangian"),
        "mass_matrix": model.mass_matrix(q),
        "gravity_forces": model.gravity_forces(q),
        "body_poses": model.body_poses(q),
        "energy": np.array(model.energy(q, v)),
        "hybrid": np.array(model.hybrid_dynamics(q, v, tau, tau, ["screw"])),
        "wrenches": model.joint_wrenches(q, v, tau),
        "jacobian": model.body_jacobian(q, "flag"),
    }


@pytest.mark.parametrize("form", ["straight", "kernels"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_model_equals_a_fresh_one_and_keeps_its_code(change, form):
    name, value, arguments = CHANGES[change]
    model = mixed().compile(form=form)
    values(model)
    programs = dict(model.programs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.parameters[name] = value
    made, wanted = values(model), values(mixed(**arguments).compile(form=form))
    for quantity in made:
        assert close(made[quantity], wanted[quantity], 1e-12), quantity
    assert all(model.programs[key] is program for key, program in programs.items())


@pytest.mark.parametrize("algorithm", ["redmax", "augmented", "composite-rigid-body", "lagrangian", "recursive"])
def test_every_formulation_follows_its_parameters(algorithm):
    model = mixed().compile(algorithm)
    q, v = np.array([0.1, 0.2, 1.0, 1.2]), np.ones(4)
    model.forward_dynamics(q, v)
    model.parameters["upper/mass"] = 2.7
    assert close(model.forward_dynamics(q, v), mixed(mass=2.7).compile(algorithm).forward_dynamics(q, v), 1e-12)


def test_geometry_inside_a_joint_is_a_parameter():
    model = mixed().compile()
    values(model)
    name = "ring/joint/surface.R"
    assert model.parameters[name] == 0.7
    model.parameters[name] = 0.9
    made, wanted = values(model), values(mixed(major=0.9).compile())
    for quantity in made:
        assert close(made[quantity], wanted[quantity], 1e-12), quantity


@pytest.mark.parametrize("form", ["straight", "kernels"])
def test_motion_knows_no_masses(form):
    """Masses and gravity that were exactly 0 or 1 are built in nowhere where they are not read: no word is said."""
    model = gallery.revolute_chain(3, "simple").compile(form=form)
    model.parameters.set({"link1/mass": 1.0})
    kinds = "body_poses", "body_twists", "jacobian_rate_times", "generalized_forces", "frame_motion"
    programs = {name: model.program(name) for name in kinds}
    with pytest.warns(UserWarning, match="^forward_dynamics: a number"):
        model.parameters.set({"link1/mass": 1.5, "link0/com": (0.1, 0.2, 0.3), "gravity": (1.0, 2.0, 3.0)})
    assert all(model.program(name) is programs[name] for name in kinds)


def test_a_number_that_was_exact_compiles_again_and_says_so():
    mech = gallery.revolute_chain(3, "simple")
    model = mech.compile()
    q, v = np.array([0.3, 0.2, -0.1]), np.array([1.0, 0.5, 0.2])
    model.forward_dynamics(q, v)
    bent = aj.Pose.translation(0.1, 0.2, -0.25) @ aj.Pose.rpy(0.3, 0.2, 0.1)
    with pytest.warns(UserWarning, match="compiling again"):
        model.parameters["link1/placement"] = bent
    fresh = gallery.revolute_chain(3, "simple").compile()
    with pytest.warns(UserWarning, match="compiling again"):
        fresh.parameters.set({"link1/placement": bent})
    oracle = aj.Mechanism("bent")
    for body in mech.bodies:
        parent = mech.bodies[body.parent].name if body.parent >= 0 else None
        placement = bent if body.name == "link1" else body.placement
        oracle.add_body(body.name, parent, body.joint, placement, body.inertia)
    wanted = oracle.compile().forward_dynamics(q, v)
    assert close(model.forward_dynamics(q, v), wanted, 1e-12)
    assert close(fresh.forward_dynamics(q, v), wanted, 1e-12)


def test_the_mechanism_and_other_models_stay_as_they_are():
    mech = mixed()
    a, b = mech.compile(), mech.compile()
    before = values(b)
    a.parameters["upper/mass"] = 9.0
    assert mech["upper"].inertia.mass == 1.3
    assert b.parameters["upper/mass"] == 1.3
    after = values(b)
    assert all(np.array_equal(before[k], after[k]) for k in before)


def test_names_cover_everything():
    model = mixed().compile()
    names = list(model.parameters)
    assert names[0] == "gravity"
    assert {"upper/mass", "flag/com", "ring/tensor", "screw/placement", "screw/joint/pitch"} <= set(names)
    assert len(model.parameters) == len(names)
    assert "upper/mass" in model.parameters
    assert "upper/colour" not in model.parameters
    assert model.parameters["gravity"] == (1.5, 2, -9)
    assert np.array_equal(model.parameters["upper/tensor"], TENSOR)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("upper/mass", -1.0),
        ("upper/mass", np.nan),
        ("upper/mass", "heavy"),
        ("upper/com", (1, 2)),
        ("upper/tensor", -TENSOR),
        ("upper/tensor", np.diag([1.0, 1.0, 9.0])),
        ("upper/placement", np.eye(4)),
        ("screw/joint/pitch", "steep"),
        ("screw/joint/pitch", np.nan),
        ("screw/joint/pitch", np.inf),
        ("gravity", (0, 0)),
        ("gravity", (0, 0, np.inf)),
        ("upper/colour", 1.0),
        ("nobody/mass", 1.0),
        ("", 1.0),
    ],
)
def test_bad_values_are_refused_and_change_nothing(name, value):
    model = mixed().compile()
    before = values(model)
    with pytest.raises(AnyjointError):
        model.parameters.set({"upper/mass": 2.0, name: value} if name != "upper/mass" else {name: value})
    assert model.parameters["upper/mass"] == 1.3
    after = values(model)
    assert all(np.array_equal(before[k], after[k]) for k in before)


def test_a_torus_keeps_its_hole():
    model = mixed().compile()
    name = "ring/joint/surface.R"
    with pytest.raises(AnyjointError):
        model.parameters[name] = 0.1  # less than the radius of the tube
    assert model.parameters[name] == 0.7


def test_parameters_cannot_be_removed():
    model = mixed().compile()
    with pytest.raises(InputError, match="set it to another value"):
        del model.parameters["upper/mass"]


def test_what_must_fit_together_is_checked_together():
    """Each of these is wrong on its own: a ring thinner than its tube, inertia without mass."""
    model = mixed().compile()
    model.parameters.set({"ring/joint/surface.R": 0.1, "ring/joint/surface.r": 0.05})
    model.parameters.set({"ring/joint/surface.r": 0.4, "ring/joint/surface.R": 0.9})  # the tube first: it would not fit
    model.parameters.set({"flag/mass": 0.0, "flag/tensor": np.zeros((3, 3))})
    model.parameters.set({"flag/tensor": TENSOR / 2, "flag/mass": 0.8})
    made, wanted = mixed(major=0.9), values(model)
    other = made.compile()
    other.parameters["ring/joint/surface.r"] = 0.4
    for quantity, value in values(other).items():
        assert close(wanted[quantity], value, 1e-12), quantity


def test_all_problems_are_reported_at_once_and_nothing_changes():
    model = mixed().compile()
    before, numbers = values(model), {name: model.parameters[name] for name in model.parameters}
    wrong = {
        "upper/mass": -1.0,
        "screw/joint/pitch": "steep",
        "flag/placement": np.eye(4),
        "gravity": (0, 0),
        "ring/joint/surface.R": 0.1,
        "nobody/mass": 1.0,
        "screw/mass": 2.0,
    }
    with pytest.raises(InputError) as caught:
        model.parameters.set(wrong)
    message = str(caught.value)
    for part in ("6 problems", "mass -1.0", "'steep'", "Pose", "gravity", "R must exceed", "'nobody/mass'", "'upper'"):
        assert part in message, part
    assert all(np.array_equal(model.parameters[name], value) for name, value in numbers.items() if "place" not in name)
    after = values(model)
    assert all(np.array_equal(before[k], after[k]) for k in before)


@pytest.mark.parametrize("name", ["upper/mass", "screw/joint/pitch", "upper/com", "gravity", "upper/tensor"])
def test_texts_and_truth_values_are_no_numbers(name):
    model = mixed().compile()
    shape = np.shape(model.parameters[name])
    for value in ("3", True):
        given = value if not shape else np.full(shape, value).tolist()
        with pytest.raises(InputError, match="number"):
            model.parameters[name] = given


def test_steppers_outlive_parameters_and_the_same_value_costs_nothing():
    mech = gallery.torus_chain(3)
    model = mech.compile()
    name = f"{mech.bodies[1].name}/mass"
    model.simulate(duration=0.01)
    program = model.program("forward_dynamics")
    made = dict(program.shelf)
    model.parameters[name] = 1.7 * model.parameters[name]
    traj = model.simulate(duration=0.01)
    assert program.shelf == made, "no other stepper was built"
    other = gallery.torus_chain(3).compile()
    other.parameters[name] = model.parameters[name]
    assert np.array_equal(other.simulate(duration=0.01).q, traj.q)
    before = list(model.mechanism.bodies)
    model.parameters.set({name: model.parameters[name], "gravity": model.parameters["gravity"]})
    assert all(x is y for x, y in zip(before, model.mechanism.bodies, strict=True))


@dataclass(frozen=True)
class Glide(joints.Joint):
    """Turns, and glides by an amount that a parameter of 0 hides."""

    way: float = joints.parameter((-1.0, 1.0), default=0.0)

    @property
    def coordinates(self):
        return (joints.Coordinate("turn"),)

    def pose(self, q):
        return aj.Pose.translation(self.way * q[0] * q[0], 0, 0) @ aj.Pose.rotation_y(q[0])


@pytest.mark.parametrize("vary", [(), ("it/joint/way",)])
def test_a_motion_that_a_parameter_of_zero_hides_shows_later(vary):
    """With way = 0 the first factor of the pose is the identity for all q; that it may move is no less true."""

    def build(way):
        mech = aj.Mechanism("glide")
        mech.add_body("it", joint=Glide(way), inertia=aj.Inertia(1.0, (0.1, 0, 0.2), TENSOR))
        return mech

    model = build(0.0).compile(vary=vary)
    q, v = [0.7], [0.4]
    before = model.forward_dynamics(q, v), model.body_poses(q)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 0 is built in where it does not vary
        model.parameters["it/joint/way"] = 0.5
    fresh = build(0.5).compile()
    assert model.forward_dynamics(q, v) == pytest.approx(fresh.forward_dynamics(q, v), rel=1e-13)
    assert model.body_poses(q) == pytest.approx(fresh.body_poses(q), abs=1e-15)
    assert np.abs(before[1] - model.body_poses(q)).max() > 0.1
