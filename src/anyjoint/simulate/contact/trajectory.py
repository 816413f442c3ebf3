"""The trajectory of a run whose contacts open and close."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats

from ..broken import BrokenTrajectory
from .records import ContactTrack, Impact, ModeChange

if TYPE_CHECKING:
    from anyjoint.model import Model


@frozen
class Piece:
    """Samples in one combination of modes, in the coordinates of its model."""

    model: Model
    t: Floats
    q: Floats
    v: Floats

    @property
    def modes(self) -> dict[str, str]:
        """The modes by contact body."""
        return dict(self.model.modes)


@dataclass(eq=False, repr=False)
class ContactTrajectory(BrokenTrajectory):
    """A motion with contacts: q and v are those of `model`, in which all contact bodies are free, in every mode.

    Where modes change there are two samples of the same time, before and after. `pieces` are the same samples in the
    coordinates of the modes, `contacts` where bodies touch and with what force, by name.
    """

    contacts: dict[str, ContactTrack] = field(default_factory=dict)  # type: ignore[assignment]  # one point each
    modes: list[ModeChange] = field(default_factory=list)
    impacts: list[Impact] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)

    def own_facts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Modes, impacts and contacts for a file; pieces are not kept."""
        impacts = [{**vars(impact), "impulse": impact.impulse.tolist()} for impact in self.impacts]
        header = {"contacts": list(self.contacts), "modes": [list(x) for x in self.modes], "impacts": impacts}
        tracks = self.contacts.values()
        points, forces = (np.stack([getattr(x, what) for x in tracks], axis=1) for what in ("points", "forces"))
        return header, {"a": self.a, "points": points, "forces": forces}


def facts_of(
    header: Mapping[str, Any], arrays: Mapping[str, Floats], model: Model | None
) -> tuple[type[ContactTrajectory], dict[str, Any], Model | None]:
    """What a file says about contacts: the kind of trajectory, its own facts, and the model of its coordinates."""
    tracks = zip(np.moveaxis(arrays["points"], 1, 0), np.moveaxis(arrays["forces"], 1, 0), strict=True)
    facts = {
        "contacts": {name: ContactTrack(*track) for name, track in zip(header["contacts"], tracks, strict=True)},
        "modes": [ModeChange(*x) for x in header["modes"]],
        "impacts": [Impact(**{**x, "impulse": np.array(x["impulse"])}) for x in header["impacts"]],
        "a": arrays["a"],
    }
    return ContactTrajectory, facts, None if model is None else model.released
