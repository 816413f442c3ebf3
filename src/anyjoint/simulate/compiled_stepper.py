"""Machine code that takes many steps: a step's schedule and the loop around it, called on arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from anyjoint.codegen import CompiledSchedule
from anyjoint.codegen.bound_llvm import entry_parameters
from anyjoint.codegen.fingerprint import fingerprint
from anyjoint.codegen.jit import Library, Module, compile_module
from anyjoint.codegen.schedule import address
from anyjoint.model.row_program import in_rows
from anyjoint.quantity import Quantity
from anyjoint.scalar.array import Dtype, Floats
from anyjoint.stepper.physics import projection_of

from .kept import Joints, kept
from .programs import program_of
from .request import Request
from .step import Step, make_step
from .stepper_llvm import loop_text

_LOOP_WORDS = 5  # saves, every, out, bytes, advance


class CompiledStepper:
    """Takes steps of one method for one mechanism; states are rows (batch, row) and change in place."""

    def __init__(self, step: Step, dtype: Dtype, width: int | None = None, rows: bool = False) -> None:
        """`rows`: every state has numbers of its own."""
        self.step, self.dtype = step, dtype
        self.schedule = in_rows(step.schedule) if rows else step.schedule
        self.code = CompiledSchedule(self.schedule, dtype=dtype.name, width=width)
        self._entries: dict[int, Callable[..., None]] = {}
        self._libraries: list[Library] = []

    def _entry(self, width: int) -> Callable[..., None]:
        """The loop for so many states side by side, as a ctypes function; it runs without the GIL."""
        if width not in self._entries:
            schedule = self.schedule
            target = replace(self.code.target, width=width)
            loop = loop_text(schedule.arrays)
            identity = fingerprint("steps " + loop, schedule, target)
            library = compile_module(identity, lambda: self._module(width, loop))
            words = [ctypes.c_void_p] * (len(entry_parameters(schedule.arrays)) + _LOOP_WORDS)
            self._entries[width] = ctypes.CFUNCTYPE(None, *words)(library.address("steps"))
            self._libraries.append(library)
        return self._entries[width]

    def _module(self, width: int, loop: str) -> Module:
        made = self.code.module(width)
        return replace(made, text=made.text + loop)

    def prepare(self, batch: int) -> None:
        """Compile what a batch of this size needs."""
        self._entry(1 if batch == 1 else self.code.target.width)

    def settings(self, *controls: float, forces: Sequence[float] = ()) -> Floats:
        """The numbers of a run: what the method wants to know, and those of the forces and dampers."""
        made = np.zeros(max(self.step.settings, 1), self.dtype)
        made[: len(controls)] = controls
        made[self.step.forces : self.step.forces + len(forces)] = forces
        return made

    def advance(
        self, state: Floats, drive: Floats, settings: Floats, numbers: Floats, saves: int, every: int = 1,
        threads: int = 1,
    ) -> Floats:  # fmt: skip
        """Take saves * every steps; the rows after every `every` steps, (saves, batch, row).

        `drive` is (samples, inputs), one for each half step, or (1, inputs) or (batch, inputs) for constant inputs;
        `numbers` those of the program, (count,) or (batch, count).
        """
        batch = len(state)
        share = -(-batch // threads)
        if threads <= 1 or share == batch:
            return self._advance(state, drive, settings, numbers, saves, every)
        parts = [slice(i, min(i + share, batch)) for i in range(0, batch, share)]
        single = self.step.samples or len(drive) == 1
        own = [numbers if numbers.ndim == 1 else numbers[p] for p in parts]
        with ThreadPoolExecutor(len(parts)) as pool:
            jobs = [
                pool.submit(self._advance, state[p], drive if single else drive[p], settings, mine, saves, every)
                for p, mine in zip(parts, own, strict=True)
            ]
            return np.concatenate([job.result() for job in jobs], axis=1)

    def _advance(
        self, state: Floats, drive: Floats, settings: Floats, numbers: Floats, saves: int, every: int
    ) -> Floats:
        batch, row = state.shape
        width = 1 if batch == 1 else self.code.target.width
        entry = self._entry(width)
        out = np.empty((saves, batch, row), state.dtype)
        varying = bool(self.step.samples)
        stride = 0 if varying or len(drive) == 1 else drive.shape[1]
        advance = self.step.samples * drive.shape[1] * drive.itemsize if varying else 0
        by_row = (numbers.shape[1],) if numbers.ndim == 2 else ()
        arrays = address(state), row, address(drive), stride, address(numbers), *by_row, address(settings)
        size = batch * row * state.itemsize
        work = self.code.work(width)
        entry(*arrays, work, self.code.runs_at, batch, saves, every, address(out), size, advance)
        return out


def asked(request: Request) -> list[str | Quantity]:
    """What a step asks for, forces by kernels behind the others."""
    return [*request.quantities, *([request.pushing] if request.pushing else [])]


def compiled_stepper(request: Request) -> CompiledStepper:
    """The compiled stepper of a request; a program keeps the steppers that were made of it."""
    model, rows = request.model, request.parameters
    programs = [program_of(model, quantity, rows) for quantity in asked(request)]
    program = programs[0]
    varying = request.drive.varying and not request.stepper.adaptive

    def make() -> CompiledStepper:
        own = programs[:-1] if request.pushing else programs
        start = sum(x.trace.count for x in own)
        pushing = (programs[-1].trace.schedule, start) if request.pushing else None
        projection = projection_of([x.trace for x in own])
        dynamics, forces = program.trace.schedule, request.forces
        dampers = sum(x.trace.count for x in programs) if rows else None
        step = make_step(
            request.stepper, model.mechanism, dynamics, forces, varying, request.powered, projection, dampers, pushing,
            request.tapes,
        )  # fmt: skip
        return CompiledStepper(step, program.dtype, program.code.target.width, rows is not None)

    # Charts and rates belong to joints; other parameters may change and the step stays what it is.
    joints = Joints(tuple(body.joint for body in model.mechanism.bodies))
    key = (request.method, varying, request.powered, request.forces.code, joints, len(programs), request.tapes)
    return kept(program, key, make)


def numbers_of(request: Request) -> Floats:
    """The numbers of all programs, one behind the other: the same for all states, or a row for each, with dampers."""
    model, rows, quantities = request.model, request.parameters, asked(request)
    if rows is None:
        shared = [program_of(model, quantity).numbers for quantity in quantities]
        return shared[0] if len(shared) == 1 else np.concatenate(shared)
    by_rows = model.row_programs
    made = [by_rows.numbers(by_rows.program(quantity, rows), rows) for quantity in quantities]
    return np.concatenate([*made, request.damping.astype(made[0].dtype)], axis=-1)


def initial_rows(request: Request, row: int) -> Floats:
    """Rows of the states to begin with."""
    nq, nv = request.model.nq, request.model.nv
    state = np.zeros((request.batch, row), request.model.dtype)
    state[:, :nq] = request.q
    state[:, nq : nq + nv] = request.v
    return state
