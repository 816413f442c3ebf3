"""Random trees with random loops, wheels and rows of every kind, at a random state that is on all of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np

import anyjoint as aj
from anyjoint import curves, joints, surfaces
from constraints.kkt import System
from constraints.random_tree import random_coordinates, random_pose, tree

TREE = 5  # bodies
CLEAR = 0.02  # share of the strongest combination of rows that the weakest has at least
DEPENDENT = 1e-11  # share that rounding leaves of rows which others imply
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
@dataclass(frozen=True)
class Case:
    """A mechanism, a state on its constraints at a time, and the dense system there."""

    mech: aj.Mechanism
    q: np.ndarray
    v: np.ndarray
    t: float
    dense: System


def random_case(seed, rolling=False, shared=False):
    """The first case of a seed that has a solution and is not close to a singular place.

    On request with bodies and wheels that roll, and with coordinates that move several joints.
    """
    for attempt in count():
        rng = np.random.default_rng((seed, attempt))
        mech, q, t = closed_tree(rng, rolling, shared)
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
    return bool(((strengths > DEPENDENT) & (strengths < CLEAR)).any())


def _outside(G, right):
    """What is left of right sides that no accelerations can meet."""
    return float(np.abs(right - G @ np.linalg.lstsq(G, right, rcond=1e-9)[0]).max())


def closed_tree(rng, rolling, shared):
    """A mechanism, coordinates on all its constraints, and the time at which they are."""
    mech = tree(rng, TREE, rolling, shared)
    q, t = random_coordinates(mech, rng), float(rng.uniform(0, 2))
    poses = mech.poses(list(map(float, q)))
    kinds = [loop, loop, rod_or_height, *rng.choice([knife, coordinate_row, driven, timed_row, cut, loop], 2)]
    if rolling and (rng.random() < 0.5 or not any(isinstance(b.joint, joints.Rolling) for b in mech.bodies)):
        kinds[rng.integers(1, len(kinds))] = wheel
    for add in kinds:
        q = add(mech, rng, q, poses, t)
    if rng.random() < 0.5:
        again(mech, rng, q)
    return mech, q, t


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


RIMS = [
    (curves.Circle(0.3), lambda n: -0.3 * level(n)),
    (surfaces.Sphere(0.4), lambda n: -0.4 * n),
    (surfaces.Torus(0.3, 0.1), lambda n: -0.3 * level(n) - 0.1 * n),
]


def level(n):
    """The direction of the part across z."""
    return np.array([n[0], n[1], 0.0]) / np.hypot(n[0], n[1])


def wheel(mech, rng, q, poses, t):
    """A rim that rolls on a plane of another body or of the ground, which goes through its lowest point."""
    a = rng.integers(TREE)
    of = rng.choice([-1, *(b for b in range(TREE) if b != a)])
    rim, lowest = RIMS[rng.integers(len(RIMS))]
    at, lean = random_pose(rng), random_pose(rng)
    ring = poses[a] @ at
    n = np.asarray(ring.R.T @ lean.R[:, 2], dtype=float)
    touched = ring.act(list(lowest(n))) + lean.R[:, 0] * float(rng.normal())
    base = poses[of] if of >= 0 else aj.Pose()
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = lean.R, touched
    place = aj.Pose.from_matrix((base.inverse() @ aj.Pose.from_matrix(matrix)).matrix.astype(float))
    body = mech.bodies[of] if of >= 0 else None
    mech.add_rolling(f"b{a}", rim, on=surfaces.Plane(), of=body, at=at, place=place)
    return q


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
    if not body.joint.nq == body.joint.nv > 0 or any(c.name == f"motion of {body.name}" for c in mech.constraints):
        return q
    start = [float(x) for x in q[body.q]]
    mech.prescribe(body, lambda time: [x + 0.5 * (aj.sin(time) - np.sin(t)) for x in start])
    return q
