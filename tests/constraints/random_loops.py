"""Random trees with random loops and rows of every kind, at a random state that is on all of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np

import anyjoint as aj
from anyjoint import joints
from constraints.kkt import System

TREE = 5  # bodies
CLOSING = [
    lambda rng: joints.Revolute(tuple(rng.normal(size=3))),
    lambda rng: joints.Revolute((0, 0, 1)),
    lambda rng: joints.Spherical(),
    lambda rng: joints.Prismatic(tuple(rng.normal(size=3))),
    lambda rng: joints.Universal(),
    lambda rng: joints.FreePlanar(),
    lambda rng: joints.Planar(),
    lambda rng: joints.Translational(),
    lambda rng: joints.Fixed(),
    lambda rng: joints.Composite(joints.Revolute((0, 1, 0)), joints.Prismatic((0, 1, 0))),
]
OPEN = [
    lambda rng: joints.Revolute(tuple(rng.normal(size=3))),
    lambda rng: joints.Revolute((0, 0, 1)),
    lambda rng: joints.Revolute((0, 1, 0)),
    lambda rng: joints.Prismatic(tuple(rng.normal(size=3))),
    lambda rng: joints.Universal(),
    lambda rng: joints.Spherical(),
    lambda rng: joints.Free(),
    lambda rng: joints.SphericalQuaternion(),
    lambda rng: joints.FreeQuaternion(),
    lambda rng: joints.OnCurve(aj.curves.Helix(1.0, 0.3)),
]


@dataclass(frozen=True)
class Case:
    """A mechanism, a state on its constraints at a time, and the dense system there."""

    mech: aj.Mechanism
    q: np.ndarray
    v: np.ndarray
    t: float
    dense: System


def random_case(seed):
    """The first case of a seed that has a solution and is not close to a singular place."""
    for attempt in count():
        rng = np.random.default_rng((seed, attempt))
        mech, q, t = closed_tree(rng)
        v, dense = rng.normal(size=mech.nv), System(mech, q, t)
        hard = dense.hard
        if not 0 < np.linalg.matrix_rank(dense.G[hard], tol=1e-9) < mech.nv or _unclear(dense):
            continue
        v = v - np.linalg.pinv(dense.G[hard], rcond=1e-9) @ (dense.G @ v + dense.still)[hard]
        dense.move(v)
        left = _outside(dense.G[hard], dense.gamma[hard])
        if left < 1e-11 * max(1.0, np.abs(dense.gamma).max()) and np.abs(dense.rate[hard]).max() < 1e-11:
            return Case(mech, q, v, t, dense)


def _unclear(dense):
    """Whether some rows are nearly, but not quite, dependent."""
    strengths = dense.strengths
    return bool(((strengths > 1e-11) & (strengths < 0.02)).any())


def _outside(G, right):
    """What is left of right sides that no accelerations can meet."""
    return float(np.abs(right - G @ np.linalg.lstsq(G, right, rcond=1e-9)[0]).max())


def closed_tree(rng):
    """A mechanism, coordinates on all its constraints, and the time at which they are."""
    mech = tree(rng, TREE)
    q, t = random_coordinates(mech, rng), float(rng.uniform(0, 2))
    poses = mech.poses(list(map(float, q)))
    kinds = [loop, loop, rod_or_height, *rng.choice([knife, coordinate_row, driven, timed_row, cut, loop], 2)]
    for add in kinds:
        q = add(mech, rng, q, poses, t)
    if rng.random() < 0.5:
        again(mech, rng, q)
    return mech, q, t


def tree(rng, bodies):
    """A random tree."""
    mech = aj.Mechanism("random", gravity=tuple(rng.normal(size=3) * 5))
    for k in range(bodies):
        parent = mech.bodies[rng.integers(k)] if k and rng.random() < 0.8 else None
        joint = OPEN[rng.integers(len(OPEN))](rng)
        mech.add_body(f"b{k}", parent, joint, random_pose(rng), inertia(rng))
    return mech


def random_coordinates(mech, rng):
    """Anything; quaternions of length 1."""
    q = rng.uniform(-1, 1, mech.nq)
    for body in mech.bodies:
        if body.joint.nq != body.joint.nv:
            first = body.q.start + (3 if isinstance(body.joint, joints.FreeQuaternion) and not _leads(body) else 0)
            q[first : first + 4] /= np.linalg.norm(q[first : first + 4])
    return q


def _leads(body):
    """Whether a free joint's quaternion comes before its position."""
    return "w" in body.joint.coordinates[0].name


def random_pose(rng, size=0.5):
    """Any pose."""
    return aj.Pose.translation(*(size * rng.normal(size=3))) @ aj.Pose.rpy(*rng.normal(size=3))


def inertia(rng):
    """Any inertia."""
    a, b, c = rng.uniform(0.1, 0.5, 3)
    return aj.Inertia.box(rng.uniform(0.5, 3), a, b, c).moved(random_pose(rng, 0.1))


# -- constraints that hold where the mechanism is --------------------------------------------------------------------


def compliance(rng):
    """Hard, or now and then soft."""
    return float(rng.uniform(0.01, 1.0)) if rng.random() < 0.2 else 0.0


def two(mech, rng, ground=False):
    """Two bodies, or a body and the ground."""
    return rng.choice([*range(-1 if ground else 0, TREE)], 2, replace=False)


