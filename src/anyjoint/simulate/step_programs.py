"""Programs of the steps of a run that is differentiated: traced once, given other numbers when parameters change."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.constraints import Push
from anyjoint.model.products import derivative_workshop
from anyjoint.model.program import filled
from anyjoint.model.raw_gradient import RawGradient
from anyjoint.quantity import QUANTITIES, Quantity
from anyjoint.trace.numbers import Numbers
from anyjoint.trace.pushes import push_places
from anyjoint.trace.structure import still_built_in
from anyjoint.trace.whole import whole

if TYPE_CHECKING:
    from anyjoint.mechanism import Body
    from anyjoint.model import Model


class StepPrograms:
    """Traces of quantities, the first of them on raw numbers where it is differentiated by parameters.

    `numbers` are those of all of them, one program's behind the other's; `slopes` say where those of a program begin,
    and how they change with parameters; `pushing` where those of forces stand, if it is by them, too.
    """

    def __init__(
        self, model: Model, parameters: tuple[str, ...], quantities: Sequence[str | Quantity], aside: Quantity,
        pushes: Sequence[Push], freed: bool = False,
    ) -> None:  # fmt: skip
        """`aside` is a quantity that is not differentiated; `freed` says whether it is by numbers of forces, too."""
        self.model, self.parameters, self.freed = model, parameters, freed
        self.shelf: dict[Hashable, object] = {}  # code made of these programs
        self.workshop = derivative_workshop(model, parameters, freed)
        self.records = [QUANTITIES[x] if isinstance(x, str) else x for x in quantities]
        traced = [record.trace(self.workshop, model.algorithm) for record in self.records]
        raw = [bool(parameters) or (freed and bool(trace.pushes)) for trace in traced]
        self.raw = [x and record is not aside for x, record in zip(raw, self.records, strict=True)]
        self.traces = tuple(whole(x) if raw else x for x, raw in zip(traced, self.raw, strict=True))
        self.fixed = [trace.numbers.built_in for trace in self.traces]
        self.where = self._where(pushes)
        self._fill([trace.numbers for trace in self.traces])

    def _where(self, pushes: Sequence[Push]) -> tuple[tuple[Body, ...], tuple[float, ...], list[tuple[float, ...]]]:
        mechanism = self.model.mechanism
        return tuple(mechanism.bodies), tuple(mechanism.gravity), [push.numbers for push in pushes]

    def follows(self, pushes: Sequence[Push]) -> bool:
        """Take the numbers of mechanism and forces as they are now; False if one is another that is built in."""
        where = self._where(pushes)
        if all(a is b for a, b in zip(where[0], self.where[0], strict=True)) and where[1:] == self.where[1:]:
            return True
        if self.workshop is not self.model.workshop:  # that one the model takes care of
            self.workshop.forget()
        numbers = [  # forces as rows are those of one mechanism
            x.numbers_under(pushes) if x.pushes else self.workshop.numbers(x.over, x.gravity, x.closed)
            for x in self.traces
        ]
        if not all(map(still_built_in, self.fixed, numbers)):
            return False
        self.where = where
        self._fill(numbers)
        return True

    def _fill(self, numbers: Sequence[Numbers]) -> None:
        parts, start = [], 0
        self.slopes: list[tuple[int, RawGradient]] = []
        self.pushing = np.zeros(0, dtype=int)
        for record, trace, raw, own in zip(self.records, self.traces, self.raw, numbers, strict=True):
            if raw:
                slopes = RawGradient(self.model.mechanism, self.parameters, trace.plan, own)
                self.slopes.append((start, slopes))
            if self.freed and trace.pushes:
                own_places = zip(trace.pushes, push_places(own, trace.pushes), strict=True)
                self.pushing = start + np.concatenate([at for push, at in own_places if isinstance(push, Push)])
            parts.append(filled(record.name, trace, own, (), np.dtype(float)))
            start += trace.count
        self.numbers = np.concatenate(parts)

