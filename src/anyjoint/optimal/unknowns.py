"""Unknowns of a fit or of an optimisation as one vector of free numbers, and what they mean for a model and a run."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Inertia
from anyjoint.mechanism.log_cholesky import slopes
from anyjoint.model import Model
from anyjoint.model.arguments import finite
from anyjoint.model.change import find
from anyjoint.model.change import names as parameter_names
from anyjoint.options import meant
from anyjoint.scalar import is_real
from anyjoint.scalar.array import Floats
from anyjoint.simulate.force_numbers import HEAD, force_names, force_number

INERTIA = "inertia"  # of a body: mass, centre and tensor together, by ten numbers that always make a solid
TENSOR = "tensor"
SYMMETRIC = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@frozen
class Unknown:
    """A parameter, the whole inertia of a body, or a number of a force, as free numbers."""

    name: str
    start: Floats
    labels: tuple[str, ...]
    shape: tuple[int, ...]
    sort: str = ""  # of numbers that are not free as they are: "inertia" or "tensor"

    def values(self, x: Floats) -> dict[str, object]:
        """Parameters and numbers of forces for these."""
        head = self.name.rpartition("/")[0]
        if self.sort == INERTIA:
            made = Inertia.log_cholesky(x)
            return {f"{head}/mass": made.mass, f"{head}/com": made.com, f"{head}/tensor": made.tensor}
        if self.sort == TENSOR:
            return {self.name: _symmetric(x)}
        return {self.name: x.reshape(self.shape) if self.shape else float(x[0])}

    def directions(self, x: Floats) -> Iterator[dict[str, Any]]:
        """How parameters change with each of the numbers."""
        head = self.name.rpartition("/")[0]
        if self.sort == INERTIA:
            for mass, com, tensor in slopes(x):
                yield {f"{head}/mass": mass, f"{head}/com": com, f"{head}/tensor": tensor}
            return
        for unit in np.eye(len(x)):
            if self.sort == TENSOR:
                yield {self.name: _symmetric(unit)}
            else:
                yield {self.name: unit.reshape(self.shape) if self.shape else 1.0}

    def pulled(self, x: Floats, gradient: Mapping[str, Floats]) -> Floats:
        """The gradient by the numbers from those by parameters."""
        return np.array([sum(float(np.sum(gradient[k] * d)) for k, d in way.items()) for way in self.directions(x)])


def unknown(
    model: Model, name: str, acting: Sequence[object], start: Any = None, own: Sequence[str] = ()
) -> Unknown:
    """A parameter of a model or a number of a force by its name; it begins at its present value unless one is given.

    `own` are further names that the caller knows.
    """
    head, _, what = str(name).rpartition("/")
    mechanism, pushing = model.mechanism, force_names(acting)
    if name in pushing:
        return plain(name, force_number(acting, name), start)
    if what == INERTIA and head in mechanism:
        inertia = mechanism[head].inertia if start is None else start
        if not isinstance(inertia, Inertia):
            raise InputError(f"{name}: the first guess is {start!r}; expected an aj.Inertia, or None for the present")
        return Unknown(name, inertia.log_cholesky_parameters, _numbered(name, 10), (10,), INERTIA)
    known = list(parameter_names(mechanism))
    if name not in known:
        whole = [f"{body.name}/{INERTIA}" for body in mechanism.bodies]
        hint = meant(name, [*own, *known, *whole, *pushing])
        if str(name).startswith(HEAD) and not pushing:
            hint = "; numbers of forces are those of simulate={'forces': [...]}, which has none"
        raise InputError(f"{name!r} is no parameter of {mechanism.name!r}, nor a number of a force{hint}")
    if find(mechanism, name).what == "placement":
        raise InputError(f"{name!r} is a pose; fit numbers, such as those of a joint, or a centre of mass")
    present = np.asarray(model.parameters[name], dtype=float)
    if what == TENSOR:
        value = present if start is None else finite(name, start, present.shape)
        flat = np.array([value[i, j] for i, j in SYMMETRIC])
        return Unknown(name, flat, tuple(f"{name}[{i},{j}]" for i, j in SYMMETRIC), (3, 3), TENSOR)
    return plain(name, present, start)


def plain(name: str, present: Floats, start: Any) -> Unknown:
    """Numbers that are free as they are."""
    value = present if start is None else finite(name, start, present.shape)
    labels = _numbered(name, value.size) if value.shape else (name,)
    return Unknown(name, np.atleast_1d(value).ravel().copy(), labels, value.shape)


def _numbered(name: str, n: int) -> tuple[str, ...]:
    return tuple(f"{name}[{k}]" for k in range(n))


def _symmetric(x: Floats) -> Floats:
    made = np.zeros((3, 3))
    for value, (i, j) in zip(x, SYMMETRIC, strict=True):
        made[i, j] = made[j, i] = value
    return made


def split(x: Floats, unknowns: Sequence[Unknown]) -> Iterator[tuple[Unknown, Floats]]:
    """Each unknown with its part of all free numbers."""
    at = 0
    for item in unknowns:
        yield item, x[at : at + len(item.start)]
        at += len(item.start)


def check_apart(what: str, unknowns: Sequence[Unknown]) -> None:
    """Refuse unknowns that are the same numbers: a name given twice, or a mass beside the inertia it is part of."""
    seen: dict[str, str] = {}
    for item in unknowns:
        for name in item.values(item.start):
            if name in seen:
                raise InputError(f"{what}: {item.name!r} and {seen[name]!r} are both about {name!r}; leave one out")
            seen[name] = item.name


def checked_iterations(what: str, iterations: object, tolerance: Any) -> None:
    """Refuse what is no number of iterations, or no tolerance."""
    if isinstance(iterations, bool) or not isinstance(iterations, (int, np.integer)) or iterations < 1:
        raise InputError(f"{what}: iterations={iterations!r}; expected a whole number of at least 1")
    if not is_real(tolerance) or not 0 <= tolerance < np.inf:
        raise InputError(f"{what}: tolerance={tolerance!r}; expected a number that is not negative")


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warning that exact numbers change and code is compiled again, which happens once."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*compiling again")
        yield


def settings(x: Floats, unknowns: Sequence[Unknown]) -> dict[str, object]:
    """All parameters for the free numbers."""
    return {name: value for item, part in split(x, unknowns) for name, value in item.values(part).items()}


def limits(item: Unknown, pair: Any) -> list[Floats]:
    """The lowest and the highest values of the free numbers of an unknown."""
    shape = item.shape if int(np.prod(item.shape)) == len(item.start) else item.start.shape
    try:
        low, high = pair
        sides = (-np.inf if low is None else low, np.inf if high is None else high)
        made = [np.broadcast_to(np.asarray(side, dtype=float), shape).ravel() for side in sides]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"optimise: bounds of {item.name!r} are {pair!r}; expected a lowest and a highest value: numbers, None,"
            f" or shape {shape}"
        ) from error
    if not (made[0] <= made[1]).all():
        raise InputError(f"optimise: bounds of {item.name!r} are {pair!r}; the lowest must not be above the highest")
    if not ((made[0] <= item.start) & (item.start <= made[1])).all():
        raise InputError(f"optimise: the first guess of {item.name!r} lies outside its bounds {pair!r}; move it")
    return made
