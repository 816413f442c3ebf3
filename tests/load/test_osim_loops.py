"""Loops of OpenSim: constraints that tie bodies, and joints that close, for which a body is cut."""

import pytest

import anyjoint as aj
from anyjoint import joints
from dynamics.support import close
from load.osim_text import LINE, body, coordinates, document, joint

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
    nameless = loaded(document([body("a"), body("b")], members, more.replace(f'name="{loop.name}"', 'name=""', 1)))
    assert [x.name for x in nameless.constraints] == [text.partition(" ")[0][1:]]


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
