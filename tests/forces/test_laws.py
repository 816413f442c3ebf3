"""Forces: closed forms, slopes of energies, and implicit accelerations in every form."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints
from anyjoint.forces.program import trace_forces
from stepper.test_implicit import by_length, tree

TIGHT = {"method": "dopri5", "rtol": 1e-11, "atol": 1e-11}
PATH = [("hand", (0.1, 0, 0)), ("base", (0, 0.4, 0)), ("other", (0, 0.1, 0.1))]
ROUND = [("hand", (0.1, 0, 0)), forces.WrapSphere("base", (0.2, 0.3, 0.4), 0.3), ("other", (0, 0.1, 0.1))]
ROLLED = [("hand", (0.1, 0, 0)), forces.WrapCylinder("base", (0.2, 0.2, 0.3), (0, 0, 1), 0.3), (None, (0, 0.1, 0.1))]
TACKLE = [*PATH, forces.Pulley(2.0), ("hand", (0, 0.1, 0)), ("other", (0.1, 0, 0)), forces.Drum("arm", 0.2, zero=0.1)]
CONSERVATIVE = {
    "Attraction": forces.Attraction(["hand", "other", "beside"], 10.0),
    "Bushing": forces.Bushing("arm", "other", (1, 2, 3, 40, 50, 60), at_a=aj.Pose.rotation_x(0.3)),
    "Bushing by angles": forces.Bushing("arm", "other", (1, 2, 3, 40, 50, 60), at_b=aj.Pose.rotation_x(1), turn="xyz"),
    "Cable": forces.Cable(PATH, 200.0, 0.5),
    "Cable around a sphere": forces.Cable(ROUND, 200.0, 0.5),
    "Cable around a cylinder": forces.Cable(ROLLED, 200.0, 0.5),
    "Custom": forces.Custom(
        lambda a, b, q, n: [a.p[0] * b.p[1], n[0] * q[0]],
        energy=lambda s, n: s[0] ** 4 + n[1] * s[1] ** 2,
        bodies=["hand", "other"], coordinates=[("finger", 0)], numbers=[2.0, 3.0],
    ),
    "Tendon": forces.Tendon(TACKLE, 200.0, length=(0.1, 0.3)),
    "Tether": forces.Tether(TACKLE, (0.0, 0.3), 200.0),
    "Magnets": forces.Magnets("hand", (0.1, 0, 0), (30, 20, 10), "beside", (0, 0.2, 0), (1e5, 2e6, 3e6)),
    "SoftStop": forces.SoftStop("arm", (-9.0, -8.0), (20.0, 30.0), transition=30.0),  # the start is behind it
    "SoftStop far behind": forces.SoftStop("arm", (8.0, 9.0), 20.0, transition=0.5),
    "Spring": forces.Spring("finger", (0, 0.1, 0), "other", (0.2, 0, 0.1), 200.0, 0.0, 0.1),
}
HILL = forces.Hill(300.0, 0.5, tendon=0.2)
OTHERS = {
    "Actuator": forces.Actuator("beside", 0.3, 2.0, (0.1, -4.0, -0.5), gear=3.0, effort_range=(-2.0, 2.0)),
    "Actuator between frames": forces.Actuator(
        bias=(0.1, -4.0, -0.5),
        along=forces.Displacement("hand", "other", aj.Pose.rotation_x(0.3), aj.Pose.translation(0.1, 0.2, 0),
                                  (1, 2, 3), (4, 5, 6), (7, 8, 9), (1, 2, 3)),
    ),
    "Actuator of a crank": forces.Actuator(
        bias=(0.1, -4.0, -0.5), along=forces.SliderCrank("hand", (0.1, 0, 0), (1, 0, 1), "other", (0, 0.2, 0), 9.0)
    ),
    "BoxDrag": forces.BoxDrag(
        "hand", (0.1, 0.2, 0.3), 900.0, 0.2, aj.Pose.translation(0.1, 0.2, 0.3) @ aj.Pose.rotation_x(1), (1, 2, 3)
    ),
    "Drag": forces.Drag("hand", 1.0, 2.0, 3.0, 4.0, (1, 1, 0), (0.1, 0.2, 0.3), (1, 2, 3)),
    "DryFriction": forces.DryFriction(ROUND, 3.0, 0.5),
    "HuntCrossley": forces.HuntCrossley("hand", (0.1, 0, 0), 3.0, "other", (0, 0.2, 0), 2.0, None, 1e3, 0.1, 0.9, 0.5),
    "HuntCrossley on the ground": forces.HuntCrossley("hand", (0.1, 0, 0), 9.0, normal=(0, 1, 1), viscous=0.2),
    "Ligament": forces.Ligament(PATH, lambda x: (x - 1) ** 2, 0.3, 20.0),
    "Limits": forces.Limits(1e3, 10.0),
    "Motor": forces.Motor("arm", np.cos, 5.0, 30.0, gear=4.0),
    "Muscle": forces.Muscle(PATH, HILL, lambda t: 0.4 + t),
    "Servo": forces.Servo("arm", 0.3, 80.0, 2.0, limit=30.0),
    "Thruster": forces.Thruster("hand", 0.7, (1, 2, 3), (0.1, 0.2, 0.3), (0.1, 0, 0), 2.0, 0.1, (-0.5, 0.5)),
    "Wrench": forces.Wrench("other", (0.1, 0.2, 0.3), (np.cos, 0, 1.0), (0.1, 0.1, 0), axes="body"),
}


def test_all_forces_are_here():
    classes = {name for name in forces.__all__ if hasattr(getattr(forces, name), "pushes")} - {"Force"}
    assert classes == {name.split()[0] for name in (*CONSERVATIVE, *OTHERS)}


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_forces_are_slopes_of_their_energy(name):
    """tau . v = -dV/dt along the motion, by central differences of the energy."""
    mech = tree()
    model, (q, v) = mech.compile(), mech.start
    program = trace_forces(mech, [CONSERVATIVE[name]])
    rates, e = np.asarray(model.coordinate_rates(q, v)), 1e-5
    ahead, behind = (float(program.stored(q + s * e * rates, v)) for s in (1, -1))
    power = float(program.torque(0.0, q, v) @ v)
    assert abs(power) > 1e-3
    assert power == pytest.approx((behind - ahead) / (2 * e), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("name", CONSERVATIVE | OTHERS)
def test_steps_in_python_feel_them_by_machine_code(name):
    mech = tree()
    program = trace_forces(mech, [(CONSERVATIVE | OTHERS)[name]])
    wanted = program.torque(0.3, *mech.start)
    assert program.at_state(0.3, *mech.start) == pytest.approx(wanted, rel=1e-12, abs=1e-13 * np.abs(wanted).max())


MODEL = tree().compile()


PAIRS = [("Bushing", "Motor"), ("Magnets", "Wrench"), ("Cable", "Custom")]


@pytest.mark.parametrize("names", [PAIRS[0], *(pytest.param(x, marks=pytest.mark.slow) for x in PAIRS[1:])])
def test_implicit_steps_feel_forces(names):
    """Straight code and kernels agree, and go to explicit accelerations as steps get short."""
    mech, acting = MODEL.mechanism, [(CONSERVATIVE | OTHERS)[name] for name in names]
    q, v = mech.start
    wanted = MODEL.forward_dynamics(q, v, trace_forces(mech, acting).torque(0.3, q, v))
    straight, kernels = (by_length(mech, acting, form) for form in ("straight", "kernels"))
    errors = [np.abs(straight(h) - wanted).max() for h in (2e-6, 1e-6)]
    assert errors[0] < 1e-2 * np.abs(wanted).max()
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.1)
    assert kernels(0.02) == pytest.approx(straight(0.02), rel=1e-9, abs=1e-9 * np.abs(straight(0.02)).max())


# -- closed forms ------------------------------------------------------------------------------------------------


def slider(axis=(0, 0, 1), gravity=(0, 0, -9.81), mass=2.0, **springs):
    mech = aj.Mechanism("slider", gravity=gravity)
    mech.add_body("mass", None, joints.Prismatic(axis), inertia=aj.Inertia.sphere(mass, 0.1), **springs)
    return mech


@pytest.mark.parametrize("method", ["dopri5", "implicit-euler", "bdf2"])
def test_a_ball_rests_on_the_ground_as_deep_as_hertz_says(method):
    mech = slider(mass=2.0)
    floor = forces.HuntCrossley("mass", (0, 0, 0), 0.5, normal=(0, 0, 1), stiffness=1e4, dissipation=2.0)
    depth = (2.0 * 9.81 / (4 / 3 * 1e4 * np.sqrt(0.5))) ** (2 / 3)
    run = mech.compile().simulate([0.5], [0.0], duration=4.0, dt=2e-3, method=method, forces=[floor])
    assert run.q[-1] == pytest.approx([0.5 - depth], abs=1e-3 * depth)


def test_a_ball_on_a_slope_slides_as_its_friction_lets_it():
    """Along (1, 0, 0) on a floor that leans by 45 degrees: a = g (sin - dynamic cos), beyond all slow speeds."""
    mech = aj.Mechanism("slope", gravity=(9.81 * np.sqrt(0.5), 0, -9.81 * np.sqrt(0.5)))
    mech.add_body("ball", None, joints.Translational(), inertia=aj.Inertia.sphere(2.0, 0.1))
    floor = forces.HuntCrossley(
        "ball", (0, 0, 0), 0.5, normal=(0, 0, 1), stiffness=1e5, dissipation=1.0, static=0.4, dynamic=0.4, slow=1e-3
    )
    run = mech.compile().simulate([0, 0, 0.5], duration=2.0, dt=1e-2, method="dopri5", forces=[floor])
    speed = 9.81 * np.sqrt(0.5) * 0.6
    assert run.v[-1, 0] - run.v[100, 0] == pytest.approx(speed, rel=1e-3)


def test_two_bodies_go_round_each_other():
    """A circle, after Kepler's third law."""
    mech = aj.Mechanism("planets", gravity=(0, 0, 0))
    for name, mass in (("sun", 3.0), ("earth", 1.0)):
        mech.add_body(name, None, joints.Translational(), inertia=aj.Inertia.sphere(mass, 0.01))
    r, G = 2.0, 5.0
    speed = np.sqrt(G * 4.0 / r)
    q, v = [-0.5, 0, 0, 1.5, 0, 0], [0, -speed / 4, 0, 0, 3 * speed / 4, 0]
    period = 2 * np.pi * np.sqrt(r**3 / (G * 4.0))
    traj = mech.compile().simulate(q, v, period, dt=period, forces=[forces.Attraction(constant=G)], **TIGHT)
    assert traj.q[-1] == pytest.approx(q, abs=1e-8)


