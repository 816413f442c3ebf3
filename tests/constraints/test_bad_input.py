"""Mistakes in constraints: refused with the constraint's name, where it was written, and what to do."""

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.errors import AnyjointError, InputError, ModelError

HERE = Path(__file__).name
calls = itertools.count()


def mechanism():
    """A slider on a crank, and something welded to it."""
    mech, solid = aj.Mechanism("machine"), aj.Inertia.box(1.0, 0.1, 0.2, 0.3)
    mech.add_body("crank", joint=joints.Revolute((0, 1, 0)), inertia=solid)
    mech.add_body("slider", "crank", joints.Prismatic((1, 0, 0)), inertia=solid)
    mech.add_body("welded", "slider", inertia=solid)
    return mech


def four_bar():
    """A crank, a coupler and a rocker; the coupler meets the rocker at (2, 0, 1) of the world."""
    mech, solid = aj.Mechanism("four-bar"), aj.Inertia.box(1.0, 0.1, 0.2, 0.3)
    hinge = joints.Revolute((0, 1, 0))
    mech.add_body("crank", None, hinge, inertia=solid)
    mech.add_body("coupler", "crank", hinge, aj.Pose.translation(0, 0, 1), solid)
    mech.add_body("rocker", None, hinge, aj.Pose.translation(2, 0, 0), solid)
    mech.add_loop("coupler", "rocker", hinge, at=((2, 0, 0), (0, 0, 1)), name="elbow")
    return mech


# -- functions -------------------------------------------------------------------------------------------------------


def idle(a):
    return [a.p[0], 0 * a.p[1]]


def constant(a):
    return 3.0


def endless_constant(a):
    return a.p[0] * float("nan")


def varying(a):
    return [a.R[0, 0]] * (1 if a.R[0, 0] > 0 else 2)


def fickle(a):
    return a.p[0] + next(calls)


def two_faced(a):
    return a.p[0] if isinstance(a.p[0], float) else a.p[0] + 1


def plain_math(a):
    return math.sin(a.p[0])


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (idle, "row 1 does not depend on the positions"),
        (constant, "row 0 does not depend on the positions"),
        (endless_constant, "not finite"),
        (varying, "use aj.select|rows, but"),
        (fickle, "another answer when it is called again"),
        (two_faced, "another answer for expressions"),
        (plain_math, "np.sin"),
    ],
)
def test_functions_of_positions(function, sentence):
    mech = mechanism()
    mech.add_constraint(aj.constraint(function), bodies="slider")
    (problem,) = mech.check()
    assert problem.rule == "constraint-functions"
    assert re.search(sentence, problem.message)
    assert re.match(rf"constraint '{function.__name__}' \(.*{HERE}:\d+\)", problem.where)
    with pytest.raises(ModelError, match=function.__name__):
        mech.compile()


def test_functions_of_bodies_that_move_as_one():
    """Where they are may be held; how they lie to each other stays, and leaves nothing to hold."""
    mech = mechanism()
    mech.add_body("cart", joint=joints.FreeQuaternion(), inertia=aj.Inertia.sphere(1.0, 0.1))
    mech.add_body("mast", "cart", placement=aj.Pose.translation(0, 0, 1))
    both = ["cart", "mast"]
    mech.add_constraint(aj.constraint(lambda a, b: a.p[2] + b.p[2] - 1), bodies=both, name="height")
    assert mech.check() == []
    mech.add_constraint(aj.constraint(lambda a, b: (a.p - b.p) @ (a.p - b.p) - 1), bodies=both, name="length")
    (problem,) = mech.check()
    assert problem.rule == "constraint-bodies"
    assert "nothing moves between 'cart' and 'mast'" in problem.message


def test_a_start_at_which_a_function_is_not_defined():
    mech = mechanism()
    mech.add_constraint(aj.constraint(lambda q: aj.sqrt(q[0]) - 0.1), coordinates="slider", name="root")
    assert mech.check() == []
    mech.set_start([0.0, -1.0])
    assert any("not finite at the start" in str(problem) for problem in mech.check())


