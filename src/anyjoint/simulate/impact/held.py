"""A model some coordinates of which are held: they have so much armature that no force moves them.

That inertia is only theirs, so all else moves as if they were fixed, loops included, and the force of the stop is what
is left of their equations: armature times acceleration, exactly, since so large a number loses no digits beside others.
Which ones are held is a row of parameters: one program serves all combinations, in the compiled loop as anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.forces.limits import limited
from anyjoint.model.parameter_rows import ParameterRows

from ..hard_stop import Stop
from ..kept import kept
from ..request import Request

if TYPE_CHECKING:
    from anyjoint.model import Model

HELD = 1e24  # kg, or kg m^2


def holding(model: Model) -> Model:
    """The same model with armature as a parameter of every joint that has limits; made once."""

    def make() -> Model:
        mechanism = model.mechanism.__copy__()
        for index in {index for (index, _), _ in limited(mechanism)}:
            mechanism.replace_body(replace(mechanism.bodies[index], sprung=True))
        options = (model.algorithm, model.dtype.name, model.workshop.form, model.width, model.vary)
        return type(model)(mechanism, *options)

    return kept(model, ("holding", tuple(model.mechanism.bodies), model.mechanism.gravity), make)


def held_request(request: Request, held: Sequence[Stop]) -> Request:
    """The request of a single run while some coordinates are held."""
    if not held:
        return request
    model = holding(request.model)
    columns = dict(request.parameters.columns) if request.parameters else {}
    for body in {index: model.mechanism.bodies[index] for (index, _), _ in limited(model.mechanism)}.values():
        name = f"{body.name}/armature"
        armature = np.array(columns.get(name, [body.armature]), dtype=float)
        for stop in held:
            if body.v.start <= stop.rate < body.v.stop:
                armature[0, stop.rate - body.v.start] += HELD
        columns[name] = armature
    return replace(request, model=model, parameters=ParameterRows(model.mechanism, columns))
