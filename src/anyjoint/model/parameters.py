"""Named numbers of a compiled model that can be changed without compiling again."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import replace
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.joints.parameters import bind, parameters
from anyjoint.joints.spring import Spring
from anyjoint.mechanism import Inertia, Mechanism
from anyjoint.mechanism.mechanism import per_coordinate
from anyjoint.spatial import Pose

SPRING = ("stiffness", "damping", "rest")


def private_copy(mechanism: Mechanism) -> Mechanism:
    """A mechanism that shares its parts with another one, but can be changed apart from it."""
    made = copy.copy(mechanism)
    made.bodies = list(mechanism.bodies)
    made._by_name = {body.name: body for body in made.bodies}
    return made


class Parameters(MutableMapping[str, Any]):
    """Parameters by name: "gravity", "BODY/mass", "BODY/com", "BODY/tensor", "BODY/placement", "BODY/joint/NAME".

    A body that was added with springs or dampers also has "BODY/stiffness", "BODY/damping" and "BODY/rest".

    Setting one checks it, computes what depends on parameters alone, and leaves the machine code as it is; only where
    a number that the code has built in as exactly 0, 1 or -1 changes, the code is compiled again.
    """

    def __init__(self, mechanism: Mechanism, changed: Callable[[], None]) -> None:
        self._mechanism, self._changed = mechanism, changed

    def __iter__(self) -> Iterator[str]:
        yield "gravity"
        for body in self._mechanism.bodies:
            for what in ("mass", "com", "tensor", "placement"):
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

    def set(self, values: dict[str, Any]) -> None:
        """Change several parameters at once, so that the set-up runs once."""
        before = self._mechanism.gravity, list(self._mechanism.bodies)
        try:
            for name, value in values.items():
                self._set_one(name, value)
            self._mechanism.validate()
        except Exception:
            self._restore(*before)
            raise
        self._changed()

    def _restore(self, gravity: Any, bodies: list[Any]) -> None:
        self._mechanism.gravity = gravity
        for index, body in enumerate(bodies):
            self._put(index, body)

    def _put(self, index: int, body: Any) -> None:
        self._mechanism.bodies[index] = body
        self._mechanism._by_name[body.name] = body

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

    def _set_one(self, name: str, value: Any) -> None:
        if name == "gravity":
            self._mechanism.gravity = value
            return
        index, what, path = self._find(name)
        body = self._mechanism.bodies[index]
        if what == "placement":
            if not isinstance(value, Pose):
                raise InputError(f"parameter {name!r} is a Pose, got {type(value).__name__}")
            self._put(index, replace(body, placement=value))
        elif what in SPRING:
            changed: dict[str, Any] = {what: per_coordinate(value, len(getattr(body, what)), body.name, what)}
            self._put(index, replace(body, **changed))
        elif what == "joint":
            self._put(index, replace(body, joint=_with_value(body.joint, path, value, name)))
        else:
            old = body.inertia
            numbers: dict[str, Any] = {"mass": old.mass, "com": old.com, "tensor": old.tensor, what: value}
            self._put(index, replace(body, inertia=Inertia(**numbers)))


def _with_value(joint: Any, path: str, value: Any, name: str) -> Any:
    values = []
    for parameter in parameters(joint):
        low, high = parameter.bounds
        if ".".join(parameter.path) != path:
            values.append(parameter.value)
        elif not (isinstance(value, (int, float, np.integer, np.floating)) and low <= value <= high):
            raise InputError(f"parameter {name!r} = {value!r}; expected a number between {low} and {high}")
        else:
            values.append(float(value))
    return bind(joint, values)
