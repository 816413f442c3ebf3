"""Mechanisms of other people's numbers (tests/data): RedMax scenes, beads, pendulums, tops, OpenSim models."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np

from anyjoint import joints
from anyjoint.dynamics.conversion import link_jacobians
from anyjoint.mechanism import Inertia, Mechanism
from anyjoint.scalar import cos, sin
from anyjoint.spatial import Pose
from joints.test_opensim import ellipsoid_mobilizer, joint_of, offsets

DATA = Path(__file__).parent.parent / "data"


def load(name):
    return json.loads((DATA / f"{name}.json").read_text())


# -- RedMax ----------------------------------------------------------------------------------------------------------

SCENES = {key: scene for key, scene in load("redmax_scenes").items() if not scene["deformables"]}
FREE_SCENES = {key: scene for key, scene in SCENES.items() if not scene["constraints"]}

KINDS = {
    "fixed": lambda j: joints.Fixed(),
    "revolute": lambda j: joints.Revolute(j["axis"]),
    "prismatic": lambda j: joints.Prismatic(j["axis"]),
    "planar": lambda j: joints.Planar(),
    "translational": lambda j: joints.Translational(),
    "spherical_exp": lambda j: joints.Spherical(),
    "spline_curve": lambda j: joints.SplineCurve(j["control_frames"], closed=True),
    "composite": lambda j: joints.Composite(KINDS[j["first"]["type"]](j), KINDS[j["second"]["type"]](j)),
}


def scene_mechanism(scene):
    """A scene's bodies; our body frames are its joint frames. The start is its initial state."""
    mech = Mechanism(scene["name"], gravity=scene["gravity"])
    for k, (joint, body) in enumerate(zip(scene["joints"], scene["bodies"], strict=True)):
        parent = mech.bodies[joint["parent"]] if joint["parent"] >= 0 else None
        diagonal = body["I_diag_com_then_mass"]
        inertia = Inertia(diagonal[3], tensor=np.diag(diagonal[:3])).moved(pose(body["E_ji"]))
        mech.add_body(f"body {k}", parent, KINDS[joint["type"]](joint), pose(joint["E_pj0"]), inertia)
    q, v = (np.concatenate([np.zeros(0), *(j[name] for j in scene["joints"])]) for name in ("q0", "qdot0"))
    mech.set_start(q, v)
    return mech


def pose(matrix):
    return Pose.from_matrix(matrix)


def scene_forces(scene, state):
    """Generalized forces of a scene's start: joint dampers, the torques of scene 5, forces of springs on bodies."""
    tau = np.array([-j["damping"] * v for j in scene["joints"] for v in j["qdot0"]], dtype=float)
    if scene["name"] == "Joint torque":
        tau += [0.0, 0.0, 100.0]
    forces = []  # (body, point on it, world force)
    points = {(b, tuple(x)): world_point(state, b, x) for b, x in spring_ends(scene)}
    for spring in scene["springs"]:
        if spring["type"] == "constant_world_force":
            forces.append((spring["body"], spring["x"], np.array(spring["F"])))
        else:
            (b1, x1), (b2, x2) = ((spring["body1"], spring["x1"]), (spring["body2"], spring["x2"]))
            pull = spring["k"] * (points[b2, tuple(x2)] - points[b1, tuple(x1)])
            forces += [(b1, x1, pull), (b2, x2, -pull)]
    for b, x, f in forces:
        tau += f @ point_jacobian(state, b, in_link(scene, state, b, x))
    return tau


def spring_ends(scene):
    for s in scene["springs"]:
        yield from [(s["body"], s["x"])] if "body" in s else [(s["body1"], s["x1"]), (s["body2"], s["x2"])]


def in_link(scene, state, b, x):
    """A point of RedMax's body frame in our link's frame: (link, point)."""
    link, frame = state.plan.placed[b]
    return link, (frame @ np.array(scene["bodies"][b]["E_ji"]) @ [*x, 1.0])[:3]


def world_point(state, b, x):
    T = state.mech.poses(state.q)[b].matrix @ np.array(state.scene["bodies"][b]["E_ji"])
    return (T @ [*x, 1.0])[:3]


def point_jacobian(state, b, where):
    link, point = where
    points = np.zeros((len(state.parents), 3))
    points[link] = point
    return link_jacobians(state.blocks(), state.parents, points)[0][link]


# -- beads, particles, pendulums, tops -------------------------------------------------------------------------------


def bead(name, curve, spin):
    """A bead on a wire, with the case's own centre of mass and inertia where it has them."""
    model, mech = load(name)["model"], Mechanism(name)
    inertia = Inertia(1.0)
    if "com_body" in model:
        com, diagonal = ([float(Fraction(x)) for x in model[k]] for k in ("com_body", "inertia_com_body_diag"))
        inertia = Inertia(1.0, com, np.diag(diagonal))
    mech.add_body("bead", None, joints.OnCurve(curve, spin=spin), inertia=inertia)
    return mech


