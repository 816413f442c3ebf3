"""Which combinations of inertias forces can tell at all: base parameters, by a pivoted QR of stacked regressors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Inertia
from anyjoint.mechanism.probing import anywhere
from anyjoint.scalar.array import Floats

from .program import Program

if TYPE_CHECKING:
    from anyjoint.model import Model

NUMBERS = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
RANK = 1e-9  # of a column that others leave something of, relative to itself
TINY = 1e-13  # of a column that is none, relative to the largest
MOST = 1_000_000  # states, which would take gigabytes
NOISE = 1e-10  # of an entry that is rounding, relative to the largest


@frozen
class BaseParameters:
    """What forces determine: `matrix` @ pi, (rank, 10 nb), where pi are the ten numbers of each body in turn.

    Row k is the number named `names[k]`, plus what cannot be told apart from it. `columns` are these numbers' places in
    pi, so that tau = Y[:, columns] @ matrix @ pi.
    """

    matrix: Floats
    names: tuple[str, ...]
    columns: tuple[int, ...]

    @property
    def rank(self) -> int:
        """How many there are."""
        return len(self.names)


def base_parameters(model: Model, states: int | None, seed: int) -> BaseParameters:
    """From regressors at random states."""
    count = 10 * model.nb
    enough = 4 + (2 * count) // max(model.nv, 1)
    states = enough if states is None else _whole("states", states, 1, MOST)
    rng = np.random.default_rng(_whole("seed", seed, 0))
    q = np.array([anywhere(model.mechanism, rng) for _ in range(states)]).reshape(states, model.nq)
    v, a = rng.normal(size=(2, states, model.nv))
    stacked = _regressor(model, q, v, a).reshape(-1, count)
    chosen = independent_columns(stacked)
    matrix = np.linalg.lstsq(stacked[:, chosen], stacked, rcond=None)[0]
    matrix[np.abs(matrix) < NOISE * np.abs(matrix).max(initial=0.0)] = 0.0
    matrix[:, chosen] = np.eye(len(chosen))
    names = [f"{model.mechanism.bodies[k // 10].name}/{NUMBERS[k % 10]}" for k in chosen]
    return BaseParameters(matrix, tuple(names), tuple(chosen))


def _whole(name: str, given: object, least: int, most: int | None = None) -> int:
    whole = isinstance(given, (int, np.integer)) and not isinstance(given, bool)
    if not whole or given < least or (most is not None and given > most):  # type: ignore[operator]
        at_most = f" and at most {most:,}" if most is not None else ""
        raise InputError(f"base_parameters: {name}={given!r}; expected a whole number of at least {least}{at_most}")
    return int(given)  # type: ignore[call-overload,no-any-return]


def _regressor(model: Model, q: Floats, v: Floats, a: Floats) -> Floats:
    """In doubles, whatever the model computes in: rounding of single precision would pass for rank."""
    if model.dtype == np.float64:
        return model.regressor(q, v, a)
    program = model.program("regressor")
    return Program(program.quantity, program.trace, model.mechanism)(q, v, a)


def independent_columns(Y: Floats) -> list[int]:
    """Columns that span all others, by a pivoted QR of columns at unit length; in increasing order."""
    size = np.linalg.norm(Y, axis=0)
    left = Y / np.where(size > TINY * size.max(initial=0.0), size, np.inf)
    chosen: list[int] = []
    for _ in range(min(Y.shape)):
        rest = np.linalg.norm(left, axis=0)
        k = int(np.argmax(rest))
        if rest[k] < RANK:
            break
        chosen.append(k)
        direction = left[:, k] / rest[k]
        for _ in range(2):  # twice is enough for rounding
            left = left - np.outer(direction, direction @ left)
        left[:, chosen] = 0.0
    return sorted(chosen)


def inertial_numbers(inertia: Inertia) -> Floats:
    """(m, h, I about the origin by its upper triangle) of a body."""
    J = inertia.spatial()
    return np.array([inertia.mass, *(inertia.mass * inertia.com), *J[:3, :3][np.triu_indices(3)]])
