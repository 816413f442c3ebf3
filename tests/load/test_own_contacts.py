"""Contacts in our own file: what is saved is what is loaded, to the bit; functions of a point travel as formulas."""

import inspect
import json

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import distances, joints, shapes
from anyjoint.load.own.contacts import KEYS, NUMBERS
from anyjoint.load.own.formula_distance import FormulaDistance, formula_of
from anyjoint.load.own.write import written
from anyjoint.mechanism.touching import ContactPair
from anyjoint.spatial import vector

BALL = aj.Inertia.sphere(0.5, 0.1)
FIELDS = [name for name in ContactPair.__dataclass_fields__ if name not in ("distance", "at", "shape")]
POINTS = np.random.default_rng(3).normal(size=(20, 3))


def two() -> aj.Mechanism:
    mech = aj.Mechanism("two")
    for name in ("box", "ball"):
        shape = shapes.Box(0.3, 0.2, 0.1) if name == "box" else shapes.Sphere(0.1)
        mech.add_body(name, joint=joints.FreeQuaternion(), inertia=BALL, shape=shape)
    return mech


def round_trip(mech, tmp_path):
    aj.save(mech, tmp_path / "m.aj.json")
    made = aj.load(tmp_path / "m.aj.json")
    assert (tmp_path / "m.aj.json").read_text() == written(made), "saved again it is the same text"
    return made


def test_everything_that_a_contact_holds(tmp_path):
    mech = two()
    at = aj.Pose.translation(0.1, 0.2, 1 / 3) @ aj.Pose.rotation((1, 2, 3), 0.4)
    mech.add_contact("box")
    mech.add_contact("box", [(0, 0, 0), (0.1, 0, 0)], on=distances.Cylinder(1.0, 2.0), at=at, friction=0.3)
    mech.add_contact("ball", shapes.Capsule(0.1, 0.2, pose=at), on=distances.Box(0.3, 0.2, 0.1), of="box",
                     stiffness=1e4, dissipation=0.1, slip=1e-4, name="own name")  # fmt: skip
    mech.add_contact("ball", np.zeros(3), on=distances.HeightField([[0, 0.1], [0.2, 0.3]], (-2, -2), (2, 2)))
    mech.add_contact("ball", on=distances.Sphere(2.0, inside=True))
    mech.add_contact("ball", on=distances.HalfSpace((0, 1, 1), -2.0))
    made = round_trip(mech, tmp_path)
    for pair, other in zip(mech.contacts, made.contacts, strict=True):
        for name in FIELDS:
            assert getattr(pair, name) == getattr(other, name), name
        assert (np.asarray(pair.at.matrix) == np.asarray(other.at.matrix)).all()
        assert type(other.distance) is type(pair.distance)
        assert [pair.distance(p) for p in POINTS] == [other.distance(p) for p in POINTS]


def bowl(p):
    return p[2] - 0.4 * (p[0] ** 2 + p[1] ** 2)


def ripples(p):
    deep = aj.sqrt(p[0] * p[0] + (p[1] + 0.1) ** 2 + 1e-9) - (p[0] - (p[1] - p[2])) / 7
    return p[2] + 2 - abs(aj.sin(deep)) / (3 - -aj.cos(p[0])) + aj.maximum(-p[1], aj.exp(-2.5e-7 * p[0])) ** 1.5


@pytest.mark.parametrize("function", [bowl, ripples])
def test_functions_of_a_point_become_formulas(tmp_path, function):
    mech = two()
    mech.add_contact("ball", on=function, friction=0.4)
    found = round_trip(mech, tmp_path).contacts[0].distance
    assert isinstance(found, FormulaDistance)
    # Brackets keep the order of all operations, so that nothing is rounded in another way.
    assert [float(found(p)) for p in POINTS] == [float(function(p)) for p in POINTS]


@pytest.mark.slow
def test_a_loaded_run_is_the_run(tmp_path):
    mech = aj.Mechanism("ball")
    mech.add_body("ball", joint=joints.FreeQuaternion(), inertia=BALL, shape=shapes.Sphere(0.1))
    mech.add_contact("ball", on=bowl, friction=0.4)
    mech.set_start([1, 0, 0, 0, 0.3, 0, 0.3])
    run = {"duration": 0.2, "dt": 2e-3, "method": "time-stepping"}
    first, second = (x.compile().simulate(*x.start, **run) for x in (mech, round_trip(mech, tmp_path)))
    assert (first.q == second.q).all()
    assert first.contacts["ball-ground"].force[-1, 2] == second.contacts["ball-ground"].force[-1, 2] > 0


