"""A mechanism and its machine code: programs by quantity, parameters that change in them, calls that are checked."""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from anyjoint.codegen import all_finite
from anyjoint.codegen.target import checked_dtype
from anyjoint.errors import InputError
from anyjoint.garbage import postponed
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.singular import singular_coordinates
from anyjoint.options import meant
from anyjoint.quantity import QUANTITIES, Quantity
from anyjoint.quantity.constraints import HELD
from anyjoint.scalar import is_real
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.trace.plans import Varying
from anyjoint.trace.workshop import Workshop
from anyjoint.tree.plan import Plan

from .arguments import ONE, checked_time
from .choices import checked_algorithm, checked_form, checked_vary
from .diagnosis import explain
from .parameter_rows import Given, ParameterRows
from .parameters import Parameters
from .part import Part
from .places import Places, places_of
from .program import Program
from .row_program import RowPrograms
from .screen import screened
from .varied import varied

if TYPE_CHECKING:
    from .products import Products

Made = TypeVar("Made")


class Compiled(Part):
    """The part of Model that every other one asks: what is compiled, and how it is called."""

    def __init__(
        self,
        mechanism: Mechanism,
        algorithm: str = "auto",
        dtype: str = "float64",
        form: str = "auto",
        width: int | None = None,
        vary: Sequence[str] = (),
    ) -> None:
        self.mechanism = copy.copy(mechanism)  # parameters change here, not in the user's
        self.nq, self.nv, self.nb = mechanism.nq, mechanism.nv, mechanism.nb
        self.rates_are_velocities = mechanism.rates_are_velocities
        self.dtype = np.dtype(checked_dtype(dtype))
        self.algorithm = checked_algorithm(algorithm, self.mechanism)
        self.vary = checked_vary(vary, self.mechanism)
        varying = Varying(lambda: varied(self.mechanism, self.vary))
        self.workshop = Workshop(self.mechanism, checked_form(form), varying)
        self.width = width
        self.shelf: dict[Hashable, object] = {}  # what runs have made for this model
        self._joints = [body.joint for body in self.mechanism.bodies]
        self._of_joints: dict[Hashable, Any] = {}  # what depends on them alone
        self._programs: dict[Hashable, Program] = {}
        self.row_programs = RowPrograms(self.whole)
        self.numeric = algorithm if self._is_numeric(algorithm) else None
        begin = time.perf_counter()
        if self.nv:
            self.program("blocks" if self.numeric else self._first_quantity).code.entry(1)
        self.compile_seconds = time.perf_counter() - begin

    @property
    def _first_quantity(self) -> str | Quantity:
        """What is compiled at once: forward dynamics, or the inverse of one that has none."""
        if not self.is_regular:
            return "inverse_dynamics"
        return HELD if self.mechanism.constraints else "forward_dynamics"

    @cached_property
    def is_regular(self) -> bool:
        """Whether every coordinate moves some inertia; without that there is no forward dynamics."""
        return not any(singular_coordinates(self.mechanism))

    def _is_numeric(self, algorithm: str) -> bool:
        if algorithm == "auto":
            return False
        from anyjoint.quantity.formulations import FORMULATIONS

        chosen = FORMULATIONS[algorithm]
        return chosen.solves if self.mechanism.constraints else chosen.numeric

    @cached_property
    def products(self) -> Products:
        """Derivatives times vectors that were asked for."""
        from .products import Products  # imported when something is differentiated

        return Products(self.whole)

    @property
    def plan(self) -> Plan:
        """Moving links in their inner frames."""
        return self.workshop.plan()

    @property
    def quantities(self) -> Mapping[str, Quantity]:
        """Everything that a model can answer, by name."""
        return MappingProxyType(QUANTITIES)

    @property
    def formulation(self) -> str:
        """The formulation of forward dynamics in use."""
        if self.numeric or not self.nv or not self.is_regular:
            return self.numeric or "none"
        return self.program("forward_dynamics").trace.algorithm

    def program(self, quantity: str | Quantity) -> Program:
        """The machine code of a quantity."""
        key: Hashable = quantity.name if isinstance(quantity, Quantity) and quantity.by_name else quantity
        if key not in self._programs:
            record = self.known(quantity)
            with postponed():
                traced = record.trace(self.workshop, self.algorithm)
                self._programs[key] = Program(record, traced, self.mechanism, self.dtype.name, self.width)
        return self._programs[key]

    def known(self, quantity: str | Quantity) -> Quantity:
        """A quantity given by its name or as itself; refuses what this model cannot answer by machine code."""
        if isinstance(quantity, Quantity):
            return quantity
        name = quantity
        if name not in QUANTITIES:
            hint = meant(name, QUANTITIES)
            raise InputError(f"quantity {name!r} is unknown{hint}; choose one of {', '.join(QUANTITIES)}")
        if name == "forward_dynamics" and self.numeric:
            raise InputError(f'{self.numeric} solves numerically; ask for "blocks", its compiled part')
        return QUANTITIES[name]

    @cached_property
    def parameters(self) -> Parameters:
        """Masses, centres of mass, tensors, placements, springs, joint parameters and gravity by name."""
        return Parameters(self.mechanism, self._parameters_changed)

    def parameter_rows(self, values: Given) -> ParameterRows:
        """Parameters with one value for each state of a batch, checked once and good for any number of calls.

        >>> rows = model.parameter_rows({"bob/mass": [1.0, 2.0, 3.0]})
        >>> model.forward_dynamics([0.1], [0.0], [0.5], parameters=rows).shape
        (3, 1)
        """
        return self.row_programs.rows(values)

    def _parameters_changed(self) -> None:
        """Run the set-up programs again; drop programs that have built in a number which is another one now."""
        self.workshop.forget()
        self.row_programs.parameters_changed()
        self.products.parameters_changed()
        joints = [body.joint for body in self.mechanism.bodies]
        if any(now is not before for now, before in zip(joints, self._joints, strict=True)):
            self._joints, self._of_joints = joints, {}
        for made in ("screen", "places", "_direct", "held", "_entry_places", "is_regular", "_family"):
            self.__dict__.pop(made, None)
        stale = []
        for key, program in self._programs.items():
            trace = program.trace
            numbers = self.workshop.pushed(trace.pushes, trace.loose).numbers(trace.over, trace.gravity, trace.closed)
            if not program.update(numbers) or not trace.still_fits(self.mechanism):
                stale.append(key)
        if stale:
            names = dict.fromkeys(self._programs.pop(key).quantity.name for key in stale)
            self.workshop.look_again()
            warnings.warn(
                f"{', '.join(names)}: a number that the code has built in (exactly 0, 1 or -1, or a rolling joint's) "
                "changed; compiling again",
                stacklevel=4,
            )

    @property
    def programs(self) -> Mapping[str, Program]:
        """The programs that were asked for so far, by quantity."""
        return MappingProxyType({program.quantity.name: program for program in self._programs.values()})

    @cached_property
    def places(self) -> Places | None:
        """Where the model answers; None if that is everywhere."""
        return self.by_joints("places", lambda: places_of(self.mechanism, self.dtype.name))

    def by_joints(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` makes of the mechanism's joints alone; it is made again when one of them has changed."""
        if key not in self._of_joints:
            self._of_joints[key] = make()
        made: Made = self._of_joints[key]
        return made

    def clock(self, t: ArrayLike | None) -> tuple[Any, ...]:
        """The time as a further argument of programs, 0 if it is None; none where nothing depends on it."""
        if not self.mechanism.timed:
            checked_time(t)
            return ()
        if t is None or is_real(t):
            return (np.full(1, 0.0 if t is None else t, self.dtype),)
        return (t,)  # what is no time is refused where rows are checked

    def evaluate(
        self, quantity: str | Quantity, arrays: tuple[ArrayLike, ...], out: Floats | None = None, threads: int = 1,
        parameters: Given | None = None,
    ) -> Floats:  # fmt: skip
        """The result row of a quantity, finite and away from singular places; `parameters` has one row per state."""
        if parameters is not None:
            rows = self.row_programs.rows(parameters)
            program = self.row_programs.program(quantity, rows)
            if not rows.vary_joints:  # places of other joints would be elsewhere
                self._check_place(program.quantity, arrays)
            result = self.row_programs.evaluate(quantity, arrays, rows, out, threads)
            screened(self.whole, program, arrays, result, rows)
            return result
        known = self._programs.get(quantity) if isinstance(quantity, str) else None
        return self.answer(known or self.program(quantity), arrays, out, threads)

    def answer(
        self, program: Program, arrays: tuple[ArrayLike, ...], out: Floats | None = None, threads: int = 1
    ) -> Floats:
        """The result row of a program, finite and away from singular places."""
        result = self.answer_anywhere(program, arrays, out, threads)
        screened(self.whole, program, arrays, result)
        return result

    def _check_place(self, quantity: Quantity, arrays: tuple[ArrayLike, ...]) -> None:
        """Raise where joints break down."""
        if self.places is not None and not quantity.anywhere:
            self.places.check(quantity.name, arrays[0])

    def answer_anywhere(
        self, program: Program, arrays: tuple[ArrayLike, ...], out: Floats | None = None, threads: int = 1
    ) -> Floats:
        """The result row of a program, finite or explained; near singular places it may be finite nonsense."""
        self._check_place(program.quantity, arrays)
        if threads is ONE:
            answer = program.state(arrays, out)
            if answer is None:
                answer = program.rows(arrays, out)
            if answer is not None:
                return answer
        result = program(*arrays, out=out, threads=threads)
        if not all_finite(result):
            explain(self.whole, program.quantity.name, program.inputs, arrays, result)
        return result
