"""Our own file `.aj.json` as a mechanism; every problem with its line, nothing of it run as code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.joints import Fixed, Joint
from anyjoint.mechanism import Inertia, Mechanism, Source
from anyjoint.options import nearest
from anyjoint.scalar import is_real, reals

from ..base import base_joint
from ..finish import finished
from ..report import Report
from ..request import Request
from .about import decoded_source
from .codec import decoded, decoded_pose, decoded_record
from .constraints import add_constraint
from .contacts import decoded_contact
from .expression import MEANT
from .formulas import decoded_formulas, is_formulas
from .text import Json, Object, parse
from .write import PER_VELOCITY, VERSION

TOP = ("anyjoint", "name", "description", "gravity", "parameters", "joints", "bodies", "constraints", "contacts",
       "scenery", "frames", "start", "actuators", "forces", "file", "$schema")  # fmt: skip
BODY = (
    "name", "parent", "joint", "contact", "placement", "inertia", "shapes", "frames", *PER_VELOCITY, "velocity", "rest",
)  # fmt: skip
INERTIA = ("mass", "com", "tensor", "physical")


def read_own(request: Request) -> Mechanism:
    """Read everything, report every problem, then build."""
    report = request.report
    root = parse(request.data, report.file)
    if not isinstance(root, Object) or "anyjoint" not in root:
        report.error(1, "format", 'expected an object with "anyjoint": 1, the version of the format')
        report.check()
    if root["anyjoint"] != VERSION:
        report.error(root.line, "version", f"version {root['anyjoint']!r}; this program reads version {VERSION}")
        report.check()
    return _Reader(root, request).mechanism()


class _Reader:
    """One file."""

    def __init__(self, root: Object, request: Request) -> None:
        self.root, self.request, self.report = root, request, request.report
        _unknown(root, TOP, "the file", self.report)
        self.mech = Mechanism("mechanism")
        self.parameters = self._get(root, "parameters", Mapping, {})
        for name, x in self.parameters.items():
            if not is_real(x):
                self.report.error(root.line, "number", f"parameter {name!r} is {x!r}; give a number")
            if name in MEANT:
                self.report.error(root.line, "name", f"parameter {name!r} means something in formulas already")
        self.joints = self._get(root, "joints", Mapping, {})
        self.lines: dict[str, int] = {}

    def mechanism(self) -> Mechanism:
        root, mech = self.root, self.mech
        if not self._try(root.line, "name", Mechanism, root.get("name", "mechanism")):
            self.report.check()
        mech.name, mech.description = root.get("name", "mechanism"), str(root.get("description", ""))
        if "gravity" in root:
            self._try(root.line, "gravity", setattr, mech, "gravity", decoded(root["gravity"]))
        named = {name: self._try(self._line(x), "joint", self._joint, x) for name, x in self.joints.items()}
        for body in self._get(root, "bodies", list, []):
            if not isinstance(body, Object):
                self.report.error(root.line, "body", f"a body is an object, got {body!r}")
                continue
            self._try(body.line, "body", self._add, body, named)
        if not mech.bodies and not self.report.errors:
            self.report.error(root.line, "empty", 'there are no "bodies", so that nothing could move')
        for constraint in self._get(root, "constraints", list, []):
            self._try(self._line(constraint), "constraint", self._constrain, constraint)
        contacts = self._get(root, "contacts", list, [])
        for contact in contacts:
            self._try(self._line(contact) or self._line(contacts), "contact", self._touch, contact)
        scenery = self._try(root.line, "shape", decoded, self._get(root, "scenery", list, [])) or ()
        self._try(root.line, "shape", mech.draw, *scenery)
        for name, pose in self._get(root, "frames", Mapping, {}).items():
            self._try(root.line, "frame", lambda name=name, pose=pose: mech.add_frame(name, None, decoded_pose(pose)))
        drives, pushing = self._get(root, "actuators", Mapping, {}), self._get(root, "forces", list, [])
        self.report.check()  # forces hold on to bodies
        actuators = {name: self._force(x) for name, x in drives.items()}
        forces = tuple(map(self._force, pushing))
        self.report.check()
        if "start" in root:
            self._try(self._line(root["start"]), "start", self._start)
        said = self._try(self._line(root.get("file")), "file", decoded_source, root.get("file", {}), mech) or {}
        source = Source(self.report.file, "anyjoint", actuators=actuators, forces=forces, **said)
        return finished(mech, self.request, self.lines, source)

    def _start(self) -> None:
        start = self._get(self.root, "start", Mapping, {})
        self.mech.set_start(decoded(start.get("q", [])), decoded(start["v"]) if "v" in start else None)

    def _get(self, owner: Object, name: str, kind: type, default: Any) -> Any:
        value = owner.get(name, default)
        if not isinstance(value, kind):
            what = "a list" if kind is list else "an object"
            self.report.error(owner.line, "type", f"{name!r} is {what}, got {value!r}")
            return default
        return value

    def _try(self, line: int, rule: str, make: Callable[..., Any], *given: Any) -> Any:
        """What `make` gives, or None with the error reported."""
        try:
            return make(*given)
        except AnyjointError as error:
            self.report.error(line, rule, str(error))
        except (TypeError, ValueError, AttributeError) as error:  # a value of another type than a constructor wants
            self.report.error(line, rule, f"{type(error).__name__}: {error}")
        return None

    @staticmethod
    def _line(value: Any) -> int:
        return int(getattr(value, "line", 0))

    def _joint(self, value: Any) -> Joint:
        if isinstance(value, Mapping):
            made = decoded_formulas(value, self.parameters) if is_formulas(value) else decoded_record(value, "joints.")
            if isinstance(made, Joint):
                return made
        example = "{'Revolute': {'axis': [0, 1, 0]}}"
        raise InputError(f"a joint is a record such as {example}, or formulas, got {value!r}")

    def _add(self, body: Object, named: Mapping[str, Any]) -> None:
        _unknown(body, BODY, f"body {body.get('name')!r}", self.report)
        self.lines[str(body.get("name"))] = body.line
        before = len(self.report.errors)
        joint, options = self._try(body.line, "body", self._body_joint, body, named), self._options(body)
        if len(self.report.errors) > before:  # all problems of a body are told; others may hang on it nevertheless
            self._try(body.line, "body", self.mech.add_body, body.get("name"), body.get("parent"))
            return
        if "contact" in body:
            law = {name: decoded(x) for name, x in self._get(body, "contact", Mapping, {}).items()}
            self.mech.add_contact_body(body.get("name"), body.get("parent"), **law, **options)  # type: ignore[arg-type]
            return
        self.mech.add_body(body.get("name"), body.get("parent"), joint, **options)  # type: ignore[arg-type]  # checked

    def _options(self, body: Object) -> Json:
        """What a body says beside its joint; what cannot be read is reported."""
        plain = (*PER_VELOCITY, "velocity", "rest")
        readers: dict[str, Callable[[Any], Any]] = dict.fromkeys((*plain, "shapes"), decoded)
        readers |= {"inertia": lambda x: _inertia(x, self.report), "placement": decoded_pose}
        found = {name: self._try(body.line, "body", read, body[name]) for name, read in readers.items() if name in body}
        frames = self._get(body, "frames", Mapping, {})
        found["frames"] = {name: self._try(body.line, "body", decoded_pose, x) for name, x in frames.items()}
        return {"shape" if name == "shapes" else name: made for name, made in found.items()}

    def _force(self, value: Any) -> Any:
        return self._try(self._line(value) or self.root.line, "force", _fitting_force, value, self.mech)

    def _constrain(self, value: Any) -> None:
        add_constraint(self.mech, value)

    def _touch(self, value: Any) -> None:
        self.mech.add_contact(**decoded_contact(value, self.parameters))

    def _body_joint(self, body: Object, named: Mapping[str, Any]) -> Joint:
        given = body.get("joint")
        if given is None:
            first = not self.mech.bodies and self.request.base != "fixed"
            return base_joint(self.request.base) if first else Fixed()
        if isinstance(given, str):
            if given not in named:
                who = f"body {body.get('name')!r}"
                raise InputError(f'{who}: there is no joint {given!r} in "joints"{_near(given, named)}')
            return named[given] or Fixed()  # one that cannot be read has been reported
        return self._joint(given)


def _fitting_force(given: Any, mech: Mechanism) -> Any:
    """A force that finds its bodies and coordinates in a mechanism."""
    made = decoded(given)
    if not hasattr(made, "pushes"):
        raise InputError(f"a force is a record such as {{'forces.Spring': {{...}}}}, got {given!r}")
    made.pushes(mech)
    return made


def _near(name: str, known: Mapping[str, Any]) -> str:
    return nearest(name, known) if known else ""


def _unknown(owner: Object, known: tuple[str, ...], what: str, report: Report) -> None:
    for name in owner:
        if name not in known:
            report.warn(owner.line, "attribute", f"{what} has no {name!r}; not read{nearest(name, known)}")


def _inertia(given: Any, report: Report) -> Inertia:
    if not isinstance(given, Mapping) or "mass" not in given:
        raise InputError(f"an inertia is {{'mass': 1, 'com': [x, y, z], 'tensor': [[...]]}}, got {given!r}")
    for name in given:
        if name not in INERTIA:
            raise InputError(f"an inertia has no {name!r}{nearest(name, INERTIA)}")
    options = {name: decoded(x) for name, x in given.items()}
    try:
        tensor = reals(options.get("tensor", np.zeros((3, 3))))
    except (TypeError, ValueError):
        what = "three principal moments, or a matrix of three rows of three numbers"
        raise InputError(f"the tensor of an inertia is {what}, got {given['tensor']!r}") from None
    options["tensor"] = np.diag(tensor) if tensor.shape == (3,) else tensor
    physical = bool(options.pop("physical", True)) and "inertia" not in report.allow
    return Inertia(**options, physical=physical)
