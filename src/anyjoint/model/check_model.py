"""Is that a model? A mechanism is easily taken for one."""

from __future__ import annotations

from anyjoint.errors import InputError
from anyjoint.mechanism import Mechanism

from .model import Model


def check_model(what: str, model: object) -> None:
    """Refuse what is no model, such as a mechanism that was not compiled."""
    if not isinstance(model, Model):
        given = f"the mechanism {model.name!r}" if isinstance(model, Mechanism) else repr(model)
        raise InputError(f"{what}: model is {given}; expected a compiled one, mech.compile()")
