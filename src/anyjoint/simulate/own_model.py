"""The model of a run as it was: parameters may change afterwards, but not what a trajectory says of its run."""

from __future__ import annotations

from anyjoint.model import Model

from .steps import Record


def record_of(model: Model) -> Record | None:
    """What the parameters of a model are now; those of a single run in a sweep never change."""
    return Record.of(model.mechanism) if isinstance(model, Model) else None


def as_it_was(model: Model, record: Record) -> Model:
    """The model, or a copy with the parameters of the record if they are others by now."""
    if record.still_holds(model.mechanism):
        return model
    mechanism = model.mechanism.__copy__()
    mechanism.gravity = record.gravity
    for body in record.bodies:
        mechanism.replace_body(body)
    return Model(mechanism, model.algorithm, model.dtype.name, model.workshop.form, model.width, model.vary)
