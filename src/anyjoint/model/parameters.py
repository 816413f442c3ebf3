"""Named numbers of a compiled model that can be changed without compiling again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import replace
from typing import Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.joints.parameters import bind, parameters
from anyjoint.joints.spring import Spring
from anyjoint.mechanism import Body, Inertia, Mechanism
from anyjoint.mechanism.mechanism import per_coordinate
from anyjoint.scalar import is_real, reals
from anyjoint.spatial import Pose

INERTIA, SPRING = ("mass", "com", "tensor"), ("stiffness", "damping", "armature", "rest")


class Parameters(MutableMapping[str, Any]):
    """Parameters by name: "gravity", "BODY/mass", "BODY/com", "BODY/tensor", "BODY/placement", "BODY/joint/NAME".

    A body that was added with springs, dampers or armature also has "BODY/stiffness", "BODY/damping", "BODY/armature"
    and "BODY/rest".

    Setting one checks it, computes what depends on parameters alone, and leaves the machine code as it is; only where
    a number that the code has built in changes, the code is compiled again: one that was exactly 0, 1 or -1, or for
    rates of coordinates one of a rolling joint.
    """

    def __init__(self, mechanism: Mechanism, changed: Callable[[], None]) -> None:
        self._mechanism, self._changed = mechanism, changed

    def __iter__(self) -> Iterator[str]:
        yield "gravity"
        for body in self._mechanism.bodies:
            for what in (*INERTIA, "placement"):
                yield f"{body.name}/{what}"
            if Spring.of(body):
                yield from (f"{body.name}/{what}" for what in SPRING)
            for parameter in parameters(body.joint):
                yield f"{body.name}/joint/{'.'.join(parameter.path)}"

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> Any:
        if name == "gravity":
            return self._mechanism.gravity
        index, what, path = self._find(name)
        body = self._mechanism.bodies[index]
        if what == "placement" or what in SPRING:
            return getattr(body, what)
        if what == "joint":
            return next(p.value for p in parameters(body.joint) if ".".join(p.path) == path)
        return getattr(body.inertia, what)

    def __setitem__(self, name: str, value: Any) -> None:
        self.set({name: value})

    def __delitem__(self, name: str) -> None:
        raise InputError(f"parameter {name!r} cannot be removed; set it to another value")

    def set(self, values: Mapping[str, Any]) -> None:
        """Change several parameters at once: what must fit together is checked together, and the set-up runs once.

        Either all are changed, or none is and the error lists everything that is wrong. Values that are there already
        cost nothing.
        """
        if all(name in self and _same(value, self[name]) for name, value in values.items()):
            return
        before = self._mechanism.gravity, list(self._mechanism.bodies)
        problems = self._put_all(values) + [str(problem) for problem in self._mechanism.check()]
        if problems:
            self._restore(*before)
            known = {str(problem) for problem in self._mechanism.check()}  # a massless link may stay what it is
            if new := [problem for problem in problems if problem not in known]:
                raise InputError(_report(new))
            self._put_all(values)
        try:
            self._changed()
        except AnyjointError:  # numbers out of range, found by the set-up
            self._restore(*before)
            self._changed()
            raise

    def _put_all(self, values: Mapping[str, Any]) -> list[str]:
        """Put what is good into the mechanism, body by body; returns what is wrong with the others."""
        problems, wanted = [], dict[int, dict[tuple[str, str], Any]]()
        for name, value in values.items():
            try:
                if name == "gravity":
                    self._mechanism.gravity = value
                else:
                    index, *what = self._find(name)
                    wanted.setdefault(index, {})[what[0], what[1]] = value
            except AnyjointError as error:
                problems.append(str(error))
        for index, changes in wanted.items():
            body = self._mechanism.bodies[index]
            for change in (_placed, _weighed, _sprung, _jointed):
                try:
                    body = change(body, changes)
                except AnyjointError as error:
                    problems.append(f"body {body.name!r}: {error}")
            self._mechanism.replace_body(body)
        return problems

    def _restore(self, gravity: Any, bodies: list[Any]) -> None:
        self._mechanism.gravity = gravity
        for body in bodies:
            self._mechanism.replace_body(body)

    def _find(self, name: str) -> tuple[int, str, str]:
        if name in self:
            head, _, last = name.rpartition("/")
            if head.endswith("/joint"):
                return self._mechanism[head.removesuffix("/joint")].index, "joint", last
            return self._mechanism[head].index, last, ""
        raise InputError(
            f"parameter {name!r} is unknown; list(model.parameters) names all, such as 'gravity' or 'BODY/mass'"
        )

    def __contains__(self, name: object) -> bool:
        return any(name == known for known in self)


Changes = Mapping[tuple[str, str], Any]  # what of a body, or ("joint", path) -> the value wanted


def _placed(body: Body, changes: Changes) -> Body:
    """The body with its placement changed."""
    value = changes.get(("placement", ""), body.placement)
    if not isinstance(value, Pose):
        raise InputError(f"its placement is a Pose, got {type(value).__name__}")
    return replace(body, placement=value)


def _weighed(body: Body, changes: Changes) -> Body:
    """The body with mass, centre of mass and tensor changed together."""
    numbers = {what: changes.get((what, ""), getattr(body.inertia, what)) for what in INERTIA}
    return replace(body, inertia=Inertia(**numbers, physical=body.inertia.physical))


def _sprung(body: Body, changes: Changes) -> Body:
    """The body with its springs and dampers changed."""
    new: dict[str, Any] = {}
    for what in SPRING:
        if (what, "") in changes:
            new[what] = per_coordinate(changes[what, ""], len(getattr(body, what)), body.name, what)
    return replace(body, **new)


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
    return replace(body, joint=bind(body.joint, values))


def _same(value: Any, present: Any) -> bool:
    """Whether a value is what a parameter is already; what is no number is looked at by others."""
    if isinstance(present, Pose):
        return value is present
    try:
        return bool(np.array_equal(reals(value), np.asarray(present, dtype=float)))
    except (TypeError, ValueError):
        return False


def _report(problems: list[str]) -> str:
    """One problem as a sentence, several as a list."""
    if len(problems) == 1:
        return f"parameters: {problems[0]}; nothing was changed"
    lines = "".join(f"\n  - {problem}" for problem in problems)
    return f"parameters: nothing was changed, because of {len(problems)} problems:{lines}"