def test_a_rod_without_length():
    """Zero and flat at once: it would hold nothing, or throw bodies about."""
    mech = aj.Mechanism("two")
    for name in "ab":
        mech.add_body(name, joint=joints.Translational(), inertia=aj.Inertia.sphere(1.0, 0.1))
    mech.add_constraint(aj.constraint(lambda a, b: (a.p - b.p) @ (a.p - b.p)), bodies=("a", "b"), name="rod")
    with pytest.raises(InputError, match=r"'rod' \(.*\): row 0 has no slope at the state that was found.*not square"):
        mech.compile().assemble([0.1, 0.2, 0.3, 0.0, 0.0, 0.0])
    mech.set_start([0.1, 0.2, 0.3, 0.1, 0.2, 0.3])
    (problem,) = mech.check()
    assert "row 0 has no slope at the start" in problem.message


@pytest.mark.parametrize("ask", [
    lambda model: model.mobility([0.3, 0.2]), lambda model: model.assemble([0.3, 0.2], hold="crank"),
    lambda model: model.constraint_forces([0.3, 0.2], [0, 0]), lambda model: model.forward_dynamics([0.3, 0.2], [0, 0]),
])  # fmt: skip
def test_a_body_without_mass(ask):
    mech = aj.Mechanism("massless")
    mech.add_body("crank", joint=joints.Revolute((0, 1, 0)), inertia=aj.Inertia.box(1.0, 0.1, 0.2, 0.3))
    mech.add_body("rod", "crank", joints.Revolute((0, 1, 0)), aj.Pose.translation(0, 0, 1))
    mech.add_loop("rod", None, joints.FreePlanar(), at=((0, 0, 1), (0, 0, 1)))
    with pytest.raises(ModelError, match="body 'rod', coordinate 'angle': moving it moves no inertia"):
        ask(mech.compile())


def test_a_function_that_is_defined_nowhere():
    with pytest.raises(AnyjointError, match=rf"{HERE}:\d+.*math domain error"):
        mechanism().add_constraint(aj.constraint(lambda a: aj.sqrt(-1 - a.p[0] ** 2)), bodies="slider")


@aj.velocity_constraint
def square(pose, twist):
    return twist.linear[0] ** 2


@aj.velocity_constraint
def length(pose, twist):
    """Twice as much at twice the velocity, but not linear."""
    return aj.sqrt(twist.linear @ twist.linear)


@aj.velocity_constraint
def positions_only(pose, twist):
    return pose.p[0]


def test_functions_of_velocities():
    mech = mechanism()
    for function in (square, length, positions_only):
        mech.add_constraint(function, bodies="slider")
    *curved, idle = mech.check()
    assert len(curved) == 2
    assert all("not linear in velocities: f(v + w) - f(v) - f(w) + f(0) =" in str(problem) for problem in curved)
    assert "does not depend on the velocities" in str(idle)


def test_all_problems_are_told_at_once():
    mech = mechanism()
    mech.add_constraint(aj.constraint(constant), bodies="slider")
    mech.add_loop("slider", "welded")
    with pytest.raises(ModelError, match=r"(?s)2 problems.*slider-welded.*constant"):
        mech.compile()


# -- what is refused when it is said ---------------------------------------------------------------------------------


def of_two(a, b):
    return a.p[0] - b.p[0]


def without_return(a):
    a.p[0]


