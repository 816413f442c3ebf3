"""What `add_loop` and `add_constraint` do: their arguments checked, as constraints of a mechanism."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.constraints import Constraint, ConstraintFunction, FunctionConstraint
from anyjoint.constraints.loop import closing, make_loop
from anyjoint.errors import AnyjointError, InputError, ModelError
from anyjoint.joints import Fixed, Free, FreeQuaternion, Joint
from anyjoint.joints.function import function_name
from anyjoint.options import nearest
from anyjoint.scalar import Scalar, definition, is_real
from anyjoint.spatial import Pose, Twist, Vector, zeros

from .body import Body, Ground, Where
from .frame import as_pose
from .probing import PROBES, anywhere, undefined

if TYPE_CHECKING:
    from .mechanism import Mechanism


def loop(
    mech: Mechanism, a: Where, b: Where, joint: Joint | None, at: Any, name: str | None, compliance: Any
) -> Constraint:
    """A loop between two bodies; a joint without rows of its own cuts the second body in two halves."""
    first, second = body_index(mech, a, "add_loop"), body_index(mech, b, "add_loop")
    names = [_name(mech, index) for index in (first, second)]
    name = _fresh_name(mech, name, f"{names[0]}-{names[1]}")
    if first == second:
        raise ModelError(f"loop {name!r}: it joins {names[0]!r} to itself; give two bodies")
    joint = Fixed() if joint is None else joint
    if not isinstance(joint, Joint):
        raise ModelError(f"loop {name!r}: joint {joint!r} is not a joint; give one of anyjoint.joints")
    if isinstance(joint, (Free, FreeQuaternion)):
        raise ModelError(f"loop {name!r}: {type(joint).__name__} leaves all motions free, so there is nothing to close")
    frames = _frames(at, name)
    soft = _compliance(compliance, f"loop {name!r}")
    if closing(joint) is not None:
        return make_loop(name, (first, second), frames, joint, soft)
    return _cut(mech, name, first, second, frames, joint, soft)


def _cut(
    mech: Mechanism, name: str, first: int, second: int, frames: tuple[Pose, Pose], joint: Joint, soft: float
) -> Constraint:
    """Half of the second body rides on the first by the joint, and is welded to the other half."""
    if second < 0:
        raise ModelError(
            f"loop {name!r}: {type(joint).__name__} has no rows of its own, and the ground cannot be cut in two; "
            "name the ground first, or hang the body on the ground by this joint and close another one"
        )
    body = mech.bodies[second]
    half = body.inertia.scaled(0.5)
    carrier = None if first < 0 else mech.bodies[first]
    mech.replace_body(replace(body, inertia=half))
    # The half's own frame is the closing frame.
    other = mech.add_body(name, carrier, joint, frames[0], half.moved(frames[1].inverse()))
    return make_loop(name, (other.index, second), (Pose(), frames[1]), Fixed(), soft)


def function(
    mech: Mechanism, given: Any, bodies: Sequence[Where], coordinates: Sequence[str], time: Any, compliance: Any,
    name: str | None,
) -> Constraint:  # fmt: skip
    """A constraint by a user's function."""
    if not isinstance(given, ConstraintFunction):
        raise ModelError(f"add_constraint: {_no_constraint(given)}")
    chosen = [bodies] if isinstance(bodies, str) or not isinstance(bodies, Sequence) else bodies
    touched = tuple(body_index(mech, body, "add_constraint") for body in chosen)
    named = (coordinates,) if isinstance(coordinates, str) else tuple(coordinates)
    places = tuple(coordinate_place(mech, x, "add_constraint") for x in named)
    if not touched and not places:
        raise ModelError(f"add_constraint: {given.described} names no bodies=(...) and no coordinates=(...)")
    if len(set(touched)) < len(touched) or len(set(places)) < len(places):
        raise ModelError(f"add_constraint: {given.described} names a body or coordinate twice; name each once")
    made = FunctionConstraint(
        name=_fresh_name(mech, name, given.name),
        bodies=touched,
        coordinates=places,
        frames=(Pose(),) * len(touched),
        time=bool(time),
        compliance=_compliance(compliance, f"constraint {given.name!r}"),
        function=given,
    )
    count = _count(mech, made)
    if not count:
        raise ModelError(f"{made.described} returned no rows; return one number or several")
    return replace(made, row_names=tuple(map(str, range(count))))


