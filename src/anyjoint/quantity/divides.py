"""Quantities that need the inverse of the mass matrix: accelerations among their rows show where there is none.

Where M is singular these are finite numbers without a meaning; model/screen.py tells by what is natural for a model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from anyjoint.frozen import frozen

Rows = Mapping[str, Any]  # arrays of one state or a batch, by name


@frozen
class Divides:
    """Accelerations of a quantity, and the speeds and forces that cause them."""

    caused: Callable[[Rows, Rows], tuple[Any, Any, Any]]  # v, tau and a, of inputs and outputs
    softened: bool = False  # whether M has the slopes of forces over a step beside it, and may be singular alone
    held: frozenset[int] = frozenset()  # bodies whose joints have given accelerations, and may be singular


def _forced(given: Rows, found: Rows) -> tuple[Any, Any, Any]:
    return given["v"], given["tau"], found["a"]


def _corrected(given: Rows, found: Rows) -> tuple[Any, Any, Any]:
    return given["v"], given["tau"], found["x"]


def _stepped(given: Rows, found: Rows) -> tuple[Any, Any, Any]:
    """The mean over a step."""
    return given["v"], given["tau"], (found["v"] - np.asarray(given["v"])) / np.asarray(given["dt"])


def _loaded(given: Rows, found: Rows) -> tuple[Any, Any, Any]:
    return np.zeros(1), given["x"], found["y"]


def _unseen(given: Rows, found: Rows) -> tuple[Any, Any, Any]:
    """None of its rows are accelerations: how joints stand has to tell."""
    return np.zeros(1), np.zeros(1), np.zeros((*next(iter(found.values())).shape[:-1], 1))


def by_unit_forces(inverse: str) -> Divides:
    """What forces of one unit would do, of the output that is the inverse itself."""
    return Divides(lambda _, found: (np.zeros(1), np.ones(1), np.abs(found[inverse]).sum(axis=-1)))


def differentiated(divides: Divides, inputs: Sequence[str], outputs: Sequence[str]) -> Divides:
    """The same of a derivative: directions and weights push, too, and M^-1 may be lost in these outputs alone."""

    def caused(given: Rows, found: Rows) -> tuple[Any, Any, Any]:
        v, tau, a = divides.caused(given, found)
        slopes = (found[name].reshape(*a.shape[:-1], -1) for name in outputs)
        return v, _largest(tau, *(given[name] for name in inputs)), _largest(a, *slopes)

    return replace(divides, caused=caused)


def _largest(*rows: Any) -> Any:
    """The largest number of each state."""
    sizes = (np.abs(np.asarray(x, dtype=float)).max(axis=-1, keepdims=True, initial=0.0) for x in rows)
    return reduce(np.maximum, sizes)


BY_FORCES = Divides(_forced)
BY_LOAD = Divides(_loaded)
BY_JOINTS = Divides(_unseen)
BY_FORCES_OVER_A_STEP = Divides(_forced, softened=True)
BY_CORRECTION = Divides(_corrected, softened=True)
BY_STEP, BY_IMPLICIT_STEP = Divides(_stepped), Divides(_stepped, softened=True)
