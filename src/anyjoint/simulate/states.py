"""States over time, and what the model of the run says at them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import InputError
from anyjoint.forces.limits import limited_coordinates
from anyjoint.model.parameter_rows import ParameterRows
from anyjoint.scalar.array import Floats
from anyjoint.stepper import resists

from .drive import Drive
from .log import Log
from .own_model import as_it_was
from .samples import flat_rows
from .touching import rubbing
from .tracks import ContactForces

if TYPE_CHECKING:
    from anyjoint.model import Model

MOST_STATES = 8192  # that are looked at together where each has parameters of its own


class States:
    """The part of Trajectory that asks the model, as it was in the run, at all samples."""

    t: Floats
    q: Floats
    v: Floats
    model: Model | None
    method: str
    drive: Drive | None
    parameters: ParameterRows | None
    contacts: dict[str, ContactForces]
    was: Log | None

    def _rows(self) -> ParameterRows | None:
        """Parameters of all samples in the order of `flat_rows`."""
        if self.parameters is None:
            return None
        return self.parameters.tiled(len(self.t))

    def own_model(self) -> Model:
        """The model of the run, with the parameters that it had."""
        if self.model is None:
            raise InputError("this trajectory was loaded without its model; give Trajectory.load(path, model=...)")
        if self.was is not None:
            model = as_it_was(self.model, self.was)
            if model is not self.model and self.parameters is not None:
                self.parameters = ParameterRows(model.mechanism, self.parameters.columns)
            self.model = model
        return self.model

    def remember(self) -> None:
        """Make `model` one with the parameters of the run, if those of the model have changed since."""
        if self.model is not None:
            self.own_model()

    def _times(self) -> Floats:
        """Times of all samples in the order of `flat_rows`."""
        return np.repeat(self.t, math.prod(self.q.shape[1:-1]))[:, None].astype(self.own_model().dtype)

    def _applied(self, drive: Drive) -> Floats:
        """Inputs and forces at every sample; functions of the state are asked again."""
        if self.q.ndim == 2:
            return drive.torques(self.t, self.q, self.v)
        members = range(self.q.shape[1])
        return np.stack([drive.torques(self.t, self.q[:, k], self.v[:, k], k) for k in members], axis=1)

    def momentum(self) -> Floats:
        """Total momentum in the world about its origin at every sample: angular, then linear."""
        model = self.own_model()
        return np.asarray(self._over(lambda q, v, **own: (model.momentum(q, v, **own),))[0])

    def _over(self, quantity: Callable[..., tuple[Floats, ...]]) -> tuple[Floats, ...]:
        """A quantity of the model over all samples, whatever their shape."""
        shape = self.q.shape[:-1]
        if self.parameters is None:
            flat = quantity(flat_rows(self.q), flat_rows(self.v), parameters=None)
            return tuple(np.asarray(x).reshape(*shape, *np.shape(x)[1:]) for x in flat)
        some = max(1, MOST_STATES // self.parameters.count)  # samples at once: each state has a row of numbers
        parts = []
        for k in range(0, max(len(self.t), 1), some):
            q, v = flat_rows(self.q[k : k + some]), flat_rows(self.v[k : k + some])
            rows = self.parameters.tiled(len(self.q[k : k + some]))
            parts.append(quantity(q, v, parameters=rows))
        return tuple(np.concatenate(x).reshape(*shape, *np.shape(x[0])[1:]) for x in zip(*parts, strict=True))

    def accelerations(self) -> Floats:
        """dv/dt at every sample, by the dynamics and inputs of the run; by differences where they are not known.

        Nor are they under contacts, nor where stops and dry friction are a part of the steps, which alone know them.
        """
        if self.model is None or self.drive is None or self.contacts or self._resisted():
            return np.gradient(self.v, self.t, axis=0, edge_order=2 if len(self.t) > 2 else 1)
        q, v, tau = (flat_rows(x) for x in (self.q, self.v, self._applied(self.drive)))
        flat = self.own_model().forward_dynamics(q, v, tau, self._times(), parameters=self._rows())
        return np.asarray(flat).reshape(self.v.shape)

    def _resisted(self) -> bool:
        """Whether stops or dry friction were a part of the steps."""
        mechanism = self.own_model().mechanism
        return resists(self.method) and (bool(rubbing(mechanism)) or any(True for _ in limited_coordinates(mechanism)))
