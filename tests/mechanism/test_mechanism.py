"""Building a mechanism, asking it, and everything that it refuses."""

import copy
import dataclasses
import math
from dataclasses import dataclass

import numpy as np
import pytest

from anyjoint.errors import AnyjointError, ModelError
from anyjoint.geometry.check import POSITIVE, parameter
from anyjoint.joints import Coordinate, Coupled, Joint, Revolute, joint
from anyjoint.mechanism import Inertia, Mechanism, assemble, shapes
from anyjoint.scalar import maximum, sqrt
from anyjoint.spatial import Pose

BALL = Inertia.sphere(1.0, 0.1)
HINGE = Revolute(axis=(0, 1, 0))


def pendulum(n: int = 3) -> Mechanism:
    mech = Mechanism("pendulum")
    for k in range(n):
        parent = mech.bodies[-1] if k else None
        mech.add_body(f"link{k}", parent, HINGE, placement=Pose.translation(0, 0, -1), inertia=BALL)
    return mech


def rules(mech: Mechanism) -> list[str]:
    return [problem.rule for problem in mech.check()]


@dataclass(frozen=True)
class Rod(Joint):
    """A joint of one's own whose constructor does not look at its number."""

    length: float = parameter((0.5, 2.0), POSITIVE)

    @property
    def coordinates(self):
        return (Coordinate("q"),)

    def pose(self, q):
        return Pose.rotation_x(q[0]) @ Pose.translation(0, 0, sqrt(self.length * self.length))


def test_a_joint_parameter_outside_its_bounds_is_refused():
    """Generated code takes sqrt(length^2) for length, so a negative one must not pass."""
    for length, expected in ((0.7, []), (-0.7, ["joint-parameters"]), (math.nan, ["joint-parameters"])):
        mech = Mechanism("rod")
        mech.add_body("rod", joint=Rod(length), inertia=BALL)
        assert [rule for rule in rules(mech) if rule == "joint-parameters"] == expected
    with pytest.raises(ModelError, match=r"length = nan; expected a number from 0.0 to inf"):
        mech.compile()


def test_coordinates_are_numbered_in_the_order_added():
    @joint(dof=2, names=["out", "up"])
    def arm(q):
        return Pose.translation(q[0], 0, q[1])

    mech = Mechanism("tree")
    a = mech.add_body("a", joint=arm, inertia=BALL)
    b = mech.add_body("b", parent="a", joint=HINGE, inertia=BALL)
    c = mech.add_body("c", parent=mech.ground, joint=arm, inertia=BALL)
    assert [x.q for x in (a, b, c)] == [slice(0, 2), slice(2, 3), slice(3, 5)]
    assert (mech.nq, mech.nv, mech.nb) == (5, 5, 3)
    assert (a.parent, b.parent, c.parent) == (-1, 0, -1)
    assert mech.coordinate_names == ["a/out", "a/up", "b/angle", "c/out", "c/up"]
    assert mech["b"] is b
    assert "b" in mech
    assert "x" not in mech
    assert mech.children(a) == [b]
    assert mech.children(mech.ground) == [a, c]
    assert mech.check() == []


def test_poses_compose_placements_and_joints():
    mech = pendulum(2)
    q = [0.3, -0.8]
    x = -1 * np.sin(q[0])
    assert np.allclose(mech.poses(q)[1].p.astype(float), [x, 0, -1 - np.cos(q[0])])


def test_springs_shapes_and_frames_are_kept():
    mech = pendulum(1)
    body = mech.add_body(
        "tip", parent="link0", joint=HINGE, inertia=BALL, shape=[shapes.Box(1, 1, 1), shapes.Sphere(0.2)],
        frames={"tool": Pose.translation(0, 0, 1)}, stiffness=3.0, damping=[0.1], rest=0.5,
    )  # fmt: skip
    assert body.stiffness == (3.0,)
    assert body.damping == (0.1,)
    assert body.rest == (0.5,)
    assert body.shape is body.shapes[0]
    assert len(body.shapes) == 2
    mech.draw(shapes.curve(lambda s: (s, 0, s * s), 0.0, 1.0))
    assert len(mech.ground.shapes) == 1


