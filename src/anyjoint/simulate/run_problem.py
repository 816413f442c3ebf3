"""A run that is to be differentiated: by what, with which programs, and whether that can be done."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from anyjoint.codegen import CompiledSchedule
from anyjoint.dynamics.articulated_body import MASS_SOLVE
from anyjoint.errors import InputError
from anyjoint.forces.limits import limited_coordinates
from anyjoint.model.change import find
from anyjoint.model.change import names as parameter_names
from anyjoint.model.redundancy import MOVING, warn_of_redundancy
from anyjoint.options import meant
from anyjoint.quantity import Quantity
from anyjoint.quantity.answers.inverse_dynamics import INVERSE_DYNAMICS
from anyjoint.quantity.quantity import A, Q, X, sweeps
from anyjoint.scalar.array import Floats, Ints
from anyjoint.stepper import STEPPERS
from anyjoint.stepper.physics import built_in_joints, numbered_bodies

from .chosen_step import ChosenStepMap
from .force_numbers import ForceNumbers, force_names
from .kept import Joints, forget, kept
from .known_forces import check_built_into
from .request import WITHIN, Request, pushing
from .step_map import Part, StepMap
from .step_programs import StepPrograms
from .steps import Steps
from .switch import warn_of_switches

if TYPE_CHECKING:
    from anyjoint.model import Model

    from .trajectory import Trajectory

SOLVE = Quantity(
    "solve with the mass matrix", "M^-1 x in linear time.", (Q, X), (A,), sweeps(MASS_SOLVE), by_name=False
)
Q0, V0, TAU, DURATION = "q0", "v0", "tau", "duration"


class Problem:
    """A run, what it is differentiated by, and the programs for it."""

    def __init__(self, traj: Trajectory, names: tuple[str, ...], backwards: bool = False) -> None:
        self.traj, self.request = traj, checked_run(traj)
        self.taped = backwards and self.request.tapes
        self.model = self.request.model
        self.names = tuple(_checked_names(self.request, names))
        named = [x for x in self.names if x not in (Q0, V0, TAU, DURATION)]
        pushing = force_names(self.request.forces.given)
        self.parameters = tuple(x for x in named if x not in pushing)
        self.force_numbers = ForceNumbers(self.request.forces, [x for x in named if x in pushing])
        check_built_into(self.request.forces, self.model.mechanism, self.parameters, "gradient")
        self._check_ranks()
        self.pushed = self._pushed()
        self.programs = self._programs()
        self.numbers, self.slopes, traces = self.programs.numbers, self.programs.slopes, self.programs.traces
        request = self.request
        own, forces = (traces[:-1], traces[-1]) if self.pushed else (traces, None)
        raw = bool(self.parameters)
        given = self.model.mechanism, own, request.forces, request.drive.varying, self.taped, forces, raw
        self.map = (ChosenStepMap if request.stepper.chooses else StepMap)(request.stepper, *given)
        # A step that looks back is not cut short by an event, but has another, which does not, in its place.
        self.cut = ended_at_event(traj, request) and request.stepper.remembers and not request.stepper.chooses
        self.ending = StepMap(STEPPERS[WITHIN], *given) if self.cut else self.map
        self.n = self.model.nq + self.model.nv
        self.stretch = 0.0  # along a direction, how much longer the run becomes

    def _check_ranks(self) -> None:
        """Raise if a sample stands at a change point: multipliers tell, under forces that all rows feel."""
        model = self.model
        if model.held:
            q, v = (x.reshape(-1, x.shape[-1]) for x in (self.traj.q, self.traj.v))
            t = np.repeat(self.traj.t, self.request.batch)[:, None] if model.mechanism.timed else None
            forces = np.random.default_rng(0).normal(size=model.nv).astype(model.dtype)
            y = model.evaluate("constraint_multipliers", (q, v, forces, *model.clock(t)))
            model.held.check("gradient", y, q, t)

    @property
    def key(self) -> tuple[object, ...]:
        """What programs depend on."""
        request, mechanism = self.request, self.model.mechanism
        joints = Joints(tuple(body.joint for body in mechanism.bodies))
        built_in = kept(self.model, ("built in", joints), lambda: Joints(built_in_joints(mechanism)))
        bound = request.stepper.implicit or mechanism.constraints or self.model.workshop.expansion or self.pushed
        where = (tuple(mechanism.bodies), tuple(mechanism.gravity)) if bound else ()
        forces = request.forces if request.stepper.resists else request.forces.code  # those of contacts are others'
        return (self.names, self.taped, request.method, request.stabilise, forces, request.drive.varying,
                built_in, where, self.pushed)  # fmt: skip

    def _pushed(self) -> bool:
        """Whether forces are a program of their own: where there are many, or where parameters move what they act on.

        A short program of forces knows bodies only where they are. Implicit steps feel forces without it.
        """
        request, mechanism = self.request, self.model.mechanism
        acts = any(push.bodies for push in request.forces.pushes)
        moving = [name for name in self.parameters if find(mechanism, name).what in MOVING]
        if request.stepper.implicit or not (request.forces.many or (acts and moving)):
            return False
        if self.model.workshop.expansion:
            raise InputError(
                f"gradient: {moving[0]!r} moves bodies that forces act on, which is not differentiated where joints"
                " follow others (joints.Coupled); use an implicit method such as 'implicit-midpoint'"
            )
        return True

    @property
    def freed(self) -> bool:
        """Whether it is by numbers of forces which are among those of the programs, and not apart from them."""
        return bool(self.force_numbers.names) and (self.pushed or self.request.stepper.implicit)

    @property
    def by(self) -> list[str]:
        """Rows of the step that it is differentiated by, beside the state."""
        rows = {
            "drive": TAU in self.names or self.moves_inputs, "h": DURATION in self.names,
            "numbers": bool(self.parameters) or self.freed,
            "settings": bool(self.force_numbers.names) and not self.freed,
        }  # fmt: skip
        return [name for name, wanted in rows.items() if wanted]

    @property
    def moves_inputs(self) -> bool:
        """Whether steps meet other inputs if the run is stretched."""
        drive = self.request.drive
        return DURATION in self.names and drive.varying and not (drive.stretches and not drive.functions)

    def input_slopes(self, steps: Steps, k: Ints) -> Floats:
        """How the inputs of steps change with the duration, (steps, parts, inputs): those that it stretches do not."""
        drive, times = self.request.drive, steps.instants(k)
        slopes = drive.slopes(times.ravel(), np.repeat(steps.h[k], len(steps.parts))).reshape(*times.shape, -1)
        if drive.stretches:
            slopes[..., : self.model.nv] = 0.0
        return np.asarray(slopes * times[..., None] / self.request.duration)

    def _programs(self) -> StepPrograms:
        """The programs of a step, those of an earlier run with other parameters if they fit."""
        quantities = (INVERSE_DYNAMICS, SOLVE) if self.taped else self.request.quantities
        if self.pushed:
            quantities = (*quantities, pushing(self.model, self.request.forces))

        def make() -> StepPrograms:
            request = self.request
            warn_of_redundancy(self.model, "gradient", request.q[0], request.begin, self.parameters, 7)
            return StepPrograms(self.model, self.parameters, quantities, SOLVE, request.forces.pushes, self.freed)

        made = kept(self.model, self.key, make)
        if made.follows(self.request.forces.pushes):
            return made
        forget(self.model, self.key)
        return kept(self.model, self.key, make)

    def map_of(self, part: Part) -> StepMap:
        """The map that a part of the run is."""
        return self.ending if part == "end" else self.map

    def code(self, kind: Literal["backward", "forward"], part: Part = "step") -> CompiledSchedule:
        """Machine code of a part of the run, transposed ("backward") or with rates ("forward")."""
        own = self.map_of(part)
        make = own.backward if kind == "backward" else own.forward
        return kept(self.programs, (kind, part), lambda: make(self.by, part))

    def rows(self, steps: Steps, a: int, b: int, part: Part = "step") -> tuple[Floats, Floats]:
        """Rows of the state before some steps, and the accelerations of their stages."""
        (states, tape), own = steps.states(a, b), self.map_of(part)
        clock = [steps.t[a:b, None]] if self.model.mechanism.timed else []
        return np.hstack([states[:, : own.handed], *clock]), tape

    def last_part(self, steps: Steps) -> Part:
        """How the last sample is come by."""
        if self.cut:
            return "end"
        return "step" if steps.s[-1] == 1 else "inside"

    def starts_inside(self, steps: Steps) -> bool:
        """Whether a sample lies inside the first step, and is interpolated by what that was given to begin with."""
        return self.request.stepper.chooses is not None and bool(((steps.at == 0) & (steps.s != 1)).any())

    def start(self, member: int) -> tuple[Floats, Floats, bool]:
        """The first state as it was given, and whether joints chose charts for it, if only by a quaternion's length."""
        request = self.request
        q, v = (x[member] for x in request.given or (request.q, request.v))
        return q, v, request.given is not None

    @property
    def in_charts(self) -> list[str]:
        """Parameters on which the charts depend that joints choose."""
        mechanism, numbered = self.model.mechanism, numbered_bodies(self.model.mechanism)
        places = {name: find(mechanism, name) for name in self.parameters}
        return [name for name, found in places.items() if found.what == "joint" and found.body in numbered]

    def given(self, steps: Steps, k: Ints, member: int) -> dict[str, Floats]:
        """What steps k are given beside the state."""
        drive, request = self.request.drive, self.request
        if drive.varying:
            times = steps.instants(k)
            inputs = drive.member(member).rows(times.ravel()).reshape(len(times), -1)
        else:
            inputs = np.array(drive.values[member if len(drive.values) > 1 else 0], dtype=float)
        settings = np.array([*request.forces.numbers, 0.0])
        return {"h": steps.h[k, None].copy(), "drive": inputs, "numbers": self.numbers, "settings": settings}


