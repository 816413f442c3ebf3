"""Limits of joints that are met by impacts: which there are, and with what restitution."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import InputError
from anyjoint.forces.limits import limited_coordinates
from anyjoint.frozen import frozen
from anyjoint.options import nearest
from anyjoint.scalar import is_real
from anyjoint.scalar.array import Floats
from anyjoint.stepper import explicit_names

if TYPE_CHECKING:
    from anyjoint.model import Model
    from anyjoint.stepper import Stepper

IMPACT = "impact"
Restitution = float | Mapping[str, float] | None  # for all limits, or by the names of coordinates


@frozen
class Stop:
    """One end of a coordinate: its name, places of the coordinate and of its velocity, where, and from which side.

    `side` is 1 for a lower limit, -1 for an upper one, so that gaps and speeds of separation are side * (q - end) and
    side * v.
    """

    name: str
    at: int
    rate: int
    end: float
    side: float
    restitution: float

    @property
    def label(self) -> str:
        """Which end it is."""
        return "lower limit" if self.side > 0 else "upper limit"

    def gap(self, q: Floats) -> Floats:
        """How far coordinates (..., nq) are from it; negative beyond."""
        return self.side * (q[..., self.at] - self.end)

    def speed(self, v: Floats) -> Floats:
        """How quickly the gap grows under velocities (..., nv)."""
        return self.side * v[..., self.rate]


def hard_stops(
    model: Model, limits: bool | str, restitution: Restitution, stepper: Stepper, hold: int | None
) -> tuple[Stop, ...] | None:
    """All limits of a model, if they are to be met by impacts."""
    if limits != IMPACT:
        if restitution is not None:
            raise InputError(f'restitution={restitution!r} is for limits="impact"; stops that push back have none')
        return None
    if stepper.implicit:
        more = "; its steps feel limits by themselves, with limits=True" if stepper.resists else ""
        raise InputError(f'method={stepper.name!r}: limits="impact" goes with {explicit_names()}{more}')
    if model.dtype != np.dtype(float) or model.numeric or hold:
        raise InputError(
            'limits="impact" needs float64, an algorithm whose code is compiled, and no hold=; this is '
            f"{model.dtype}, {model.numeric or model.algorithm}, hold={hold}"
        )
    made = []
    back = _restitutions(model, 0.0 if restitution is None else restitution)
    for name, at, rate, ends in limited_coordinates(model.mechanism):
        for end, side in zip(ends, (1.0, -1.0), strict=True):
            if math.isfinite(end):
                made.append(Stop(name, at, rate, end, side, back[name]))
    return tuple(made)


def _restitutions(model: Model, given: float | Mapping[str, float]) -> dict[str, float]:
    """The restitution of every limited coordinate: one number for all, or some by the names of coordinates."""
    names = [x.name for x in limited_coordinates(model.mechanism)]
    chosen = given if isinstance(given, Mapping) else dict.fromkeys(names, given)
    for name, value in [*chosen.items(), *([] if isinstance(given, Mapping) else [("all", given)])]:
        if not is_real(value) or not 0 <= value <= 1:
            of = f" of {name!r}" if isinstance(given, Mapping) else ""
            raise InputError(f"restitution={value!r}{of}; expected a number from 0 (no rebound) to 1 (elastic)")
    for name in chosen:
        if name not in names:
            raise InputError(f"restitution: no coordinate {name!r} has limits{nearest(name, names)}")
    return {name: float(chosen.get(name, 0.0)) for name in names}