def ellipse(u):
    return 2 * cos(u), 0.0, sin(u)


def helix(u):
    return cos(u), sin(u), 0.5 * u


def cycloid(u):
    return u + sin(u), 0.0, 1 - cos(u)


def hoop(u):
    return sin(u), 0.0, -cos(u)


def ellipsoid(u, v):
    return 2 * sin(v) * cos(u), 1.5 * sin(u) * sin(v), cos(v)


def turning_wire(name, curve, wire_inertia):
    """A wire that turns about the vertical, and a point bead on it."""
    mech = Mechanism(name)
    wire = mech.add_body(
        "wire", None, joints.Revolute((0, 0, 1)), inertia=Inertia(1.0, tensor=np.diag([wire_inertia] * 3))
    )
    mech.add_body("bead", wire, joints.OnCurve(curve), inertia=Inertia(1.0))
    return mech


def pendulum(n):
    """Point masses on massless links; our angles are relative, those of the case absolute."""
    mech = Mechanism(f"{n} point masses")
    for k in range(n):
        parent, place = (mech.bodies[-1], Pose.translation(0, 0, -1)) if k else (None, Pose())
        mech.add_body(f"mass {k}", parent, joints.Revolute((0, -1, 0)), place, Inertia.point(1.0, (0, 0, -1)))
    return mech


def numbers(case, *names):
    return np.array([float(case["initial"][name]) for name in names])


# -- OpenSim ---------------------------------------------------------------------------------------------------------


def gait():
    """gait2392 without muscles, and its coordinates' names in our order."""
    case = load("opensim_gait2392_customjoints")
    mech = Mechanism("gait2392", gravity=case["states"][0]["gravity"])
    names = []
    for entry in case["joints"]:
        name, parent, frame = entry["child"]["base"], entry["parent"]["base"], entry["parent"]
        x, y, z = frame["orientation_xyz"]
        place = Pose.translation(*frame["translation"]) @ Pose.rotation_x(x) @ Pose.rotation_y(y) @ Pose.rotation_z(z)
        body = case["bodies"][name]
        inertia = Inertia(body["mass"], body["com"], tensor(*body["inertia_com_xx_yy_zz_xy_xz_yz"]))
        mech.add_body(name, None if parent == "ground" else parent, joint_of(entry), place, inertia)
        names += entry["coordinates"]
    return mech, names, case


def tensor(xx, yy, zz, xy, xz, yz):
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def unchecked(mass, com, about_com, frame):
    """An inertia seen from a frame, its tensor not checked: OpenSim's scapula breaks the triangle inequality."""
    T = frame.inverse().matrix.astype(float)
    inertia = Inertia(mass, T[:3, :3] @ com + T[:3, 3])
    object.__setattr__(inertia, "tensor", T[:3, :3] @ np.array(about_com) @ T[:3, :3].T)
    return inertia


def shoulder():
    """A scapula gliding on the thorax' ellipsoid, and a humerus; our body frames are the joints' child frames."""
    (on_ground, on_thorax), (on_thorax2, on_scapula) = offsets("base"), offsets("el")
    on_scapula2, on_humerus = offsets("gh")
    gimbal = joints.Composite(joints.Revolute((1, 0, 0)), joints.Revolute((0, 1, 0)), joints.Revolute((0, 0, 1)))
    mech = Mechanism("shoulder", gravity=(0, -9.81, 0))
    scapula = unchecked(
        0.7, (-0.055, -0.035, -0.043), tensor(0.0012, 0.0011, 0.0012, 0.0004, 0.0002, 0.0003), on_scapula
    )
    humerus = Inertia(2.0, (0.01, -0.14, -0.01), tensor(0.0148, 0.0046, 0.0132, 0.0005, 0.0002, -0.0003))
    thorax = on_ground @ on_thorax.inverse() @ on_thorax2
    first = mech.add_body("scapula", None, ellipsoid_mobilizer, thorax, scapula)
    mech.add_body("humerus", first, gimbal, on_scapula.inverse() @ on_scapula2, humerus.moved(on_humerus.inverse()))
    return mech, load("opensim_ellipsoid")


# Case -> curve, whether the bead spins, names of coordinates and velocities.
BEADS = {
    "bead_ellipse_frenet_spin": (ellipse, True, ("u", "v"), ("du", "dv")),
    "bead_helix_frenet_spin": (helix, True, ("u", "v"), ("du", "dv")),
    "bead_cycloid_isochrone": (cycloid, False, ("u",), ("du",)),
}
