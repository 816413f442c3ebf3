"""Mechanisms whose parameters are others, to see which numbers of a program depend on them.

A number that stays the same for random values of a parameter does not depend on it: numbers are algebraic in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.errors import AnyjointError
from anyjoint.joints.parameters import Parameter, parameters
from anyjoint.mechanism import Body, Mechanism
from anyjoint.spatial import Pose

from .change import GRAVITY, Changes, changed, find

SAMPLES = 3
TRIES = 8  # ever smaller steps of a joint's numbers, which may have to fit together


def varied(mechanism: Mechanism, names: Sequence[str]) -> tuple[Mechanism, ...]:
    """Copies of a mechanism with random values of the named parameters."""
    if not names:
        return ()
    rng = np.random.default_rng(5)
    return tuple(_varied(mechanism, names, rng) for _ in range(SAMPLES))


def _varied(mechanism: Mechanism, names: Sequence[str], rng: np.random.Generator) -> Mechanism:
    made = mechanism.__copy__()
    by_body: dict[int, list[tuple[str, str]]] = {}
    for name in names:
        if name == GRAVITY:
            made.gravity = tuple(rng.normal(size=3) * 10)
        else:
            found = find(mechanism, name)
            by_body.setdefault(found.body, []).append((found.what, found.path))
    for index, wanted in by_body.items():
        made.replace_body(_another(mechanism.bodies[index], wanted, rng))
    return made


def _another(body: Body, wanted: Sequence[tuple[str, str]], rng: np.random.Generator) -> Body:
    """The body with other values; steps get smaller until the joint takes them."""
    for k in range(TRIES):
        changes: Changes = {what: _value(body, what, rng, 0.1**k) for what in wanted}
        made, problems = changed(body, changes)
        if not problems:
            return made
    raise AnyjointError(f"vary: no values near the present ones are possible for body {body.name!r}: {problems[0]}")


def _value(body: Body, what: tuple[str, str], rng: np.random.Generator, step: float) -> Any:
    kind, path = what
    if kind == "mass":
        return body.inertia.mass + rng.uniform(0.5, 1.5)
    if kind == "com":
        return body.inertia.com + rng.normal(size=3)
    if kind == "tensor":
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        size = 1 + np.abs(body.inertia.tensor).max()
        return body.inertia.tensor + size * axes @ np.diag(rng.uniform(1.0, 1.5, 3)) @ axes.T
    if kind == "placement":
        return body.placement @ Pose.rotation(rng.normal(size=3), 1.0) @ Pose.translation(*rng.normal(size=3))
    if kind == "joint":
        return _nearby(next(p for p in parameters(body.joint) if ".".join(p.path) == path), rng, step)
    return tuple(x + rng.uniform(0.5, 1.5) for x in getattr(body, kind))


def _nearby(parameter: Parameter, rng: np.random.Generator, step: float) -> float:
    """A number close to the present one, within the bounds."""
    (low, high), (first, last) = parameter.bounds, parameter.domain
    distance = step * rng.uniform(0.05, 0.1) * max(abs(parameter.value), min(last - first, 1.0))
    return parameter.value + distance if parameter.value + distance <= high else max(parameter.value - distance, low)
