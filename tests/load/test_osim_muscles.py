"""Muscles of OpenSim against OpenSim's own lengths and moment arms; markers, a scapula, drives, prescribed motion."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces
from load.osim_text import body, coordinates, document, joint

CASE = json.loads((Path(__file__).parents[1] / "data" / "opensim_muscles.json").read_text())
EXACT = ("straight", "three", "conditional", "moving", "sphere", "planar")


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    path = tmp_path_factory.mktemp("osim") / "muscles.osim"
    path.write_text(CASE["model_osim_xml"])
    mech = aj.load(path)
    return mech, mech.compile(), {name: mech.source.coordinates[name] for name in CASE["coordinate_names"]}


def at(mech, places, values):
    q = np.zeros(mech.nq)
    for (owner, k), x in zip(places.values(), values, strict=True):
        q[mech[owner].q.start + k] = x
    return q


def test_lengths_and_moment_arms_are_opensims(case):
    """Points that are fixed, moving and conditional, a sphere, a cylinder that the path crosses at right angles."""
    mech, model, places = case
    order = [mech[owner].v.start + k for owner, k in places.values()]
    muscles = {name: mech.source.muscles[name] for name in EXACT}
    q = np.array([at(mech, places, state["q"]) for state in CASE["states"]])
    lengths, arms = model.path_length(q, muscles), model.moment_arms(q, muscles)
    for k, state in enumerate(CASE["states"]):
        for i, name in enumerate(muscles):
            assert lengths[k, i] == pytest.approx(state["lengths"][name], abs=1e-12), name
            assert np.abs(arms[k, i, order] - state["moment_arms"][name]).max() < 1e-12, name
    wrapped = [state["points_on_path"] for state in CASE["states"]]
    assert {count["planar"] for count in wrapped} == {2, 4}, "the case has states with and without wrapping"
    assert {count["conditional"] for count in wrapped} == {3, 4}


@pytest.mark.parametrize("name", ["passing", "blade"])
def test_moment_arms_are_slopes_of_opensims_lengths(case, name):
    """OpenSim's own arms leave out a segment whose point moves beside another of its body ("passing"), and are by
    velocities that are no rates of coordinates where a scapula glides ("blade"); the slopes of its lengths are right.
    """
    mech, model, places = case
    order = [mech[owner].v.start + k for owner, k in places.values()]
    for state in CASE["states"]:
        q, muscle = at(mech, places, state["q"]), mech.source.muscles[name]
        assert model.path_length(q, muscle) == pytest.approx(state["lengths"][name], abs=1e-12)
        arms = model.moment_arms(q, muscle)[order]
        assert np.abs(arms - state["slopes_of_lengths"][name]).max() < 1e-9  # central differences


def test_an_oblique_path_is_the_shortest_where_opensims_is_not_quite(case):
    mech, model, places = case
    muscle, wrapped = mech.source.muscles["oblique"], 0
    for state in CASE["states"]:
        q = at(mech, places, state["q"])
        length, theirs = float(model.path_length(q, muscle)), state["lengths"]["oblique"]
        if state["points_on_path"]["oblique"] == 4:
            assert theirs - 1e-3 < length < theirs + 1e-12
            wrapped += 1
        else:
            assert length == pytest.approx(theirs, abs=1e-12)
        e, v = 1e-6, np.random.default_rng(0).normal(size=mech.nv)
        slope = float(model.path_length(q + e * v, muscle) - model.path_length(q - e * v, muscle)) / (2 * e)
        assert -model.moment_arms(q, muscle) @ v == pytest.approx(slope, abs=1e-8)
    assert wrapped


def test_poses_of_the_scapula_and_of_markers(case):
    mech, model, places = case
    for state in CASE["states"]:
        q = at(mech, places, state["q"])
        for name, wanted in state["poses"].items():
            T = model.frame_pose(q, name)
            assert np.abs(T[:3, :3] - wanted["R"]).max() < 1e-13
            assert np.abs(T[:3, 3] - wanted["p"]).max() < 1e-13
        assert np.abs(model.frame_pose(q, "heel")[:3, 3] - state["heel"]).max() < 1e-13


def test_hills_numbers_come_along_and_muscles_pull(case):
    mech, model, places = case
    assert mech.source.muscles["straight"].force == forces.Hill(500.0, 0.12, 10.0, 0.1, 0.2)
    q, muscle = at(mech, places, CASE["states"][0]["q"]), mech.source.muscles["straight"]
    tension = muscle.force(float(model.path_length(q, muscle)), 0.0, 0.5)
    tau = tension * model.moment_arms(q, muscle)
    v, h = np.zeros(mech.nv), 1e-7
    active = replace(muscle, activation=0.5)
    run = model.simulate(q, v, duration=h, dt=h, method="semi-implicit-euler", forces=[active], limits=False)
    assert np.abs(run.v[-1] / h - model.forward_dynamics(q, v, tau)).max() < 1e-4 * np.abs(run.v[-1] / h).max()
    assert [w.rule for w in mech.source.warnings] == ["muscle"]


def test_pennate_muscles_pull_less_along_the_tendon():
    plain, pennate = forces.Hill(100.0, 0.1), forces.Hill(100.0, 0.1, pennation=0.5)
    along = 0.1 * np.cos(0.5)
    assert pennate(along, 0.0, 1.0) == pytest.approx(100.0 * np.cos(0.5), rel=1e-12)
    assert plain(0.1, 0.0, 1.0) == pytest.approx(100.0, rel=1e-12)


PIN = joint("PinJoint", "ground", "a", coordinates(["x"]))


def force_set(*members):
    return f"<ForceSet><objects>{''.join(members)}</objects></ForceSet>"


def muscle(points, wraps="", name="m"):
    return (
        f'<Thelen2003Muscle name="{name}"><GeometryPath><PathPointSet><objects>{points}</objects></PathPointSet>'
        f"<PathWrapSet><objects>{wraps}</objects></PathWrapSet></GeometryPath></Thelen2003Muscle>"
    )


def point(owner, location):
    return f"<PathPoint><body>{owner}</body><location>{location}</location></PathPoint>"


STRAIGHT = point("ground", "1 0 0") + point("a", "0 1 0")
AROUND = '<PathWrap><wrap_object>{}</wrap_object></PathWrap>'
ELLIPSOID = '<WrapObjectSet><objects><WrapEllipsoid name="e"/><WrapTorus name="t"/></objects></WrapObjectSet>'


@pytest.mark.parametrize(("text", "words"), [
    (muscle(STRAIGHT, AROUND.format("t")), "'m' is left out: it goes around the <WrapTorus> 't' of 'a' (line 3)"),
    (muscle(STRAIGHT, AROUND.format("e") * 2), "<WrapEllipsoid> 'e' of 'a' between points 1 and 2, on a segment with"),
    (muscle(STRAIGHT, AROUND.format("f")), "goes around 'f', which is no obstacle"),
    (muscle(point("a", "1 2 3")), "fewer than two points"),
    (muscle(STRAIGHT.replace("<body>a", "<body>b")), "a point on 'b', which is no body"),
    (muscle(STRAIGHT + "<Strange><body>a</body></Strange>"), "a <Strange>, which has no counterpart"),
    ('<CoordinateActuator name="d"><coordinate>y</coordinate></CoordinateActuator>', "'d' is left out: it acts on 'y'"),
    ('<ElasticFoundationForce name="h"/>', "1 <ElasticFoundationForce>: not simulated"),
])  # fmt: skip
def test_what_is_left_out_is_told(loaded, text, words):
    mech = loaded(document([body("a", more=ELLIPSOID)], [PIN], force_set(text)))
    assert any(words in warning.message for warning in mech.source.warnings), mech.source.warnings
    assert not mech.source.actuators


@pytest.mark.parametrize("where", ["71 -1", "2 2", "3 1", "2 -1"])
def test_an_obstacle_that_no_segment_meets_is_told(loaded, where):
    """OpenSim takes segments from the first point to the last of a range; of two points only "1 2" has one."""
    wrap = AROUND.format("e").replace("</PathWrap>", f"<range>{where}</range></PathWrap>")
    mech = loaded(document([body("a", more=ELLIPSOID)], [PIN], force_set(muscle(STRAIGHT, wrap))))
    assert any("where it has no segment" in warning.message for warning in mech.source.warnings)
    assert len(mech.source.muscles["m"].path) == 2


@pytest.mark.parametrize(("kind", "radius"), [("WrapSphere", 0.05), ("WrapCylinder", 1.0)])
def test_obstacles_without_a_radius_have_opensims(loaded, kind, radius):
    around = f'<WrapObjectSet><objects><{kind} name="w"/></objects></WrapObjectSet>'
    text = force_set(muscle(STRAIGHT, AROUND.format("w")))
    path = loaded(document([body("a", more=around)], [PIN], text)).source.muscles["m"].path
    assert path[1].radius == radius


def test_obstacles_may_sit_on_frames_of_frames(loaded):
    """As on the body itself; they were no obstacles of the file."""

    def frame(name, inside):
        place = "<socket_parent>..</socket_parent><translation>0.1 0 0</translation><orientation>0 0 0.5</orientation>"
        return f'<components><PhysicalOffsetFrame name="{name}">{place}{inside}</PhysicalOffsetFrame></components>'

    ball = '<WrapSphere name="w"><translation>0 0.2 0</translation></WrapSphere>'
    inside = f"<WrapObjectSet><objects>{ball}</objects></WrapObjectSet>"
    text = force_set(muscle(STRAIGHT, AROUND.format("w")))
    deep = loaded(document([body("a", more=frame("o", frame("p", inside)))], [PIN], text))
    place = aj.Pose.translation(0.1, 0, 0) @ aj.Pose.rotation_z(0.5)
    (_, met, _) = deep.source.muscles["m"].path
    assert met.body == "a"
    assert met.center == pytest.approx((place @ place).act((0, 0.2, 0)), abs=1e-15)


def test_old_points_drives_and_springs(loaded):
    drive = (
        '<CoordinateActuator name="d"><min_control>-Inf</min_control><max_control>2</max_control>'
        "<coordinate>x</coordinate><optimal_force>30</optimal_force></CoordinateActuator>"
    )
    spring = (
        '<SpringGeneralizedForce name="s"><coordinate>x</coordinate><stiffness>5</stiffness>'
        "<rest_length>0.2</rest_length><viscosity>0.3</viscosity></SpringGeneralizedForce>"
    )
    off = '<CoordinateActuator name="o"><appliesForce>false</appliesForce></CoordinateActuator>'
    mech = loaded(document([body("a")], [PIN], force_set(muscle(STRAIGHT), drive, spring, off)))
    assert mech.source.actuators["d"] == forces.Actuator("a", gain=30.0, control_range=(-np.inf, 2.0))
    assert mech.source.forces == (forces.Actuator("a", gain=0.0, bias=(1.0, -5.0, -0.3)),)
    assert list(mech.source.muscles) == ["m"]
    length = mech.compile().path_length([0.3], mech.source.muscles["m"])
    assert length == pytest.approx(np.hypot(1 + np.sin(0.3), np.cos(0.3)), abs=1e-14)


def test_prescribed_coordinates_follow_time(loaded):
    inside = (
        '<coordinates><Coordinate name="x"><prescribed>true</prescribed><prescribed_function><PolynomialFunction>'
        "<coefficients>0.5 0 0.1</coefficients></PolynomialFunction></prescribed_function></Coordinate>"
        '<Coordinate name="y"/></coordinates>'
    )
    mech = loaded(document([body("a", com=(0.1, 0, 0))], [joint("UniversalJoint", "ground", "a", inside)]))
    model = mech.compile()
    assert [c.name for c in mech.constraints] == ["x"]
    q, v = model.assemble()
    run = model.simulate(q, v, duration=0.5, dt=1e-3)
    assert np.abs(run.q[:, 0] - (0.5 * run.t**2 + 0.1)).max() < 1e-9


def test_prescribed_coordinates_start_where_their_function_does(loaded):
    """The others stay where the file has them, as in OpenSim; before, assembling moved all."""
    motion = (
        "<prescribed>true</prescribed><prescribed_function><PolynomialFunction><coefficients>0.1 0.2 0.3</coefficients>"
        "</PolynomialFunction></prescribed_function><default_value>0.1</default_value>"
    )
    first, second = (
        f'<coordinates><Coordinate name="{name}">{more}</Coordinate></coordinates>'
        for name, more in (("x", "<default_value>0.4</default_value>"), ("y", motion))
    )
    members = [joint("PinJoint", "ground", "a", first), joint("PinJoint", "a", "b", second)]
    mech = loaded(document([body("a"), body("b")], members))
    assert [x.tolist() for x in mech.start] == [[0.4, 0.3], [0.0, 0.2]]
    q, _ = mech.compile().assemble(*mech.start)
    assert q.tolist() == [0.4, 0.3]
    locked = second.replace(motion, f"<locked>true</locked>{motion}")
    held = loaded(document([body("a"), body("b")], [members[0], joint("PinJoint", "a", "b", locked)]))
    assert held.nq == 1
    assert "'y' is locked, and follows a function of time; it stays" in str(held.source.warnings)


ROD = (
    '<ConstantDistanceConstraint name="k"><socket_body_1>/bodyset/a</socket_body_1><socket_body_2>/bodyset/b'
    "</socket_body_2><location_body_1>0.1 0.2 0</location_body_1><location_body_2>0 0 0.3</location_body_2>"
    "<constant_distance>0.7</constant_distance></ConstantDistanceConstraint>"
)
LINE = (
    '<PointOnLineConstraint name="k"><line_body>ground</line_body><follower_body>b</follower_body>'
    "<line_direction_vec>1 2 2</line_direction_vec><point_on_line>0.1 0 0</point_on_line>"
    "<point_on_follower>0 0 0.3</point_on_follower></PointOnLineConstraint>"
)


def test_moving_points_stay_beyond_the_range_of_their_coordinate(loaded):
    """As OpenSim's do, whether or not the coordinate is clamped."""
    line = "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"
    moves = "".join(
        f"<socket_{k}_coordinate>/jointset/j/x</socket_{k}_coordinate><{k}_location>"
        + (line if k == "y" else "<Constant><value>0</value></Constant>")
        + f"</{k}_location>"
        for k in "xyz"
    )
    ends = "<socket_parent_frame>/ground</socket_parent_frame>"
    path = (
        "<GeometryPath><PathPointSet><objects>"
        f'<PathPoint name="p">{ends}<location>0 -3 0</location></PathPoint><MovingPathPoint name="m">{ends}{moves}'
        "</MovingPathPoint></objects></PathPointSet></GeometryPath>"
    )
    more = f'<ForceSet><objects><Thelen2003Muscle name="m">{path}</Thelen2003Muscle></objects></ForceSet>'
    inside = '<coordinates><Coordinate name="x"><range>-0.5 1.5</range></Coordinate></coordinates>'
    mech = loaded(document([body("a")], [joint("PinJoint", "ground", "a", inside, "j")], more))
    model, muscle = mech.compile(), mech.source.muscles["m"]
    q = np.array([[-2.0], [-0.4], [1.0], [7.0]])
    assert model.path_length(q, muscle) == pytest.approx([2.5, 2.6, 4.0, 4.5], abs=1e-14)
    assert model.moment_arms(q, muscle)[:, 0] == pytest.approx([0, -1, -1, 0], abs=1e-14)