def test_compile_passes_its_options_on():
    model = pendulum().compile(algorithm="recursive", dtype="float32", width=4)
    assert (model.algorithm, model.dtype.name, model.width) == ("recursive", "float32", 4)
    with pytest.raises(ModelError, match="no bodies"):
        Mechanism("empty").compile()


# -- refused at once -----------------------------------------------------------------------------


REFUSED = {
    "duplicate name": (lambda m: m.add_body("link0", inertia=BALL), "already a body 'link0'"),
    "empty name": (lambda m: m.add_body(" ", inertia=BALL), "non-empty"),
    "the ground's name": (lambda m: m.add_body("ground", inertia=BALL), "already"),
    "unknown parent": (lambda m: m.add_body("x", parent="lnk0"), "did you mean 'link0'"),
    "its own parent": (lambda m: m.add_body("x", parent="x"), "own parent"),
    "foreign parent": (lambda m: m.add_body("x", parent=pendulum().bodies[0]), "another mechanism"),
    "a number as parent": (lambda m: m.add_body("x", parent=0), "must be a body"),
    "a class as joint": (lambda m: m.add_body("x", joint=Revolute), r"Revolute\(\.\.\.\)"),
    "a plain function as joint": (lambda m: m.add_body("x", joint=lambda q: Pose()), r"@aj\.joint"),
    "zero axis": (lambda m: m.add_body("x", joint=Revolute(axis=(0, 0, 0))), "no direction"),
    "NaN axis": (lambda m: m.add_body("x", joint=Revolute(axis=(0, 0, math.nan))), "finite"),
    "a matrix as placement": (lambda m: m.add_body("x", placement=np.eye(4)), "must be an aj.Pose"),
    "a number as inertia": (lambda m: m.add_body("x", inertia=1.0), "must be an aj.Inertia"),
    "a word as shape": (lambda m: m.add_body("x", shape="box"), "'box' is not a shape"),
    "a number as shape": (lambda m: m.add_body("x", shape=3), "3 is not a shape"),
    "a text as shape": (lambda m: m.add_body("x", shape=["box"]), "not a shape"),
    "two springs for a hinge": (lambda m: m.add_body("x", joint=HINGE, stiffness=[1, 2]), "one number or 1"),
    "gravity": (lambda m: setattr(m, "gravity", (0, 0, math.nan)), "gravity"),
    "short start": (lambda m: m.set_start([0.0]), "start q must be 3"),
    "NaN start": (lambda m: m.set_start([0.0] * 3, [math.nan] * 3), "start v must be 3"),
    "rod of no length": (lambda m: shapes.rod((1, 1, 1), (1, 1, 1), 0.1), "different points"),
    "unknown body": (lambda m: m["lonk1"], "did you mean 'link1'"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_can_be_seen_at_once_is_refused_at_once(name):
    act, words = REFUSED[name]
    with pytest.raises(AnyjointError, match=words):
        act(pendulum())


# -- found by the rules --------------------------------------------------------------------------


def with_joint(function) -> Mechanism:
    mech = pendulum(1)
    mech.add_body("odd", parent="link0", joint=function, inertia=BALL)
    return mech


def one_problem(mech: Mechanism) -> str:
    (problem,) = mech.check()
    assert "'odd'" in str(problem)
    return str(problem)


def test_all_problems_are_reported_together():
    mech = Mechanism("bad")
    mech.add_body("spring", joint=HINGE, inertia=BALL, stiffness=-1.0)
    mech.add_body("leaf", parent="spring", joint=HINGE)
    mech.add_body("limits", joint=Revolute(limits=(1.0, -1.0)), inertia=BALL)
    with pytest.raises(ModelError, match="3 problems") as caught:
        mech.validate()
    text = str(caught.value)
    assert "'spring': stiffness (-1.0,)" in text
    assert "'leaf', coordinate 'angle': moving it moves no inertia" in text
    assert "limits (1.0, -1.0)" in text


def test_a_function_that_is_not_a_rotation_is_named_with_the_place():
    @joint(dof=1)
    def stretch(q):
        return [[1 + q[0] ** 2, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]

    text = one_problem(with_joint(stretch))
    assert "joint function stretch (" in text
    assert "at q = [" in text
    assert "not a rotation" in text


def test_a_function_of_the_wrong_shape_is_named():
    @joint(dof=1)
    def flat(q):
        return [[1, 0, q[0]], [0, 1, 0], [0, 0, 1]]

    assert "4x4" in one_problem(with_joint(flat))


def test_a_function_that_raises_is_named():
    @joint(dof=1)
    def broken(q):
        return {}["nothing"]

    assert "KeyError: 'nothing'" in one_problem(with_joint(broken))


def test_a_coordinate_that_is_never_used_is_named():
    @joint(dof=2, names=["turn", "idle"])
    def lazy(q):
        return Pose.rotation_z(q[0])

    assert "does not change with coordinate 'idle'" in one_problem(with_joint(lazy))


def test_a_bump_that_no_probe_meets_is_not_called_idle():
    def bump(q):
        return Pose.translation(0, 0, 1 + 0.1 * np.exp(-(((q[0] - 0.5) / 0.01) ** 2)))

    told = one_problem(with_joint(joint(dof=1)(bump)))
    assert "never" not in told
    assert "does not change with coordinate 'q0' at any of 5 random places" in told
    assert "domain=" in told
    assert with_joint(joint(dof=1, domain=[(0.48, 0.52)])(bump)).check() == []


def test_motions_that_are_dependent_where_probed_are_not_said_to_be_so_everywhere():
    def far(q):
        return Pose.translation(q[0] + q[1], maximum(q[1], 9.0), 0)

    told = one_problem(with_joint(joint(dof=2)(far)))
    assert "never" not in told
    assert "domain=" in told


def test_redundant_coordinates_are_refused():
    @joint(dof=2)
    def twice(q):
        return Pose.rotation_z(q[0] + 2 * q[1])

    assert "redundant" in one_problem(with_joint(twice))


def test_a_function_outside_its_domain_is_told_to_choose_one():
    @joint(dof=1, domain=[(-1.0, 1.0)])
    def root(q):
        return Pose.translation(q[0] ** 0.5, 0, 0) if q[0] > 0 else Pose.translation(math.nan, 0, 0)

    assert "finite" in one_problem(with_joint(root))


def test_domains_are_ordered():
    class Slide(Joint):
        coordinates = (Coordinate("x", domain=(2.0, 1.0)), Coordinate("x", period=-1.0, neutral=math.nan))

        def pose(self, q):
            return Pose.translation(q[0], q[1], 0)

    messages = " ".join(p.message for p in with_joint(Slide()).check() if p.rule == "coordinates")
    for words in ("domain (2.0, 1.0)", "two coordinates of this name", "period -1.0", "neutral value nan"):
        assert words in messages


def followed_by(joint_of_follower: Coupled) -> Mechanism:
    mech = pendulum(2)
    mech.add_body("odd", parent="link1", joint=joint_of_follower, inertia=BALL)
    return mech


def test_a_coupled_joint_follows_its_source():
    mech = followed_by(Coupled(HINGE, lambda q: (2 * q[0],), "link0"))
    assert mech.check() == []
    assert (mech.nb, mech.nv) == (3, 2)
    want = mech.poses([0.3, 0.4])[1] @ Pose.rotation_y(0.6)
    assert np.allclose(mech.poses([0.3, 0.4])[2].matrix, want.matrix)


def test_a_coupled_joint_without_a_leader_is_named():
    assert "no body" in one_problem(followed_by(Coupled(HINGE, 1.0, "nobody")))
    assert "no body" in one_problem(followed_by(Coupled(HINGE, 1.0, "ground")))


def test_a_coupled_joint_may_follow_a_follower_that_was_added_before():
    mech = followed_by(Coupled(HINGE, 2.0, "link0", offset=0.1))
    mech.add_body("last", parent="odd", joint=Coupled(HINGE, 3.0, "odd", offset=0.2), inertia=BALL)
    assert mech.check() == []
    assert mech["last"].joint.source == "link0"
    assert mech["last"].joint.inner_coordinates([0.5]) == pytest.approx([3.0 * (2.0 * 0.5 + 0.1) + 0.2])


def test_a_coupled_joint_that_follows_a_follower_of_later_is_told_so():
    mech = followed_by(Coupled(HINGE, 1.0, "last"))
    mech.add_body("last", parent="odd", joint=Coupled(HINGE, 1.0, "link0"), inertia=BALL)
    (problem,) = mech.check()
    assert "add 'last' before it" in problem.message


def test_a_coupling_that_fails_is_found_by_probing():
    undefined = followed_by(Coupled(HINGE, lambda q: (1 / (0 * q[0]),), "link0"))
    assert "is not defined at q = [0.2" in one_problem(undefined)
    assert "gave 2 numbers" in one_problem(followed_by(Coupled(HINGE, lambda q: (1.0, 2.0), "link0")))


# -- singular mass matrices ----------------------------------------------------------------------


def test_a_point_on_its_own_hinge_axis_is_singular_but_off_axis_is_not():
    for at, singular in (((0, 1, 0), True), ((1, 0, 0), False)):
        mech = Mechanism("point")
        mech.add_body("p", joint=HINGE, inertia=Inertia.point(1.0, at))
        assert ("regular" in rules(mech)) == singular


def test_a_massless_body_between_is_fine_where_the_total_is_regular():
    mech = Mechanism("cross")
    mech.add_body("first", joint=Revolute((1, 0, 0)))
    mech.add_body("second", parent="first", joint=Revolute((0, 1, 0)), inertia=BALL)
    assert mech.check() == []


def test_three_massless_parallel_hinges_are_one_too_many():
    mech = Mechanism("stack")  # two coaxial hinges, and only the second moves anything: the sum alone is felt
    mech.add_body("first", joint=Revolute((0, 0, 1)))
    mech.add_body("second", parent="first", joint=Revolute((0, 0, 1)), inertia=BALL)
    (problem,) = mech.check()
    assert problem.rule == "regular"
    assert "'first'" in problem.where


def test_a_long_massless_tail_is_named_at_every_coordinate():
    mech = pendulum(2)
    mech.add_body("t0", parent="link1", joint=HINGE, placement=Pose.translation(0, 0, -1))
    mech.add_body("t1", parent="t0", joint=HINGE, placement=Pose.translation(0, 0, -1))
    assert [p.where.split("'")[1] for p in mech.check()] == ["t0", "t1"]


# -- declarations in any order -------------------------------------------------------------------


def test_declarations_may_come_in_any_order():
    rows = [{"name": n, "parent": p, "joint": HINGE, "inertia": BALL} for n, p in (("c", "b"), ("a", None), ("b", "a"))]
    assert [b.name for b in assemble("tree", rows).bodies] == ["a", "b", "c"]


def test_cycles_unknown_parents_and_duplicates_are_reported_together():
    pairs = (("a", "b"), ("b", "c"), ("c", "a"), ("d", "nobody"), ("e", None), ("e", None))
    with pytest.raises(ModelError) as caught:
        assemble("bad", [{"name": n, "parent": p, "joint": HINGE, "inertia": BALL} for n, p in pairs])
    text = str(caught.value)
    assert "3 problems" in text
    assert "'a' -> 'b' -> 'c' -> 'a'" in text
    assert "'nobody'" in text
    assert "2 bodies are called 'e'" in text


def test_a_tree_bent_into_a_ring_is_found():
    mech = pendulum(2)
    object.__setattr__(mech.bodies[0], "parent", 1)
    (problem,) = mech.check()
    assert problem.rule == "parents"
    assert "'link0' -> 'link1'" in problem.message


def test_a_copy_can_be_changed_apart_from_its_original():
    mech = Mechanism("first")
    body = mech.add_body("a", joint=HINGE, inertia=Inertia(1.0))
    other = copy.copy(mech)
    other.add_body("b", other["a"], HINGE, inertia=Inertia(1.0))
    other.replace_body(dataclasses.replace(body, inertia=Inertia(2.0)))
    other.gravity = (0, 0, -1.62)
    assert [b.name for b in mech.bodies] == ["a"]
    assert "b" not in mech
    assert mech["a"].inertia.mass == 1.0
    assert mech.gravity[2] == -9.81
    assert other["a"].inertia.mass == other.bodies[0].inertia.mass == 2.0
