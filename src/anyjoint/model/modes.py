"""A model whose contacts open and close, in other modes: each combination is compiled when first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from anyjoint.errors import InputError
from anyjoint.mechanism.contact import FLIGHT, in_modes, modes_of

from . import change
from .part import Part

if TYPE_CHECKING:
    from .model import Model

ALONE = "for one mode alone, build it with add_body and joints.Rolling or FreeQuaternion"


class ModeQuestions(Part):
    """The part of Model that is about contacts."""

    @property
    def modes(self) -> dict[str, str]:
        """The modes of the contact bodies in which this model answers."""
        return modes_of(self.mechanism)

    def in_modes(self, modes: Mapping[str, str]) -> Model:
        """The model with some contact bodies in other modes: {"ball": "flight"}."""
        wanted = self.modes | dict(modes)
        mechanism = in_modes(self.mechanism, wanted)
        if wanted == self.modes:
            return self  # type: ignore[return-value]
        family: dict[tuple[str, ...], Model] = vars(self).setdefault("_family", {})
        key = tuple(wanted.values())
        if key not in family:
            known = set(change.names(mechanism))
            vary = [name for name in self.whole.vary if name in known]
            options = (self.whole.algorithm, self.dtype.name, self.workshop.form, self.whole.width, vary)
            family[key] = type(self)(mechanism, *options)  # type: ignore[call-arg,assignment]
        return family[key]

    @property
    def released(self) -> Model:
        """The model with all contact bodies in flight: its coordinates are there in every mode."""
        return self.in_modes(dict.fromkeys(self.modes, FLIGHT))

    def refuse_modes(self, what: str, remedy: str) -> None:
        """Refuse what cannot follow contacts that open and close."""
        if self.modes:
            names = ", ".join(map(repr, self.modes))
            raise InputError(f"{what}: contacts of {names} open and close, which only simulate follows; {remedy}")