def held(loaded, text, **options):
    members = [joint("FreeJoint", "ground", name, coordinates([f"{name}{k}" for k in range(6)])) for name in "ab"]
    more = f"<ConstraintSet><objects>\n{text}</objects></ConstraintSet>"
    return loaded(document([body("a"), body("b")], members, more), **options)


def test_a_rod_whose_ends_meet_at_the_start_is_refused_by_its_line(loaded):
    """OpenSim chooses a direction of its own there."""
    rod = ROD.replace("0.1 0.2 0<", "0 0 0<").replace("0 0 0.3<", "0 0 0<")
    with pytest.raises(aj.ModelError, match=r":10: constraint 'k': the ends of this rod meet at the start, .* begin"):
        held(loaded, rod)
    mech = held(loaded, rod, allow="unsupported")
    assert not mech.constraints
    assert "constraint 'k'" in mech.source.warnings[0].message


@pytest.mark.parametrize("length", ["0", "-0.7"])
def test_rods_without_length_are_refused_by_their_line(loaded, length):
    with pytest.raises(aj.ModelError, match=r":10: constraint 'k': <constant_distance> .* is no length above 0"):
        held(loaded, ROD.replace("0.7", length))


@pytest.mark.parametrize(("text", "rows"), [(ROD, 1), (LINE, 2)])
def test_points_stay_where_constraints_want_them(loaded, text, rows):
    mech = held(loaded, text)
    model = mech.compile()
    assert mech.nc == rows
    q, _ = model.assemble(np.random.default_rng(0).uniform(-0.5, 0.5, 12))
    tip = model.frame_pose(q, ("b", (0, 0, 0.3)))[:3, 3]
    if rows == 1:
        assert np.linalg.norm(tip - model.frame_pose(q, ("a", (0.1, 0.2, 0)))[:3, 3]) == pytest.approx(0.7, abs=1e-10)
    else:
        assert np.abs(np.cross(tip - [0.1, 0, 0], [1, 2, 2])).max() < 1e-10


