"""The trajectory of a run whose limits are met by impacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anyjoint.forces.limits import limited_coordinates
from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats

from ..broken import BrokenTrajectory
from ..drive import Drive
from ..mode_change import ModeChange
from ..trajectory import Trajectory, given


@frozen
class LimitImpact:
    """A coordinate that met its limit: when, the impulse along it, and the energy that it lost there.

    `member` is the number of the trajectory in a batch.
    """

    time: float
    coordinate: str
    impulse: float
    lost: float
    member: int = 0


@dataclass(eq=False, repr=False)
class ImpactTrajectory(BrokenTrajectory):
    """A motion whose limits are met by impacts; `modes` says which coordinates came to rest at them, and left.

    Where velocities jump there are two samples of the same time, before and after; a batch has the samples of its steps
    alone, and `modes` for each trajectory. `stop_forces` are the forces with which stops hold coordinates, by the names
    of these.
    """

    impacts: list[LimitImpact] = field(default_factory=list)
    stop_forces: dict[str, Floats] = field(default_factory=dict)

    def _applied(self, drive: Drive) -> Floats:
        """Inputs and forces at every sample, and those of stops at which coordinates rest."""
        tau, rates = np.array(super()._applied(drive)), self._rates()
        for name, force in self.stop_forces.items():
            tau[..., rates[name]] += force
        return tau

    def _rates(self) -> dict[str, int]:
        """The places among velocities of the coordinates that have limits."""
        return {x.name: x.rate for x in limited_coordinates(self.own_model().mechanism)}

    def _work_of_constraints(self) -> Floats:
        """Of those that move, also by the impulses with which they answer those of the stops."""
        work, model, rates = super()._work_of_constraints(), self.own_model(), self._rates()
        for impact in self.impacts:
            tau, at = np.zeros((2, model.nv)), np.searchsorted(self.t, impact.time, side="left")
            tau[1, rates[impact.coordinate]] = impact.impulse
            member = (impact.member,) if self.q.ndim == 3 else ()
            q, v = (np.repeat(x[(at, *member)][None], 2, axis=0) for x in (self.q, self.v))
            rows = self.parameters.take([impact.member, impact.member]) if self.parameters else None
            t = np.full((2, 1), impact.time) if model.mechanism.timed else None
            without, answered = model.constraint_power(q, v, tau, t=t, parameters=rows)
            work[(slice(at + 1, None), *member)] += answered - without  # multipliers are affine in forces
        return work

    def member(self, index: int) -> Trajectory:
        """One trajectory of a batch."""
        base = super().member(index)
        facts = {name: value for name, value in given(base).items() if name != "modes"}
        index %= self.q.shape[1]
        return ImpactTrajectory(
            **facts, impacts=[x for x in self.impacts if x.member == index],
            a=None if self.a is None else self.a[:, index],
            modes=list(self.modes[index]), stop_forces={name: x[:, index] for name, x in self.stop_forces.items()},
        )  # fmt: skip

    def own_facts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Impacts, rests and the forces of stops for a file."""
        header = {
            "limits": list(self.stop_forces), "modes": self.modes,
            "impacts": [vars(impact) for impact in self.impacts],
        }  # fmt: skip
        forces = np.stack([*self.stop_forces.values()], axis=1) if self.stop_forces else None
        return header, {"a": self.accelerations(), "forces": forces}


def facts_of(header: Mapping[str, Any], arrays: Mapping[str, Floats]) -> dict[str, Any]:
    """What a file says about limits."""
    forces: Any = np.moveaxis(arrays["forces"], 1, 0) if header["limits"] else []
    return {
        "modes": [_change(x) for x in header["modes"]], "impacts": [LimitImpact(**x) for x in header["impacts"]],
        "a": arrays["a"], "stop_forces": dict(zip(header["limits"], forces, strict=True)),
    }  # fmt: skip


def _change(read: list[Any]) -> Any:
    """A change of a file, or those of one trajectory of a batch."""
    return ModeChange(*read) if read and isinstance(read[1], str) else [_change(x) for x in read]
