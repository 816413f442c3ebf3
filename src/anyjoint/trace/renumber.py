"""Numbers of a plan made again for other parameters, one set or many at once, while its frames stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.joints.spring import Spring
from anyjoint.mechanism import Body
from anyjoint.mechanism.inertia import spatial_inertias
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.tree.links import inertia_values
from anyjoint.tree.plan import Frames, Plan

from .numbers import INERTIAL, Numbers, NumberTable, numbers_of


@frozen
class Basis:
    """A plan and its numbers, for bodies whose joints and placements are still the same objects.

    `frames` is None where every body is a link in its own frame.
    """

    plan: Plan
    frames: Frames | None
    regroup: bool
    bodies: tuple[Body, ...] = field(repr=False)

    @cached_property
    def numbers(self) -> Numbers:
        """The plan's own, where nothing falls."""
        return numbers_of(self.plan, (0.0, 0.0, 0.0))

    def fits(self, bodies: Sequence[Body]) -> bool:
        """Whether frames are still what they were."""
        pairs = zip(self.bodies, bodies, strict=True)
        return all(a is b or (a.joint is b.joint and a.placement is b.placement) for a, b in pairs)

    def of(self, bodies: Sequence[Body], gravity: tuple[float, float, float]) -> Numbers:
        """The numbers for other bodies that fit."""
        if tuple(bodies) == self.bodies or not self.plan.links:
            return replace(self.numbers, gravity=gravity)
        springs = {i: self._spring(bodies, i) for i, link in enumerate(self.plan.links) if link.spring}
        own = spatial_inertias([body.inertia for body in bodies])
        table = self.table(own, gravity, springs).rows
        ends = [len(row) for row in self.numbers.links]
        links = tuple(tuple(row[:end]) for row, end in zip(table.tolist(), ends, strict=True))
        return replace(self.numbers, links=links, gravity=gravity)

    def _spring(self, bodies: Sequence[Body], link: int) -> Floats:
        spring = Spring.of(bodies[self.plan.links[link].body])
        assert spring is not None  # springs come and go with bodies, not with parameters
        return np.array(spring.numbers)

    def table(self, own: Floats, gravity: ArrayLike, springs: Mapping[int, Floats]) -> NumberTable:
        """Numbers (..., links, count) for inertias (..., bodies, 6, 6), gravity (..., 3) and the springs of links."""
        base, links = self.numbers.table, self.plan.links
        J = own if self.frames is None else self.frames.inertias(own, self.regroup)
        lead = J.shape[:-3]
        rows = np.broadcast_to(base, (*lead, *base.shape)).copy()
        values = inertia_values(J.reshape(-1, 6, 6))
        rows[..., INERTIAL] = np.stack(values, axis=-1).reshape(*lead, len(links), -1)
        rows[..., -3:] = -np.asarray(gravity, dtype=float)[..., None, :]
        for i, given in springs.items():
            end = len(self.numbers.links[i]) - len(links[i].tail)
            rows[..., i, end - given.shape[-1] : end] = given
        return NumberTable(rows, tuple(len(row) for row in self.numbers.links))
