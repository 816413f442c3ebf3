"""RedMax's linearly implicit Euler: the energies that its runs end with, all kinds of scenes."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints
from anyjoint.quantity.implicit import implicit
from anyjoint.simulate.drive import Drive
from anyjoint.simulate.python_step import PythonStepper
from anyjoint.stepper import STEPPERS
from constraints.test_redmax import CONSTRAINED, constrained
from dynamics.reference import FREE_SCENES, SCENES, load, scene_mechanism
from simulate.test_redmax import CutOffSpline, assert_ends_as_recomputed, compiled, scene_forces

FREE = ("-1", "0", "1", "3", "5", "10", "11", "16", "17", "18", "21", "23", "26")
TORQUES = np.array([[0, 0, 100], [0, 100, -100], [100, -100, 0.0]])  # of scene 5, three seconds each


def drags(scene):
    """RedMax's damping of bodies: of all six velocities at the centre."""
    damped = [(k, body) for k, body in enumerate(scene["bodies"]) if body["damping"]]
    return [forces.Drag(k, b["damping"], b["damping"], point=np.array(b["E_ji"])[:3, 3]) for k, b in damped]


def ended(model, scene, **options):
    """The energy at the end, and the change of the potential one."""
    traj = model.simulate(
        *model.mechanism.start, scene["t_end_euler"], dt=scene["h_euler"], method="implicit-euler", **options
    )
    kinetic, potential = traj.energy()
    assert traj.status.ok or model.mechanism.constraints  # RedMax's loops open by more than we call whole
    assert_ends_as_recomputed(scene, traj)
    return kinetic[-1] + potential[-1] - potential[0]


class Exact:
    """A force that keeps what is negative in its slopes, as RedMax does."""

    def __init__(self, force):
        self.force = force

    def pushes(self, mechanism):
        return [replace(push, exact=True) for push in self.force.pushes(mechanism)]


def scene_energy(key):
    """The energy that a scene ends with, by RedMax's method; bench/paper_redmax.py prints them all."""
    if key in FREE_SCENES:
        return free_energy(FREE_SCENES[key])
    if key == "9":
        return prescribed_energy(SCENES[key])
    scene = SCENES[key]
    return ended(constrained(scene).compile(), scene, stabilise=("baumgarte", 0.0, scene["baumgarte"][2]))


def free_energy(scene):
    options = {"forces": [*map(Exact, scene_forces(scene)), *drags(scene)]}
    if scene["name"] == "Joint torque":  # which RedMax asks for at the end of the step
        options["tau"] = lambda t, q, v: TORQUES[min(int((t + 1e-9) // 3), 2)]
    return ended(compiled(scene, CutOffSpline), scene, **options)


def prescribed_energy(scene):
    """Scene 9 begins a little off the motion that is prescribed, which a run would refuse: step by step."""
    model, h = constrained(scene).compile(), scene["h_euler"]
    quantities = (implicit(scene["baumgarte"][2]),)
    stepper = PythonStepper(model, Drive(np.zeros((1, 3))), STEPPERS["implicit-euler"], quantities=quantities)
    q, v = model.mechanism.start
    before = model.energy(q, v)[1]
    for k in range(round(scene["t_end_euler"] / h)):
        q, v = stepper.step(k * h, q, v, h)
    kinetic, potential = model.energy(q, v)
    return kinetic + potential - before


@pytest.mark.parametrize("key", [*FREE, *CONSTRAINED])
def test_euler_energies(key):
    """To 1e-8 of up to 2e5."""
    assert scene_energy(key) == pytest.approx(SCENES[key]["stored_H"]["redmax_euler"], abs=1e-8)


def string_of_nodes(mech, name, string):
    """Point masses on a straight line between two points of bodies, the ends fastened; what their springs need."""
    start = mech.compile().body_poses(mech.start[0])
    ends = [string["r0"], string["r1"]]
    for k, body in enumerate((string["body0"], string["body1"])):
        if body >= 0:
            place = start[body] @ np.array(load("redmax_scenes")["12"]["bodies"][body]["E_ji"])
            ends[k] = (place @ [*ends[k], 1.0])[:3]
    count = string["nodes"]
    line = np.linspace(*ends, count)
    nodes = []
    bead = aj.Inertia.point(string["mass"] / count)
    for k, point in enumerate(line):
        nodes.append(mech.add_body(f"{name} {k}", None, joints.Translational(), inertia=bead))
        mech.set_start([*mech.start[0], *point], [*mech.start[1], 0, 0, 0])
    return nodes, np.linalg.norm(line[1] - line[0])


def test_strings():
    """Scene 12: RedMax takes the springs of strings as they are at the beginning of the step, so they are inputs."""
    scene = load("redmax_scenes")["12"]
    mech, strings = scene_mechanism(scene), []
    for name, string in zip("ab", scene["deformables"], strict=True):
        strings.append((*string_of_nodes(mech, name, string), string))
    for nodes, _, string in strings:
        for node, body, point in ((nodes[0], string["body0"], "r0"), (nodes[-1], string["body1"], "r1")):
            frame = np.eye(4) if body < 0 else np.array(scene["bodies"][body]["E_ji"])
            at = (frame @ [*string[point], 1.0])[:3]
            other = mech.bodies[body] if body >= 0 else mech.ground
            mech.add_loop(node, other, joints.Spherical(), at=((0, 0, 0), at))
    model = mech.compile()

    def stretched(q):
        for nodes, rest, string in strings:
            for a, b in pairwise(nodes):
                d = q[b.q] - q[a.q]
                yield a, b, d, np.linalg.norm(d), rest, string["K"]

    def pull(t, q, v):
        tau = np.zeros(len(v))
        for a, b, d, length, rest, stiffness in stretched(q):
            force = stiffness * (length - rest) / rest**2 * d / length
            tau[a.v] += force
            tau[b.v] -= force
        return tau

    def stored(q):
        return sum(0.5 * stiffness * ((length - rest) / rest) ** 2 for _, _, _, length, rest, stiffness in stretched(q))

    options = {"tau": pull, "stabilise": ("baumgarte", 0.0, scene["baumgarte"][2])}
    traj = model.simulate(*mech.start, scene["t_end_euler"], dt=scene["h_euler"], method="implicit-euler", **options)
    kinetic, potential = traj.energy()
    made = kinetic[-1] + potential[-1] - potential[0] + stored(traj.q[-1]) - stored(traj.q[0])
    assert made == pytest.approx(scene["stored_H"]["redmax_euler"], abs=1e-6)