def _check_signature(made: FunctionConstraint, arguments: Sequence[Any]) -> None:
    """Refuse a function that takes another number of arguments than what the constraint names."""
    try:
        inspect.signature(made.function.function).bind(*arguments)
    except TypeError:
        velocity, n = made.function.velocity, len(made.bodies)
        parts = [f"a pose and a twist for each of {n} bodies" if velocity else f"the poses of {n} bodies"] if n else []
        if made.coordinates:
            parts.append("arrays of coordinates and of their rates" if velocity else "an array of coordinates")
        parts += ["the time"] if made.time else []
        given = ", then ".join(parts)
        raise ModelError(
            f"{made.described} cannot be called with {len(arguments)} arguments: {given}; write it with these "
            "parameters, or name other bodies=, coordinates= or time="
        ) from None
    except ValueError:  # a function that is not written in Python
        return


def _no_constraint(given: Any) -> str:
    """What is wrong with something that is no constraint function."""
    if not callable(given):
        return f"{given!r} is no constraint; give a function with @aj.constraint above it"
    place = definition(given)
    where = f"{function_name(given)} ({place})" if place else repr(given)
    return f"{where} is a plain function; put @aj.constraint or @aj.velocity_constraint above it"


def rolling(
    mech: Mechanism, where: Where, rim: Any, on: Any, of: Where, at: Any, place: Any, name: str | None
) -> tuple[Constraint, Constraint]:
    """A row that keeps a wheel on a plane, and two that keep it from slipping."""
    from anyjoint.constraints.rolling import rolling_rows  # with curves and surfaces, of which most robots have none

    wheel, base = body_index(mech, where, "add_rolling"), body_index(mech, of, "add_rolling")
    if wheel < 0 or wheel == base:
        raise ModelError(f"add_rolling: {_name(mech, wheel)!r} cannot roll on {_name(mech, base)!r}; name two bodies")
    label = name or f"{_name(mech, wheel)} rolling"
    for what, pose in (("at", at), ("place", place)):
        if pose is not None and not isinstance(pose, Pose):
            raise ModelError(f"rolling {label!r}: {what}={pose!r}; expected an aj.Pose")
    touches, slips = rolling_rows(rim, on, at or Pose(), place or Pose(), f"rolling {label!r}")
    bodies = [wheel, *([base] if base >= 0 else [])]
    names = [mech.bodies[k].name for k in bodies]
    contact = function(mech, touches, names, (), False, 0.0, f"{label}: contact")
    return contact, function(mech, slips, names, (), False, 0.0, f"{label}: no slip")


def prescribed(mech: Mechanism, where: Where, motion: Any, name: str | None) -> Constraint:
    """Rows q - motion(t) on all coordinates of a joint, or on one coordinate."""
    single = isinstance(where, str) and where not in mech and where in mech.coordinate_names
    index = coordinate_place(mech, where, "prescribe")[0] if single else body_index(mech, where, "prescribe")
    body = mech.bodies[index] if index >= 0 else None
    if body is None or not body.joint.nq:
        raise ModelError(f"prescribe: {where!r} has no coordinates that could follow a function of time")
    names = (str(where),) if single else body.coordinate_names
    if not callable(motion):
        raise ModelError(f"prescribe: {motion!r} must be a function of time, such as lambda t: 1.5 * aj.sin(t)")

    def rows(q: Any, t: Scalar) -> list[Scalar]:
        given = motion(t)
        wanted = list(given) if hasattr(given, "__len__") else [given]
        if len(wanted) != len(q):
            raise InputError(f"prescribe: the motion of {body.name!r} gave {len(wanted)} numbers; expected {len(q)}")
        return [x - y for x, y in zip(q, wanted, strict=True)]

    label = name or f"motion of {where if single else body.name}"
    return function(mech, ConstraintFunction(rows, False, motion), (), names, True, 0.0, label)


