"""Paths by fewer points: ways between points of one body are numbers, and lengths stay what they were."""

import numpy as np
import pytest

from anyjoint import forces, joints
from anyjoint.forces.path import read_path
from anyjoint.mechanism import Inertia, Mechanism
from anyjoint.spatial import Pose, vector

A, B = [("a", (x, 0.1 * x * x, 0.2)) for x in (0.0, 1.0, 2.0, 3.0)], [("b", (0.3, y, y * y)) for y in (0.0, 1.0, 2.0)]
GROUND = [(None, (5.0, 1.0, z)) for z in (0.0, 0.5)]
BALL = forces.WrapSphere("a", (0, 0, 0), 0.1)
MOVING = forces.MovingPoint("a", lambda x: (x, 0.5, 0.0), [("a", 0)])
SELDOM = forces.ConditionalPoint("a", (9.0, 1.0, 0.0), ("b", 0), (0.0, 1.0))
WAYS = {
    "one crossing": [*A, *B],
    "from the ground": [*GROUND, *A[:1], *B],
    "there and back": [*A, *B, *A],
    "on one body": A,
    "pulleys": [*A, *B, forces.Pulley(2.0), *A[:2], *B, forces.Pulley(4.0), *B],
    "drums": [*A, forces.Drum("b", 0.3), *B],
    "a drum alone": [forces.Drum("b", 0.3)],
    "moving": [*A, MOVING, *A, *B],
    "sometimes": [*A, SELDOM, *A, *B],
    "sometimes on another": [*B, SELDOM, *B],
    "around a ball": [*A, BALL, *B],
}


def pair():
    mech = Mechanism("pair")
    for name in "ab":
        mech.add_body(name, joint=joints.Revolute((0, 0, 1)), inertia=Inertia(1.0, tensor=np.eye(3)))
    return mech


def length(path, q):
    poses = {0: Pose.translation(1, 2, 3) @ Pose.rotation_x(0.7), 1: Pose.rotation_y(1.1), -1: Pose()}
    own = [vector(*(q[body] for body, _ in path.coordinates))] if path.coordinates else []
    return float(path.measure(*(poses[body] for body in path.bodies), *own, vector(*path.numbers)))


@pytest.mark.parametrize("way", WAYS)
def test_lengths_stay(way):
    short, whole = (read_path(WAYS[way], pair(), "test", whole=x) for x in (False, True))
    for q in ((0.3, 0.5), (0.3, -0.5)):  # where the point that comes and goes is there, and where it is not
        assert length(short, q) == pytest.approx(length(whole, q), rel=1e-14)
    assert len(set(short.bodies)) == len(short.bodies)


def test_lengths_are_those_of_all_segments():
    path = read_path(WAYS["there and back"], pair(), "test")
    places = [Pose.translation(1, 2, 3) @ Pose.rotation_x(0.7), Pose.rotation_y(1.1)]
    points = np.array([places["ab".index(body)].act(point) for body, point in WAYS["there and back"]], dtype=float)
    assert length(path, ()) == pytest.approx(np.linalg.norm(np.diff(points, axis=0), axis=1).sum(), rel=1e-14)


def test_paths_that_cross_alike_are_of_one_kind():
    """So muscles are traced and compiled by what they cross, and not by how many points they have."""
    mech = pair()
    ways = [*A, *B], [A[0], B[0]], [*B, *A], [*A[:2], B[2]]
    assert len({read_path(way, mech, "test").measure for way in ways}) == 1
    assert read_path([*A, *GROUND], mech, "test").measure is read_path([*A, *B], mech, "test").measure