REFUSED = {
    r"of_two.* is a plain function; put @aj.constraint": lambda m: m.add_constraint(of_two, bodies="crank"),
    r"5 is no constraint": lambda m: m.add_constraint(5, bodies="crank"),
    r"'crnk' is no body of 'machine'.*'crank'": lambda m: m.add_constraint(aj.constraint(constant), bodies="crnk"),
    r"no coordinate 'crank/agle'.*'crank/angle'": lambda m: m.add_constraint(
        aj.constraint(constant), coordinates="crank/agle"
    ),
    r"of_two.*cannot be called with 1 arguments: the poses of 1 bodies": lambda m: m.add_constraint(
        aj.constraint(of_two), bodies="crank"
    ),
    r"returned None; is a `return` missing": lambda m: m.add_constraint(aj.constraint(without_return), bodies="crank"),
    r"returned a Pose": lambda m: m.add_constraint(aj.constraint(lambda a: a), bodies="crank"),
    r"returned a str": lambda m: m.add_constraint(aj.constraint(lambda a: ["zero"]), bodies="crank"),
    r"returned no rows": lambda m: m.add_constraint(aj.constraint(lambda a: []), bodies="crank"),
    r"names no bodies": lambda m: m.add_constraint(aj.constraint(constant)),
    r"names a body or coordinate twice": lambda m: m.add_constraint(aj.constraint(of_two), bodies=("crank", "crank")),
    r"compliance -1; expected a finite number": lambda m: m.add_constraint(square, bodies="crank", compliance=-1),
    r"compliance nan": lambda m: m.add_loop("crank", "ground", compliance=float("nan")),
    r"stands above a function": lambda m: aj.constraint(3),
    r"it joins 'slider' to itself": lambda m: m.add_loop("slider", "slider"),
    r"'sliderr' is no body of 'machine'.*'slider'": lambda m: m.add_loop("crank", "sliderr"),
    r"joint 5 is not a joint": lambda m: m.add_loop("crank", "ground", joint=5),
    r"Free leaves all motions free": lambda m: m.add_loop("crank", "ground", joint=joints.Free()),
    r"is no place on a body": lambda m: m.add_loop("crank", "ground", at=((0, 0, float("nan")), (0, 0, 0))),
    r"expected two points or poses": lambda m: m.add_loop("crank", "ground", at=(0, 0, 0)),
    r"the ground cannot be cut": lambda m: m.add_loop(
        "crank", "ground", joint=joints.OnCurve(aj.curves.Helix(1.0, 0.3))
    ),
    r"'welded' has no coordinates": lambda m: m.prescribe("welded", lambda t: t),
    r"3 must be a function of time": lambda m: m.prescribe("crank", 3),
    r"motion of 'crank' gave 2 numbers; expected 1": lambda m: m.prescribe("crank", lambda t: [t, t]),
    r"already a constraint 'motion of crank'": lambda m: [m.prescribe("crank", lambda t: t) for _ in range(2)],
    r"a constraint's name must be": lambda m: m.add_loop("crank", "ground", name=" "),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_refused_at_once(sentence):
    with pytest.raises(AnyjointError, match=sentence):
        REFUSED[sentence](mechanism())


# -- what shows when it runs -----------------------------------------------------------------------------------------


def test_a_start_off_the_constraints():
    model = four_bar().compile()
    with pytest.raises(InputError, match=r"positions miss 'elbow' \(shift .\) by .*model.assemble"):
        model.simulate([0.1, 0.0, 0.0], duration=1.0)
    with pytest.raises(InputError, match=r"velocities miss 'elbow'"):
        model.simulate([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], duration=1.0)
    assert model.simulate(*model.assemble([0.1, 0.0, 0.0]), duration=0.1, dt=0.01).status.ok


def test_a_mechanism_that_cannot_move():
    mech = four_bar()
    mech.add_loop("coupler", "ground", joints.Spherical(), at=((1, 0, 0), (1, 0, 1)))
    mech.add_loop("rocker", "ground", at=((0, 0, 0), (2, 0, 0)))
    with pytest.raises(InputError, match=r"leave nothing to move.*mobility 0.*'elbow'"):
        mech.compile().simulate(np.zeros(3), duration=1.0)


def test_a_mechanism_that_follows_time_alone_may_run():
    mech = four_bar()
    mech.prescribe("crank", lambda t: 0.2 * aj.sin(t))
    model = mech.compile()
    with pytest.raises(InputError, match="velocities cannot be met with the coordinates that are held"):
        model.assemble(np.zeros(3), hold="crank")  # at rest
    q, v = model.assemble(np.zeros(3))
    traj = model.simulate(q, v, duration=1.0, dt=0.01)
    assert traj.status.ok
    assert traj.q[-1, 0] == pytest.approx(0.2 * np.sin(1.0), abs=1e-9)


def driven(motion, **how):
    """A pendulum on a crank that follows time."""
    mech, solid = aj.Mechanism("driven"), aj.Inertia.box(1.0, 0.1, 0.2, 0.3)
    mech.add_body("crank", joint=joints.Revolute((0, 1, 0), **how), inertia=solid)
    mech.add_body("arm", "crank", joints.Revolute((0, 1, 0)), aj.Pose.translation(0, 0, 0.4), solid)
    mech.prescribe("crank", motion)
    return mech


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_a_motion_that_jumps_ends_the_run(method):
    model = driven(lambda t: np.floor(3 * t)).compile()
    traj = model.simulate(duration=0.5, dt=1e-3, method=method)
    assert not traj.status.ok
    assert traj.t[-1] == pytest.approx(1 / 3, abs=1e-3)
    assert re.search(rf"'motion of crank' \(.*{HERE}:\d+\) jumps at .*t = 0\.333333: bodies", str(traj.status))


def test_a_motion_whose_speed_jumps_does_so_by_an_impulse():
    """The arm's velocity afterwards is that of least kinetic energy in the change [PAK reference 3]."""
    model = driven(lambda t: aj.select(t < 0.1, t, 0.1 + 0.5 * (t - 0.1))).compile()
    traj = model.simulate([0.0, 0.3], [1.0, 0.0], duration=0.2, dt=1e-4)
    assert traj.status.ok
    k = int(np.searchsorted(traj.t, 0.1 + 2e-4))
    change, M = traj.v[k] - traj.v[k - 3], model.mass_matrix(traj.q[k])
    assert change[0] == pytest.approx(-0.5, abs=1e-9)
    assert change[1] == pytest.approx(-M[1, 0] / M[1, 1] * change[0], abs=1e-2)


def test_a_coordinate_that_wraps_takes_rows_of_its_period_only():
    (problem,) = driven(lambda t: 20 * t, wrap=True).check()
    assert "would jump where coordinate 'crank/angle' wraps" in problem.message
    mech = driven(lambda t: t)
    turning = aj.Mechanism("turning")
    turning.add_body("wheel", joint=joints.Revolute((0, 1, 0), wrap=True), inertia=mech["arm"].inertia)
    turning.add_body("rod", joint=joints.Prismatic((1, 0, 0)), inertia=mech["arm"].inertia)
    eccentric = aj.constraint(lambda q: q[1] - 0.1 * aj.sin(q[0]))
    turning.add_constraint(eccentric, coordinates=("wheel", "rod"))
    assert turning.check() == []
    traj = turning.compile().simulate([0.0, 0.0], [20.0, 2.0], duration=1.0, dt=1e-3)
    assert traj.status.ok
    assert np.abs(traj.q[:, 0]).max() < 7.0


def test_each_use_of_a_function_is_tried_where_coordinates_wrap():
    mech, solid = aj.Mechanism("gears"), aj.Inertia.box(1.0, 0.1, 0.2, 0.3)
    for name in ("a", "b", "c", "d"):
        mech.add_body(name, joint=joints.Revolute((0, 1, 0), wrap=name == "c"), inertia=solid)
    geared = aj.constraint(lambda q: q[0] - 2 * q[1])
    mech.add_constraint(geared, coordinates=("a", "b"), name="still")
    mech.add_constraint(geared, coordinates=("c", "d"), name="turning")
    (problem,) = mech.check()
    assert problem.where.startswith("constraint 'turning'")


def test_a_driven_joint_may_have_limits():
    """The stop has a finite strength, so that a motor that goes beyond it ends the run, and says so."""
    plain, stopped = (
        driven(lambda t: 0.3 * aj.sin(3 * t), **how).compile().simulate([0, 0.1], [0.9, 0.0], duration=0.5, dt=1e-3)
        for how in ({}, {"limits": (-0.1, 0.1)})
    )
    assert plain.status.ok
    assert "the stop of crank/angle gave way" in str(stopped.status)
    assert stopped.q[: len(plain.q)] == pytest.approx(plain.q[: len(stopped.q)], abs=1e-9)


def test_an_assembly_that_cannot_be_names_the_rows_left_open():
    mech = four_bar()
    mech.add_loop("coupler", "ground", joints.Spherical(), at=((1, 0, 0), (9, 0, 1)), name="too far")
    with pytest.raises(InputError, match=r"cannot be met from this guess; still open: .*too far"):
        mech.compile().assemble(np.zeros(3))


def test_unknown_ways_to_stabilise():
    model = four_bar().compile()
    for wrong in ("projct", ("baumgarte", -1, 2), ("baumgarte", 1), 5):
        with pytest.raises(InputError, match="stabilise="):
            model.simulate(np.zeros(3), duration=0.1, stabilise=wrong)
