"""Functions in our own file: those in Python become formulas of the same bits; every problem is told."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import curves, forces, joints, surfaces
from anyjoint.forces.program import trace_forces
from anyjoint.mechanism import Source
from forces import test_laws as laws
from load.test_own import BODY, FORMULA, SOLID, file, four_bar, loaded, round_trip


def rolling_bar():
    """Loops, rows of one's own on poses, twists, coordinates and time, a soft one, a prescribed motion, rolling."""
    mech = four_bar()
    mech.add_body("wheel", joint=joints.Free(), inertia=SOLID)
    mech.add_body("cart", joint=joints.Planar(), inertia=SOLID)

    @aj.constraint
    def rod(a, b):
        d = a.act((0, 0, 1)) - b.act((0, 0, 0))
        return d @ d - 0.25

    @aj.velocity_constraint
    def knife(pose, twist, q, qd, t):
        return twist.linear[1] * aj.cos(t) + pose.R[0, 1] * qd[0] * q[0]

    @aj.constraint
    def cam(q):
        return q[0] - aj.functions.SimmSpline([0, 1, 2, 3], [0, 1, 0.5, 0.2])(q[1]), aj.select(q[0] < 1, q[0], 1.0)

    mech.add_constraint(rod, bodies=("crank", mech.ground), compliance=1e-3)
    mech.add_constraint(knife, bodies=("cart",), coordinates=("crank",), time=True, name="edge")
    mech.add_constraint(cam, coordinates=("rocker", "crank"), compliance=0.1)
    mech.prescribe("cart/x", lambda t: 0.3 * np.sin(t) ** 2)
    mech.add_rolling("wheel", surfaces.Torus(1.0, 0.3), surfaces.Plane(), "cart", place=aj.Pose.rotation_x(0.1))
    return mech


def test_constraints_are_kept(tmp_path):
    """All of them, to the bit; functions in Python as formulas."""
    mech = rolling_bar()
    made = round_trip(mech, tmp_path)
    assert [x.name for x in made.constraints] == [x.name for x in mech.constraints]
    for one, other in zip(mech.constraints, made.constraints, strict=True):
        for field in ("bodies", "coordinates", "time", "compliance", "row_names", "holonomic"):
            assert getattr(one, field) == getattr(other, field), (one.name, field)
    q, v = np.linspace(0.1, 0.9, mech.nq), np.linspace(-0.5, 0.5, mech.nv)
    old, new = mech.compile(), made.compile()
    assert np.array_equal(new.constraint_jacobian(q, t=0.3), old.constraint_jacobian(q, t=0.3))
    assert np.array_equal(new.forward_dynamics(q, v, t=0.3), old.forward_dynamics(q, v, t=0.3))


EQUALITIES = """<mujoco><worldbody>
 <body name="a"><joint name="a" axis="0 1 0"/><geom size="0.1" pos="0 0 1"/><site name="s" pos="0.1 0 1"/>
  <body name="b" pos="0 0 1"><joint name="b" axis="0 1 0"/><geom size="0.1"/><site name="t" pos="0 0 1"/></body>
 </body>
 <body name="c" pos="1 0 0"><joint name="c" type="slide" axis="0 0 1"/><geom size="0.1"/><site name="u"/></body>
 </worldbody>
 <tendon><spatial name="rope"><site site="s"/><site site="t"/><site site="u"/></spatial>
  <fixed name="sum"><joint joint="a" coef="1"/><joint joint="c" coef="-2"/></fixed></tendon>
 <equality><joint joint1="a" joint2="b" polycoef="0.1 0.2 0.3 0 0"/><tendon tendon1="rope" tendon2="sum"/></equality>
</mujoco>"""


def test_equalities_of_mjcf_are_kept(tmp_path):
    """Polynomials and lengths of tendons."""
    (tmp_path / "model.xml").write_text(EQUALITIES)
    mech = aj.load(tmp_path / "model.xml")
    assert len(mech.constraints) == 2
    made, q = round_trip(mech, tmp_path), [0.1, 0.2, 0.3]
    assert np.array_equal(made.compile().constraint_jacobian(q), mech.compile().constraint_jacobian(q))
    assert np.array_equal(made.compile().forward_dynamics(q, q), mech.compile().forward_dynamics(q, q))


def test_functions_in_forces_become_formulas(tmp_path):
    mech = laws.tree()
    mech.source = Source("", "", forces=tuple((laws.CONSERVATIVE | laws.OTHERS).values()))
    made = round_trip(mech, tmp_path)
    for one, other in zip(mech.source.forces, made.source.forces, strict=True):
        torques = [trace_forces(x, [force]).torque(0.3, *mech.start) for x, force in ((mech, one), (made, other))]
        assert np.array_equal(*torques), one


def test_leaders_by_functions(tmp_path):
    mech = aj.Mechanism("followers")
    mech.add_body("lead", joint=joints.Universal(), inertia=SOLID)
    mech.add_body("one", joint=joints.Coupled(joints.Revolute(), lambda q: aj.sin(q[0]) * q[1], "lead"), inertia=SOLID)
    both = joints.Coupled(joints.Universal(), (lambda q: q[0] ** 2, 2.0), "one", 0.3)  # behind one that follows
    mech.add_body("two", joint=both, inertia=SOLID)
    made = round_trip(mech, tmp_path)
    q, v = [0.3, 0.4], [0.5, -0.6]
    assert np.array_equal(made.compile().forward_dynamics(q, v), mech.compile().forward_dynamics(q, v))