def checked_run(traj: Trajectory) -> Request:
    """The request of a run that can be differentiated."""
    request: Request | None = traj.run
    if request is None:
        raise InputError("this trajectory does not know its steps; simulate(..., gradient=True) makes one that does")
    if not traj.status.ok:
        raise InputError(f"the run did not reach its end, so it has no gradient: {traj.status.reason}")
    assert request.log is not None  # it is asked for with the gradient
    if not request.log.still_holds(request.model.mechanism):
        raise InputError("parameters of the model have changed since the run, so its steps are others; simulate again")
    return request


def check_differentiable(request: Request) -> None:
    """Refuse runs with something in them whose derivative is not known."""
    model = request.model
    if request.drive.callback is not None:
        raise InputError(
            "gradient: tau is a Python function, whose derivative is not known; give its values over time, or a force"
            " of anyjoint.forces such as Servo"
        )
    if model.numeric:
        raise InputError(f"gradient: {model.numeric} solves numerically; compile with another algorithm")
    if model.dtype != np.dtype(float):
        raise InputError(f"gradient: the model computes in {model.dtype}; compile with dtype='float64'")
    if request.stops_hard:
        raise InputError('gradient: limits="impact": runs in which velocities jump are not differentiated')
    if request.parameters is not None:
        raise InputError("gradient: parameters that vary from state to state are not differentiated; run one by one")


