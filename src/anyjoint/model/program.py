"""A compiled function of the state: rows in, one row out, numbers that can change without compiling again."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from anyjoint.codegen import CompiledSchedule, OpCount, Schedule
from anyjoint.dynamics.body import Algorithm
from anyjoint.dynamics.plan import GENERAL, Plan
from anyjoint.errors import InputError, ModelError

from .arguments import checked_out, checked_rows, checked_threads
from .classes import Tracer
from .joints_cache import JointCache
from .layout import Layout, Rows
from .numbers import Numbers
from .setup import Setup
from .store import remembered
from .straight import EXACT, input_sizes, straight_schedule

Floats = np.ndarray[Any, np.dtype[Any]]
# Straight-line code is best while it is small. Larger mechanisms run faster by kernels in loops where bodies share
# classes; where nearly every body is a class of its own, looping saves nothing and straight-line code still wins, up to
# the size at which it outgrows the caches and a second of compile time.
SMALL, LARGE = 3_500, 16_000  # operations
SHARING = 3.0  # bodies per kernel


class Program:
    """Machine code for one quantity. `inputs` are (name, length) of the rows; the result row has `size` numbers."""

    def __init__(
        self,
        name: str,
        schedule: Schedule,
        setups: Sequence[Rows] | Setup,
        inputs: Sequence[tuple[str, int]],
        size: int,
        numbers: Numbers,
        dtype: str = "float64",
        width: int | None = None,
        regrouped: bool = False,
    ) -> None:
        self.name, self.schedule, self.setups = name, schedule, setups
        self.regrouped = regrouped  # traced over the plan with regrouped inertia
        self.quantity = name  # what a caller asked for; the name is that of the algorithm
        self.inputs, self.size, self.dtype = tuple(inputs), size, np.dtype(dtype)
        self.code = CompiledSchedule(schedule, dtype=dtype, width=width)
        self.numbers = np.zeros(0)
        self._built_in = built_in(numbers)
        self._fill(numbers)
        self._local = threading.local()

    @property
    def form(self) -> str:
        """How the program is laid out: "straight" or "kernels"."""
        return "straight" if isinstance(self.setups, Setup) else "kernels"

    def update(self, numbers: Numbers) -> bool:
        """Run the set-up program for other numbers; False if one changed that the code has built in as exact."""
        flat = numbers.flat()
        if len(flat) != len(self._built_in) or np.any(~np.isnan(self._built_in) & (self._built_in != flat)):
            return False
        self._fill(numbers)
        return True

    def _fill(self, numbers: Numbers) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            values = self._set_up(numbers)
            made = np.ascontiguousarray(np.append(values, 0.0), dtype=self.dtype)  # never empty
        if not np.isfinite(made).all():
            raise ModelError(
                f"{self.name}: a number made of masses, lengths and gravity is {np.abs(values).max():.3g}; expected at"
                f" most {np.finfo(self.dtype).max:.3g}, the largest {self.dtype}. Use larger units, or dtype='float64'."
            )
        if len(made) == len(self.numbers):
            self.numbers[:] = made  # in place: addresses in prepared calls stay good
        else:
            self.numbers = made

    def _set_up(self, numbers: Numbers) -> Floats:
        """Everything that depends on parameters alone."""
        if isinstance(self.setups, Setup):
            return self.setups.evaluate(numbers.flat()).ravel()
        values = np.zeros(max((r.start + len(r.links) * len(r.setup.outputs) for r in self.setups), default=0))
        for rows in self.setups:
            rows.fill(numbers, values)
        return values

    def op_count(self) -> OpCount:
        """Operations of one evaluation."""
        return self.code.op_count()

    # -- calls ----------------------------------------------------------------------------------------------

    def __call__(self, *arrays: Any, out: Floats | None = None, threads: int = 1) -> Floats:
        """Evaluate on rows (n,) or batches (batch, n); rows among batches serve all states."""
        if out is None and threads == 1 and (state := self.state(arrays)) is not None:
            return state
        rows, batch = checked_rows(self.quantity, arrays, self.inputs, self.dtype)
        threads = checked_threads(self.quantity, threads)
        result = checked_out(self.quantity, out, (*batch, self.size), self.dtype, rows)
        if result.size:
            self.code(*rows, result, self.numbers, threads=threads)
        return result

    def state(self, arrays: tuple[Any, ...]) -> Floats | None:
        """One state given by vectors of just the right kind, without delay.

        None if they are anything else, or if they or the result are not finite: the general way then looks closer.
        """
        try:
            buffers, run, result = self._local.call
        except AttributeError:  # this thread's first call
            buffers, run, result = self._prepare()
        try:
            for array, (buffer, shape) in zip(arrays, buffers, strict=True):
                if array.dtype is not self.dtype or array.shape != shape:
                    return None
                buffer[...] = array
        except (AttributeError, TypeError, ValueError):
            return None
        if not run():
            return None
        copied: Floats = result.copy()
        return copied

    def _prepare(self) -> Any:
        """Vectors of the calling thread and a call that is bound to them."""
        sizes = [n for _, n in self.inputs] + [self.size]
        # Side by side, so that one look at the end finds what is not finite in any of them.
        memory = np.zeros(sum(sizes), self.dtype)
        *inputs, result = np.split(memory, np.cumsum(sizes[:-1]))
        run = self.code.bind(*inputs, result, self.numbers, check=memory)
        self._local.call = ([(x, x.shape) for x in inputs], run, result)
        return self._local.call


def built_in(numbers: Numbers) -> Floats:
    """Numbers that programs may have built in; NaN for all others."""
    flat = numbers.flat()
    exact: Floats = np.where(np.isin(flat, EXACT), flat + 0.0, np.nan)
    return exact


def digest(array: Floats) -> str:
    """A short text for the contents of an array."""
    return hashlib.sha256(array.tobytes()).hexdigest()


def structure(plan: Plan, numbers: Numbers, joints: JointCache) -> Hashable:
    """Everything but the values of parameters that a traced program depends on."""
    kinds: dict[Hashable, int] = {}
    keys = [kinds.setdefault(joints.key(link), len(kinds)) for link in plan.links]
    tree = [(x.parent, x.prescribed, x.slot, x.q.start, x.q.stop, x.v.start, x.v.stop) for x in plan.links]
    return (tuple(kinds), digest(np.array(keys)), digest(np.array(tree, dtype=int)), digest(built_in(numbers)))


def estimate(plan: Plan) -> int:
    """A rough number of operations of forward dynamics, to choose the form before anything is traced."""
    return sum(400 if link.kind != GENERAL else 500 + 250 * link.joint.nv for link in plan.links)


def build_program(
    plan: Plan, numbers: Numbers, joints: JointCache, algorithm: Algorithm, *, form: str = "auto", **options: Any
) -> Program:
    """Trace an algorithm over a plan, straight or by kernels, and compile it."""
    if form not in ("auto", "straight", "kernels"):
        raise InputError(f'form={form!r}; expected "auto", "straight" or "kernels"')

    def trace() -> tuple[Schedule, Setup | list[Rows]]:
        size = estimate(plan)
        if form == "kernels" or (form == "auto" and size > SMALL):
            schedule, rows = Layout(Tracer(plan, numbers, joints, algorithm)).schedule()
            sharing = sum(run.count for run in schedule.runs) / max(len(schedule.kernels), 1)
            if form == "kernels" or sharing >= SHARING or size > LARGE:
                return schedule, rows
        return straight_schedule(plan, numbers, joints, algorithm)

    schedule, setups = remembered((algorithm.name, form, structure(plan, numbers, joints)), trace)
    return Program(
        algorithm.name, schedule, setups, input_sizes(plan, algorithm.inputs), result_size(schedule), numbers, **options
    )


def result_size(schedule: Schedule) -> int:
    """Length of the result row: one past the last place that any run stores to."""
    index = next(k for k, array in enumerate(schedule.arrays) if array.name == "result")
    end = 0
    for run in schedule.runs:
        kernel = schedule.kernels[run.kernel]
        for argument, (base, table) in enumerate(run.offsets):
            places = [s.offset for s in kernel.stores if s.array == argument]
            if base == index and places:
                end = max(end, max(table) + max(places) + 1)
    return end