def loop(mech, rng, q, poses, t):
    """A closing joint whose frames are where each other is."""
    a, b = two(mech, rng, ground=True)
    T = [poses[i] if i >= 0 else aj.Pose() for i in (a, b)]
    F = random_pose(rng)
    other = aj.Pose.from_matrix((T[1].inverse() @ T[0] @ F).matrix.astype(float))
    names = [mech.bodies[i] if i >= 0 else mech.ground for i in (a, b)]
    joint, soft = CLOSING[rng.integers(len(CLOSING))](rng), compliance(rng)
    if soft:  # and pulled apart
        other = other @ aj.Pose.translation(*(0.1 * rng.normal(size=3)))
    mech.add_loop(*names, joint=joint, at=(F, other), compliance=soft)
    return q


def cut(mech, rng, q, poses, t):
    """A closing joint without rows of its own, which brings a coordinate and half a body."""
    a, b = two(mech, rng)
    joint, own = joints.OnCurve(aj.curves.Helix(1.0, 0.3)), float(rng.uniform(-1, 1))
    F = random_pose(rng)
    other = poses[b].inverse() @ poses[a] @ F @ joint.pose([own])
    mech.add_loop(f"b{a}", f"b{b}", joint=joint, at=(F, aj.Pose.from_matrix(other.matrix.astype(float))))
    return np.append(q, own)


def again(mech, rng, q):
    """A ball where the first loop already holds a point: its rows are redundant."""
    first = mech.constraints[0]
    if first.compliance == 0 and first.closing.shifts == (0, 1, 2):
        names = [mech.bodies[i] if i >= 0 else mech.ground for i in first.bodies]
        mech.add_loop(*names, joint=joints.Spherical(), at=first.frames)


@aj.constraint
def rod(a, b):
    """A rod between two bodies."""
    d = a.act((0.1, 0, 0)) - b.act((0, 0.2, 0))
    return d @ d


@aj.constraint
def height(a):
    """A point at a height, and a direction of a body."""
    return a.act((0.1, 0.2, 0.3))[2], a.R[0, 1]


def rod_or_height(mech, rng, q, poses, t):
    """Rows on relative positions, or on those in the world."""
    a, b = two(mech, rng)
    if rng.random() < 0.5:
        soft, pair = compliance(rng), (f"b{a}", f"b{b}")
        made = shifted(rod, rod(poses[a], poses[b]) + (0.2 if soft else 0.0))
        mech.add_constraint(made, bodies=pair, compliance=soft)
    else:
        mech.add_constraint(shifted(height, height(poses[a])), bodies=f"b{a}", compliance=compliance(rng))
    return q


def shifted(function, value):
    """The same rows, zero where they have this value."""
    values = np.ravel(np.asarray(value, dtype=float))
    return aj.constraint(lambda *arguments: np.ravel(np.asarray(function(*arguments), dtype=object)) - values)


@aj.velocity_constraint
def edge(pose, twist):
    """A knife edge through a point."""
    return twist.at((0.1, 0.2, 0.0))[1]


@aj.velocity_constraint
def follows(a, twist_a, b, twist_b, q, rate, t):
    """Speeds that depend on places, a coordinate's rate, and a drive."""
    return a.p[0] * twist_a.angular[2] + (b.R @ twist_b.linear)[0] + aj.sin(q[0]) * rate[0] - 0.3 * aj.cos(t)


def knife(mech, rng, q, poses, t):
    """Rows on velocities."""
    a, b = two(mech, rng)
    if rng.random() < 0.5:
        mech.add_constraint(edge, bodies=f"b{a}", compliance=compliance(rng))
    else:
        mech.add_constraint(follows, bodies=(f"b{a}", f"b{b}"), coordinates=own_coordinates(mech, rng, 1), time=True)
    return q


def own_coordinates(mech, rng, n):
    """Names of coordinates whose rates are velocities."""
    names = [
        name for body in mech.bodies for k, name in enumerate(body.coordinate_names)
        if body.joint.velocity_of(k) is not None and body.joint.nq == body.joint.nv
    ]  # fmt: skip
    return [str(x) for x in rng.choice(names, n, replace=False)] if len(names) >= n else names


def coordinate_row(mech, rng, q, poses, t):
    """A row on two coordinates and a pose."""
    names = own_coordinates(mech, rng, 2)
    if len(names) < 2:
        return q
    a = rng.integers(TREE)
    at = [q[mech.coordinate_names.index(name)] for name in names]

    def linked(pose, x):
        return aj.sin(x[0]) + x[0] * x[1] + 0.3 * pose.p[1]

    value = linked(poses[a], at)
    mech.add_constraint(shifted(linked, value), bodies=f"b{a}", coordinates=names, compliance=compliance(rng))
    return q


def timed_row(mech, rng, q, poses, t):
    """A point whose place depends on time."""
    a = rng.integers(TREE)

    def moving(pose, time):
        return pose.act((0.2, 0, 0.1))[0] - 0.3 * aj.sin(2 * time) * (1 + pose.p[1])

    mech.add_constraint(shifted(moving, moving(poses[a], t)), bodies=f"b{a}", time=True)
    return q


def driven(mech, rng, q, poses, t):
    """A joint that follows a function of time."""
    body = mech.bodies[rng.integers(TREE)]
    if body.joint.nq != body.joint.nv or any(c.name == f"motion of {body.name}" for c in mech.constraints):
        return q
    start = [float(x) for x in q[body.q]]
    mech.prescribe(body, lambda time: [x + 0.5 * (aj.sin(time) - np.sin(t)) for x in start])
    return q
