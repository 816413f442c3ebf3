"""`save`: a mechanism as a file of our own, `.aj.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anyjoint.constraints import Constraint
from anyjoint.errors import AnyjointError, InputError, ModelError
from anyjoint.joints import Coupled, Fixed, Joint
from anyjoint.mechanism import Body, Inertia, Mechanism
from anyjoint.mechanism.checks import Problem, report
from anyjoint.mechanism.touching import ContactPair
from anyjoint.spatial import Pose

from .about import encoded_source
from .arguments import formulated
from .codec import encoded, encoded_pose
from .constraints import encoded_constraint
from .contacts import encoded_contact
from .text import Json

VERSION = 1
FOREIGN = (".urdf", ".xml", ".mjcf", ".osim", ".xacro", ".sdf")  # what others would take for theirs
PER_VELOCITY = {"stiffness": 0.0, "damping": 0.0, "armature": 0.0, "friction": 0.0, "effort": float("inf")}


def save(mech: Mechanism, path: str | Path) -> None:
    """Write a mechanism to a file that `load` reads again, `.aj.json`; functions in Python are refused by name.

    >>> import anyjoint as aj, pathlib, tempfile
    >>> mech = aj.Mechanism("pendulum")
    >>> rod = mech.add_body("rod", joint=aj.joints.Revolute((0, 1, 0)), inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "pendulum.aj.json"
    >>> aj.save(mech, file)
    >>> aj.load(file).bodies
    [<Body 0 'rod': Revolute with 1 coordinates>]
    """
    if not isinstance(mech, Mechanism):
        kind = type(mech).__name__
        raise InputError(f"save: mech is a {kind}; expected a mechanism (that of a model is model.mechanism)")
    if not isinstance(path, (str, Path)):
        raise InputError(f"save: path={path!r}; expected the path of a file, such as 'arm.aj.json'")
    if Path(path).suffix.lower() in FOREIGN:
        raise InputError(f"save: {str(path)!r} would be a file of our own by another's name; call it .aj.json")
    text = written(mech)
    try:
        Path(path).write_bytes(text.encode())
    except OSError as error:
        raise AnyjointError(f"save: {str(path)!r} cannot be written: {error.strerror}") from None
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise InputError(f"save: a name has {half!r}, half of a character, which no file can hold") from None


def written(mech: Mechanism) -> str:
    """The text of the file, a body a line."""
    problems: list[Problem] = []
    bodies = [_guarded(body, mech, problems) for body in mech.bodies]
    source = mech.source
    head: Json = {"anyjoint": VERSION, "name": mech.name, "gravity": list(mech.gravity)}
    if mech.description:
        head["description"] = mech.description
    tail: Json = {}
    if mech.constraints:
        tail["constraints"] = [_constraint(x, mech, problems) for x in mech.constraints]
    if mech.contacts:
        tail["contacts"] = [_contact(pair, mech, problems) for pair in mech.contacts]
    if mech.ground.shapes:
        tail["scenery"] = _tried("scenery", lambda: encoded(mech.ground.shapes), problems)
    if mech.ground.frames:
        tail["frames"] = _frames(mech.ground.frames)
    if mech.start is not None:
        tail["start"] = {"q": encoded(mech.start[0]), "v": encoded(mech.start[1])}
    if source is not None and source.actuators:
        named = source.actuators.items()
        tail["actuators"] = _tried("actuators", lambda: {name: encoded(x) for name, x in named}, problems)
    if source is not None and source.forces:
        tail["forces"] = _tried("forces", lambda: encoded(source.forces), problems)
    if source is not None and (said := _tried("file", lambda: encoded_source(source), problems)):
        tail["file"] = said
    if problems:
        raise ModelError(report(f"save: mechanism {mech.name!r}", problems))
    lines = [f"{json.dumps(key)}: {_json(value)}" for key, value in head.items()]
    lines.append('"bodies": [\n  ' + ",\n  ".join(map(_json, bodies)) + "]")
    lines += [f"{json.dumps(key)}: {_json(value)}" for key, value in tail.items()]
    return "{" + ",\n ".join(lines) + "}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _guarded(body: Body, mech: Mechanism, problems: list[Problem]) -> Any:
    return _tried(f"body {body.name!r}", lambda: _body(body, mech), problems)


def _constraint(constraint: Constraint, mech: Mechanism, problems: list[Problem]) -> Any:
    return _tried(constraint.described, lambda: encoded_constraint(constraint, mech), problems)


def _contact(pair: ContactPair, mech: Mechanism, problems: list[Problem]) -> Any:
    return _tried(f"contact {pair.name!r}", lambda: encoded_contact(pair, mech), problems)


def _tried(where: str, make: Any, problems: list[Problem]) -> Any:
    try:
        return make()
    except InputError as error:
        problems.append(Problem("save", where, str(error)))
        return None


def _body(body: Body, mech: Mechanism) -> Json:
    made: Json = {"name": body.name}
    if body.parent >= 0:
        made["parent"] = mech.bodies[body.parent].name
    if body.contact:
        law = body.contact
        fields = {"surfaces": law.surfaces, "friction": law.friction, "restitution": law.restitution, "start": law.mode}
        made["contact"] = {name: encoded(value) for name, value in fields.items()}
    elif not isinstance(body.joint, Fixed):
        made["joint"] = _joint(body.joint, mech)
    if body.placement.factors:
        made["placement"] = encoded_pose(body.placement)
    if not body.inertia.is_zero or body.inertia.com.any():
        made["inertia"] = _inertia(body.inertia)
    if body.shapes:
        made["shapes"] = encoded(body.shapes)
    if body.frames:
        made["frames"] = _frames(body.frames)
    for name, nothing in PER_VELOCITY.items():
        if any(x != nothing for x in getattr(body, name)):
            made[name] = encoded(getattr(body, name))
    if any(x != float("inf") for x in body.speed):
        made["velocity"] = encoded(body.speed)
    if body.rest != tuple(c.neutral for c in body.joint.coordinates):
        made["rest"] = list(body.rest)
    return made


def _joint(joint: Joint, mech: Mechanism) -> Json:
    ((name, fields),) = encoded(formulated(joint, mech) if isinstance(joint, Coupled) else joint).items()
    return dict(fields) if name == "joints.Formulas" else {name.removeprefix("joints."): fields}


def _frames(frames: Mapping[str, Pose]) -> Json:
    return {name: encoded_pose(pose) for name, pose in frames.items()}


def _inertia(inertia: Inertia) -> Json:
    made: Json = {"mass": inertia.mass}
    if inertia.com.any():
        made["com"] = inertia.com.tolist()
    if inertia.tensor.any():
        made["tensor"] = inertia.tensor.tolist()
    return made if inertia.physical else made | {"physical": False}
