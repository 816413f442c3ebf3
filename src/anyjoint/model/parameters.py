"""Named numbers of a compiled model that can be changed without compiling again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.mechanism import Body, Mechanism
from anyjoint.mechanism.checks import find_problems
from anyjoint.scalar import reals
from anyjoint.spatial import Pose

from .change import GRAVITY, changed, find, names, value_of


class Parameters(MutableMapping[str, Any]):
    """Parameters by name: "gravity", "BODY/mass", "BODY/com", "BODY/tensor", "BODY/placement", "BODY/joint/NAME".

    A body that was added with springs, dampers or armature, or of which one is among those that vary, also has
    "BODY/stiffness", "BODY/damping", "BODY/armature" and "BODY/rest".

    Setting one checks it, computes what depends on parameters alone, and leaves the machine code as it is; only where
    a number that the code has built in changes, the code is compiled again: one that was exactly 0, 1 or -1, or for
    rates of coordinates one of a rolling joint.
    """

    def __init__(self, mechanism: Mechanism, changed: Callable[[], None]) -> None:
        self._mechanism, self._changed = mechanism, changed

    def __iter__(self) -> Iterator[str]:
        return names(self._mechanism)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> Any:
        return value_of(self._mechanism, name)

    def __setitem__(self, name: str, value: object) -> None:
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
        replaced, problems = self._put_all(values)
        problems += [str(problem) for problem in find_problems(self._mechanism, replaced)]
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

    def _put_all(self, values: Mapping[str, Any]) -> tuple[dict[int, Body], list[str]]:
        """Put what is good into the mechanism; the bodies that were there before, and what is wrong with the rest."""
        problems, wanted = [], dict[int, dict[tuple[str, str], Any]]()
        for name, value in values.items():
            try:
                if name == GRAVITY:
                    self._mechanism.gravity = value
                else:
                    found = find(self._mechanism, name)
                    wanted.setdefault(found.body, {})[found.what, found.path] = value
            except AnyjointError as error:
                problems.append(str(error))
        before = {index: self._mechanism.bodies[index] for index in wanted}
        for index, changes in wanted.items():
            body, wrong = changed(before[index], changes)
            problems += wrong
            self._mechanism.replace_body(body)
        return before, problems

    def _restore(self, gravity: Sequence[float], bodies: Iterable[Body]) -> None:
        self._mechanism.gravity = gravity
        for body in bodies:
            self._mechanism.replace_body(body)

    def __contains__(self, name: object) -> bool:
        try:
            return bool(find(self._mechanism, str(name)))
        except InputError:
            return False


def _same(value: object, present: object) -> bool:
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
