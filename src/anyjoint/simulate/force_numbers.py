"""Numbers of the forces that a run was given, by name: "forces/0/stiffness" is the stiffness of the first one.

A push has its numbers apart from its formulas, so that steps are differentiated by them as by any others. What a user
gives to a force goes there as it is, or times a constant: that is found by giving it two other values.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.constraints import Push
from anyjoint.errors import AnyjointError, InputError
from anyjoint.forces.program import ForceProgram, pushes_of
from anyjoint.model.arguments import finite
from anyjoint.scalar import is_real
from anyjoint.scalar.array import Floats

HEAD = "forces/"
PLACES = ("int", "Where")  # types of fields that say where a force acts
STRAIGHT = 1e-12  # how far beside a line the third of three values may lie, of the largest of them


def force_names(given: Sequence[object]) -> list[str]:
    """Names of all numbers that forces were given."""
    return [
        f"{HEAD}{k}/{part.name}"
        for k, force in enumerate(given)
        if dataclasses.is_dataclass(force)
        for part in dataclasses.fields(force)
        if part.type not in PLACES and _is_numeric(getattr(force, part.name))
    ]


def force_number(given: Sequence[object], name: str) -> Floats:
    """A number that a force was given, or a row of such."""
    index, part = _parts(name)
    return np.array(getattr(given[index], part), dtype=float)


def with_numbers(given: Sequence[Any], values: Mapping[str, Any]) -> list[Any]:
    """The forces with others of their numbers."""
    made = list(given)
    for name, value in values.items():
        index, part = _parts(name)
        made[index] = dataclasses.replace(made[index], **{part: np.asarray(value, dtype=float).tolist()})
    return made


def _is_numeric(value: object) -> bool:
    """Whether this is a finite number or a row of such."""
    if isinstance(value, (tuple, list, np.ndarray)):
        return len(value) > 0 and all(is_real(x) and math.isfinite(x) for x in value)
    return is_real(value) and math.isfinite(value)


class ForceNumbers:
    """How all numbers of the pushes of a run change with some that their forces were given."""

    def __init__(self, program: ForceProgram, names: Sequence[str]) -> None:
        self.program, self.names = program, tuple(names)
        self.count = sum(len(push.numbers) for push in program.pushes)

    @cached_property
    def slopes(self) -> dict[str, Floats]:
        """Of each name a matrix: numbers of pushes, by entries of what was given."""
        return {name: self._slope(name) for name in self.names}

    def pull(self, bars: Floats) -> dict[str, Floats]:
        """Gradients by name from those by the numbers of pushes."""
        return {name: (slope.T @ bars).reshape(self._shape(name)) for name, slope in self.slopes.items()}

    def push(self, direction: Mapping[str, Any]) -> Floats:
        """Rates of the numbers of pushes."""
        made = np.zeros(self.count)
        for name, slope in self.slopes.items():
            made += slope @ np.ravel(finite(f"tangent: {name}", direction[name], self._shape(name)))
        return made

    def _shape(self, name: str) -> tuple[int, ...]:
        return np.shape(force_number(self.program.given, name))

    def _slope(self, name: str) -> Floats:
        """By three values of each entry, which must lie on a line."""
        mechanism, given, (index, _) = self.program.mechanism, self.program.given, _parts(name)
        *before, known = (pushes_of(mechanism, force) for force in given[: index + 1])
        start = sum(len(_numbers(pushes)) for pushes in before)
        values = force_number(given, name).ravel()
        made = np.zeros((self.count, len(values)))
        for k, value in enumerate(values):
            step, *others = self._beside(name, known, k, float(value))
            numbers = np.array([_numbers(pushes) for pushes in (known, *others)])
            bend = numbers[2] - 2 * numbers[1] + numbers[0]
            if (np.abs(bend) > STRAIGHT * np.abs(numbers).max(axis=0)).any():  # a stiffness is beside a radius
                raise InputError(f"{name!r} is no number of the force itself; simulate for other values instead")
            made[start : start + len(bend), k] = (numbers[2] - numbers[0]) / (2 * step)
        if not made.any():
            raise InputError(f"{name!r} is no number that the force goes by, so there is no derivative by it")
        return made

    def _beside(self, name: str, known: Sequence[Push], k: int, value: float) -> tuple[float, list[Push], list[Push]]:
        """A step of one entry, and pushes a step and two steps on; shorter ones where the force refuses a long one."""
        refused = []
        for step in (first := _step(value), -first, first / 64, -first / 64):
            try:
                return step, self._changed(name, known, k, step), self._changed(name, known, k, 2 * step)
            except InputError as error:
                refused.append(error)
        raise refused[0]

    def _changed(self, name: str, known: Sequence[Push], k: int, step: float) -> list[Push]:
        """Pushes of the force with one entry changed; refused where formulas change as well."""
        given, (index, part) = self.program.given, _parts(name)
        values = force_number(given, name)
        values.ravel()[k] += step
        try:
            made = pushes_of(self.program.mechanism, with_numbers(given, {name: values})[index])
        except AnyjointError as error:
            raise InputError(f"{name!r} has no derivative: with another value the force is refused: {error}") from None
        if [(x.kind, x.bodies, x.coordinates) for x in made] != [(x.kind, x.bodies, x.coordinates) for x in known]:
            raise InputError(
                f"{name!r} is {getattr(given[index], part)}, and the force has another formula where it is not: give it"
                " a small value, such as 1e-9, so that there is a derivative by it"
            )
        return made


def _parts(name: str) -> tuple[int, str]:
    """Which force, and what of it."""
    index, part = name.removeprefix(HEAD).split("/")
    return int(index), part


def _numbers(pushes: Sequence[Push]) -> Floats:
    return np.array([x for push in pushes for x in push.numbers], dtype=float)


def _step(value: float) -> float:
    """A power of two of the size of a value, so that sums are exact."""
    return 2.0 ** math.floor(math.log2(abs(value))) if value else 1.0
