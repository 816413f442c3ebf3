"""simulate: run an engine, watch it, and put the trajectory together."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from anyjoint.errors import InputError, SingularityError
from anyjoint.forces.signal import BadInput
from anyjoint.model.arguments import checked_flag
from anyjoint.model.parameter_rows import Given
from anyjoint.options import named_options
from anyjoint.scalar import is_real
from anyjoint.scalar.array import ArrayLike

from .choose import requested
from .chunk import StepUnderflow
from .doubts import doubts
from .engine import engine
from .hard_stop import IMPACT
from .impact import Crowded, ImpactRecorder, impact_engine, simulate_members
from .log import Log
from .progress import Progress
from .recorder import Recorder, underflow
from .request import Request, make_request
from .run_problem import check_differentiable
from .start import singular_start, started
from .trajectory import Trajectory

if TYPE_CHECKING:
    from anyjoint.forces import Force
    from anyjoint.model import Model
    from anyjoint.simulate.drive import Torques
    from anyjoint.simulate.events import Events
    from anyjoint.simulate.hard_stop import Restitution
    from anyjoint.simulate.progress import Telling
    from anyjoint.simulate.stabilise import Stabilise

MEMORY = 1 << 30  # bytes that the states of a run to be differentiated may take


@named_options
def simulate(
    model: Model,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    duration: float = 10.0,
    dt: float = 1e-3,
    method: str = "rk4",
    *,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    tau: Torques = None,
    forces: Sequence[Force] = (),
    events: Events = (),
    save_every: int | None = None,
    progress: Telling = None,
    threads: int = 1,
    limits: bool | str = True,
    restitution: Restitution = None,
    hold: int | None = None,
    stabilise: Stabilise = "project",
    parameters: Given | None = None,
    gradient: bool = False,
    memory: int = MEMORY,
) -> Trajectory:
    """Simulate a model from (q0, v0); rows (n,) give one trajectory, batches (batch, n) many at once.

    Without q0 the mechanism's own start is taken, or its neutral coordinates at rest. `dt` is the step of "rk4" and
    "semi-implicit-euler", and the distance of the samples of "dopri5", which chooses its steps by `rtol` and `atol`.
    "implicit-euler", "bdf1", "bdf2", "adaptive-bdf2" and "implicit-midpoint" are for stiff mechanisms, "time-stepping"
    for those with contacts or dry friction; "auto" takes "rk4" or "bdf2" by how stiff this one is beside `dt`, or
    what feels its contacts and dry friction, and `traj.status.note` says why.
    `tau` is constant, (samples, nv) spread over the duration, (times, values), or a function tau(t, q, v); functions
    are called from Python at every stage, which is slower, or, with `hold=k`, at the beginning of every k-th step: what
    they answer is held while machine code takes the steps, as by a sampled controller. `forces` are springs, wrenches
    and servos of `anyjoint.forces`; `events` are functions of (t, q, v) or `Event`s. Limits that joints declare hold,
    by stops as hard as the steps can follow, unless `forces` has a `Limits` or `limits` is False; with limits="impact"
    a coordinate that meets its limit is thrown back at `restitution` times its speed, one number or some by name (0),
    and rests there while it is pressed on (`traj.impacts`, `traj.modes`, `traj.stop_forces`). `stabilise` keeps the
    motion on constraints: "project" after every step, ("baumgarte", a, b) by feedback, None not at all. Every
    `save_every`-th step is kept (default all, fewer where they would fill more than a gibibyte). Trouble and Ctrl-C end
    the run early with a status that says why. `parameters` has one row for each state of a batch, or for as many runs
    from one state. With `gradient`, the trajectory can be differentiated (`Trajectory.gradient`, `.tangent`); states
    take at most `memory` bytes, and what does not fit is computed again on the way back. Bodies of `add_contact_body`
    change their modes on the way: `tau`, `events` and the result are in terms of `model.released`.
    """
    rest = rtol, atol, tau, forces, events, save_every, threads, limits, hold, stabilise, parameters, restitution
    if model.modes:
        if gradient:
            raise InputError(
                "gradient: runs in which contacts open and close are not differentiated; add the body with the joint of"
                " one mode, such as joints.Rolling, or its contact by add_contact"
            )
        from .contact import simulate_contacts  # here, since it is a third of this folder

        return simulate_contacts(model, q0, v0, (duration, dt, method, *rest), progress)
    make = lambda name: make_request(model, q0, v0, duration, dt, name, *rest)  # noqa: E731
    request = requested(model, method, make, jumps=limits == IMPACT)
    bar = Progress(progress, f"simulating {model.mechanism.name}")
    if checked_flag("simulate", "gradient", gradient):
        request = differentiable(request, save_every, memory)
    request = started(request)
    if request.stops_hard and not request.single:
        return simulate_members(request, lambda member: run(member, bar))
    return run(request, bar, gradient)


def run(request: Request, bar: Progress, gradient: bool = False) -> Trajectory:
    """The trajectory of a request that may begin."""
    recorder = ImpactRecorder(request) if request.stops_hard else Recorder(request, gradient)
    reason = singular_start(request)
    if reason:
        recorder.stop(False, reason, 0.0)
        return recorder.trajectory()
    chunks = impact_engine(recorder) if isinstance(recorder, ImpactRecorder) else engine(recorder.detailed)
    try:
        for chunk in chunks:
            if not recorder.take(chunk):
                break
            bar.show(recorder.now / request.duration if request.duration else 1.0)
    except KeyboardInterrupt:
        recorder.stop(False, "interrupted; the trajectory ends where the run was", recorder.now)
    except StepUnderflow as trouble:
        recorder.stop(False, underflow(request, trouble), trouble.time)
    except (BadInput, Crowded) as trouble:
        recorder.stop(False, str(trouble), trouble.time)
    except SingularityError as trouble:  # of impacts, which ask the model itself
        recorder.stop(False, f"{trouble}; at t = {recorder.now:.6g} s", recorder.now)
    finally:
        bar.close()
    return doubted(recorder.trajectory(), request)


def doubted(traj: Trajectory, request: Request) -> Trajectory:
    """The same trajectory; where its steps were too long to be believed, its status says so, and a warning does."""
    said = "; ".join(doubts(traj, request))
    if said:
        warnings.warn(f"simulate: {said}", stacklevel=7)  # the line of the caller
        traj.status = replace(traj.status, note="; ".join(filter(None, [traj.status.note, said])))
    return traj


def differentiable(request: Request, save_every: int | None, memory: int) -> Request:
    """The request for a run that is to be differentiated: which states are kept, and where steps are written down."""
    check_differentiable(request)
    nq, nv = request.model.nq, request.model.nv
    more = nq + nv if request.stepper.remembers else 4 * nv  # what steps look back at, or leave behind
    bytes_each = (nq + nv + more) * request.batch * 8
    if not is_real(memory) or not memory > 0:
        raise InputError(f"simulate: memory={memory!r}; expected bytes for states that are kept, more than 0")
    every = request.every if save_every else max(1, math.ceil(request.steps * bytes_each / memory))
    if every > 1 and request.events:
        raise InputError("gradient: a run with events keeps every step; leave save_every out, or give more memory")
    return replace(request, every=every, log=Log.of(request.model.mechanism, every))
