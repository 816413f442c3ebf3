"""Between parameters by name and the raw numbers of a trace in which every body is a link in its own frame."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from anyjoint.errors import InputError
from anyjoint.joints.parameters import parameters
from anyjoint.mechanism import Inertia, Mechanism
from anyjoint.scalar import reals
from anyjoint.scalar.array import Floats
from anyjoint.spatial.inertia import UPPER
from anyjoint.trace.numbers import Numbers
from anyjoint.tree.links import RAW
from anyjoint.tree.plan import NUDGE, Link, Plan

from .change import GRAVITY, INERTIA, SPRING, find, value_of

MASS = RAW.index("m")


class Bend(NamedTuple):
    """How the slopes of raw numbers by one parameter change with another, (raw numbers, entries, entries)."""

    one: str
    two: str
    begin: int
    slopes: Floats


class RawGradient:
    """The linear map from small changes of named parameters to those of raw numbers, and its transpose."""

    def __init__(self, mechanism: Mechanism, names: Sequence[str], plan: Plan, numbers: Numbers) -> None:
        self.mechanism, self.count = mechanism, len(numbers.flat())
        starts = numbers.starts()
        links = {link.body: (link, a, b) for link, a, b in zip(plan.links, starts, starts[1:], strict=False)}
        self.blocks = {name: self._block(name, links, starts[-1]) for name in names}
        self.bends = tuple(self._bends())

    def _block(self, name: str, links: Mapping[int, tuple[Link, int, int]], gravity: int) -> tuple[int, Floats]:
        """Where the raw numbers begin that a parameter changes, and by how much: (raw numbers, entries)."""
        if name == GRAVITY:
            return gravity, np.eye(3)
        index, what, path = find(self.mechanism, name)
        (link, begin, end), body = links[index], self.mechanism.bodies[index]
        if what in INERTIA:
            return begin + MASS, inertia_slopes(body.inertia, what)
        if what == "placement":
            return end - NUDGE, adjoint_matrix(np.asarray(body.placement.matrix, dtype=float))
        end -= len(link.tail)
        if what in SPRING:
            sizes = [len(getattr(body, other)) for other in SPRING]
            k = SPRING.index(what)
            return end - sum(sizes[k:]), np.eye(sizes[k])
        if not link.joint.nv:
            raise InputError(
                f"{name!r}: a joint without coordinates has no derivatives by its numbers; differentiate by its"
                f" body's placement, '{body.name}/placement'"
            )
        own = path.removeprefix("joint.") if body.joint.follows else path  # the link has the joint that follows itself
        order = [".".join(parameter.path) for parameter in parameters(link.joint)]
        if own not in order:
            raise InputError(f"{name!r}: numbers of how a joint follows others have no derivatives; take differences")
        return begin + len(RAW) + order.index(own), np.ones((1, 1))

    def _bends(self) -> Iterator[Bend]:
        """All pairs of parameters that raw numbers are no linear function of."""
        places = {name: find(self.mechanism, name) for name in self.blocks}
        for (one, a), (two, b) in product(places.items(), repeat=2):
            bend = inertia_bends(self.mechanism.bodies[a.body].inertia, a.what, b.what) if a.body == b.body else None
            if bend is not None:
                yield Bend(one, two, self.blocks[one][0], bend)

    @property
    def moving(self) -> tuple[int, ...]:
        """The raw numbers that change."""
        blocks = self.blocks.values()
        return tuple(sorted({k for begin, slopes in blocks for k in range(begin, begin + len(slopes))}))

    def push(self, changes: Mapping[str, object]) -> Floats:
        """Changes of raw numbers, (..., count), for changes of parameters."""
        made = np.zeros(self.count)
        for name, change in changes.items():
            begin, slopes = self.blocks[name]
            flat = flat_change(self.mechanism, name, change)
            if flat.ndim > made.ndim:
                made = np.broadcast_to(made, (len(flat), self.count)).copy()
            if flat.ndim > 1 and len(flat) != len(made):
                raise InputError(f"a change of {name!r} is for {len(flat)} states, others are for {len(made)}")
            made[..., begin : begin + len(slopes)] += flat @ slopes.T
        return made

    def pull(self, raw: Floats) -> dict[str, Floats]:
        """Gradients by parameters from those by raw numbers."""
        made = {}
        for name, (begin, slopes) in self.blocks.items():
            flat = raw[..., begin : begin + len(slopes)] @ slopes
            made[name] = flat.reshape((*raw.shape[:-1], *change_shape(self.mechanism, name)))
        return made

    def pull_rates(self, raw: Floats, rates: Floats, changes: Mapping[str, object]) -> dict[str, Floats]:
        """Rates of gradients by parameters while these change, from gradients by raw numbers and their rates."""
        made = self.pull(rates)
        for one, two, begin, bend in self.bends:
            if two in changes:
                bars, way = raw[..., begin : begin + len(bend)], flat_change(self.mechanism, two, changes[two])
                more = np.einsum("...k,kij,...j->...i", bars, bend, way)
                made[one] = made[one] + more.reshape(made[one].shape)
        return made


def flat_change(mechanism: Mechanism, name: str, change: Any) -> Floats:
    """A small change of a parameter, or one for each state, as a row."""
    shape = change_shape(mechanism, name)
    expected = f"expected finite numbers {shape}" if shape else "expected a finite number"
    try:
        given = reals(change)
    except (TypeError, ValueError) as error:
        raise InputError(f"a change of {name!r} is {change!r}; {expected}") from error
    if given.shape[max(given.ndim - len(shape), 0) :] != shape or given.ndim > len(shape) + 1:
        raise InputError(f"a change of {name!r} has shape {given.shape}; {expected}")
    if not np.isfinite(given).all():
        raise InputError(f"a change of {name!r} is not finite; {expected}")
    return given.reshape((*given.shape[: given.ndim - len(shape)], math.prod(shape)))


def adjoint_matrix(pose: Floats) -> Floats:
    """Ad of a 4x4 pose, angular part first."""
    R, (x, y, z) = pose[:3, :3], pose[:3, 3]
    made = np.zeros((6, 6))
    made[:3, :3] = made[3:, 3:] = R
    made[3:, :3] = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ R
    return made


def change_shape(mechanism: Mechanism, name: str) -> tuple[int, ...]:
    """The shape of a small change of a parameter; a placement's is a twist K -> K exp(xi), angular part first."""
    if find(mechanism, name).what == "placement":
        return (NUDGE,)
    return np.shape(np.asarray(value_of(mechanism, name), dtype=float))


