"""Every kind of the library comes back from a file, to the bit: forces, and what all else is made of."""

import json

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import distances, forces, functions, joints, shapes, surfaces
from anyjoint.forces.program import trace_forces
from anyjoint.load.osim.attachments import Location
from anyjoint.load.osim.coordinates import Place
from anyjoint.load.osim.joints import OnEllipsoid, OnThorax
from anyjoint.load.own.codec import KINDS, decoded, encoded
from anyjoint.load.own.write import written
from anyjoint.mechanism import Source
from anyjoint.mechanism.sensor import Sensor
from forces.test_laws import CONSERVATIVE, OTHERS, PATH
from load.test_own import four_bar, round_trip
from stepper.test_implicit import tree
from tests.joints.zoo import CUBE, SIDES
from tests.joints.zoo import KINDS as JOINTS

FORCES = CONSERVATIVE | OTHERS


@pytest.mark.parametrize("name", FORCES)
def test_every_force(tmp_path, name):
    """tests/forces sees to it that none is missing."""
    mech = tree()
    mech.source = Source("", "", forces=(FORCES[name],))
    made = round_trip(mech, tmp_path)
    wanted, found = (trace_forces(x, x.source.forces).torque(0.3, *mech.start) for x in (mech, made))
    assert np.array_equal(wanted, found)


BEND = functions.SimmSpline([0, 1, 2, 3], [0, 1, 0.5, 1 / 3])
BESIDE = aj.Pose.translation(0.1, 0.2, 1 / 3) @ aj.Pose.rotation((1, 2, 3), 0.4)
PATCH = [[(i, j, i * j / 3) for j in range(4)] for i in range(4)]
PLACE = Place((("hand", 0),), BEND)
# What the joints of the zoo and the forces above are not made of.
PARTS = (
    surfaces.Inside(surfaces.Sphere(2.0)),
    surfaces.atlas(surfaces.CatmullClark(CUBE, SIDES)), surfaces.Quilt((surfaces.Bezier(PATCH),)),
    functions.Composed(BEND, functions.Constant(0.3)), functions.Scaled(BEND, 2.0), functions.Of(BEND, (1,)),
    functions.Held(functions.Of(BEND, (1,)), (None, 1 / 7)), functions.PiecewiseLinear([0, 1, 3], [0, 1 / 3, 1]),
    functions.Bounded(-1, 1 / 3), functions.Powers((1, 1 / 3, 2)), functions.Sine(1 / 3), functions.Step(0, 1 / 3),
    functions.Tied(functions.Of(BEND, (1,)), (0, None), BEND, (0,)),
    shapes.Group((shapes.Box(1, 2, 3, color="red"), shapes.Capsule(1, 2), shapes.Cylinder(1, 2), shapes.Torus(2, 1))),
    shapes.Ellipsoid(1, 2, 1 / 3, pose=BESIDE), shapes.Sphere(1 / 7, opacity=0.5), shapes.Tube([(0, 0, 0), (1, 0, 1)]),
    shapes.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 1 / 3]], [[0, 1, 2]]),
    distances.Box(1, 2, 1 / 3), distances.Capsule(1, 2), distances.Cylinder(1, 2), distances.Sphere(1, inside=True),
    distances.HalfSpace((0, 1 / 3, 1), 0.1), distances.HeightField([[0, 1], [1 / 3, 2]]),
    forces.Muscle(PATH, forces.FLV(300.0, 1 / 3), 0.5, forces.MuscleLag(start=0.1)),
    forces.Actuator("arm", lag=forces.Filter(0.1)), forces.Actuator("arm", lag=forces.Integrator(range=(-1, 1))),
    forces.MovingPoint("hand", Location((BEND, BEND, BEND), ((0,),) * 3, (PLACE,) * 3, BESIDE), (("hand", 0),)),
    forces.ConditionalPoint("hand", (0, 1, 2), ("hand", 0), (0, 1 / 3), BEND),
    forces.WrapEllipsoid("hand", (0, 1, 2), (1, 2, 3), side=(1, 0, 0)),
    joints.FunctionBased([], [((1, 0, 0), OnEllipsoid(0, 1 / 3), (0, 1))], names=("a", "b")),
    joints.FunctionBased([], [((1, 0, 0), OnThorax(0, (1, 2, 3), (0, 1 / 3), 0.2), (0, 1, 2, 3))], names=tuple("abcd")),
    joints.Coupled(joints.Revolute(), (1 / 3,), "hand", 0.1),
    Sensor("position", ("hand", BESIDE), 1 / 3),
)  # fmt: skip
# What the library shows of joints and forces; functions in Python become formulas; a shape is one of the others.
NEVER = {"joints.Coordinate", "joints.FunctionJoint", "joints.Motion", "forces.Push", "shapes.Shape"}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_what_they_are_made_of(part):
    text = json.dumps(encoded(part))
    made = decoded(json.loads(text))
    assert type(made) is type(part)
    assert json.dumps(encoded(made)) == text


def test_no_kind_is_forgotten():
    """Whoever adds a kind is led here, and to what `arguments.py` says of its functions."""
    text = json.dumps([encoded(x) for x in (*JOINTS.values(), *FORCES.values(), *PARTS)]) + written(four_bar())
    assert {kind for kind in KINDS if f'"{kind}"' not in text} == NEVER
