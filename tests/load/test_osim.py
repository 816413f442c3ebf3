"""OpenSim against OpenSim's own numbers: gait2392 and an ellipsoid joint; every joint, function and version."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import functions, joints
from dynamics.support import close
from load.osim_text import LINE, OLD, PIN, body, coordinates, document, joint, transform

DATA = Path(__file__).parents[1] / "data"
GAIT = json.loads((DATA / "opensim_gait2392_customjoints.json").read_text())
SHOULDER = json.loads((DATA / "opensim_ellipsoid.json").read_text())


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


@pytest.mark.parametrize(("text", "f"), [
    ("<Constant><value>0.7</value></Constant>", lambda x: 0.7),
    ("<LinearFunction><coefficients>2 -1</coefficients></LinearFunction>", lambda x: 2 * x - 1),
    ("<PolynomialFunction/>", lambda x: 1),
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
    ("<Sine><amplitude>2</amplitude><omega>3</omega><phase>0.4</phase><offset>0.5</offset></Sine>",
     lambda x: 2 * math.sin(3 * x + 0.4) + 0.5),
    ("<StepFunction><transition_start_time>0.1</transition_start_time><transition_end_time>0.5</transition_end_time>"
     "<start_value>2</start_value><end_value>5</end_value></StepFunction>",  # 10 z^3 - 15 z^4 + 6 z^5
     lambda x: 5.0 if x > 0.5 else 2 + 3 * (10 / 4**3 - 15 / 4**4 + 6 / 4**5)),
    ("<MultivariatePolynomialFunction><coefficients>1 2 3</coefficients><dimension>1</dimension><order>2</order>"
     "</MultivariatePolynomialFunction>", lambda x: 1 + 2 * x + 3 * x * x),
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


def test_an_axis_with_an_empty_function_moves_by_its_coordinate(loaded):
    """As in OpenSim 4.6, where only an axis without the element does not move; files of version 10901 have these."""
    axes = (
        '<TransformAxis name="rotation1"><function/><coordinates>x</coordinates><axis>0 0 1</axis></TransformAxis>'
        '<TransformAxis name="rotation2"><function/><coordinates/><axis>0 1 0</axis></TransformAxis>'
        '<TransformAxis name="translation1"><function> </function><coordinates>y</coordinates><axis>0 1 0</axis>'
        "</TransformAxis>"
    )
    inside = coordinates(["x", "y"]) + f"<SpatialTransform>{axes}</SpatialTransform>"
    text = document([body("b")], [joint("CustomJoint", "ground", "b", inside)])
    mech = loaded(text)
    moved = aj.Pose.translation(0, 0.2, 0) @ aj.Pose.rotation_z(0.3)
    assert close(mech.poses([0.3, 0.2])[0].matrix, moved.matrix, 1e-15)
    assert not mech.source.warnings
    with pytest.raises(aj.ModelError, match=r":5: the axis 'rotation1'.*empty <function/> of several.*\(x, y\)"):
        loaded(text.replace("<coordinates>x</coordinates>", "<coordinates>x y</coordinates>"))


def axis(name, own, direction):
    inside = f"<coordinates>{own}</coordinates><axis>{direction}</axis>{LINE}"
    return f'<TransformAxis name="{name}">{inside}</TransformAxis>'


def test_axes_go_by_their_names(loaded):
    """In whatever order they stand; OpenSim turns about the first one first."""
    axes = [axis("translation2", "x", "0 1 0"), axis("rotation2", "y", "0 1 0"), axis("rotation1", "x", "1 0 0")]
    text = document([body("b")], [joint("CustomJoint", "ground", "b", coordinates(["x", "y"]) + "{}")])
    mech = loaded(text.replace("{}", f"<SpatialTransform>{''.join(axes)}</SpatialTransform>"))
    wanted = aj.Pose.translation(0, 0.3, 0) @ aj.Pose.rotation_x(0.3) @ aj.Pose.rotation_y(0.4)
    assert close(mech.poses([0.3, 0.4])[0].matrix, wanted.matrix, 1e-15)
    with pytest.raises(aj.ModelError, match=r":5: joint 'b_joint' has an axis 'rotation2' twice"):
        loaded(text.replace("{}", f"<SpatialTransform>{''.join([*axes, axes[1]])}</SpatialTransform>"))


def test_joints_may_sit_on_frames_of_others(loaded):
    """Named by the path; a frame of the joint itself may be called the same."""
    at, back = ((1, 2, 3), (0.1, 0.2, 0.3)), ((0.4, 0.5, 0.6), (-0.3, 0.2, 0.1))
    hip = joint("PinJoint", "ground", "a", coordinates(["x"]), "hip", at, back)
    knee = joint("WeldJoint", "a", "b", "", "knee", back=((7, 8, 9), (0, 0, 0)))
    far = knee.replace("<socket_parent_frame>before", "<socket_parent_frame>/jointset/hip/after")
    mech, same = (loaded(document([body("a"), body("b")], [hip, x])) for x in (far, knee))
    X, Y = (aj.Pose.translation(*p) @ aj.Pose.rotation_x(a) @ aj.Pose.rotation_y(b) @ aj.Pose.rotation_z(c)
            for p, (a, b, c) in (back, ((-7, -8, -9), (0, 0, 0))))  # fmt: skip
    places = [m.poses([0.3])[m["b"].index].matrix for m in (mech, same)]
    a = mech.poses([0.3])[mech["a"].index]
    assert close(places[0], (a @ X @ Y).matrix, 1e-14)
    assert close(places[1], (a @ Y).matrix, 1e-14)
    assert all(not x.frames for x in mech.bodies)


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
    bare = loaded(document([body("x")], [joint("PinJoint", "ground", "x", inside.replace("<range>-1 2</range>", ""))]))
    assert bare["x"].joint.coordinates[0].limits == (-10.0, 10.0)  # what OpenSim clamps to where a file has no range


def test_limits_of_joints_by_functions(loaded):
    """Poses that inverse kinematics finds stay within them."""
    ranges = {"a": "<range>-1 2</range><clamped>true</clamped>", "b": "<range>-1 1</range>"}
    inside = "".join(f'<Coordinate name="{name}">{text}</Coordinate>' for name, text in ranges.items())
    kind = "UniversalJoint", "ground", "x", f"<coordinates>{inside}</coordinates>"
    mech = loaded(document([body("x", com=(0, -0.5, 0))], [joint(*kind)]))
    assert [c.limits for c in mech["x"].joint.coordinates] == [(-1.0, 2.0), (-math.inf, math.inf)]
    found = mech.compile().inverse_kinematics({("x", (0, -1, 0)): (0.0, 1.0, -0.1)}, mech.neutral)
    assert found.q[0] >= -1.0
    again = loaded(document([body("x")], [joint(kind[0], *kind[1:3], kind[3].replace("-1 2", "2 2"))]))
    assert "'a' is clamped to the one value 2" in str(again.source.warnings)
    assert not np.isfinite(again["x"].joint.coordinates[0].limits).any()


OFFSET = (
    '<PhysicalOffsetFrame name="{}"><socket_parent>{}</socket_parent><translation>{} 0 0</translation>'
    "<orientation>0 0 0</orientation>{}</PhysicalOffsetFrame>"
)


def test_frames_of_bodies_keep_their_names(loaded):
    """Those of one name on two bodies are told apart by their paths."""
    twice = OFFSET.format("grip", "..", 1, f"<components>{OFFSET.format('tip', '..', 2, '')}</components>")
    bodies = [
        body("a", more=f"<components>{twice}</components>"),
        body("b", more=f"<components>{OFFSET.format('grip', '/bodyset/b', 5, '')}</components>"),
    ]
    inside = "<socket_parent_frame>/bodyset/b/grip</socket_parent_frame><location>0 7 0</location>"
    markers = f'<MarkerSet><objects><Marker name="m">{inside}</Marker></objects></MarkerSet>'
    mech = loaded(document(bodies, [PIN, joint("WeldJoint", "a", "b")], markers))
    places = {name: tuple(map(float, pose.p)) for name, pose in mech["a"].frames.items()}
    assert places == {"grip": (1.0, 0.0, 0.0), "tip": (3.0, 0.0, 0.0)}
    assert tuple(map(float, mech["b"].frames["m"].p)) == (5.0, 7.0, 0.0)
    assert "frame 'grip' is left out" in str(mech.source.warnings)


def test_what_controls_a_model_is_told(loaded):
    off = '<PrescribedController name="c"><enabled>false</enabled></PrescribedController>'
    sets = f"<ControllerSet><objects>{off}<ToyReflexController/></objects></ControllerSet>"
    mech = loaded(document([body("a")], [PIN], f"{sets}<components><Thermometer/></components>"))
    said = str(mech.source.warnings)
    assert "1 <ToyReflexController>: not simulated" in said
    assert "1 <Thermometer>: not simulated" in said
    assert "Prescribed" not in said


def test_old_files_say_the_same(loaded):
    old = loaded(OLD)
    text = body("b", 2.0, (0.1, 0, 0), (0.1, 0.2, 0.25, 0.01, 0, 0))
    ends = ((1, 2, 3), (0.1, 0.2, 0.3)), ((0.4, 0.5, 0.6), (-0.3, 0.2, 0.1))
    new = loaded(document([text], [joint("PinJoint", "ground", "b", coordinates(["a"]), "j", *ends)]))
    q, v = [0.3], [0.4]
    assert close(old.compile().forward_dynamics(q, v), new.compile().forward_dynamics(q, v), 1e-14)
    assert close(old.compile().body_poses(q), new.compile().body_poses(q), 1e-15)


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
    (document([body("a", inertia=(1, 1, 1))], [PIN]), r":3: .*expected 6 numbers, got 3.*\[vector\]"),
    (document([body("a")], [joint("CustomJoint", "ground", "a", coordinates(["x", "idle"]) + '<SpatialTransform>'
     '<TransformAxis name="rotation1"><coordinates>x</coordinates><axis>0 0 1</axis><LinearFunction><coefficients>1 0'
     "</coefficients></LinearFunction></TransformAxis></SpatialTransform>")]),
     r":5: coordinate 'idle' moves nothing of joint 'a_joint'.*\[unsupported\]"),
    (document([body("a")], [joint("CustomJoint", "ground", "a", coordinates(["x"]) + "<TransformAxisSet><objects>"
     '<TransformAxis name="r1"><function/><coordinate>x</coordinate></TransformAxis></objects></TransformAxisSet>')]),
     r":5: joint 'a_joint' has its axes in a <TransformAxisSet>.*OpenSim 3.3.*\[version\]"),
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
    more = "<ForceSet><objects><Thelen2003Muscle/><Thelen2003Muscle/><ElasticFoundationForce/></objects></ForceSet>"
    mech = loaded(document([body("a")], [PIN], more))
    told = [warning.message.partition(":")[0] for warning in mech.source.warnings]
    assert told == ["2 <Thelen2003Muscle>", "1 <ElasticFoundationForce>"]


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


def test_coordinates_that_only_shift_are_lengths(loaded):
    free = joint("FreeJoint", "ground", "a", coordinates(["rx", "ry", "rz", "tx", "ty", "tz"]))
    units = [c.unit for c in loaded(document([body("a")], [free])).bodies[0].joint.coordinates]
    assert units == ["rad"] * 3 + ["m"] * 3


STATION = '<Station name="{}"><socket_parent_frame>{}</socket_parent_frame><location>{}</location></Station>'
SPANNED = (
    '<StationDefinedFrame name="{}"><socket_point_a>/{}</socket_point_a><socket_point_b>/{}</socket_point_b>'
    "<socket_point_c>/{}</socket_point_c><socket_origin_point>/{}</socket_origin_point>{}</StationDefinedFrame>"
)


def spanned(*parts):
    """Body a with frames that points span; the joint of body b sits on the frame 'tip'."""
    on = joint("PinJoint", "a", "b", coordinates(["y"])).replace("/bodyset/a", "/tip")
    more = "<components>\n{}\n</components>".format("\n".join(parts))
    return document([body("a"), body("b")], [PIN, on], more)


TRIANGLE = spanned(
    SPANNED.format("tip", "p", "q", "r", "q", "<ab_axis>-z</ab_axis>"),
    *(STATION.format(name, "/bodyset/a", place) for name, place in (("p", "0 0 0"), ("q", "1 0 0"), ("r", "1 1 0"))),
)


def test_points_span_frames(loaded):
    """Points may be on frames of that kind, and these stand in any order."""
    points = {"p": "-0.2 0 0", "q": "0.06 -0.25 0", "r": "0 0 0.3"}
    stations = [STATION.format(name, "/bodyset/a", place) for name, place in points.items()]
    axes = "<ab_axis>{}</ab_axis><ab_x_ac_axis>{}</ab_x_ac_axis>".format
    first = SPANNED.format("base", "p", "q", "r", "q", axes("z", "-X"))
    more = [STATION.format(name, "/base", place) for name, place in (("u", "0 0 0"), ("v", "0 2 0"), ("w", "0 0 1"))]
    mech = loaded(spanned(SPANNED.format("tip", "u", "v", "w", "u", ""), first, *stations, *more))
    assert mech.source.warnings == ()
    p, q, r = (np.array(x.split(), dtype=float) for x in points.values())
    z, x = q - p, -np.cross(q - p, r - p)
    R = np.stack([side / np.linalg.norm(side) for side in (x, np.cross(z, x), z)], 1)
    assert np.abs(mech["a"].frames["base"].matrix[:3, :3] - R).max() < 1e-15
    assert np.abs(mech["a"].frames["base"].matrix[:3, 3] - q).max() < 1e-15
    turned = R @ np.stack([[0, 1, 0], [1, 0, 0], [0, 0, -1]], 1)  # x along v - u, y along (v - u) x (w - u)
    assert np.abs(mech.compile().body_poses([0, 0])[1, :3, :3] - turned).max() < 1e-15


@pytest.mark.parametrize(("frame", "words"), [
    (SPANNED.format("tip", "p", "q", "nix", "q", ""), "frame 'tip': its four points must be stations of one body"),
    (SPANNED.format("tip", "p", "q", "elsewhere", "q", ""), "its four points must be stations of one body"),
    (SPANNED.format("tip", "p", "q", "own", "q", ""), "its four points must be stations of one body"),
    (SPANNED.format("tip", "p", "q", "line", "q", ""), "a, b and c must not be on one line"),
    (SPANNED.format("tip", "p", "q", "r", "q", "<ab_axis>-y</ab_axis>"), "<ab_axis> '-y' and <ab_x_ac_axis> '.y'"),
    (SPANNED.format("tip", "p", "q", "r", "q", "<ab_axis>u</ab_axis>"), "must be two of x, y and z"),
])  # fmt: skip
def test_points_that_span_nothing(loaded, frame, words):
    places = [("p", "/bodyset/a", "1 0 0"), ("q", "/bodyset/a", "2 0 0"), ("r", "/bodyset/a", "1 1 0"),
              ("elsewhere", "/bodyset/b", "0 0 0"), ("line", "/bodyset/a", "9 0 0"), ("own", "/tip", "0 0 0")]
    with pytest.raises(aj.ModelError, match=rf":10: .*{words}"):
        loaded(spanned(frame, *(STATION.format(*place) for place in places)))