@pytest.mark.parametrize(("text", "tag"), [(ROD, "constant_distance"), (LINE, "line_direction_vec")])
def test_constraints_without_their_number_are_refused(loaded, text, tag):
    """OpenSim has NaN and no direction there; neither 1 nor z would be the file's."""
    with pytest.raises(aj.AnyjointError, match=f"constraint 'k' has no <{tag}>"):
        held(loaded, re.sub(f"<{tag}>.*</{tag}>", "", text))


TIE = (
    '<CoordinateCouplerConstraint name="{0}"><coupled_coordinates_function><PolynomialFunction><coefficients>{1}'
    "</coefficients></PolynomialFunction></coupled_coordinates_function><independent_coordinate_names>x"
    "</independent_coordinate_names><dependent_coordinate_name>{0}</dependent_coordinate_name>"
    "</CoordinateCouplerConstraint>"
)


def test_coordinates_may_follow_others_of_their_joint_and_joints_by_several(loaded):
    """A knee whose translations follow its angle, and a patella that follows it with all coordinates."""
    ties = TIE.format("tx", "0.3 0 0.1") + TIE.format("ty", "0.2 0")
    ties += TIE.format("px", "0.5 0") + TIE.format("py", "-1 0.2") + TIE.format("pa", "2 0")
    members = [joint("PlanarJoint", "ground", "a", coordinates(["x", "tx", "ty"])),
               joint("PlanarJoint", "a", "b", coordinates(["pa", "px", "py"]))]  # fmt: skip
    more = f"<ConstraintSet><objects>{ties}</objects></ConstraintSet>"
    mech = loaded(document([body("a"), body("b")], members, more))
    assert mech.nq == 1
    x = 0.4
    knee = aj.Pose.translation(0.3 * x * x + 0.1, 0.2 * x, 0) @ aj.Pose.rotation_z(x)
    patella = knee @ aj.Pose.translation(0.5 * x, -x + 0.2, 0) @ aj.Pose.rotation_z(2 * x)
    poses = mech.poses([x])
    for name, wanted in (("a", knee), ("b", patella)):
        assert np.abs((poses[mech[name].index].matrix - wanted.matrix).astype(float)).max() < 1e-15


def test_muscles_are_saved(case, tmp_path):
    mech, model, places = case
    aj.save(mech, tmp_path / "m.aj.json")
    again = aj.load(tmp_path / "m.aj.json")
    q = at(mech, places, CASE["states"][0]["q"])
    for name in ("moving", "conditional", "planar"):
        assert again.compile().path_length(q, again.source.muscles[name]) == model.path_length(
            q, mech.source.muscles[name]
        )
