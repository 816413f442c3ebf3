"""OpenSim against OpenSim's own numbers: gait2392 and an ellipsoid joint; every joint, function and version."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import functions, joints
from anyjoint.load.meshes import read_triangles
from dynamics.support import close

DATA = Path(__file__).parents[1] / "data"
GAIT = json.loads((DATA / "opensim_gait2392_customjoints.json").read_text())
SHOULDER = json.loads((DATA / "opensim_ellipsoid.json").read_text())


def row(values):
    return " ".join(repr(float(x)) for x in values)


def function(entry):
    """A function of the reference case as OpenSim writes it."""
    kind = entry["type"]
    inside = {key: entry[key] for key in ("value", "coefficients", "x", "y") if key in entry}
    tags = "".join(f"<{k}>{row(np.atleast_1d(v))}</{k}>" for k, v in inside.items())
    return f'<{kind} name="function">{tags}</{kind}>'


def transform(entry):
    axes = "".join(
        f'<TransformAxis name="{t["kind"]}"><coordinates>{" ".join(t["coordinates"])}</coordinates>'
        f'<axis>{row(t["axis"])}</axis>{function(t["function"])}</TransformAxis>'
        for t in entry["spatial_transform"]
    )
    return f"<SpatialTransform>{axes}</SpatialTransform>"


def coordinates(names, tag="coordinates"):
    inside = "".join(f'<Coordinate name="{name}"><range>-1 1</range></Coordinate>' for name in names)
    return f"<{tag}>{inside}</{tag}>"


def body(name, mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1, 0, 0, 0), more=""):
    tags = f"<mass>{mass!r}</mass><mass_center>{row(com)}</mass_center><inertia>{row(inertia)}</inertia>"
    return f'<Body name="{name}">{tags}{more}</Body>'


def joint(kind, parent, child, inside="", name=None, at=((0, 0, 0), (0, 0, 0)), back=((0, 0, 0), (0, 0, 0))):
    """A joint of version 4 with its two offset frames."""
    frames = "".join(
        f'<PhysicalOffsetFrame name="{which}"><socket_parent>{"/" if owner == "ground" else "/bodyset/"}{owner}'
        f"</socket_parent><translation>{row(shift)}</translation><orientation>{row(turn)}</orientation>"
        "</PhysicalOffsetFrame>"
        for which, owner, (shift, turn) in (("before", parent, at), ("after", child, back))
    )
    sockets = "<socket_parent_frame>before</socket_parent_frame><socket_child_frame>after</socket_child_frame>"
    return f'<{kind} name="{name or child + "_joint"}">{sockets}{inside}<frames>{frames}</frames></{kind}>'


def document(bodies, members, more=""):
    sets = f"<BodySet><objects>\n{chr(10).join(bodies)}\n</objects></BodySet>"
    sets += f"<JointSet><objects>\n{chr(10).join(members)}\n</objects></JointSet>" if members else ""
    return f'<OpenSimDocument Version="40000"><Model name="m">\n{sets}\n{more}</Model></OpenSimDocument>'


def gait():
    bodies = [
        body(name, b["mass"], b["com"], b["inertia_com_xx_yy_zz_xy_xz_yz"]) for name, b in GAIT["bodies"].items()
    ]
    made = []
    for j in GAIT["joints"]:
        ends = [(j[end]["translation"], j[end]["orientation_xyz"]) for end in ("parent", "child")]
        inside = coordinates(j["coordinates"]) + transform(j)
        made.append(joint(j["type"], j["parent"]["base"], j["child"]["base"], inside, j["name"], *ends))
    return document(bodies, made)


def test_gait2392_is_opensims(loaded):
    mech = loaded(gait())
    model, order = mech.compile(), GAIT["coordinate_order"]
    at = [mech[mech.source.coordinates[n][0]].q.start + mech.source.coordinates[n][1] for n in order]
    assert len(GAIT["states"]) > 1
    for state in GAIT["states"]:
        q, v = np.zeros(mech.nq), np.zeros(mech.nv)
        q[at], v[at] = ([state[what][name] for name in order] for what in ("q", "u"))
        poses = model.body_poses(q)
        for name, wanted in state["body_poses"].items():
            if name in mech:
                assert np.abs(poses[mech[name].index][:3, :3] - wanted["R"]).max() < 1e-13
                assert np.abs(poses[mech[name].index][:3, 3] - wanted["p"]).max() < 1e-13
        assert close(model.mass_matrix(q)[np.ix_(at, at)], state["mass_matrix"], 1e-13)
        assert close(model.bias_forces(q, v)[at], state["bias_with_gravity"], 1e-12)
        assert close(model.forward_dynamics(q, v)[at], state["udot_forward_dynamics"], 1e-10)
        assert close(model.energy(q, v)[0], state["kinetic_energy"], 1e-13)


def test_the_ellipsoid_joint_is_opensims(loaded):
    mech = loaded(SHOULDER["model_osim_xml"], allow="inertia")
    model = mech.compile()
    assert list(mech.source.coordinates) == SHOULDER["coordinate_names"]
    for state in SHOULDER["states"]:
        q, v = np.array(state["Q"]), np.array(state["Qdot"])
        poses = model.body_poses(q)
        for name, wanted in state["bodies"].items():
            assert np.abs(poses[mech[name].index][:3, :3] - wanted["R"]).max() < 1e-13
            assert np.abs(poses[mech[name].index][:3, 3] - wanted["p"]).max() < 1e-13
        assert close(model.mass_matrix(q), state["mass_matrix_in_qdot"], 1e-12)
        assert close(model.energy(q, v)[0], state["kinetic_energy"], 1e-12)
        # A tensor that no solid can have makes M badly conditioned.
        assert close(model.forward_dynamics(q, v), state["Qdotdot_free_motion_with_gravity"], 1e-9)


@pytest.mark.parametrize(("kind", "q", "pose"), [
    ("PinJoint", [0.3], lambda q: aj.Pose.rotation_z(q[0])),
    ("SliderJoint", [0.3], lambda q: aj.Pose.translation(q[0], 0, 0)),
    ("WeldJoint", [], lambda q: aj.Pose()),
    ("UniversalJoint", [0.3, 0.4], lambda q: aj.Pose.rotation_x(q[0]) @ aj.Pose.rotation_y(q[1])),
    ("GimbalJoint", [0.3, 0.4, 0.5],
     lambda q: aj.Pose.rotation_x(q[0]) @ aj.Pose.rotation_y(q[1]) @ aj.Pose.rotation_z(q[2])),
    ("BallJoint", [0.3, 0.4, 0.5],
     lambda q: aj.Pose.rotation_x(q[0]) @ aj.Pose.rotation_y(q[1]) @ aj.Pose.rotation_z(q[2])),
    ("PlanarJoint", [0.3, 0.4, 0.5], lambda q: aj.Pose.translation(q[1], q[2], 0) @ aj.Pose.rotation_z(q[0])),
    ("FreeJoint", [0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
     lambda q: aj.Pose.translation(*q[3:]) @ aj.Pose.rotation_x(q[0]) @ aj.Pose.rotation_y(q[1])
     @ aj.Pose.rotation_z(q[2])),
])  # fmt: skip
def test_plain_joints(loaded, kind, q, pose):
    before, after = ((1, 2, 3), (0.1, 0.2, 0.3)), ((0.4, 0.5, 0.6), (-0.3, 0.2, 0.1))
    names = [f"c{k}" for k in range(len(q))]
    mech = loaded(document([body("b")], [joint(kind, "ground", "b", coordinates(names), at=before, back=after)]))
    X, Y = (aj.Pose.translation(*p) @ aj.Pose.rotation_x(a) @ aj.Pose.rotation_y(b) @ aj.Pose.rotation_z(c)
            for p, (a, b, c) in (before, after))  # fmt: skip
    assert close(mech.poses(q)[mech["b"].index].matrix, (X @ pose(q) @ Y.inverse()).matrix, 1e-15)
    assert list(mech.source.coordinates) == names
    if kind == "PinJoint":
        assert isinstance(mech["b_joint"].joint, joints.Revolute)


LINE = "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"


@pytest.mark.parametrize(("text", "f"), [
    ("<Constant><value>0.7</value></Constant>", lambda x: 0.7),
    ("<LinearFunction><coefficients>2 -1</coefficients></LinearFunction>", lambda x: 2 * x - 1),
    ("<PolynomialFunction><coefficients>3 2 1</coefficients></PolynomialFunction>", lambda x: 3 * x * x + 2 * x + 1),
    ("<PiecewiseLinearFunction><x>0 1 2</x><y>0 3 4</y></PiecewiseLinearFunction>", lambda x: 3 * x),
    ("<SimmSpline><x>0 1</x><y>1 3</y></SimmSpline>", lambda x: 1 + 2 * x),
    ("<SimmSpline><x>0 1 2 3</x><y>0 1 8 27</y></SimmSpline>", lambda x: x**3),
    ("<SimmSpline><x>0 1 3</x><y>0 1 9</y></SimmSpline>", lambda x: x**2),
    ("<NaturalCubicSpline><x>0 1 2 3</x><y>0 1 8 27</y></NaturalCubicSpline>", lambda x: x**3),
    ("<MultiplierFunction><function><LinearFunction><coefficients>2 1</coefficients></LinearFunction></function>"
     "<scale>3</scale></MultiplierFunction>", lambda x: 6 * x + 3),
    ("<MultiplierFunction><function><Constant><value>2</value></Constant></function><scale>3</scale>"
     "</MultiplierFunction>", lambda x: 6),
    ("<CompositeFunction><outer_function><PolynomialFunction><coefficients>1 0 0</coefficients></PolynomialFunction>"
     "</outer_function><inner_function><LinearFunction><coefficients>2 1</coefficients></LinearFunction>"
     "</inner_function></CompositeFunction>", lambda x: (2 * x + 1) ** 2),
])  # fmt: skip
@pytest.mark.parametrize("wrapped", [False, True])
def test_functions(loaded, text, f, wrapped):
    text = f"<function>{text}</function>" if wrapped else text
    axes = (
        f'<TransformAxis name="rotation1"><coordinates>x</coordinates><axis>0 0 1</axis>{LINE}</TransformAxis>'
        f'<TransformAxis name="translation1"><coordinates>x</coordinates><axis>0 1 0</axis>{text}</TransformAxis>'
    )
    inside = coordinates(["x"]) + f"<SpatialTransform>{axes}</SpatialTransform>"
    mech = loaded(document([body("b")], [joint("CustomJoint", "ground", "b", inside)]))
    for x in (0.2, 0.6):
        assert close(mech.poses([x])[0].matrix[:3, 3], [0, f(x), 0], 1e-14)
        assert close(mech.poses([x])[0].matrix[0, 0], math.cos(x), 1e-15)


def test_an_axis_without_a_function_does_not_move(loaded):
    """OpenSim holds it at 0, whatever coordinates it names."""
    axes = (
        '<TransformAxis name="rotation1"><coordinates>x</coordinates><axis>0 0 1</axis></TransformAxis>'
        f'<TransformAxis name="translation1"><coordinates>x</coordinates><axis>0 1 0</axis>{LINE}</TransformAxis>'
    )
    inside = coordinates(["x"]) + f"<SpatialTransform>{axes}</SpatialTransform>"
    mech = loaded(document([body("b")], [joint("CustomJoint", "ground", "b", inside)]))
    assert close(mech.poses([0.3])[0].matrix, aj.Pose.translation(0, 0.3, 0).matrix, 0)
    (warning,) = mech.source.warnings
    assert "the axis 'rotation1' of joint" in warning.message
    assert "moves nothing there" in warning.message


COUPLER = (
    '<ConstraintSet><objects><CoordinateCouplerConstraint name="c"><coupled_coordinates_function>'
    "<PolynomialFunction><coefficients>0.5 0 1</coefficients></PolynomialFunction></coupled_coordinates_function>"
    "<independent_coordinate_names>lead</independent_coordinate_names>"
    "<dependent_coordinate_name>follow</dependent_coordinate_name><scale_factor>2</scale_factor>"
    "</CoordinateCouplerConstraint></objects></ConstraintSet>"
)


def test_couplers_are_followers(loaded):
    members = [joint("PinJoint", "ground", "a", coordinates(["lead"])),
               joint("SliderJoint", "a", "b", coordinates(["follow"]))]  # fmt: skip
    mech = loaded(document([body("a"), body("b")], members, COUPLER))
    assert mech.nq == 1
    assert mech["b"].joint.inner_coordinates([0.4]) == [pytest.approx(2 * (0.5 * 0.16 + 1))]
    assert list(mech.source.coordinates) == ["lead"]
    assert np.isfinite(mech.compile().forward_dynamics([0.4], [1.0])).all()


POINT = (
    '<PointConstraint name="p"><socket_body_1>/bodyset/a</socket_body_1><socket_body_2>/bodyset/b</socket_body_2>'
    "<location_body_1>1 0 0</location_body_1><location_body_2>0 1 0</location_body_2></PointConstraint>"
)
WELD = (
    '<WeldConstraint name="w"><socket_frame1>one</socket_frame1><socket_frame2>/bodyset/b</socket_frame2><frames>'
    '<PhysicalOffsetFrame name="one"><socket_parent>/bodyset/a</socket_parent><translation>1 2 3</translation>'
    "<orientation>0.1 0 0</orientation></PhysicalOffsetFrame></frames></WeldConstraint>"
)
OLD_WELD = (
    '<WeldConstraint name="w"><body_1>a</body_1><body_2>ground</body_2><location_body_1>1 2 3</location_body_1>'
    "<orientation_body_1>0.1 0 0</orientation_body_1></WeldConstraint>"
)


@pytest.mark.parametrize(("text", "rows", "bodies"), [(POINT, 3, "ab"), (WELD, 6, "ab"), (OLD_WELD, 6, "ag")])
def test_loops(loaded, text, rows, bodies):
    members = [joint("FreeJoint", "ground", name, coordinates([f"{name}{k}" for k in range(6)])) for name in "ab"]
    more = f"<ConstraintSet><objects>{text}</objects></ConstraintSet>"
    mech = loaded(document([body("a"), body("b")], members, more))
    (loop,) = mech.constraints
    assert (loop.count, loop.bodies) == (rows, (mech["a"].index, -1 if "g" in bodies else mech["b"].index))
    wanted = aj.Pose.translation(1, 2, 3) @ aj.Pose.rotation_x(0.1) if rows == 6 else aj.Pose.translation(1, 0, 0)
    assert close(loop.frames[0].matrix, wanted.matrix, 1e-15)


def bar(name, length):
    inertia = (0.01, length**2 / 12, length**2 / 12, 0, 0, 0)
    return body(name, 1.0, (length / 2, 0, 0), inertia)


def four_bar(last, inside=None, more=""):
    """A crank, a coupler and a rocker, whose far end hangs on the ground by a joint that closes the loop."""
    zero = (0, 0, 0)
    hang = [("ground", "crank", 0.0), ("crank", "coupler", 1.0), ("coupler", "rocker", 2.5)]
    members = [
        joint("PinJoint", parent, child, coordinates([child]), at=((at, 0, 0), zero)) for parent, child, at in hang
    ]
    inside = coordinates(["last"]) if inside is None else inside
    members.append(joint(last, "ground", "rocker", inside, "last", ((3, 0, 0), zero), ((1.5, 0, 0), zero)))
    return document([bar("crank", 1.0), bar("coupler", 2.5), bar("rocker", 1.5)], members, more)


def test_a_joint_that_closes_a_loop_cuts_a_body(loaded):
    """The same accelerations as with rows of a hinge, for which no body is cut."""
    mech = loaded(four_bar("PinJoint"))
    assert mech.source.coordinates["last"] == ("last", 0)
    assert mech["rocker"].inertia.mass == mech["rocker_last"].inertia.mass == 0.5
    (note,) = mech.source.notes
    assert "'last' closes a loop" in note.message
    rows = aj.Mechanism("rows", mech.gravity)
    for name in ("crank", "coupler", "rocker"):
        own = mech[name]
        solid = own.inertia.scaled(2.0) if name == "rocker" else own.inertia
        rows.add_body(name, None if own.parent < 0 else mech.bodies[own.parent].name, own.joint, own.placement, solid)
    ends = aj.Pose.translation(3, 0, 0), aj.Pose.translation(1.5, 0, 0)
    rows.add_loop(None, "rocker", joints.Revolute((0, 0, 1)), ends)
    model = mech.compile()
    q, v = model.assemble(*model.assemble([1.0, -0.7, -1.2, -0.9], [2.0, 0.0, 0.0, 0.0]))
    assert close(model.forward_dynamics(q, v)[:3], rows.compile().forward_dynamics(q[:3], v[:3]), 1e-12)
    assert close(q.sum(), 2 * q[3], 1e-9)  # the angle of the rocker, both ways around


def test_loops_by_joints_may_be_functions_followers_and_several(loaded):
    curve = f'<TransformAxis name="rotation1"><coordinates>last</coordinates><axis>0 0 1</axis>{LINE}</TransformAxis>'
    custom = coordinates(["last"]) + f"<SpatialTransform>{curve}</SpatialTransform>"
    pin, same = loaded(four_bar("PinJoint")), loaded(four_bar("CustomJoint", custom))
    model, other = pin.compile(), same.compile()
    q, v = model.assemble([1.0, -0.7, -1.2, -0.9], [2.0, 0.0, 0.0, 0.0])
    assert close(model.forward_dynamics(q, v), other.forward_dynamics(q, v), 1e-12)
    members = [joint("FreeJoint", "ground", "a", coordinates([f"a{k}" for k in range(6)]))]
    members += [joint("BallJoint", "ground", "a", name=f"again{k}") for k in range(2)]
    thrice = loaded(document([body("a", 3.0)], members))
    assert [part.inertia.mass for part in thrice.bodies] == [1.0, 1.0, 1.0]
    assert len(thrice.constraints) == 2


def test_names_that_are_there_already(loaded):
    members = [joint("PinJoint", "ground", "a", coordinates(["x"]), "j"),
               joint("SliderJoint", "a", "b", coordinates(["x"]), "j")]  # fmt: skip
    mech = loaded(document([body("a"), body("b")], members))
    assert mech.source.joints == {"j": "a", "j_0": "b"}
    assert mech.source.coordinates == {"x": ("a", 0)}
    assert [w.rule for w in mech.source.warnings] == ["duplicate", "duplicate"]


def test_coordinates_that_move_nothing(loaded):
    """Left out where that is allowed; one that is given a constant is named by forward dynamics."""
    inside = coordinates(["x", "idle"]) + "<SpatialTransform>" + "".join(
        f'<TransformAxis name="{name}"><coordinates>{own}</coordinates><axis>{axis}</axis>{{{own}}}</TransformAxis>'
        for name, own, axis in (("rotation1", "x", "0 0 1"), ("rotation2", "idle", "0 1 0"))
    ) + "</SpatialTransform>"  # fmt: skip
    constant = "<Constant><value>0.2</value></Constant>"
    text = document([body("b")], [joint("CustomJoint", "ground", "b", inside)])
    mech = loaded(text.replace("{x}", LINE).replace("{idle}", ""), allow="unsupported")
    assert list(mech.source.coordinates) == ["x"]
    assert np.isfinite(mech.compile().forward_dynamics([0.1], [0.0])).all()
    mech = loaded(text.replace("{x}", LINE).replace("{idle}", constant))
    (warning,) = mech.source.warnings
    assert "'b' moves by 'idle', which moves nothing" in warning.message
    model = mech.compile()
    assert close(model.mass_matrix([0.1, 0.2]), np.diag([0.1, 0.0]), 1e-15)
    with pytest.raises(aj.ModelError, match=r"coordinate 'idle': it moves nothing, or the same as others"):
        model.forward_dynamics([0.1, 0.2], [0.0, 0.0])


def locked(name, value):
    return f'<Coordinate name="{name}"><default_value>{value}</default_value><locked>true</locked></Coordinate>'


def test_locked_coordinates_stay(loaded):
    inside = f'<coordinates><Coordinate name="a"/>{locked("b", 0.3)}<Coordinate name="c"/></coordinates>'
    text = document([body("x")], [joint("GimbalJoint", "ground", "x", inside)])
    mech, free = loaded(text), loaded(text, allow="locked")
    assert list(mech.source.coordinates) == ["a", "c"]
    assert free.nq == 3
    assert close(mech.poses([0.1, 0.2])[0].matrix, free.poses([0.1, 0.3, 0.2])[0].matrix, 1e-15)
    welded = loaded(document([body("x")], [joint("PinJoint", "ground", "x", f"<c>{locked('a', 0.5)}</c>")]))
    assert welded.nq == 0
    assert close(welded.poses([])[0].matrix, aj.Pose.rotation_z(0.5).matrix, 1e-15)


def test_a_function_of_two_coordinates_may_have_one_locked(loaded):
    two = functions.Held(lambda x, y: x + 10 * y, (None, 3.0))
    assert two(1.0) == 31.0


def test_starts_and_limits(loaded):
    inside = (
        '<coordinates><Coordinate name="a"><default_value>0.4</default_value>'
        "<default_speed_value>2</default_speed_value>"
        "<range>-1 2</range><clamped>true</clamped></Coordinate></coordinates>"
    )
    mech = loaded(document([body("x")], [joint("PinJoint", "ground", "x", inside)], "<gravity>0 -1 0</gravity>"))
    assert close(mech.start[0], [0.4], 0)
    assert close(mech.start[1], [2.0], 0)
    assert mech["x"].joint.coordinates[0].limits == (-1.0, 2.0)
    assert mech.gravity == (0.0, -1.0, 0.0)


OLD = """<OpenSimDocument Version="20302"><Model name="old"><BodySet><objects>
<Body name="ground"/>
<Body name="b"><mass>2</mass><mass_center>0.1 0 0</mass_center><inertia_xx>0.1</inertia_xx><inertia_yy>0.2</inertia_yy>
<inertia_zz>0.25</inertia_zz><inertia_xy>0.01</inertia_xy><Joint><PinJoint name="j"><parent_body>ground</parent_body>
<location_in_parent>1 2 3</location_in_parent><orientation_in_parent>0.1 0.2 0.3</orientation_in_parent>
<location>0.4 0.5 0.6</location><orientation>-0.3 0.2 0.1</orientation>
<CoordinateSet><objects><Coordinate name="a"/></objects></CoordinateSet></PinJoint></Joint></Body>
</objects></BodySet></Model></OpenSimDocument>"""


def test_old_files_say_the_same(loaded):
    old = loaded(OLD)
    text = body("b", 2.0, (0.1, 0, 0), (0.1, 0.2, 0.25, 0.01, 0, 0))
    ends = ((1, 2, 3), (0.1, 0.2, 0.3)), ((0.4, 0.5, 0.6), (-0.3, 0.2, 0.1))
    new = loaded(document([text], [joint("PinJoint", "ground", "b", coordinates(["a"]), "j", *ends)]))
    q, v = [0.3], [0.4]
    assert close(old.compile().forward_dynamics(q, v), new.compile().forward_dynamics(q, v), 1e-14)
    assert close(old.compile().body_poses(q), new.compile().body_poses(q), 1e-15)


PIN = joint("PinJoint", "ground", "a", coordinates(["x"]))


@pytest.mark.parametrize(("text", "words"), [
    ('<OpenSimDocument Version="40000"><Storage/></OpenSimDocument>', r":1: .*no <Model>"),
    (document([body("a", -1.0)], [PIN]), r":3: .*negative.*\[mass\]"),
    (document([body("a", inertia=(1, 0.1, 0.1, 0, 0, 0))], [PIN]), r":3: .*triangle.*\[inertia\]"),
    (document([body("a"), body("a")], [PIN]), r":4: .*already.*\[duplicate\]"),
    (document([body("a").replace("<mass>1.0", "<mass>one")], [PIN]), r":3: .*no finite decimal.*\[number\]"),
    (document([body("a", com=(0, 0))], [PIN]), r":3: .*expected 3 numbers.*\[vector\]"),
    (document([body("a")], [joint("PinJoint", "ground", "b")]), r":5: .*'b' is no body.*\[reference\]"),
    (document([body("a"), body("b")], [joint("PinJoint", "a", "b"), joint("PinJoint", "b", "a")]),
     r":6: .*not joined to the ground(.|\n)*:7: .*not joined to the ground.*\[tree\]"),
    (document([body("a")], [joint("RubberJoint", "ground", "a")]), r":5: .*<RubberJoint> is not known.*unsupported"),
    (document([body("a")], [PIN, joint("PinJoint", "a", "a", name="again")]), r":6: .*'a' to itself.*\[tree\]"),
    (document([body("a"), body("b")], [PIN, joint("PinJoint", "b", "a", name="back")]),
     r"1 problem:\n.*:7: .*'b' is not joined to the ground, but its child 'a' is: let them change places"),
    (document([body("a")], [joint("CustomJoint", "ground", "a", coordinates(["x", "idle"]) + '<SpatialTransform>'
     '<TransformAxis name="rotation1"><coordinates>x</coordinates><axis>0 0 1</axis><LinearFunction><coefficients>1 0'
     "</coefficients></LinearFunction></TransformAxis></SpatialTransform>")]),
     r":5: coordinate 'idle' moves nothing of joint 'a_joint'.*\[unsupported\]"),
    (document([body("a"), body("b")], [PIN]), r"body 'b' has no joint.*\[unsupported\]"),
    (document([body("a")], [PIN],
              '<ConstraintSet><objects><RollingOnSurfaceConstraint name="w"/></objects></ConstraintSet>'),
     r":7: .*'w' needs rolling.*\[unsupported\]"),
    (document([body("a")], [PIN], '<ConstraintSet><objects><WeldConstraint name="w"/></objects></ConstraintSet>'),
     r":7: .*'w': there is no body ''.*\[reference\]"),
    (document([body("a")], [PIN], COUPLER), r":7: .*no coordinate 'follow'.*\[reference\]"),
    (document([body("a")], [joint("CustomJoint", "ground", "a", coordinates(["x"]) + '<SpatialTransform><TransformAxis '
     'name="rotation1"><coordinates>y</coordinates></TransformAxis></SpatialTransform>')]), r"no coordinate 'y'"),
    (document([body("a")], [joint("CustomJoint", "ground", "a", coordinates(["x"]) + '<SpatialTransform><TransformAxis '
     'name="rotation1"><coordinates>x</coordinates><axis>0 0 1</axis><SimmSpline><x>1 0 2 3</x><y>0 0 0 0</y>'
     "</SimmSpline></TransformAxis></SpatialTransform>")]), r":5: .*increase strictly.*\[function\]"),
    (document([body("a")], [joint("CustomJoint", "ground", "a", coordinates(["x"]) + '<SpatialTransform><TransformAxis '
     'name="rotation1"><coordinates>x</coordinates><axis>0 0 1</axis><function><GCVSpline/></function>'
     "</TransformAxis></SpatialTransform>")]), r":5: .*<GCVSpline> is not known.*\[unsupported\]"),
])  # fmt: skip
def test_problems(loaded, text, words):
    with pytest.raises(aj.ModelError, match=words):
        loaded(text)


@pytest.mark.parametrize("version", ["", "new", "10900", "50000"])
def test_versions_that_are_not_known_are_told(loaded, version):
    text = document([body("a")], [PIN])
    assert loaded(text).source.warnings == ()
    (warning,) = loaded(text.replace("40000", version)).source.warnings
    assert f"Version={version!r} is none of 20000 to 49999" in warning.message


def test_forces_are_told(loaded):
    more = "<ForceSet><objects><Thelen2003Muscle/><Thelen2003Muscle/><BushingForce/></objects></ForceSet>"
    mech = loaded(document([body("a")], [PIN], more))
    told = [warning.message.partition(":")[0] for warning in mech.source.warnings]
    assert told == ["2 <Thelen2003Muscle>", "1 <BushingForce>"]


def test_what_is_loaded_can_be_saved(loaded, tmp_path):
    mech = loaded(gait())
    aj.save(mech, tmp_path / "gait.aj.json")
    made = aj.load(tmp_path / "gait.aj.json")
    q, v = np.full(mech.nq, 0.1), np.full(mech.nv, 0.2)
    assert (made.compile().forward_dynamics(q, v) == mech.compile().forward_dynamics(q, v)).all()
    shoulder = loaded(SHOULDER["model_osim_xml"], allow="inertia")
    aj.save(shoulder, tmp_path / "shoulder.aj.json")
    made, q = aj.load(tmp_path / "shoulder.aj.json", allow="inertia"), SHOULDER["states"][0]["Q"]
    assert (made.compile().mass_matrix(q) == shoulder.compile().mass_matrix(q)).all()


VTP = """<VTKFile type="PolyData"><PolyData><Piece><Points><DataArray format="ascii">0 0 0  1 0 0  1 1 0  0 1 0
</DataArray></Points><Polys><DataArray Name="connectivity" format="ascii">0 1 2 3  0 1 2</DataArray>
<DataArray Name="offsets" format="ascii">4 7</DataArray></Polys></Piece></PolyData></VTKFile>"""


def test_bones_and_solids_are_shown(loaded, tmp_path):
    (tmp_path / "Geometry").mkdir()
    (tmp_path / "Geometry/bone.vtp").write_text(VTP)
    look = "<Appearance><color>1 0 0</color><opacity>0.5</opacity></Appearance>"
    inside = (
        f"<Mesh><mesh_file>bone.vtp</mesh_file><scale_factors>2 1 1</scale_factors>{look}</Mesh>"
        "<Mesh><mesh_file>lost.vtp</mesh_file></Mesh>"
        "<Sphere><radius>0.1</radius></Sphere><Brick><half_lengths>1 2 3</half_lengths></Brick>"
        "<Ellipsoid><radii>1 2 3</radii></Ellipsoid><Cylinder><radius>1</radius><half_height>2</half_height></Cylinder>"
        "<Sphere><Appearance><visible>false</visible></Appearance></Sphere>"
    )
    text = document([body("a", more=f"<attached_geometry>{inside}</attached_geometry>")], [PIN])
    mech = loaded(text)
    bone, ball, brick, egg, pipe = mech["a"].shapes
    assert bone.faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 2]]
    assert (bone.vertices.max(axis=0).tolist(), bone.color, bone.opacity) == ([2, 1, 0], "#ff0000", 0.5)
    assert (ball.radius, brick.y, egg.c, pipe.length) == (0.1, 4.0, 3.0, 4.0)
    assert close(pipe.pose.matrix[:3, :3].astype(float) @ [0, 0, 1], [0, 1, 0], 1e-15)
    (warning,) = mech.source.warnings
    assert "1 meshes are not shown (lost.vtp)" in warning.message
    assert len(loaded(text, meshes="skip")["a"].shapes) == 4


def test_bones_may_be_elsewhere(loaded, tmp_path):
    (tmp_path / "bones").mkdir()
    (tmp_path / "bones/bone.vtp").write_text(VTP)
    shown = "<DisplayGeometry><geometry_file>bone.vtp</geometry_file></DisplayGeometry>"
    shown = f"<VisibleObject><GeometrySet><objects>{shown}</objects></GeometrySet></VisibleObject>"
    old = OLD.replace("<mass>2</mass>", f"<mass>2</mass>{shown}")
    assert len(loaded(old, packages={"Geometry": tmp_path / "bones"})["b"].shapes) == 1


@pytest.mark.parametrize(("text", "words"), [
    (VTP.replace("0 0 0  1", "0 0 x  1"), "could not convert"),
    (VTP.replace("0 0 0  1", "0 0 nan  1"), "finite numbers"),
    (VTP.replace('format="ascii"', 'format="binary"'), "as text"),
    (VTP.replace("0 1 2 3", "0 1 2 9"), "names vertex 9"),
    (VTP.replace("4 7", ""), "no polygons"), ("<VTKFile/>", "no polygons"), ("<VTK", "no XML"),
    (VTP.replace("0 0 0  1", "0 0  1"), "three for each point"),
])  # fmt: skip
def test_broken_bones(tmp_path, text, words):
    (tmp_path / "bone.vtp").write_text(text)
    with pytest.raises(aj.AnyjointError, match=words):
        read_triangles(tmp_path / "bone.vtp")
