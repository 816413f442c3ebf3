"""Parameters by name, and bodies with some of them changed; every change is checked on the way."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from anyjoint.errors import AnyjointError, InputError
from anyjoint.joints.parameters import bind, parameters
from anyjoint.joints.spring import Spring
from anyjoint.mechanism import Body, Inertia, Mechanism
from anyjoint.mechanism.per_coordinate import per_coordinate
from anyjoint.options import meant
from anyjoint.scalar import is_real
from anyjoint.spatial import Pose

GRAVITY = "gravity"
INERTIA, SPRING = ("mass", "com", "tensor"), ("stiffness", "damping", "armature", "rest")
Changes = Mapping[tuple[str, str], Any]  # what of a body, or ("joint", path) -> the value wanted


def names(mechanism: Mechanism) -> Iterator[str]:
    """The names of all parameters."""
    yield GRAVITY
    for body in mechanism.bodies:
        for what in (*INERTIA, "placement"):
            yield f"{body.name}/{what}"
        if Spring.of(body):
            yield from (f"{body.name}/{what}" for what in SPRING)
        for parameter in parameters(body.joint):
            yield f"{body.name}/joint/{'.'.join(parameter.path)}"


class Found(NamedTuple):
    """A parameter: the index of its body (-1 for gravity), what of it, and the path of a joint's number."""

    body: int
    what: str
    path: str = ""


def find(mechanism: Mechanism, name: str) -> Found:
    """What a name stands for; refuses names that are unknown."""
    if name == GRAVITY:
        return Found(-1, GRAVITY)
    head, _, last = str(name).rpartition("/")
    joint = head.endswith("/joint") and head.removesuffix("/joint") in mechanism
    body = head.removesuffix("/joint") if joint else head
    if body in mechanism:
        made = mechanism[body]
        if joint and any(".".join(p.path) == last for p in parameters(made.joint)):
            return Found(made.index, "joint", last)
        if not joint and (last in (*INERTIA, "placement") or (last in SPRING and Spring.of(made))):
            return Found(made.index, last)
        if not joint and last in SPRING and made.joint.nv:
            raise InputError(
                f"parameter {name!r}: body {body!r} was added without springs, dampers and armature; add it with some,"
                f" or let it have them by compile(vary=[{name!r}])"
            )
    raise InputError(
        f"parameter {name!r} is unknown{meant(name, names(mechanism))}; list(model.parameters) names all, such as"
        " 'gravity' or 'BODY/mass'"
    )


def add_springs(mechanism: Mechanism, names: Sequence[str]) -> None:
    """Let bodies of which springs, dampers or armature are named have them, of zero where they have none."""
    for name in names:
        body, _, what = str(name).rpartition("/")
        if what in SPRING and body in mechanism and mechanism[body].joint.nv:
            mechanism.replace_body(replace(mechanism[body], sprung=True))


def value_of(mechanism: Mechanism, name: str) -> Any:
    """The present value of a parameter."""
    if name == GRAVITY:
        return mechanism.gravity
    index, what, path = find(mechanism, name)
    body = mechanism.bodies[index]
    if what == "placement" or what in SPRING:
        return getattr(body, what)
    if what == "joint":
        return next(p.value for p in parameters(body.joint) if ".".join(p.path) == path)
    return getattr(body.inertia, what)


def changed(body: Body, changes: Changes) -> tuple[Body, list[str]]:
    """The body with what is good of the changes, and what is wrong with the others."""
    problems = []
    for change in (_placed, _weighed, _sprung, _jointed):
        try:
            body = change(body, changes)
        except AnyjointError as error:
            problems.append(f"body {body.name!r}: {error}")
    return body, problems


def _placed(body: Body, changes: Changes) -> Body:
    """The body with its placement changed."""
    if ("placement", "") not in changes:
        return body
    value = changes["placement", ""]
    if not isinstance(value, Pose):
        raise InputError(f"its placement is a Pose, got {type(value).__name__}")
    return replace(body, placement=value)


def _weighed(body: Body, changes: Changes) -> Body:
    """The body with mass, centre of mass and tensor changed together."""
    if not any((what, "") in changes for what in INERTIA):
        return body
    numbers = {what: changes.get((what, ""), getattr(body.inertia, what)) for what in INERTIA}
    return replace(body, inertia=Inertia(**numbers, physical=body.inertia.physical))


def _sprung(body: Body, changes: Changes) -> Body:
    """The body with its springs, dampers and rotors changed."""
    new: dict[str, Any] = {}
    for what in SPRING:
        if (what, "") in changes:
            new[what] = per_coordinate(changes[what, ""], len(getattr(body, what)), body.name, what)
    return replace(body, **new, sprung=True) if new else body


def _jointed(body: Body, changes: Changes) -> Body:
    """The body with its joint's run-time numbers changed, all before any is checked against the others."""
    if not any(what == "joint" for what, _ in changes):
        return body  # the very same joint: steps that know it stay good
    values, problems = [], []
    for parameter in parameters(body.joint):
        (low, high), path = parameter.bounds, ".".join(parameter.path)
        value = changes.get(("joint", path), parameter.value)
        if not is_real(value) or not low <= value <= high or not math.isfinite(value):
            problems.append(f"its joint's {path} = {value!r}; expected a finite number between {low} and {high}")
        else:
            values.append(float(value))
    if problems:
        raise InputError("; ".join(problems))
    joint = bind(body.joint, values)
    return replace(body, joint=joint, contact=body.contact and body.contact.of_joint(joint))