def long(p):
    x = p[2] + aj.select(p[0] < 0.0, 0.1, 0.2)
    for _ in range(20):
        x = x + 1e-3 * aj.sin(x) * x
    return x


def test_functions_with_cases_and_values_used_again_become_formulas(tmp_path):
    made = formula_of(distances.distance(long))
    assert len(made.where.values) == 20
    p = vector(0.3, 0.2, 0.1)
    assert made(p) == long(p)
    mech = two()
    mech.add_contact("ball", on=long, name="step")
    aj.save(mech, tmp_path / "m.aj.json")
    assert aj.load(tmp_path / "m.aj.json").contacts[0].distance == made


def test_what_formulas_cannot_say_is_refused_by_name(tmp_path):
    mech = two()
    mech.add_contact("ball", on=lambda p: p[2] + (0.1 if p[0] < 0.0 else 0.2), name="step")
    with pytest.raises(
        aj.ModelError, match=r"contact 'step': .*test_own_contacts\.py.* cannot say: .* use aj.select"
    ):
        aj.save(mech, tmp_path / "m.aj.json")


BODY = {"name": "b", "joint": {"FreeQuaternion": {}}, "inertia": {"mass": 1, "tensor": [1, 1, 1]},
        "shapes": [{"shapes.Sphere": {"radius": 0.1}}]}  # fmt: skip


def loaded(tmp_path, *contacts, **more):
    text = json.dumps({"anyjoint": 1, "name": "m", "bodies": [BODY], "contacts": list(contacts), **more}, indent=1)
    (tmp_path / "m.aj.json").write_text(text)
    return aj.load(tmp_path / "m.aj.json")


def test_a_file_by_hand(tmp_path):
    on = {"formula": "z - steep * (x^2 + y^2)", "parameters": {"steep": 0.4}}
    mech = loaded(tmp_path, {"body": "b", "on": on, "friction": 0.3}, {"body": "b", "shape": [0, 0, 0.1]},
                  {"body": "b", "on": {"formula": "deep + z"}}, parameters={"deep": 2.0})  # fmt: skip
    own, level, deep = mech.contacts
    assert own.friction == 0.3
    assert [own.distance(p) for p in POINTS] == pytest.approx([bowl(p) for p in POINTS], abs=1e-15)
    assert level.distance == distances.HalfSpace()
    assert level.balls[0].first == (0, 0, 0.1)
    assert deep.distance((0, 0, 1.0)) == 3.0
    round_trip(mech, tmp_path)


@pytest.mark.parametrize(("contact", "words"), [
    (3, "a contact is an object"), ({"friction": 1}, "a contact is an object"),
    ({"body": "c"}, "'c' is no body"), ({"body": "b", "of": "b"}, "does not touch itself"),
    ({"body": "b", "frction": 1}, "has no 'frction'.*did you mean 'friction'"),
    ({"body": "b", "friction": -1}, "friction=-1"), ({"body": "b", "slip": "much"}, "slip='much'"),
    ({"body": "b", "on": {"Bax": {}}}, "no kind 'Bax'.*did you mean 'Box'"), ({"body": "b", "on": 3}, "a distance is"),
    ({"body": "b", "on": {"Box": {"x": 1}}}, "Box"),
    ({"body": "b", "on": {"shapes.Sphere": {"radius": 1}}}, "a distance is"),
    ({"body": "b", "on": {"formula": "z - w"}}, "no coordinate of a point, or parameter, 'w'"),
    ({"body": "b", "on": {"formula": "z -"}}, "expected a value"),
    ({"body": "b", "on": {"formula": "1"}}, "gradient of FormulaDistance vanishes"),
    ({"body": "b", "on": {"formula": "x*z", "parameters": {"x": 1}}}, "choose another name"),
    ({"body": "b", "on": {"formula": "z", "parameter": {}}}, "has no 'parameter'"),
    ({"body": "b", "shape": "ball"}, "it touches with 'ball'"), ({"body": "b", "at": 3}, "a pose is a list"),
])  # fmt: skip
def test_problems_have_their_line(tmp_path, contact, words):
    with pytest.raises(aj.ModelError, match=rf"m\.aj\.json:\d+: .*{words}"):
        loaded(tmp_path, contact)


def test_every_option_of_add_contact_can_be_said():
    assert set(inspect.signature(aj.Mechanism.add_contact).parameters) - {"self"} == set(KEYS)
    assert NUMBERS["slip"] == inspect.signature(aj.Mechanism.add_contact).parameters["slip"].default
