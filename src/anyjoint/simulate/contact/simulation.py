"""simulate, for mechanisms whose contacts open and close."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import InputError, SingularityError
from anyjoint.forces.signal import BadInput
from anyjoint.scalar.array import ArrayLike
from anyjoint.stepper import explicit_names

from ..choose import AUTO, EXPLICIT, chosen
from ..given import start_states
from ..progress import Progress
from ..request import Request, make_request
from ..status import Status
from ..touching import unfelt
from .collision import Unbalanced
from .impulse import Jammed
from .lift import Lift
from .run import ContactRun
from .switch import NoMode
from .trajectory import ContactTrajectory

if TYPE_CHECKING:
    from anyjoint.model import Model
    from anyjoint.simulate.progress import Telling


def simulate_contacts(
    model: Model, q0: ArrayLike | None, v0: ArrayLike | None, options: Sequence[Any], progress: Telling
) -> ContactTrajectory:
    """Run from (q0, v0) of the model's own modes; `options` are those of `make_request`, or method "auto"."""
    q, v, single = start_states(model, q0, v0)
    if not single:
        raise InputError(
            "simulate: a batch has one set of coordinates, but each trajectory of contacts changes its own with its "
            "modes; simulate the states one by one"
        )
    q, v = model.rechart(q, v)  # or say why they have no charts
    released = model.released
    lifted = Lift(model, released).lift(q[0], v[0])
    duration, dt, method, *rest = options

    def asked(name: str) -> Request:
        return checked(make_request(released, lifted.q, lifted.v, duration, dt, name, *rest))

    request = asked(EXPLICIT if method == AUTO else method)
    note = unfelt(released.mechanism, request.method)
    if method == AUTO:
        name, why = chosen(request, jumps=True)
        request, note = asked(name), "; ".join(filter(None, [why, note]))
    run = ContactRun(model, replace(request, note=note), q[0], v[0])
    bar = Progress(progress, f"simulating {model.mechanism.name}")
    try:
        run.begin()
        while run.status is None:
            if not run.stride():
                run.step()
            bar.show(run.now.t / run.request.duration)
    except KeyboardInterrupt:
        run.stop("interrupted; the trajectory ends where the run was")
    except (Jammed, NoMode, SingularityError, Unbalanced) as trouble:
        run.stop(f"{trouble}; at t = {run.now.t:.6g} s")
    except BadInput as trouble:
        run.stop(str(trouble))
    finally:
        bar.close()
    return run.recorder.trajectory(run.status or Status(True, "", run.now.t), run.crossings.found)


def checked(request: Request) -> Request:
    """A request of the released model, refused where contacts cannot be followed."""
    if request.stepper.implicit:
        raise InputError(
            f"method={request.method!r}: contacts that open and close are followed by {explicit_names()}, whose steps"
            ' can end anywhere; method="auto" chooses one'
        )
    if request.stops_hard:
        raise InputError('simulate: limits="impact" does not go with contacts that open and close; leave it out')
    if request.hold or request.parameters or isinstance(request.stabilise, tuple):
        raise InputError("simulate: hold=, parameters= and Baumgarte's feedback do not go with contacts; omit them")
    if request.model.dtype != np.dtype(float):
        raise InputError(f"simulate: contacts need float64, this model was compiled for {request.model.dtype}")
    return request