def inertia_slopes(inertia: Inertia, what: str) -> Floats:
    """Changes of m, h = m c and the tensor about the origin with the mass, the centre c or the tensor about it."""
    m, c = inertia.mass, np.asarray(inertia.com, dtype=float)
    upper = tuple(zip(*UPPER, strict=True))
    if what == "mass":
        about = c @ c * np.eye(3) - np.outer(c, c)
        return np.concatenate([[1.0], c, about[upper]])[:, None]
    if what == "com":
        return m * center_slopes(c)
    slopes = np.zeros((10, 9))
    for row, (i, j) in enumerate(UPPER):
        slopes[4 + row, 3 * i + j] += 0.5
        slopes[4 + row, 3 * j + i] += 0.5
    return slopes


def center_slopes(c: Floats) -> Floats:
    """Changes of m, h and that tensor with the centre, (10, 3), of a unit mass."""
    upper = tuple(zip(*UPPER, strict=True))
    abouts = [2 * (c @ e) * np.eye(3) - np.outer(e, c) - np.outer(c, e) for e in np.eye(3)]
    return np.array([[0.0, *e, *about[upper]] for e, about in zip(np.eye(3), abouts, strict=True)]).T


def inertia_bends(inertia: Inertia, one: str, two: str) -> Floats | None:
    """How `inertia_slopes` by one of mass and centre change with the other, or with itself, (10, one, two)."""
    c = np.asarray(inertia.com, dtype=float)
    if (one, two) == ("mass", "com"):
        return center_slopes(c)[:, None, :]
    if (one, two) == ("com", "mass"):
        return center_slopes(c)[:, :, None]
    if (one, two) == ("com", "com"):
        return inertia.mass * np.stack([center_slopes(e) - center_slopes(0 * e) for e in np.eye(3)], axis=-1)
    return None
