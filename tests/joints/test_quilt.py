"""Bezier patches side by side: a joint goes on from one into the next, however they are turned against each other."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints, surfaces
from anyjoint.errors import InputError

HILL = np.array([[(i, j, 0.5 * np.sin(2.0 * i + j * j)) for j in range(4)] for i in range(4)])
BODY = aj.Inertia.box(1.0, 0.1, 0.2, 0.3)


def halves(points, axis):
    """A patch cut in the middle, by de Casteljau: both parts are the same surface to rounding."""
    A = np.moveaxis(points, axis, 0)
    first, last = [A[0]], [A[-1]]
    while len(A) > 1:
        A = (A[:-1] + A[1:]) / 2
        first.append(A[0])
        last.insert(0, A[-1])
    return np.moveaxis(np.array(first), 0, axis), np.moveaxis(np.array(last), 0, axis)


def quarters(turns=(0, 0, 0, 0)):
    """A patch cut into four, each turned by so many quarters."""
    pieces = [part for half in halves(HILL, 0) for part in halves(half, 1)]
    return [surfaces.Bezier(np.rot90(x, turn, axes=(0, 1))) for x, turn in zip(pieces, turns, strict=True)]


TURNED = (0, 1, 2, 3)  # no two parametrised alike


def slide(surface, **options):
    mech = aj.Mechanism("slider")
    mech.add_body("body", joint=joints.OnSurface(surface, **options), inertia=BODY)
    return mech


def test_points_beyond_an_edge_are_those_of_the_neighbour():
    quilt, whole = surfaces.atlas(quarters(TURNED)), surfaces.Bezier(HILL)
    assert sum(hop is not None for hops in quilt.hops for hop in hops) == 8
    for u, v in ((0.2, 0.3), (0.54, 0.3), (0.3, 0.53), (0.52, 0.54)):  # the last one beyond a corner
        assert np.abs(np.array(quilt.point(2 * u, 2 * v) - whole.point(u, v), float)).max() < 1e-14


def floats(values):
    return [float(x) for x in values]


@pytest.mark.parametrize("turns", [(0, 0, 0, 0), TURNED])
def test_a_change_of_patch_keeps_pose_and_twist(turns):
    joint = joints.OnSurface(surfaces.atlas(quarters(turns)), spin=True)
    for u, v in ((1.02, 0.4), (0.3, 1.03), (1.01, 1.02)):
        q, rates = [u, v, 0.3], [0.7, -0.4, 0.2]
        new_q, new_rates = (floats(x) for x in joint.chart(q, rates))
        assert new_q != q
        assert np.abs(joint.pose(q).matrix - joint.pose(new_q).matrix).max() < 1e-14
        twists = [np.array(joint.jacobian(x), float) @ w for x, w in ((q, rates), (new_q, new_rates))]
        assert np.abs(twists[0] - twists[1]).max() < 1e-13


def test_a_body_slides_over_four_patches_as_over_one():
    """The uncut patch is the oracle."""
    mech, uncut = slide(surfaces.atlas(quarters(TURNED)), spin=True), slide(surfaces.Bezier(HILL), spin=True)
    model, oracle = mech.compile(), uncut.compile()
    run = model.simulate([0.6, 0.5, 0.3], [1.2, 1.6, 0.2], duration=0.6, dt=1e-3)
    other = oracle.simulate([0.3, 0.25, 0.3], [0.6, 0.8, 0.2], duration=0.6, dt=1e-3)
    assert run.status.ok
    assert other.status.ok
    assert len(np.unique(np.floor((run.q[:, 1] + 0.5) / 2))) >= 3
    assert np.abs(model.body_poses(run.q) - oracle.body_poses(other.q)).max() < 1e-12
    assert np.ptp(np.sum(model.energy(run.q, run.v), axis=0)) < 1e-9


def test_without_spin_where_patches_lie_alike():
    joint = joints.OnSurface(surfaces.atlas(quarters()))
    new_q, new_rates = joint.chart([1.02, 0.4], [0.7, -0.4])
    assert floats(new_q) == pytest.approx([0.02, 4.4], abs=1e-15)
    assert floats(new_rates) == pytest.approx([0.7, -0.4], abs=1e-15)
    with pytest.raises(InputError, match="spin=True"):
        joints.OnSurface(surfaces.atlas(quarters(TURNED)))


def test_a_run_stops_where_the_patches_end():
    model = slide(surfaces.atlas(quarters(TURNED)), spin=True).compile()
    run = model.simulate([0.6, 0.5, 0.3], [-2.0, 0.0, 0.0], duration=2.0, dt=1e-3)
    assert not run.status.ok
    assert "the patches end there" in str(run.status)
    assert run.q[-1, 0] > 0


def test_patches_of_different_degree_meet():
    flat = surfaces.Bezier([[(x, y, 0) for y in (0, 1)] for x in (0, 1)])
    curved = surfaces.Bezier([[(x, y, z) for y in (0, 0.5, 1)] for x, z in ((1, 0), (1.5, 0), (2, 0.4))])
    quilt = surfaces.atlas([flat, curved])
    assert floats(quilt.point(1.5, 0.25)) == pytest.approx(floats(curved.point(0.5, 0.25)), abs=1e-15)


def test_patches_that_do_not_fit_are_refused():
    first, second, *_ = quarters()
    kinked = np.array(second.points)
    kinked[:, 1, 2] += 0.1
    with pytest.raises(InputError, match=r"patch 0 at v = 1 and patch 1 share an edge, but not the slopes"):
        surfaces.atlas([first, surfaces.Bezier(kinked)])
    with pytest.raises(InputError, match="normals on different sides"):
        surfaces.atlas([first, surfaces.Bezier(np.array(second.points)[::-1])])


def test_drawn_as_a_whole():
    vertices, faces = surfaces.atlas(quarters()).mesh(4, 4)
    assert len(vertices) == 100
    assert faces.max() == 99


def test_the_code_is_that_of_one_patch():
    four = slide(surfaces.atlas(quarters()), spin=True).compile().op_count().total
    two = slide(surfaces.atlas(quarters()[:2]), spin=True).compile().op_count().total
    assert four <= two + 60