def test_magnets_on_one_axis():
    """F = 3 mu_0 m m' / (2 pi r^4), and no force at all on a moment across... but a torque."""
    mech = slider((1, 0, 0), (0, 0, 0))
    pull = trace_forces(mech, [forces.Magnets(None, (0, 0, 0), (2.0, 0, 0), "mass", (0, 0, 0), (3.0, 0, 0))])
    r = 0.2
    assert pull.torque(0.0, np.array([r]), np.zeros(1))[0] == pytest.approx(-6e-7 * 2.0 * 3.0 / r**4, rel=1e-12)
    needle = aj.Mechanism("needle", gravity=(0, 0, 0))
    needle.add_body("needle", None, joints.Revolute(), aj.Pose.translation(r, 0, 0), aj.Inertia.sphere(1.0, 0.1))
    turn = trace_forces(needle, [forces.Magnets(None, (0, 0, 0), (2.0, 0, 0), "needle", (0, 0, 0), (0, 3.0, 0))])
    assert turn.torque(0.0, np.zeros(1), np.zeros(1))[0] == pytest.approx(-2e-7 * 2.0 * 3.0 / r**3, rel=1e-12)


def test_a_bushing_is_six_springs():
    mech = aj.Mechanism("block", gravity=(0, 0, 0))
    mech.add_body("block", None, joints.Free(), inertia=aj.Inertia.sphere(2.0, 0.5))
    k = np.array([1.0, 2.0, 3.0, 40.0, 50.0, 60.0])
    inertia = np.array([0.2] * 3 + [2.0] * 3)
    small, t = 1e-5 * np.ones(6), 0.7
    traj = mech.compile().simulate(small, np.zeros(6), t, dt=t, forces=[forces.Bushing(None, "block", k)], **TIGHT)
    assert traj.q[-1] == pytest.approx(small * np.cos(np.sqrt(k / inertia) * t), abs=1e-9)


