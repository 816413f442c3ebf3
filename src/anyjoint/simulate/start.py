"""Where a run begins: inside what is defined, on the constraints, in the charts that joints want."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anyjoint.errors import SingularityError
from anyjoint.mechanism.fence import check_inside
from anyjoint.quantity.constraints import HELD
from anyjoint.scalar.array import Floats

from .guard import guard_of, guards_of
from .request import Request
from .stabilise import charted, check_mobility, check_on_constraints
from .touching import check_apart

MANY = 1000  # states that are worth compiling for


def started(request: Request) -> Request:
    """The request with its first states inside what is defined, and in the charts that the joints want."""
    rows = request.parameters
    if rows is not None and rows.vary_joints:
        for k, guard in enumerate(guards_of(request.model, rows, request.batch)):
            if reason := guard.at_start(request.q[k]):
                raise SingularityError(f"row {k}: the run cannot begin: {reason}")
    elif guard_of(request.model).fences:
        check_inside("simulate", guard_of(request.model).fences, request.q)
    check_on_constraints(request.model, request.q, request.v, request.parameters)
    check_mobility(request.model, request.q[0])
    check_apart(request.model, request.q, request.dt)
    if not charted(request.model):
        return request
    q, v = request.model.rechart(request.q, request.v)
    given = request.q, request.v
    return replace(request, q=np.asarray(q, dtype=float), v=np.asarray(v, dtype=float), given=given)


def singular_start(request: Request) -> str:
    """Why the run cannot begin where it should, or nothing."""
    model = request.model
    if not model.nv or not (model.places or model.screen):
        return ""  # there is no such place
    if request.parameters is not None and request.parameters.vary_joints:
        return ""  # they have been asked where they are defined
    try:
        if request.batch > MANY or request.parameters is not None:
            _ask(request, request.q, request.v)
            return ""
        for q, v in zip(request.q, request.v, strict=True):  # without compiling for batches
            _ask(request, q, v)
    except SingularityError as error:
        return f"the run cannot begin, because of {error}"
    return ""


def _ask(request: Request, q: Floats, v: Floats) -> None:
    """Raise where joints are singular; steps go past change points of loops, along the branch that they are on."""
    model = request.model
    if model.held:
        given = (q, v, np.zeros(model.nv, model.dtype), *model.clock(request.begin if model.mechanism.timed else None))
        model.evaluate(HELD, given, parameters=request.parameters)
    else:
        model.forward_dynamics(q, v, parameters=request.parameters)
