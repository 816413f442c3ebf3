"""The trajectory of a run whose contacts open and close."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anyjoint.errors import InputError

from ..trajectory import Trajectory, hermite
from .records import ContactTrack, Impact, ModeChange

Floats = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Piece:
    """Samples in one combination of modes, in the coordinates of its model."""

    model: Any
    t: Floats
    q: Floats
    v: Floats

    @property
    def modes(self) -> dict[str, str]:
        """The modes by contact body."""
        return dict(self.model.modes)


@dataclass(eq=False, repr=False)
class ContactTrajectory(Trajectory):
    """A motion with contacts: q and v are those of `model`, in which all contact bodies are free, in every mode.

    Where modes change there are two samples of the same time, before and after. `pieces` are the same samples in the
    coordinates of the modes, `contacts` where bodies touch and with what force, by name.
    """

    impacts: list[Impact] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    a: Floats | None = None

    def own_facts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Modes, impacts and contacts for a file; pieces are not kept."""
        impacts = [{**vars(impact), "impulse": impact.impulse.tolist()} for impact in self.impacts]
        header = {"contacts": list(self.contacts), "modes": [list(x) for x in self.modes], "impacts": impacts}
        tracks = self.contacts.values()
        points, forces = (np.stack([getattr(x, what) for x in tracks], axis=1) for what in ("points", "forces"))
        return header, {"a": self.a, "points": points, "forces": forces}

    def accelerations(self) -> Floats:
        """dv/dt at every sample, in the mode that it belongs to."""
        return super().accelerations() if self.a is None else self.a

    def resample(self, times: Sequence[float] | Floats) -> Trajectory:
        """The motion at other times inside the run, by cubic Hermite interpolation between changes of modes."""
        at = np.asarray(times, dtype=float)
        if at.ndim != 1 or not np.isfinite(at).all() or (len(at) and (at.min() < self.t[0] or at.max() > self.t[-1])):
            raise InputError(f"resample: times must be finite and within {self.t[0]:g} and {self.t[-1]:g}, in one row")
        longer = np.flatnonzero(np.diff(self.t) > 0)  # between the two samples at a change there is no time
        if not len(longer):
            raise InputError("resample: the trajectory has a single sample; simulate for longer")
        k = longer[np.clip(np.searchsorted(self.t[longer], at, side="right") - 1, 0, len(longer) - 1)]
        q = hermite(self.t, self.q, self.coordinate_rates(), k, at)
        v = hermite(self.t, self.v, self.accelerations(), k, at)
        return Trajectory(
            at, q, v, self.status, self.model, self.method, self.steps, list(self.events), modes=list(self.modes)
        )


def facts_of(header: Mapping[str, Any], arrays: Mapping[str, Floats], model: Any) -> tuple[type, dict[str, Any], Any]:
    """What a file says about contacts: the kind of trajectory, its own facts, and the model of its coordinates."""
    tracks = zip(np.moveaxis(arrays["points"], 1, 0), np.moveaxis(arrays["forces"], 1, 0), strict=True)
    facts = {
        "contacts": {name: ContactTrack(*track) for name, track in zip(header["contacts"], tracks, strict=True)},
        "modes": [ModeChange(*x) for x in header["modes"]],
        "impacts": [Impact(**{**x, "impulse": np.array(x["impulse"])}) for x in header["impacts"]],
        "a": arrays["a"],
    }
    return ContactTrajectory, facts, None if model is None else model.released