def test_a_cable_over_a_pulley():
    """Atwood's machine: the heavier falls with g (m - m') / (m + m'), on a cable that is nearly rigid."""
    mech = aj.Mechanism("atwood")
    for name, mass, x in (("light", 1.0, 0.0), ("heavy", 3.0, 1.0)):
        place = aj.Pose.translation(x, 0, 0)
        mech.add_body(name, None, joints.Prismatic((0, 0, 1)), place, aj.Inertia.sphere(mass, 0.1))
    path = [("light", (0, 0, 0)), (None, (0, 0, 2)), (None, (1, 0, 2)), ("heavy", (0, 0, 0))]
    cable = forces.Cable(path, 1e7, 5.0, 1e4)
    traj = mech.compile().simulate([0, 0], [0, 0], 0.5, dt=1e-4, method="bdf2", forces=[cable])
    assert traj.v[-1] == pytest.approx([9.81 / 2 * 0.5, -9.81 / 2 * 0.5], rel=1e-4)


def test_a_slack_cable_does_nothing_and_a_winch_lifts():
    mech = slider()
    path = [(None, (0, 0, 3)), ("mass", (0, 0, 0))]
    fall = mech.compile().simulate([0], [0], 0.4, dt=0.4, forces=[forces.Cable(path, 1e6, 5.0)], **TIGHT)
    assert fall.q[-1, 0] == pytest.approx(-0.5 * 9.81 * 0.4**2, abs=1e-10)
    winch = forces.Cable(path, 1e6, lambda t: 3.0 - 0.5 * t, 2e3)
    lift = mech.compile().simulate([0], [0.5], 1.0, dt=1e-3, method="implicit-euler", forces=[winch])
    stretch = (2.0 * 9.81 + 2e3 * 0.5) / 1e6  # for the weight, and for the damper, which feels the path alone
    assert lift.q[-1, 0] == pytest.approx(0.5 - stretch, abs=1e-9)


