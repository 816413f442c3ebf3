"""The trajectory of a run whose limits are met by impacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anyjoint.scalar.array import Floats

from ..broken import BrokenTrajectory
from ..contact.records import ModeChange
from ..trajectory import Trajectory, given


@dataclass(frozen=True)
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

    stop_forces: dict[str, Floats] = field(default_factory=dict)

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
