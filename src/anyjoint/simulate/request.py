"""What a user asked for, checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.constraints.touch import SHOWN
from anyjoint.errors import InputError
from anyjoint.forces import Limits
from anyjoint.forces.program import ForceProgram, trace_forces
from anyjoint.forces.resist import resistances
from anyjoint.frozen import frozen
from anyjoint.joints.parameters import signature
from anyjoint.model.arguments import checked_threads
from anyjoint.model.parameter_rows import ParameterRows
from anyjoint.model.products import differentiates_by_kernels
from anyjoint.model.row_program import check_built_in
from anyjoint.quantity import Quantity
from anyjoint.quantity.constraints import baumgarte
from anyjoint.quantity.contact import contact
from anyjoint.quantity.implicit import implicit
from anyjoint.quantity.push_forces import push_forces
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.stepper import Stepper
from anyjoint.stepper.physics import built_in_joints

from .drive import Drive, make_drive
from .events import Event, as_events
from .given import checked_stepper, every, finest, held_steps, seconds, start_states, tolerances
from .hard_stop import IMPACT, Stop, hard_stops
from .kept import kept
from .known_forces import check_built_into
from .limits import check_start, check_stops, with_stops
from .log import Log
from .programs import program_of
from .python_step import damping_of
from .rotors import check_rotors
from .stabilise import PROJECT, Stabilise, checked_stabilise
from .touching import check_contacts

if TYPE_CHECKING:
    from anyjoint.forces import Force
    from anyjoint.model import Model
    from anyjoint.model.parameter_rows import Given
    from anyjoint.simulate.drive import Torques
    from anyjoint.simulate.events import Events
    from anyjoint.simulate.hard_stop import Restitution

TINIEST = 1e-300  # step
WITHIN = "implicit-midpoint"  # leads to states within a step that looks back, which has no way to begin elsewhere


@frozen
class Request:
    """A simulation to run: states are batches (batch, n), also where a single one was asked for."""

    model: Model
    q: Floats
    v: Floats
    single: bool
    duration: float
    dt: float
    stepper: Stepper
    rtol: float
    atol: float
    drive: Drive
    forces: ForceProgram
    events: tuple[Event, ...]
    every: int
    threads: int
    stops: bool = False  # whether limits of joints hold by our own stops
    hold: int | None = None  # steps for which a controller's answer is held
    stabilise: Stabilise = None  # how the motion is kept on constraints
    parameters: ParameterRows | None = None  # of each trajectory
    log: Log | None = None  # where steps of the method's own choice are written, if the run is to be differentiated
    given: tuple[Floats, Floats] | None = None  # first states before joints chose their charts
    note: str = ""  # why the method was chosen, if the user left that to us
    limits: bool = False  # whether limits of joints are a part of the step
    hard: tuple[Stop, ...] | None = None  # limits that are met by impacts, if they are
    begin: float = 0.0  # when it begins; later than 0 only where all steps are samples
    between: bool = False  # whether states between samples will be asked for

    @cached_property
    def quantities(self) -> tuple[str | Quantity, ...]:
        """What the model has to answer: accelerations, then corrections if every step ends with a projection."""
        a, b = self.stabilise[1:] if isinstance(self.stabilise, tuple) else (0.0, 0.0)
        project = ("position_correction", "velocity_correction") if self.stabilise == PROJECT else ()
        if self.stepper.implicit:
            return (self._implicit(b), *project)
        return (baumgarte(a, b) if isinstance(self.stabilise, tuple) else self.stepper.dynamics, *project)

    @cached_property
    def pushing(self) -> Quantity | None:
        """What forces by kernels ask of the model, where there are many; implicit steps feel them without it.

        They need it for the work alone.
        """
        return pushing(self.model, self.forces) if self.forces.many else None

    def _implicit(self, pull: float) -> Quantity:
        """Accelerations under the forces of the run; the same while neither those nor the mechanism change."""
        pushes, mechanism = self.forces.pushes, self.model.mechanism
        where = tuple(mechanism.bodies), tuple(map(float, mechanism.gravity)), tuple(map(id, mechanism.constraints))
        given = self.stepper.solves
        if self.stepper.resists:
            what = where, self.limits, tuple(mechanism.contacts), self.dt
            make = lambda: contact(pull, pushes, resistances(mechanism, self.limits, self.dt))  # noqa: E731
            return kept(self.forces, ("resisted", pull, what), make)

        def made(forces: ForceProgram) -> Quantity:
            like = made(forces.first) if forces.first else None
            return kept(forces, ("implicit", pull, given, where), lambda: implicit(pull, forces.pushes, given, like))

        return made(self.forces)

    @property
    def shows(self) -> bool:
        """Whether contacts are among what a run tells."""
        return self.stepper.resists and bool(self.model.mechanism.contacts)

    @property
    def stops_hard(self) -> bool:
        """Whether limits are met by impacts."""
        return self.hard is not None

    @property
    def stepwise(self) -> Request:
        """The same with a sample after every step."""
        return replace(self, every=1)

    @property
    def method(self) -> str:
        """The stepper's name."""
        return self.stepper.name

    @property
    def batch(self) -> int:
        """How many trajectories."""
        return len(self.q)

    @cached_property
    def tapes(self) -> bool:
        """Whether steps leave the accelerations of their stages behind, which gradients go back by.

        They can where accelerations are those of the mass matrix and forces, and nothing else. Short straight-line code
        goes back through forward dynamics more quickly.
        """
        mechanism, stepper = self.model.mechanism, self.stepper
        plain = not (mechanism.constraints or mechanism.timed or self.model.workshop.expansion)
        cut = any(event.terminal for event in self.events)  # an event cuts a step short, whose stages are others
        able = plain and not (stepper.implicit or stepper.adaptive or cut)
        return self.log is not None and able and differentiates_by_kernels(self.model)

    @cached_property
    def powered(self) -> bool:
        """Whether inputs, forces or dampers may do work."""
        drive = self.drive
        pushed = bool(drive.values.any()) or drive.callback is not None or bool(self.forces.torques)
        return pushed or bool(self.damping.any())

    @cached_property
    def damping(self) -> Floats:
        """The damping of all joints, (nv,) or, with parameters of their own, (batch, nv)."""
        return damping_of(self.model.mechanism, self.parameters)

    @property
    def numbers(self) -> list[float]:
        """The numbers of forces and dampers that steps want to know, and that are the same for all states."""
        return [*self.forces.numbers, *(self.damping.tolist() if self.powered and not self.parameters else ())]

    @property
    def steps(self) -> int:
        """Whole steps of length dt; a shorter one may follow."""
        return math.floor(self.duration / self.dt * (1 + 1e-12) + 1e-9)

    @property
    def times(self) -> Floats:
        """Times of the samples, after the start; the last one is the duration itself."""
        if self.duration == 0:
            return np.zeros(0)
        marks = np.arange(self.every, self.steps + 1, self.every) * self.dt
        marks = marks[marks > self.begin + 1e-9 * self.dt]
        if len(marks) and abs(marks[-1] - self.duration) <= 1e-9 * self.dt:
            marks[-1] = self.duration
            return marks
        return np.append(marks, self.duration)