def test_ways_around_spheres_and_cylinders():
    """Opposite points at 2 radii: two tangents of sqrt(3) and an arc of 60 degrees; along a cylinder, as unrolled."""
    mech = aj.Mechanism("bead", gravity=(0, 0, 0))
    mech.add_body("bead", None, joints.Translational(), inertia=aj.Inertia.sphere(1.0, 0.1))
    flat = 2 * np.sqrt(3.0) + np.pi / 3
    at = np.array([2.0, 0, 0])
    for obstacle, place, wanted in (
        (forces.WrapSphere(None, (0, 0, 0), 1.0), at, flat),
        (forces.WrapCylinder(None, (0, 0, 0), (0, 0, 1), 1.0), at + [0, 0, 1.5], np.hypot(flat, 1.5)),
        (forces.WrapSphere(None, (0, 5, 0), 1.0), at, 4.0),
    ):
        cable = forces.Cable([(None, (-2, 1e-9, 0)), obstacle, ("bead", (0, 0, 0))], 2.0, 0.0)
        stored = trace_forces(mech, [cable]).stored(place, np.zeros(3))
        assert np.sqrt(float(stored)) == pytest.approx(wanted, rel=1e-8)


def test_hill_muscles():
    """Full force at the optimal length, none beyond the fastest shortening, more when stretched; passive beyond."""
    muscle = forces.Hill(100.0, 0.3, 10.0, tendon=0.1)
    assert muscle(0.4, 0.0, 1.0) == pytest.approx(100.0)
    assert muscle(0.4, 0.0, 0.25) == pytest.approx(25.0)
    assert muscle(0.4, -3.0, 1.0) == pytest.approx(0.0)
    assert 100.0 < muscle(0.4, 0.5, 1.0) < 140.0
    assert muscle(0.4 + 0.6 * 0.3, 0.0, 0.0) == pytest.approx(100.0)
    e = 1e-6
    slopes = [(muscle(0.4, s * e, 1.0) - 100.0) / (s * e) for s in (1, -1)]
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-4)
    mech = slider(gravity=(0, 0, 0))
    pull = trace_forces(mech, [forces.Muscle([(None, (0, 0, 0.4)), ("mass", (0, 0, 0))], muscle, 0.5)])
    assert pull.torque(0.0, np.zeros(1), np.zeros(1))[0] == pytest.approx(50.0)
    own = forces.Muscle([(None, (0, 0, 0.4)), ("mass", (0, 0, 0))], lambda x, v, a: 10 * a * x, 0.5)
    assert trace_forces(mech, [own]).torque(0.0, np.zeros(1), np.zeros(1))[0] == pytest.approx(2.0)