def test_code_that_formulas_cannot_say_is_refused_by_name(tmp_path):
    mech = aj.Mechanism("code")
    mech.add_body("good", joint=joints.Revolute(), inertia=SOLID)
    mech.add_body("bead", joint=joints.OnCurve(curves.curve(lambda s: (s, s * s, 0))), inertia=SOLID)

    @aj.joint(dof=1, names=["knee angle"])
    def my_knee(q):
        return aj.Pose.rotation_x(q[0])

    mech.add_body("knee", joint=my_knee, inertia=SOLID)
    switch = forces.Wrench("good", (lambda t: 1.0 if t > 3 else 0.0, 0, 0))
    mech.source = Source("", "", forces=(switch,), settings={"report": print})
    with pytest.raises(aj.ModelError, match=r"has 3 problems") as caught:
        aj.save(mech, tmp_path / "m.aj.json")
    text = str(caught.value)
    assert "body 'knee': the coordinate 'knee angle' cannot be called so in formulas" in text
    assert "forces: the function '<lambda>' (" in text
    assert "test_own_functions.py:" in text
    assert "is Python code that formulas cannot say: an expression stands for any value" in text
    assert "file: the function 'print' is Python code, and has no place in a file here" in text
    assert not (tmp_path / "m.aj.json").exists()


ROW = '"constraints": [{"name": "row", "coordinates": ["b"], "function": %s}],'
WITH = '"joints": {"j": {"coordinates": {"s": [0, 1]}, "where": %s, "tables": %s, "pose": [{"rotation": "s"}]}},'


@pytest.mark.parametrize(("text", "words"), [
    (file(BODY, more=FORMULA % ('"s": [0, 1]', '"rotation": "gather(t, s)"')), "there is no table 't'"),
    (file(BODY.replace('{"Revolute": {}}', '"j"'), more=FORMULA % ('"s": [0, 1]', '"rotation": "s/0"')), "not defined"),
    (file(BODY, more=FORMULA % ('"s": {"domain": [1, 0]}', '"rotation": "s"')), "low < high"),
    (file(BODY, more=FORMULA % ('"s": {"domain": [0, 1], "neutral": 1e300}', '"rotation": "s"')), "neutral 1e.300"),
    (file(BODY, more=WITH % ('{"a": "b", "b": "s"}', "{}")), "no coordinate or parameter 'b'"),
    (file(BODY, more=WITH % ('{"s": "1"}', "{}")), "'s' is there already"),
    (file(BODY, more=WITH % ('{"sin": "s"}', "{}")), "choose another name"),
    (file(BODY, more=WITH % ("[]", "{}")), "'where' is formulas by name"),
    (file(BODY, more=WITH % ("{}", '{"t": []}')), "'tables' is lists of numbers"),
    (file(BODY, more=ROW % '{"of": ["x"]}'), "a function is an object"),
    (file(BODY, more=ROW % '{"of": ["x"], "values": 1, "value": 1}'), "did you mean 'value'"),
    (file(BODY, more=ROW % '{"of": 3, "value": 1}'), "'of' names the arguments"),
    (file(BODY, more=ROW % '{"of": {"q": "posse"}, "value": 1}'), "expected number, pose, twist"),
    (file(BODY, more=ROW % '{"of": {"q": -1}, "value": 1}'), "or how many numbers"),
    (file(BODY, more=ROW % '{"of": {"a b": 1}, "value": 1}'), "unexpected 'b'"),
    (file(BODY, more=ROW % '{"of": {"1": 1}, "value": 1}'), "cannot be called so"),
    (file(BODY, more=ROW % '{"of": {"q": 1, "q_0": "number"}, "value": 1}'), "the same name twice"),
    (file(BODY, more=ROW % '{"of": {"q": 2}, "value": "q_0"}'), r"a function of \[2\]; expected one of \[1\]"),
    (file(BODY, more=ROW % '{"of": ["a", "b"], "value": "a"}'), r"of \['number', 'number'\]; expected one of \[1\]"),
    (file(BODY, more=ROW % '{"of": {"q": 1}, "value": "p"}'), "no argument or value 'p'"),
    (file(BODY, more=ROW % '{"of": {"q": 1}, "value": []}'), "no rows"),
    (file(BODY, more=ROW.replace('"coor', '"core": 1, "coor') % '{"of": {"q": 1}, "value": "q_0"}'), "no 'core'"),
    (file(BODY, more='"forces": [{"forces.Servo": {"body": "b", "stiffness": 1, "target":'
                     '{"function": {"of": {"p": "pose"}, "value": 1}}}}],'), r"a function of \['pose'\]; expected"),
])  # fmt: skip
def test_problems(tmp_path, text, words):
    with pytest.raises(aj.ModelError, match=words):
        loaded(tmp_path, text)