def make_request(
    model: Model, q0: ArrayLike | None, v0: ArrayLike | None, duration: float, dt: float, method: str, rtol: float,
    atol: float, tau: Torques, forces: Sequence[Force], events: Events, save_every: int | None, threads: int,
    limits: bool | str = True, hold: int | None = None, stabilise: Stabilise = "project",
    parameters: Given | None = None, restitution: Restitution = None,
) -> Request:  # fmt: skip
    """Check everything that a user gave."""
    stepper = checked_stepper(method)
    duration, dt = seconds("duration", duration, 0.0), seconds("dt", dt, TINIEST)
    if duration / dt > 1e12:
        raise InputError(f"duration={duration:g} s at dt={dt:g} s is more than 1e12 steps; give a longer dt")
    rtol, atol = tolerances(rtol, atol, finest(model, stepper))
    q, v, single = start_states(model, q0, v0)
    rows = _checked_rows(model, parameters)
    if rows and single:  # all of them begin there
        q, v, single = np.tile(q, (rows.count, 1)), np.tile(v, (rows.count, 1)), False
    if rows and rows.count != len(q):
        raise InputError(f"parameters have {rows.count} rows, but {len(q)} states begin; give one q0, or {rows.count}")
    threads = checked_threads("simulate", threads)
    pushing = _with_stops(model, q, forces, limits, dt, stepper)
    program = _forces(model, pushing)
    drive = make_drive(tau, model.nv, None if single else len(q), duration, program)
    if drive.functions and drive.times is None and not stepper.adaptive and np.ptp(drive.values, axis=0).any():
        raise InputError(
            f"tau differs from state to state, and forces are functions of time: steps of {stepper.name} sample inputs"
            " for all states together; use 'dopri5', or simulate the states one by one"
        )
    check_contacts(model, stepper)
    own = bool(limits) and stepper.resists and not any(isinstance(force, Limits) for force in forces)
    shown = SHOWN * model.mechanism.np if stepper.resists else 0
    saved = every(save_every, duration / dt, (model.nq + model.nv + shown) * len(q) * 8)
    chosen = as_events(events, single)
    held = held_steps(hold, drive, stepper, model.numeric)
    check_rotors(model.mechanism, rows)
    pushed = any(push.bodies for push in program.pushes) or (stepper.resists and model.mechanism.contacts)
    if rows and rows.moving and pushed:
        raise InputError(
            f"parameters: {rows.moving[0]!r} moves bodies that forces or contacts act on, so it cannot be another one"
            " for each state; set it with model.parameters and simulate the states one by one"
        )
    if rows:
        check_built_into(program, model.mechanism, rows.names, "parameters")
    if rows is not None and len(pushing) > len(forces) and not (stepper.adaptive or stepper.damps):
        check_stops(model, [x for x in pushing if isinstance(x, Limits)][-1], rows, dt)
    return Request(model, q, v, single, duration, dt, stepper, rtol, atol, drive, program, chosen, saved, threads,
                   len(pushing) > len(forces), held, checked_stabilise(stabilise, model), rows,
                   limits=own, hard=hard_stops(model, limits, restitution, stepper, held))  # fmt: skip