def _checked_names(request: Request, given: Sequence[str]) -> list[str]:
    if DURATION in given:
        _check_stretch(request)
    known: tuple[str, ...] = (Q0, V0, TAU, DURATION)
    if not set(given) <= set(known):
        known += (*parameter_names(request.model.mechanism), *force_names(request.forces.given))
    for name in given:
        if name not in known:
            raise InputError(
                f"gradient: {name!r} is neither q0, v0, tau, duration nor a parameter of the model, nor a number of a"
                f" force such as 'forces/0/stiffness'{meant(name, known, 0.3)}"
            )
    return list(dict.fromkeys(given))


def _check_stretch(request: Request) -> None:
    """Refuse runs that do not become longer by longer steps, or that know the time."""
    if not request.duration:
        raise InputError("gradient: by 'duration', but the run has none, and no steps that could be longer")
    if request.stepper.adaptive:
        raise InputError(f"gradient: by 'duration', but {request.method} chooses its steps; use a method of fixed ones")
    if any(event.terminal for event in request.events):
        raise InputError("gradient: by 'duration', but an event may end the run; leave it out, or the event")
    if request.model.mechanism.timed:
        raise InputError("gradient: by 'duration', but the mechanism depends on time, which would be stretched, too")


def warn_of_stops(problem: Problem) -> None:
    """Say where a run has met stops of our own, which are as hard as steps can follow: too hard to differentiate."""
    q = problem.traj.q
    limits = limited_coordinates(problem.model.mechanism) if problem.request.stops else []
    if not any((q[..., at] < low).any() or (q[..., at] > high).any() for _, at, _, (low, high) in limits):
        warn_of_switches(problem)
    else:
        warnings.warn(
            "the run met a limit of a joint, and the impact lasted a few steps: this is the derivative of these steps,"
            " which may be far from that of the motion; end the run there by an event, or give stops that come in"
            " smoothly, forces.SoftStop",
            stacklevel=4,
        )


def ended_at_event(traj: Trajectory, request: Request) -> bool:
    """Whether an event has ended the run."""
    return any(event.terminal for event in request.events) and bool(traj.status.reason)


def bends(model: Model) -> bool:
    """Whether velocities are not simply rates of coordinates."""
    return not all(body.joint.rates_are_velocities for body in model.mechanism.bodies)