def _count(mech: Mechanism, made: FunctionConstraint) -> int:
    """How many rows a function gives at the start or, where it is not defined there, at some random place."""
    rng = np.random.default_rng(20061)
    starts = [mech.start[0]] if mech.start is not None and len(mech.start[0]) == mech.nq else []
    random = [anywhere(mech, rng) for _ in range(PROBES)]
    for q in (*starts, mech.neutral, *random):
        arguments = _arguments(mech, made, q)
        _check_signature(made, arguments)
        try:
            return len(made.function.entries(arguments))
        except AnyjointError as error:
            if not undefined(error) or q is random[-1]:
                raise
    raise AssertionError  # the last place has answered or raised


def _arguments(mech: Mechanism, made: FunctionConstraint, q: Vector) -> list[Any]:
    """What the function is called with at these coordinates, at rest."""
    poses = mech.poses(list(map(float, q)))
    at = [poses[i] if i >= 0 else Pose() for i in made.bodies]
    chosen = [float(q[mech.bodies[body].q][k]) for body, k in made.coordinates]
    return made.arguments(at, [Twist(zeros(3), zeros(3))] * len(at), chosen, [0.0] * len(chosen), 0.0)


def body_index(mech: Mechanism, where: Where, what: str) -> int:
    """The index of a body given as itself or by name; -1 for the ground."""
    if where is None or where is mech.ground or where == mech.ground.name:
        return -1
    if isinstance(where, str) and where in mech:
        return mech[where].index
    if isinstance(where, Body) and where.name in mech and mech[where.name].index == where.index:
        return where.index
    known = [mech.ground.name, *(body.name for body in mech.bodies)]
    raise ModelError(f"{what}: {where!r} is no body of {mech.name!r}{nearest(where, known)}")


def coordinate_place(mech: Mechanism, name: Any, what: str) -> tuple[int, int]:
    """(body, coordinate) of a full name, or of a body with a single coordinate."""
    for body in mech.bodies:
        if name in body.coordinate_names:
            k = body.coordinate_names.index(name)
            if body.contact:
                raise ModelError(f"{what}: {name!r} changes with the contact of {body.name!r}; name the body instead")
            if body.joint.velocity_of(k) is None:
                raise ModelError(f"{what}: the rate of {name!r} is no velocity of its own, so no row can be made of it")
            return body.index, k
        if name == body.name and body.joint.nq == 1:
            return body.index, 0
    raise ModelError(f"{what}: there is no coordinate {name!r}{nearest(name, mech.coordinate_names)}")


def _fresh_name(mech: Mechanism, name: Any, default: str) -> str:
    taken = {c.name for c in mech.constraints}
    if name is None:
        numbered = (f"{default} {k}" for k in range(2, len(taken) + 3))
        return default if default not in taken else next(text for text in numbered if text not in taken)
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"a constraint's name must be a non-empty text, got {name!r}")
    if name in taken:
        raise ModelError(f"mechanism {mech.name!r}: there is already a constraint {name!r}; give each its own name")
    return name


def _name(mech: Mechanism, index: int) -> str:
    thing: Body | Ground = mech.bodies[index] if index >= 0 else mech.ground
    return str(thing.name)


def _frames(at: Any, name: str) -> tuple[Pose, Pose]:
    """The closing frames on both bodies, from points or poses."""
    if not isinstance(at, (list, tuple)) or len(at) != 2:
        raise ModelError(f"loop {name!r}: at={at!r}; expected two points or poses, one on each body")
    first, second = (as_pose(place, f"loop {name!r}", ModelError) for place in at)
    return first, second


def _compliance(value: Any, where: str) -> float:
    if not is_real(value) or not 0 <= float(value) < np.inf:
        raise ModelError(f"{where}: compliance {value!r}; expected a finite number that is not negative")
    return float(value)