def _checked_rows(model: Model, given: Given | None) -> ParameterRows | None:
    if given is None:
        return None
    rows = model.parameter_rows(given)
    if model.numeric:
        raise InputError(f"parameters: {model.numeric} solves numerically; compile with another algorithm")
    check_built_in(rows, built_in_joints(model.mechanism))
    return rows


def _with_stops(
    model: Model, q: Floats, forces: Sequence[Force], limits: object, dt: float, stepper: Stepper
) -> Sequence[Force]:
    """The forces, and stops at the limits that joints declare unless the user brings stops or wants none."""
    if not isinstance(forces, (list, tuple)):
        raise InputError(f"forces={forces!r}; expected a list of forces, such as [aj.forces.Spring(...)]")
    if not isinstance(limits, bool) and limits != IMPACT:
        raise InputError(
            f'limits={limits!r}; expected True or False, "impact" for impacts with restitution, and '
            "forces=[aj.forces.Limits(...)] for stops of your own"
        )
    if not limits:
        return forces
    check_start(model, q)
    if limits == IMPACT and any(isinstance(force, Limits) for force in forces):
        raise InputError('forces has a Limits, and limits="impact": stops are springs or hit hard, not both; drop one')
    return forces if limits == IMPACT else with_stops(model, forces, dt, stepper)


def _forces(model: Model, forces: Sequence[Force]) -> ForceProgram:
    where = tuple(model.mechanism.bodies) if forces else ()  # no forces depend on no parameters
    key = ("forces", signature(tuple(forces), whole=True), where)

    def make() -> ForceProgram:
        program = trace_forces(model.mechanism, forces)
        if program.many:
            return replace(program, compiled=ByKernels(model, program))
        first = kept(model, ("form of forces", program.form), lambda: program)
        return program if first is program else replace(program, first=first)

    return kept(model, key, make)


@frozen
class ByKernels:
    """Generalized forces of many pushes, by kernels of a model."""

    model: Model
    forces: ForceProgram

    def __call__(self, q: Floats, v: Floats, signals: Floats) -> Floats:
        """At states (..., n)."""
        rows = [x.astype(self.model.dtype).reshape(-1, x.shape[-1]) for x in (q, v)]
        more = [signals.astype(self.model.dtype)] if len(signals) else []
        made = program_of(self.model, pushing(self.model, self.forces))(*rows, *more)
        return np.asarray(made, dtype=float).reshape(v.shape)


def pushing(model: Model, forces: ForceProgram) -> Quantity:
    """The quantity of forces by kernels; the same while neither those nor the mechanism change."""
    where = tuple(model.mechanism.bodies), tuple(map(float, model.mechanism.gravity))
    return kept(forces, ("pushing", where), lambda: push_forces(forces.pushes))
