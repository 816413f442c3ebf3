"""Another joint for a body that is there already; coordinates are numbered again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import InputError, ModelError
from anyjoint.joints import Joint
from anyjoint.joints.coupled import Chain
from anyjoint.options import nearest
from anyjoint.spatial import Pose, Vector

from .body import Body
from .per_coordinate import per_coordinate

if TYPE_CHECKING:
    from .mechanism import Mechanism

# What a joint has one number of per velocity: its option in add_body, the field of Body, and what means none.
NUMBERS = {
    "stiffness": ("stiffness", 0.0), "damping": ("damping", 0.0), "armature": ("armature", 0.0),
    "friction": ("friction", 0.0), "effort": ("effort", math.inf), "velocity": ("speed", math.inf),
}  # fmt: skip
State = tuple[Vector, Vector]


def replace_joint(
    mech: Mechanism, name: str, joint: Joint, placement: Pose | None, numbers: Mapping[str, Any]
) -> Body:
    """The body `name`, or the one that the file's joint `name` moves, by another joint."""
    named = mech.source.joints if mech.source else {}
    if name not in mech and name not in named:
        known = [*named, *(body.name for body in mech.bodies)]
        raise InputError(f"replace_joint: mechanism {mech.name!r} has no joint or body {name!r}{nearest(name, known)}")
    body = mech[name if name in mech else named[name]]
    if body.contact:
        raise ModelError(f"replace_joint: body {body.name!r} has a contact, which brings its joints along")
    _check_users(mech, body, joint)
    before = list(mech.bodies)
    made = replace(body, joint=mech.led(joint), placement=body.placement if placement is None else placement,
                   **_numbers(body, joint, numbers))  # fmt: skip
    mech.replace_body(made)
    if mech.source:
        kept = {name: own for name, own in mech.source.chained.items() if name != body.name}
        mech.source = replace(mech.source, chained=kept)
    _follow_again(mech, body.name)
    _number_again(mech)
    _keep_states(mech, before, body)
    return mech.bodies[body.index]


def _numbers(body: Body, joint: Joint, given: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for option, (field, nothing) in NUMBERS.items():
        old = getattr(body, field)
        if option in given:
            made[field] = per_coordinate(given[option], joint.nv, body.name, option, nothing)
        elif joint.nv == body.joint.nv or all(x == nothing for x in old):
            made[field] = old if joint.nv == body.joint.nv else (nothing,) * joint.nv
        else:
            what = f"its {option} is {list(old)} for {body.joint.nv} velocities and the new joint has {joint.nv}"
            raise ModelError(f"replace_joint: body {body.name!r}: {what}; give {option}=...")
    sprung = any(x for field in ("stiffness", "damping", "armature") for x in made[field])
    same = joint.nq == body.joint.nq and any(made["stiffness"])
    neutral = body.rest if same else [c.neutral for c in joint.coordinates]
    return made | {
        "sprung": sprung,
        "rest": per_coordinate(given.get("rest", neutral), joint.nq, body.name, "rest"),
    }


def _check_users(mech: Mechanism, body: Body, joint: Joint) -> None:
    """Refuse to take away coordinates that constraints or other joints use."""
    if joint.follows and any(x.joint.follows == body.name for x in mech.bodies):
        raise ModelError(f"replace_joint: joints follow body {body.name!r}, which cannot follow another one then")
    for constraint in mech.constraints:
        for index, k in getattr(constraint, "coordinates", ()):
            if index == body.index and (k >= joint.nq or joint.velocity_of(k) is None):
                what = f"coordinate {body.coordinate_names[k]!r}, which the new joint has not as one that moves alone"
                raise ModelError(f"replace_joint: constraint {constraint.name!r} uses {what}")


def _follow_again(mech: Mechanism, name: str) -> None:
    """Joints that followed the leader of a body over the body's own follow the body; damping stays where it is felt."""
    direct = mech.source.chained if mech.source else {}
    for body in list(mech.bodies):
        functions = getattr(body.joint, "functions", None)
        own = functions.then if isinstance(functions, Chain) else direct.get(body.name)
        if own is not None and own.source == name:
            mech.replace_body(replace(mech.bodies[body.index], joint=mech.led(own)))
            _follow_again(mech, body.name)


def _number_again(mech: Mechanism) -> None:
    q = v = 0
    for body in list(mech.bodies):
        own = slice(q, q + body.joint.nq), slice(v, v + body.joint.nv)
        if (body.q, body.v) != own:
            mech.replace_body(replace(body, q=own[0], v=own[1]))
        q, v = own[0].stop, own[1].stop


def _keep_states(mech: Mechanism, before: list[Body], changed: Body) -> None:
    """The start, and the states that the file names, with the new joint at its neutral place."""

    def moved(state: State) -> State:
        q, v = mech.neutral.copy(), np.zeros(mech.nv)
        for old, new in zip(before, mech.bodies, strict=True):
            if new.index != changed.index:
                q[new.q], v[new.v] = state[0][old.q], state[1][old.v]
        return q, v

    mech.start = moved(mech.start) if mech.start else None
    if mech.source:
        starts = {name: moved(state) for name, state in mech.source.starts.items()}
        kept = {name: place for name, place in mech.source.coordinates.items() if place[0] != changed.name}
        mech.source = replace(mech.source, starts=starts, coordinates=kept)
