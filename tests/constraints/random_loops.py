"""Random trees with random loops that are closed at a random state."""

from __future__ import annotations

import numpy as np

import anyjoint as aj
from anyjoint import joints
from tests.constraints.kkt import consistent

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
    lambda rng: joints.OnCurve(aj.curves.Helix(1.0, 0.3)),
]


def random_pose(rng, size=0.5):
    """Any pose."""
    return aj.Pose.translation(*(size * rng.normal(size=3))) @ aj.Pose.rpy(*rng.normal(size=3))


def inertia(rng):
    """Any inertia."""
    a, b, c = rng.uniform(0.1, 0.5, 3)
    return aj.Inertia.box(rng.uniform(0.5, 3), a, b, c).moved(random_pose(rng, 0.1))


@aj.constraint
def rod(a, b):
    """A rod between two bodies."""
    d = a.act((0.1, 0, 0)) - b.act((0, 0.2, 0))
    return d @ d


@aj.constraint
def height(a):
    """A point at a height."""
    return a.act((0.1, 0.2, 0.3))[2]


def tree(rng, bodies=7):
    """A random tree."""
    mech = aj.Mechanism("random", gravity=tuple(rng.normal(size=3) * 5))
    for k in range(bodies):
        parent = mech.bodies[rng.integers(k)] if k and rng.random() < 0.8 else None
        joint = OPEN[rng.integers(len(OPEN))](rng)
        mech.add_body(f"b{k}", parent, joint, random_pose(rng), inertia(rng))
    return mech


def shifted(function, value):
    """The same rows, zero where they have this value."""

    def moved(*arguments):
        return np.asarray(function(*arguments), dtype=object) - value

    return aj.constraint(moved)


def closed_tree(rng, bodies=7, loops=2, rows=1):
    """A mechanism and a state that is on all its constraints, moving along them."""
    mech = tree(rng, bodies)
    q = rng.uniform(-1, 1, mech.nq)
    poses = mech.poses(list(map(float, q)))
    places = [*range(-1, bodies)]
    for _ in range(loops):
        a, b = rng.choice(places, 2, replace=False)
        T = [poses[i] if i >= 0 else aj.Pose() for i in (a, b)]
        F = random_pose(rng)
        other = aj.Pose.from_matrix((T[1].inverse() @ T[0] @ F).matrix.astype(float))
        names = [mech.bodies[i] if i >= 0 else mech.ground for i in (a, b)]
        mech.add_loop(*names, joint=CLOSING[rng.integers(len(CLOSING))](rng), at=(F, other))
    for _ in range(rows):
        a, b = rng.choice(bodies, 2, replace=False)
        if rng.random() < 0.5:
            value = float(rod(poses[a], poses[b]))
            mech.add_constraint(shifted(rod, value), bodies=(f"b{a}", f"b{b}"))
        else:
            mech.add_constraint(shifted(height, float(height(poses[a]))), bodies=(f"b{a}",))
    return mech, q, consistent(mech, q, rng.normal(size=mech.nv))
