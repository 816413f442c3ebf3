"""Our own file: what is saved is what is loaded, to the bit; formulas are data; every problem has its line."""

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import anyjoint as aj
from anyjoint import curves, forces, functions, joints, shapes
from anyjoint.cli import gallery as scripts
from anyjoint.cli.target import resolve
from anyjoint.load.own.constraints import KEYS as CONSTRAINT_KEYS
from anyjoint.load.own.contacts import KEYS as CONTACT_KEYS
from anyjoint.load.own.expression import Expression
from anyjoint.load.own.formula_joint import STEPS, FormulaJoint
from anyjoint.load.own.read import BODY as BODY_KEYS
from anyjoint.load.own.read import INERTIA, TOP
from anyjoint.load.own.write import written
from anyjoint.mechanism import Source, gallery
from anyjoint.mechanism.probing import needs_probing
from bench.round_trip import difference
from dynamics.support import close
from load import test_mjcf, test_mjcf_tendons
from tests.joints.zoo import KINDS

SOLID = aj.Inertia(1.3, (0.1, -0.2, 0.3), [[0.3, 0.02, 0.01], [0.02, 0.4, 0.03], [0.01, 0.03, 0.5]])


SCHEMA = json.loads((Path(__file__).parents[2] / "docs/_static/aj.schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)


def round_trip(mech, tmp_path):
    """The mechanism as it comes back; its text keeps to the schema of the docs, and is the same when saved again."""
    aj.save(mech, tmp_path / "m.aj.json")
    made, text = aj.load(tmp_path / "m.aj.json"), (tmp_path / "m.aj.json").read_text()
    VALIDATOR.validate(json.loads(text))
    assert text == written(made)
    return made


def test_every_kind_of_joint(tmp_path):
    """Joints come back equal to the bit, those by functions in Python as formulas."""
    for name, joint in KINDS.items():
        mech = aj.Mechanism(name)
        leader = mech.add_body("leader", joint=joints.Universal(), inertia=SOLID)
        mech.add_body("body", leader, joint, inertia=SOLID)
        made = round_trip(mech, tmp_path)
        q = [c.neutral + 0.01 for c in joint.coordinates]
        kind = FormulaJoint if isinstance(joint, joints.FunctionJoint) else type(joint)
        assert type(made["body"].joint) is kind
        assert made["body"].joint.coordinates == joint.coordinates, name
        if not isinstance(joint, joints.Coupled):
            assert close(made["body"].joint.pose(q).matrix, joint.pose(q).matrix, 1e-15 * needs_probing(joint)), name


NAMES = [name for name in gallery.__all__ if name not in ("random_tree", "every_kind")]


@pytest.mark.parametrize("name", [pytest.param(x, marks=[pytest.mark.slow] * bool(k % 3)) for k, x in enumerate(NAMES)])
def test_gallery(tmp_path, name):
    """Bits: functions in Python become formulas that are computed in the same order."""
    mech = getattr(gallery, name)()
    made = round_trip(mech, tmp_path)
    q, v = mech.start
    t = {"t": 0.3} if mech.timed else {}
    assert close(made.start[0], q, 0)
    found, wanted = (x.compile().forward_dynamics(q, v, **t) for x in (made, mech))
    assert (found == wanted).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", scripts.names())
def test_scripts_of_the_gallery(name):
    """Their forces, too; `python -m bench.round_trip` does the same for folders of files."""
    target = resolve(name)
    target.mechanism.source = Source("", "", forces=tuple(target.acting))
    assert difference(target.mechanism).startswith("the same")


def test_everything_that_a_mechanism_holds(tmp_path):
    mech = aj.Mechanism("all", (0.1, 0, -9.8), "What it is.\nAnd more.")
    place = aj.Pose.translation(0.1, 0.2, 1 / 3) @ aj.Pose.rpy(0.1, -0.2, 0.3) @ aj.Pose.rotation((1, 2, 3), 0.4)
    look = (shapes.Box(1, 2, 3, color="red", pose=place, opacity=0.5),
            shapes.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))  # fmt: skip
    arm = mech.add_body(
        "arm", joint=joints.Revolute((1, 2, 3), (-1, math.inf)), placement=place, inertia=SOLID, shape=look,
        frames={"tip": place.inverse()}, stiffness=2, damping=0.1, rest=0.3, armature=0.2, friction=0.01, effort=5,
        velocity=6,
    )  # fmt: skip
    odd = aj.Inertia(1.0, tensor=np.diag([1, 0.1, 0.1]), physical=False)
    bend = ((0, 0, 1), functions.SimmSpline([0, 1, 2, 3], [0, 1, 0.5, 0.2]), (0,))
    mech.add_body("odd", arm, joints.FunctionBased([bend], [], names=("bend",)), inertia=odd)
    mech.add_body("wheel", joint=joints.Coupled(joints.Revolute(), (2.5,), "arm"), inertia=SOLID)
    mech.draw(shapes.Sphere(0.1))
    mech.add_frame("mark", None, place)
    mech.set_start([0.1, 0.2], [0.3, 0.4])
    made = round_trip(mech, tmp_path)
    assert (made.name, made.gravity, made.description) == (mech.name, mech.gravity, mech.description)
    assert close(made.start[1], [0.3, 0.4], 0)
    for body, other in zip(mech.bodies, made.bodies, strict=True):
        for field in dataclasses.fields(body):
            if field.name not in ("joint", "placement", "shapes", "frames"):
                assert getattr(body, field.name) == getattr(other, field.name), field.name
        assert (body.placement.matrix == other.placement.matrix).all()
        assert body.frames.keys() == other.frames.keys()
    assert (made["arm"].frames["tip"].matrix == mech["arm"].frames["tip"].matrix).all()
    assert [type(shape) for shape in made["arm"].shapes] == [shapes.Box, shapes.Mesh]
    assert made["arm"].shapes[0].opacity == 0.5
    assert not made["odd"].inertia.physical
    assert len(made.ground.shapes) == 1
    assert (made.ground.frames["mark"].matrix == place.matrix).all()
    assert made.source.format == "anyjoint"
    q, v = mech.start
    assert (made.compile().forward_dynamics(q, v) == mech.compile().forward_dynamics(q, v)).all()


def four_bar():
    mech = aj.Mechanism("four bars")
    for name, parent, place in (("crank", None, 0.0), ("coupler", "crank", 1.0), ("rocker", None, 2.0)):
        mech.add_body(name, parent, joints.Revolute((0, 1, 0)), aj.Pose.translation(place, 0, 0), SOLID)
    mech.add_loop("coupler", "rocker", joints.Revolute((0, 1, 0)), at=((2, 0, 0), (0, 0, 1)), name="pin")
    return mech


def test_forces_of_a_loaded_file_are_kept(tmp_path):
    mech = aj.Mechanism("driven")
    mech.add_body("arm", joint=joints.Revolute(), inertia=SOLID)
    drive = forces.Actuator("arm", gain=2.0, bias=(0, -2, 0))
    push = forces.Wrench("arm", force=(1, 2, 3))
    mech.source = Source("", "", actuators={"motor": drive}, forces=(push,))
    made = round_trip(mech, tmp_path)
    assert made.source.actuators == {"motor": drive}
    assert made.source.forces == (push,)


def test_a_folder_that_is_not_there(tmp_path):
    mech = aj.Mechanism("m")
    mech.add_body("b", joint=joints.Revolute(), inertia=SOLID)
    with pytest.raises(aj.AnyjointError, match=r"save: .* cannot be written"):
        aj.save(mech, tmp_path / "none/m.aj.json")


def test_what_cannot_be_saved(tmp_path):
    mech = aj.Mechanism("m")
    mech.add_body("b", joint=joints.Revolute(), inertia=SOLID)
    for given in (mech.compile(), None):
        with pytest.raises(aj.InputError, match=r"save: mech is a .*; expected a mechanism"):
            aj.save(given, tmp_path / "m.aj.json")
    with pytest.raises(aj.InputError, match="save: path=3; expected the path of a file"):
        aj.save(mech, 3)
    with pytest.raises(aj.InputError, match=r"save: .*arm\.urdf' would be a file of our own by another's name"):
        aj.save(mech, tmp_path / "arm.urdf")
    assert not list(tmp_path.iterdir())


# -- formulas ------------------------------------------------------------------------------------------------

HELIX = {
    "anyjoint": 1, "name": "helix", "parameters": {"pitch": 0.2},
    "joints": {"bead": {
        "coordinates": {"s": [-9, 9]},
        "pose": [{"curve": ["cos(s)", "sin(s)", "pitch*s"], "frame": "frenet"}],
    }},
    "bodies": [{"name": "bead", "joint": "bead", "inertia": {"mass": 1, "tensor": [0.1, 0.1, 0.1]}}],
}  # fmt: skip


def loaded(tmp_path, content):
    (tmp_path / "m.aj.json").write_text(content if isinstance(content, str) else json.dumps(content))
    return aj.load(tmp_path / "m.aj.json")


def test_the_helix_of_formulas_is_the_helix(tmp_path):
    mech = loaded(tmp_path, HELIX)
    other = aj.Mechanism("helix")
    other.add_body("bead", joint=joints.OnCurve(curves.Helix(1.0, 0.2)), inertia=aj.Inertia(1, tensor=0.1 * np.eye(3)))
    q, v = [0.7], [1.3]
    model, wanted = mech.compile(), other.compile()
    assert close(model.forward_dynamics(q, v), wanted.forward_dynamics(q, v), 1e-13)
    assert close(model.body_poses(q), wanted.body_poses(q), 1e-14)
    model.parameters["bead/joint/numbers.0.value"] = 0.5
    other.replace_body(dataclasses.replace(other["bead"], joint=joints.OnCurve(curves.Helix(1.0, 0.5))))
    assert close(model.forward_dynamics(q, v), other.compile().forward_dynamics(q, v), 1e-13)
    again = round_trip(mech, tmp_path)
    assert isinstance(again["bead"].joint, FormulaJoint)
    assert again["bead"].joint == mech["bead"].joint


def test_steps_of_all_kinds(tmp_path):
    steps = [
        {"translation": ["0.1 * s", 0, "u^2"]}, {"rotation": "s + u", "axis": [0, 1, 1]},
        {"surface": ["cos(s) * (2 + cos(u))", "sin(s)*(2 + cos(u))", "sin(u)"], "by": ["s", "u"]},
        {"curve": ["u", "u^2", "0"], "by": "u", "frame": "fixed-up"},
    ]  # fmt: skip
    body = {"name": "b", "inertia": {"mass": 1, "tensor": [1, 1, 1]}}
    body["joint"] = {"coordinates": {"s": [-1, 1], "u": {"domain": [0, 2], "limits": [0, "inf"]}}, "pose": steps}
    mech = loaded(tmp_path, {"anyjoint": 1, "name": "steps", "bodies": [body]})

    @aj.joint(dof=2, domain=[(-1, 1), (0, 2)])
    def same(q):
        s, u = q
        torus = aj.surfaces.surface(
            lambda s, u: (aj.cos(s) * (2 + aj.cos(u)), aj.sin(s) * (2 + aj.cos(u)), aj.sin(u)))  # fmt: skip
        pose = aj.Pose.translation(0.1 * s, 0, u * u) @ aj.Pose.rotation((0, 1, 1), s + u)
        return pose @ torus.frame(s, u) @ curves.curve(lambda u: (u, u * u, 0)).fixed_up(u)

    other = aj.Mechanism("same")
    other.add_body("b", joint=same, inertia=aj.Inertia(1, tensor=np.eye(3)))
    q, v = [0.3, 0.6], [0.5, -0.4]
    assert close(mech.compile().forward_dynamics(q, v), other.compile().forward_dynamics(q, v), 1e-11)
    assert mech["b"].joint.coordinates[1].limits == (0, math.inf)
    round_trip(mech, tmp_path)


@pytest.mark.parametrize(("text", "value"), [
    ("1 + 2*3", 7), ("-2^2", -4), ("2^3^2", 512), ("(1+2)*3", 9), ("8/4/2", 1), ("1-2-3", -4), ("2^-1", 0.5),
    (".5e1", 5), ("+3", 3), ("--3", 3), ("pi", math.pi), ("sqrt(x)*y", 6), ("atan2(1, 0)", math.pi / 2),
    ("min(x, y) + max(x, y)", 7), ("abs(-x)", 4), ("x^y", 64), ("x^0.5", 2), ("exp(log(x))", 4), ("floor(2.7)", 2),
    ("select(less(x, y), 1, 2)", 2), ("select(at_most(y, x), x, y)", 4), ("fmod(-x, y)", -1),
    ("gather(table, x/2 - 0.1)", 20), ("gather(table, 9) - gather(table, -9)", 20),
    ("asin(1) + acos(1)", math.pi / 2), ("tan(0)", 0), ("0" + "+1" * 2000, 2000),
])  # fmt: skip
def test_formulas(text, value):
    assert float(Expression(text).value({"x": 4.0, "y": 3.0, "table": (10.0, 20.0, 30.0)})) == pytest.approx(
        value, rel=1e-15
    )


@pytest.mark.parametrize(("text", "words"), [
    ("__import__('os').getpid()", "has no meaning|no function"), ("().__class__", "has no meaning"),
    ("q.x", "column 2: '.' has no meaning"), ("sin(x", "expected '\\)'"), ("1e999", "too large"), ("2**3", "column 3"),
    ("(" * 100 + "1" + ")" * 100, "inside each other"), ("lambda: 1", "has no meaning"), ("x;y", "has no meaning"),
    ("1+" * 3000 + "1", "at most 4096"), ("sin(1,2)", "takes 1"), ("open(x)", "no function 'open'"),
    ("", "expected a value"), ("(", "expected a value"), ("less(x, y)", "nowhere else"), ("gather(2, x)", "a table"),
    ("1 + less(x, y)", "column 3: a condition"), ("select(x, 1, 2)", "a condition first"), ("-less(x, y)", "nowhere"),
    ("sin(less(x, y))", "nowhere else"), ("select(less(x, y), less(x, y), 1)", "nowhere else"),
    ("1 2", "unexpected '2'"), ("cosh(x)", "did you mean 'cos'"), ("-" * 200 + "1", "inside each other"),
    ("²", "has no meaning"), ("x[0]", "has no meaning"), ("2^" * 100 + "1", "inside each other"),
])  # fmt: skip
def test_what_is_no_formula(text, words):
    with pytest.raises(aj.InputError, match=words):
        Expression(text)


# -- problems ------------------------------------------------------------------------------------------------

BODY = '{"name": "b", "joint": {"Revolute": {}}, "inertia": {"mass": 1, "tensor": [1, 1, 1]}}'


def file(*bodies, more=""):
    return '{"anyjoint": 1, "name": "m",\n' + more + '"bodies": [\n' + ",\n".join(bodies) + "]}"


FORMULA = '"joints": {"j": {"coordinates": {%s}, "pose": [{%s}]}},'


@pytest.mark.parametrize(("text", "words"), [
    ("{", r":1: it is no JSON"), ('{"a": 1,\n}', ":2: it is no JSON"), ("[1, 2", "it is no JSON"),
    ('{"a": NaN}', "expected a value"), ('{"a": 1e999}', "too large"), ('{"a": 01}', "it is no JSON"),
    ('{"anyjoint": 1, "name": "x", "name": "y"}', "'name' is there already"), ('{"a": "\x01"}', "it is no JSON"),
    ("[" * 500, "100 deep"), ("[]", 'object with "anyjoint"'), ('{"anyjoint": 2}', "version 2"),
    ('{"x": 1}', "version"),
    ('{"anyjoint": 1} x', "something follows"), (file(), 'there are no "bodies"'), (file("3"), "a body is an object"),
    (file(BODY, BODY), ":4: .*already a body 'b'"), (file(BODY.replace("Revolute", "Revolut")), ":3: .*did you mean"),
    (file(BODY.replace("{}", '{"axes": 1}')), ":3: .*no field 'axes'.*did you mean 'axis'"),
    (file(BODY.replace("{}", '{"axis": [0, 0, 0]}')), ":3: "), (file(BODY.replace("{}", '{"axis": "up"}')), ":3: "),
    (file(BODY.replace('"mass": 1', '"mass": -1')), ":3: .*not negative"),
    (file(BODY.replace('{"Revolute": {}}', '"j"')), ":3: .*no joint 'j'"),
    (file(BODY.replace('"mass": 1, ', "")), ":3: .*an inertia is"),
    (file(BODY.replace('"name": "b"', '"name": 3')), ":3: "),
    (file(BODY[:-1] + ', "parent": "nobody"}'), ":3: .*no body 'nobody'"),
    (file(BODY[:-1] + ', "placement": [{"translate": [1, 2, 3]}]}'), "did you mean 'translation'"),
    (file(BODY[:-1] + ', "placement": [{"matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}]}'), "no rotation"),
    (file(BODY[:-1] + ', "placement": {"x": 1}}'), "a pose is a list"),
    (file(BODY[:-1] + ', "damping": "much"}'), ":3: "),
    (file(BODY[:-1] + ', "shapes": [{"shapes.Box": {"x": 1}}]}'), ":3: "),
    (file(BODY[:-1] + ', "shapes": [{"os.system": {}}]}'), "no kind 'os.system'"),
    (file(BODY, more='"gravity": [1, 2],'), "gravity"), (file(BODY, more='"start": {"q": [1, 2]},'), "start q"),
    (file(BODY, more='"parameters": {"a": "b"},'), "parameter 'a'"),
    (file(BODY, more='"joints": 3,'), "'joints' is an object"),
    (file(BODY, more=FORMULA % ('"s": [0, 1]', '"rotation": "r"')), "no coordinate or parameter 'r'"),
    (file(BODY, more=FORMULA % ('"s": [0, 1]', '"rotation": "1"')), "'s' moves nothing"),
    (file(BODY, more=FORMULA % ('"sin": [0, 1]', '"rotation": "sin"')), "choose another name"),
    (file(BODY, more=FORMULA % ('"s": 1', '"rotation": "s"')), "from a number to a number"),
    (file(BODY, more=FORMULA % ('"s": [0, 1]', '"turn": "s"')), "a step of a pose has one of"),
    ('{"anyjoint": 1,\n "name": "\\ud800"}', r":2: .*half of a character"), ('{"a": ' + "9" * 400 + "}", "too large"),
    (file(BODY, more='"scenery": 5,'), "'scenery' is a list"), (file(BODY, more='"forces": 5,'), "'forces' is a list"),
    (file(BODY, more='"forces": [\n{"joints.Revolute": {}}],'), r":3: a force is a record"),
    (file(BODY, more='"forces": [{"forces.Wrench": {"body": "nobody"}}],'), r":2: .*'nobody'"),
    (file(BODY, more='"actuators": {"m": 5},'), "a force is a record"),
    (file(BODY, more='"parameters": {"pi": 3},'), "'pi' means something in formulas"),
    (file(BODY.replace('"tensor": [1, 1, 1]', '"tensor": [[1, 0], [0]]')), ":3: the tensor of an inertia is"),
    (file(BODY[:-1] + ', "placement": [{"rotation_x": true}]}'), ":3: rotation_x: expected one finite number"),
    (file(BODY[:-1] + ', "shapes": [{"shapes.Sphere": {"radius": "wide"}}]}'), ":3: Sphere: radius = 'wide' must be"),
    (file(BODY, more='"file": {"settings": {"dt": -1}},'), "settings 'dt': expected a number above 0"),
    (file(BODY, more='"file": {"coordinates": {"c": ["b", 7]}},'), "one of its 1 coordinates"),
    (file(BODY, more='"file": {"tendons": {"t": ["b"]}},'), "tendons 't': 'b' in a path"),
    (file(BODY, more='"file": {"collisions": {"b": [5]}},'), "expected a list of shapes"),
])  # fmt: skip
def test_problems(tmp_path, text, words):
    with pytest.raises(aj.ModelError, match=words) as caught:
        loaded(tmp_path, text)
    assert "m.aj.json" in str(caught.value)


def test_names_that_no_file_can_hold(tmp_path):
    """Half of a character."""
    mech = aj.Mechanism("half \ud800")
    mech.add_body("b", joint=joints.Revolute(), inertia=aj.Inertia.sphere(1, 1))
    with pytest.raises(aj.InputError, match="half of a character"):
        aj.save(mech, tmp_path / "m.aj.json")
    assert not (tmp_path / "m.aj.json").exists()


@pytest.mark.parametrize("name", ["inf", "-inf"])
def test_names_that_read_like_infinities(tmp_path, name):
    mech = aj.Mechanism(name)
    body = mech.add_body(name, joint=joints.Revolute(limits=(-1, math.inf)), inertia=aj.Inertia.sphere(1, 1))
    pushes = forces.Wrench(name, force=(1, 2, 3)), forces.Wrench(body, force=(4, 5, 6))
    mech.source = Source("m", "MJCF", forces=pushes, joints={name: name}, coordinates={name: (name, 0)})
    aj.save(mech, tmp_path / "m.aj.json")
    made = aj.load(tmp_path / "m.aj.json")
    assert made.bodies[0].name == made.source.joints[name] == name
    assert made.source.coordinates == {name: (name, 0)}
    assert [(force.body, force.force) for force in made.source.forces] == [(name, (1, 2, 3)), (name, (4, 5, 6))]
    assert made.bodies[0].joint.coordinates[0].limits == (-1, math.inf)


def test_all_problems_at_once(tmp_path):
    bodies = [BODY.replace("Revolute", "Revolut"), BODY.replace('"mass": 1', '"mass": "heavy"').replace('"b"', '"c"')]
    with pytest.raises(aj.ModelError, match="2 problems") as caught:
        loaded(tmp_path, file(*bodies))
    assert "m.aj.json:3: " in str(caught.value)
    assert "m.aj.json:4: " in str(caught.value)


def test_unknown_names_are_warnings(tmp_path):
    mech = loaded(tmp_path, file(BODY[:-1] + ', "dampning": 3}', more='"gravty": [0, 0, 0],'))
    assert ["did you mean" in str(warning) for warning in mech.source.warnings] == [True, True]
    assert [warning.where.rpartition(":")[2] for warning in mech.source.warnings] == ["1", "3"]


def test_a_formula_that_is_not_defined_is_a_problem(tmp_path):
    text = file(BODY.replace('{"Revolute": {}}', '{"coordinates": {"s": [-2, -1]}, "pose": [{"rotation": "sqrt(s)"}]}'))
    with pytest.raises(aj.ModelError, match=r"m\.aj\.json:3: "):
        loaded(tmp_path, text)


def test_the_schema_names_what_files_may_have():
    """The schema in the docs and the reader agree on the names of the file, of bodies and of inertias."""
    defined = SCHEMA["$defs"]
    assert set(SCHEMA["properties"]) == set(TOP)
    assert set(defined["body"]["properties"]) == set(BODY_KEYS)
    assert set(defined["inertia"]["properties"]) == set(INERTIA)
    assert set(defined["contact"]["properties"]) == set(CONTACT_KEYS)
    assert set(defined["constraint"]["oneOf"][1]["properties"]) == set(CONSTRAINT_KEYS)
    assert set(defined["function"]["properties"]) == {"of", "where", "tables", "value"}
    assert set(defined["step"]["properties"]) == {*STEPS, "by", "axis", "frame"}


@pytest.mark.parametrize("text", [test_mjcf.ZOO, test_mjcf_tendons.TEXT])
def test_what_another_file_said_is_kept(tmp_path, text):
    (tmp_path / "model.xml").write_text(text)
    mech = aj.load(tmp_path / "model.xml")
    made = round_trip(mech, tmp_path)
    was, now = mech.source, made.source
    assert (now.joints, now.settings) == (was.joints, was.settings)
    assert [list(x) for x in (now.tendons, now.sensors, now.collisions)] == [
        list(x) for x in (was.tendons, was.sensors, was.collisions)
    ]
    for name, state in was.starts.items():
        assert all(np.array_equal(a, b) for a, b in zip(state, now.starts[name], strict=True))
    old, new = mech.compile(), made.compile()
    q, v = mech.start[0], np.linspace(-1, 1, mech.nv)
    for name, path in was.tendons.items():
        lengths = [model.path_length(q, forces.Tendon(x)) for model, x in ((old, path), (new, now.tendons[name]))]
        assert lengths[0] == lengths[1]
    for name, sensor in was.sensors.items():
        assert np.array_equal(sensor(old, q, v, v), now.sensors[name](new, q, v, v)), name


@pytest.mark.parametrize(("said", "words"), [
    ({"joint": {}}, "did you mean 'joints'"),
    ({"joints": {"j": "nobody"}}, "expected the name of a body, got 'nobody'"),
    ({"coordinates": {"j": 3}}, "expected the name of a body, got 3"),
    ({"starts": {"home": [[1, 2], [3]]}}, "expected 1 and 1 numbers"),
    ({"starts": {"home": "there"}}, "expected \\[q, v\\]"),
    ({"settings": {"pace": [1]}}, "expected a number or a text"),
    ({"settings": {"method": "rk5"}}, "settings 'method': expected one of auto, "),
    ({"tendons": {"t": 1}}, "expected a path"),
    ({"sensors": {"s": 1}}, "expected a record of kind sensors.Sensor"),
    ({"sensors": {"s": {"sensors.Sensor": {"kind": "lenght"}}}}, "did you mean 'length'"),
    ({"collisions": {"c": 1}}, "expected a list of shapes"),
    ({"collisions": 1}, "collisions is an object"),
])  # fmt: skip
def test_what_is_wrong_with_it_is_told(tmp_path, said, words):
    bodies = [{"name": "a", "joint": {"Revolute": {}}, "inertia": {"mass": 1, "tensor": [1, 1, 1]}}]
    with pytest.raises(aj.ModelError, match=words):
        loaded(tmp_path, {"anyjoint": 1, "name": "m", "bodies": bodies, "file": said})


def test_all_problems_of_a_body_are_told_and_others_may_hang_on_it(tmp_path):
    solid = '"inertia": {"mass": 1, "tensor": [1, 1, 1]}'
    bad = '"joint": {"Revolut": {}}, "inertia": {"mass": -1}, "placement": [{"translate": [1, 2, 3]}]'
    path = tmp_path / "bad.aj.json"
    path.write_text(
        '{"anyjoint": 1, "name": "bad", "bodies": [\n'
        f'{{"name": "a", {bad}}},\n{{"name": "b", "parent": "a", {solid}}},\n{{"name": "b", {solid}}}]}}'
    )
    with pytest.raises(aj.ModelError, match="4 problems") as caught:
        aj.load(path)
    lines = [line.partition("bad.aj.json:")[2][:1] for line in str(caught.value).splitlines()[1:]]
    assert lines == ["2", "2", "2", "4"]
