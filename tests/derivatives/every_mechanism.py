"""A small mechanism of every sort that derivatives may treat in its own way, each with a state to differentiate at."""

import numpy as np

import anyjoint as aj
from anyjoint import gallery, joints, surfaces
from anyjoint.mechanism.gallery.kinds import regular_coordinates
from simulate.touching import leg

SOLID = aj.Inertia(0.7, (0.05, -0.1, 0.2), np.array([[0.12, 0.01, 0.02], [0.01, 0.1, -0.01], [0.02, -0.01, 0.09]]))
KINDS = [name for name in gallery.every_kind() if name != "fixed"]
PER_TREE = 4


def tree(k):
    """A few joint kinds one behind the other, the second with a spring, a damper and a rotor, and a weld."""
    rng, mech, kinds = np.random.default_rng(k), aj.Mechanism("tree", gravity=(1, 2, -9)), gallery.every_kind()
    q, parent = [], None
    for i, kind in enumerate((*KINDS[PER_TREE * k : PER_TREE * (k + 1)], "fixed", "revolute")):
        spring = {"stiffness": 2.0, "damping": 0.3, "armature": 0.1, "rest": 0.2} if i in (1, PER_TREE + 1) else {}
        joint, place = kinds[kind], aj.Pose.translation(*rng.normal(size=3)) @ aj.Pose.rpy(*rng.uniform(-1, 1, 3))
        if joint.nv != joint.nq:
            spring = {}
        parent = mech.add_body(f"{kind}-{i}", parent, joint, place, SOLID, **spring)
        q += regular_coordinates(joint, rng).tolist()
    mech.set_start(q)
    return mech


def rolling():
    """A ball that rolls on an ellipsoid and carries a rod on a sprung hinge."""
    mech = aj.Mechanism("rolling", gravity=(0, 0, -9.81))
    joint = joints.Rolling(surfaces.Ellipsoid(1.0, 1.2, 0.8), surfaces.Sphere(0.3))
    mech.add_body("ball", joint=joint, inertia=SOLID)
    mech.add_body("rod", "ball", joints.Revolute((0, 1, 0)), aj.Pose.translation(0.1, 0.2, 0.3), SOLID,
                  stiffness=2.0, damping=0.1, armature=0.05)  # fmt: skip
    mech.set_start([0.5, 0.6, 0.7, 0.4, 0.3, 0.2])
    return mech


def spatial_loop():
    """Two hinges that are not parallel, and a rod with balls at its ends: no row is redundant."""
    mech = aj.Mechanism("spatial loop", gravity=(0, 0, -9.81))
    mech.add_body("crank", joint=joints.Revolute((0, 0, 1)), inertia=SOLID)
    mech.add_body("rod", "crank", joints.Spherical(), aj.Pose.translation(0.3, 0, 0), SOLID, stiffness=0.3, damping=0.1)
    place = aj.Pose.translation(1.0, 0.2, 0.1)
    mech.add_body("rocker", joint=joints.Revolute((0, 1, 0.2)), placement=place, inertia=SOLID, armature=0.01)
    mech.add_loop("rod", "rocker", joints.Spherical(), at=((0.9, 0, 0), (0, 0, 0.6)))
    mech.set_start(mech.compile().assemble([0.3, 0.1, 0.1, 0.1, 0.1])[0])
    return mech


@aj.constraint
def led(pose, time):
    """A point whose place depends on time."""
    return pose.act((0.2, 0, -0.5))[0] - 0.3 * aj.sin(2 * time + 0.2) * (1 + pose.p[2])


def timed():
    """A double pendulum with a hand, led by the clock."""
    mech = aj.Mechanism("timed", gravity=(0, 0, -9.81))
    place = aj.Pose.translation(0, 0, -0.5)
    mech.add_body("upper", joint=joints.Revolute((0, 1, 0)), inertia=SOLID)
    mech.add_body("lower", "upper", joints.Revolute((0, 1, 0)), place, SOLID)
    mech.add_body("hand", "lower", joints.Universal(), place, SOLID, damping=0.2)
    mech.add_constraint(led, bodies=["lower"], time=True)
    mech.set_start([0.3, 0.2, 0.1, 0.4])
    return mech


def standing():
    """A leg whose foot presses on the ground."""
    mech = leg(stiffness=4e4, dissipation=0.3)
    run = mech.compile().simulate([0.74, 0.4, -0.8], duration=0.04, dt=2e-3, method="time-stepping")
    mech.set_start(run.q[-1], run.v[-1])
    return mech


MECHANISMS = {
    "torus chain": lambda: gallery.torus_chain(2),
    **{f"tree {k}": lambda k=k: tree(k) for k in range(-(-len(KINDS) // PER_TREE))},
    "followers": lambda: gallery.tongs_with_fish(2),
    "knee": gallery.four_bar_knee,
    "rolling": rolling,
    "wheels": gallery.rolling_wheels,
    "four-bar": gallery.four_bar,
    "spatial loop": spatial_loop,
    "timed": timed,
    "standing": standing,
    "bicycle": gallery.bicycle,
}


def state(mech, model):
    """Where a mechanism is differentiated: beside its start, on its constraints."""
    rng = np.random.default_rng(0)
    q, v = np.array(mech.start[0], dtype=float), np.array(mech.start[1], dtype=float)
    if mech.contacts:
        return q, v
    v = 0.3 * rng.normal(size=mech.nv)
    q = q + 0.05 * np.asarray(model.coordinate_rates(q, rng.normal(size=mech.nv)))
    return model.assemble(q, v) if mech.constraints else (q, v)