def test_a_motor_runs_up_to_its_speed():
    """w = u w0 (1 - exp(-t / T)), T = J w0 / (gear^2 stall) at the joint, rotor included."""
    mech = aj.Mechanism("fan", gravity=(0, 0, 0))
    mech.add_body("fan", None, joints.Revolute(), inertia=aj.Inertia.cylinder(2.0, 0.5, 0.1), armature=0.05)
    motor, gear, t = forces.Motor("fan", 0.8, 0.3, 100.0, gear=5.0), 5.0, 1.5
    J = 0.25 + 0.05
    T = J * 100.0 / (gear**2 * 0.3)
    traj = mech.compile().simulate([0], [0], t, dt=t, forces=[motor], **TIGHT)
    assert traj.v[-1, 0] == pytest.approx(0.8 * 100.0 / gear * (1 - np.exp(-t / T)), rel=1e-9)


def test_what_falls_through_air():
    """v = w tanh(g t / w) with w^2 = m g / c; and slowly through honey, against the wind."""
    mech, t = slider(), 1.2
    fast = mech.compile().simulate([0], [0], t, dt=t, forces=[forces.Drag("mass", quadratic=0.5)], **TIGHT)
    w = np.sqrt(2.0 * 9.81 / 0.5)
    assert fast.v[-1, 0] == pytest.approx(-w * np.tanh(9.81 * t / w), rel=1e-9)
    slow = mech.compile().simulate([0], [0], t, dt=t, forces=[forces.Drag("mass", 4.0, wind=(0, 0, 3.0))], **TIGHT)
    assert slow.v[-1, 0] == pytest.approx((3.0 - 2.0 * 9.81 / 4.0) * (1 - np.exp(-2.0 * t)), rel=1e-9)


def test_a_wing_is_lifted():
    """A plate with a normal a little off the vertical, in a level flow: it is pushed along its normal."""
    mech = slider(gravity=(0, 0, 0))
    tilt = np.array([-np.sin(0.1), 0, np.cos(0.1)])
    lift = trace_forces(mech, [forces.Drag("mass", lift=2.0, normal=tilt, wind=(-5.0, 0, 0))])
    assert lift.torque(0.0, np.zeros(1), np.zeros(1))[0] == pytest.approx(2.0 * 25.0 * np.sin(0.1) * np.cos(0.1))


