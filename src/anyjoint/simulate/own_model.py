"""The model of a run as it was: parameters may change afterwards, but not what a trajectory says of its run."""

from __future__ import annotations

from anyjoint.model import Model

from .log import Log


def log_of(model: Model | None) -> Log | None:
    """What the parameters of a model are now; those of a single run in a sweep never change."""
    return Log.of(model.mechanism) if isinstance(model, Model) else None


def as_it_was(model: Model, log: Log) -> Model:
    """The model, or a copy with the parameters of the log if they are others by now."""
    if log.still_holds(model.mechanism):
        return model
    mechanism = model.mechanism.__copy__()
    mechanism.gravity = log.gravity
    for body in log.bodies:
        mechanism.replace_body(body)
    return Model(mechanism, model.algorithm, model.dtype.name, model.workshop.form, model.width, model.vary)
