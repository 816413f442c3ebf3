"""Random trees, on request with bodies that roll on their parents and joints that follow others."""

from __future__ import annotations

import numpy as np

import anyjoint as aj
from anyjoint import joints, surfaces

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
SURFACES = [surfaces.Sphere(0.3), surfaces.Ellipsoid(0.5, 0.4, 0.3), surfaces.Torus(0.7, 0.2), surfaces.Plane()]
FOLLOWING = [
    lambda rng: joints.Revolute(tuple(rng.normal(size=3))),
    lambda rng: joints.Prismatic(tuple(rng.normal(size=3))),
    lambda rng: joints.Universal(),
    lambda rng: joints.Spherical(),
]


def tree(rng, bodies, rolling=False, shared=False):
    """A random tree."""
    mech = aj.Mechanism("random", gravity=tuple(rng.normal(size=3) * 5))
    for k in range(bodies):
        parent = mech.bodies[rng.integers(k)] if k and rng.random() < 0.8 else None
        joint = OPEN[rng.integers(len(OPEN))](rng)
        if rolling and rng.random() < 0.3:
            joint = rolls(rng)
        leaders = [body for body in mech.bodies if body.joint.inner.rates_are_velocities]
        if shared and leaders and rng.random() < 0.5:
            joint = follower(leaders[rng.integers(len(leaders))], rng)
        mech.add_body(f"b{k}", parent, joint, random_pose(rng), inertia(rng))
    return mech


def rolls(rng):
    """A body of any shape that rolls on its parent, of any shape too."""
    round_one, other = SURFACES[rng.integers(3)], SURFACES[rng.integers(4)]
    return joints.Rolling(*((round_one, other) if rng.random() < 0.5 else (other, round_one)))


def follower(leader, rng):
    """A gear, or functions of all of a leader's coordinates; leaders may follow others."""
    joint = FOLLOWING[rng.integers(len(FOLLOWING))](rng)
    c = rng.normal(size=(joint.nq, leader.joint.inner.nq))

    def curved(q):
        return [sum(x * y + aj.sin(x * y) * q[0] for x, y in zip(row, q, strict=True)) for row in c]

    functions = tuple(map(float, c[:, 0])) if rng.random() < 0.4 else curved
    offset = tuple(map(float, rng.normal(size=joint.nq))) if rng.random() < 0.5 else 0.0
    return joints.Coupled(joint, functions, leader.name, offset)


def random_coordinates(mech, rng):
    """Anything; quaternions of length 1, and surfaces that touch at points."""
    q = rng.uniform(-1, 1, mech.nq)
    for body in mech.bodies:
        if isinstance(body.joint, joints.Rolling):
            q[body.q] = touching(body.joint, rng)
        elif body.joint.nq != body.joint.nv:
            first = body.q.start + (3 if isinstance(body.joint, joints.FreeQuaternion) and not _leads(body) else 0)
            q[first : first + 4] /= np.linalg.norm(q[first : first + 4])
    return q


def touching(joint, rng):
    """Coordinates of a rolling joint, away from poles and from where its surfaces bend alike."""
    low, high = np.array([c.domain for c in joint.coordinates]).clip(-3, 3).T
    while True:
        q = low + rng.uniform(0.2, 0.8, 5) * (high - low)
        if abs(joint.share(q.tolist())) > 0.1:
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