# -- bad input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: forces.Bushing(None, "mass", (1, 2, 3)), "six numbers"),
        (lambda: forces.Bushing(None, "mass", (1,) * 6, turn="zyx"), "'sine' or 'xyz'"),
        (lambda: forces.SoftStop("mass", (1.0, 0.0), 1.0), "increasing order"),
        (lambda: forces.SoftStop("mass", (-np.inf, np.inf), 1.0), "at least one end"),
        (lambda: forces.SoftStop("mass", (0.0, 1.0), (1.0, 2.0, 3.0)), "two for both ends"),
        (lambda: forces.SoftStop("mass", (0.0, 1.0), 1.0, transition=0.0), "positive number"),
        (lambda: forces.Custom(lambda a, n: a.p, bodies=["mass"]), "neither effort nor energy"),
        (lambda: forces.Custom(lambda n: 0.0, energy=lambda s, n: 0.0), "acts on nothing"),
        (lambda: forces.Cable("mass", 1.0, 1.0), "expected a list"),
        (lambda: forces.Cable([], -1.0, 1.0), "stiffness=-1.0"),
        (lambda: forces.Muscle([], 3.0), "expected Hill"),
        (lambda: forces.Drag("mass", linear=-1.0), "linear=-1.0"),
        (lambda: forces.BoxDrag("mass", (1, 0, 1)), "three lengths that are positive"),
        (lambda: forces.Motor("mass", 1.0, 1.0, 0.0), "no_load_speed=0.0"),
        (lambda: forces.Hill(1.0, 0.0), "optimal_length=0.0"),
    ],
)
def test_numbers_that_make_no_sense(make, words):
    with pytest.raises(aj.InputError, match=words):
        make()


@pytest.mark.parametrize(
    ("force", "words"),
    [
        (forces.Cable([("mass", (0, 0, 0))], 1.0, 1.0), "begins and ends with points"),
        (forces.Cable(["mass", (None, (0, 0, 0))], 1.0, 1.0), "in a path"),
        (forces.Attraction([None, "mass"]), "the ground has no mass"),
        (forces.Custom(lambda a, n: a.p, lambda s, rate, n, signals: s[0], ["mass"]), "1 efforts for 3 measures"),
        (forces.Motor("mass", 1.0, 1.0, 1.0, coordinate=2), "has no coordinate 2"),
    ],
)
def test_forces_that_do_not_fit(force, words):
    with pytest.raises(aj.InputError, match=words):
        slider().compile().simulate([0], [0], 0.1, forces=[force])


# -- many forces, by kernels ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_many_forces_are_kernels():
    """More forces than straight code is made for: the same torques, energies, runs and batches as by fewer."""
    mech = tree()
    few = [CONSERVATIVE["Spring"], OTHERS["Drag"], OTHERS["Motor"], CONSERVATIVE["Cable"], OTHERS["Servo"]]
    half = [forces.Spring("finger", (0, 0.1, 0), "other", (0.2, 0, 0.1), 200.0 / 30, 0.0, 0.1) for _ in range(30)]
    model, (q, v) = mech.compile(), mech.start
    straight, many = trace_forces(mech, few), trace_forces(mech, [*half, *few[1:]])
    assert many.many
    assert not straight.many
    assert float(many.stored(q, v)) == pytest.approx(float(straight.stored(q, v)), rel=1e-12)
    options = {"duration": 4e-3, "dt": 1e-3}
    for method in ("rk4", "dopri5"):
        options["method"] = method
        runs = [model.simulate(q, v, forces=[*acting, *few[1:]], **options) for acting in (few[:1], half)]
        assert runs[1].q == pytest.approx(runs[0].q, rel=1e-9, abs=1e-9)
        assert runs[1].work() == pytest.approx(runs[0].work(), rel=1e-7, abs=1e-9)
    options["method"] = "rk4"
    plain = model.simulate(q, v, tau=lambda t, q, v: np.zeros(len(v)), forces=[*half, *few[1:]], **options)
    both = model.simulate(np.stack([q, q]), np.stack([v, v]), forces=[*half, *few[1:]], **options)
    assert both.q[:, 1] == pytest.approx(plain.q, rel=1e-10, abs=1e-10)
