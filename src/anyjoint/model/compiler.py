"""From a mechanism to programs: which plan, which algorithm, which form; the pipeline in one place.

mechanism -> plan (links, inner frames) -> numbers (raw parameters) -> trace (straight or kernels) -> machine code
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

from anyjoint.dynamics.algorithm import Algorithm
from anyjoint.dynamics.composite_world import COMPOSITE_WORLD
from anyjoint.dynamics.newton_euler import MOMENTUM
from anyjoint.errors import InputError
from anyjoint.joints import Coupled
from anyjoint.trace.classes import Tracer
from anyjoint.trace.joints_cache import JointCache
from anyjoint.trace.mass_layout import mass_schedule
from anyjoint.trace.numbers import Numbers, numbers_of
from anyjoint.trace.store import remembered
from anyjoint.trace.straight import input_sizes
from anyjoint.tree.plan import Plan, make_plan

from .coupling import CoupledTracer, Expansion, expand
from .program import Program, build_program, result_size, structure
from .quantities import DENSE_FORWARD, FORCES, FORWARD, KINEMATICS, SWEEPS, TRACED, UNGROUPED

DENSE = 40  # coordinates up to which the mass matrix, and formulations that solve with it, are straight-line programs
COUPLED = "composite-rigid-body"  # the formulation that joints which follow others are projected with
SMALL = 18  # coordinates up to which the dense formulation is traced too, to see which has fewer operations


class Compiler:
    """Builds the programs of one mechanism; plans are made again when parameters change."""

    def __init__(self, mechanism: Any, algorithm: str, form: str, **options: Any) -> None:
        if algorithm != "auto" and algorithm not in FORWARD:
            raise InputError(f"algorithm {algorithm!r} is unknown; choose one of {', '.join(['auto', *FORWARD])}")
        self.mechanism, self.algorithm, self.form, self.options = mechanism, algorithm, form, options
        self.joints = JointCache()
        if self.expansion and algorithm not in ("auto", COUPLED):
            followers = ", ".join(repr(b.name) for b in mechanism.bodies if isinstance(b.joint, Coupled))
            raise InputError(
                f"algorithm {algorithm!r} needs joints with coordinates of their own, but {followers} follow others;"
                f' use "auto" or "{COUPLED}", which project the tree onto the coordinates that are left'
            )

    @cached_property
    def expansion(self) -> Expansion | None:
        """The mechanism with a coordinate for every coupled joint, if it has any."""
        return expand(self.mechanism)

    @cached_property
    def plan(self) -> Plan:
        """Links in their canonical frames."""
        return make_plan(self.expansion or self.mechanism)

    @cached_property
    def fast_plan(self) -> Plan:
        """The same with inertia regrouped, for quantities that do not ask for joint wrenches."""
        return make_plan(self.expansion or self.mechanism, regroup=True)

    def forget(self) -> None:
        """Drop everything that was computed from parameters."""
        for name in ("expansion", "plan", "fast_plan"):
            self.__dict__.pop(name, None)

    def numbers(self, program: Program) -> Numbers:
        """The raw numbers of a program after parameters have changed."""
        return self._numbers(self.fast_plan if program.regrouped else self.plan, program.name)

    def _numbers(self, plan: Plan, name: str) -> Numbers:
        return numbers_of(plan, (0.0, 0.0, 0.0) if name == MOMENTUM.name else self.mechanism.gravity)

    # -- programs -------------------------------------------------------------------------------------------

    def build(self, quantity: str) -> Program:
        """The program of a quantity, traced but not yet compiled."""
        if quantity == "forward_dynamics":
            return self.forward()
        if self.expansion:
            return self._coupled(quantity)
        if quantity in FORCES:
            return self.sweeps(FORCES[quantity], regroup=quantity not in UNGROUPED)
        if quantity in KINEMATICS:
            return self.sweeps(KINEMATICS[quantity])
        if quantity == "mass_matrix" and self.mechanism.nv > DENSE:
            return self._large_mass_matrix()
        return self.traced(quantity, regroup=True)

    def forward(self) -> Program:
        """Forward dynamics by the named formulation, or by the one with the fewest operations."""
        if self.expansion:
            return self._coupled("forward_dynamics")
        if self.algorithm in SWEEPS:
            return self.sweeps(SWEEPS[self.algorithm])
        if self.algorithm in DENSE_FORWARD:
            return self.traced(self.algorithm)
        program = self.sweeps(SWEEPS["articulated-body"], regroup=True)
        if self.mechanism.nv > SMALL or self.form == "kernels":
            return program
        other = self.traced("composite-rigid-body", regroup=True)
        return min(program, other, key=lambda candidate: candidate.op_count().total)

    def sweeps(self, algorithm: Algorithm, regroup: bool = False) -> Program:
        """An algorithm of sweeps, straight or by kernels."""
        plan = self.fast_plan if regroup else self.plan
        numbers = self._numbers(plan, algorithm.name)
        options = {"form": self.form, "regrouped": regroup, **self.options}
        return build_program(plan, numbers, self.joints, algorithm, **options)

    def traced(self, name: str, regroup: bool = False) -> Program:
        """A quantity that is more than sweeps, as one straight-line program."""
        plan = self.fast_plan if regroup else self.plan
        inputs, trace = TRACED[name]
        numbers = self._numbers(plan, name)
        known = (name, structure(plan, numbers, self.joints))
        schedule, setup = remembered(known, lambda: trace(plan, numbers, self.joints))
        options = {"regrouped": regroup, **self.options}
        return Program(name, schedule, setup, input_sizes(plan, inputs), result_size(schedule), numbers, **options)

    def _large_mass_matrix(self) -> Program:
        """M by kernels in the world's axes; inertia is not regrouped, far from the origin that would cost digits."""
        plan, name = self.plan, COMPOSITE_WORLD.name
        numbers = self._numbers(plan, name)
        schedule, rows = remembered(
            (name, structure(plan, numbers, self.joints)),
            lambda: mass_schedule(Tracer(plan, numbers, self.joints, COMPOSITE_WORLD)),
        )
        size = self.mechanism.nv**2
        return Program(name, schedule, rows, input_sizes(plan, ("q",)), size, numbers, **self.options)

    def _coupled(self, quantity: str) -> Program:
        """A quantity of a mechanism with coupled joints: traced over the expanded tree, projected."""
        expansion = self.expansion
        assert expansion is not None
        regroup = quantity not in UNGROUPED
        plan = self.fast_plan if regroup else self.plan
        name = {"mass_times": MOMENTUM.name, "forward_dynamics": COUPLED}.get(quantity, quantity)
        numbers = self._numbers(plan, name)
        tracer = CoupledTracer(expansion, plan, numbers, self.joints)
        inputs: tuple[str, ...]
        if quantity in UNGROUPED:
            algorithm = UNGROUPED[quantity]
            inputs, (schedule, setup) = algorithm.inputs, tracer.sweeps(algorithm)
        elif quantity in FORCES:
            inputs, (schedule, setup) = FORCES[quantity].inputs, tracer.forces(FORCES[quantity])
        elif quantity == "mass_matrix":
            inputs, (schedule, setup) = ("q",), tracer.mass_matrix()
        elif quantity == "forward_dynamics":
            inputs, (schedule, setup) = ("q", "v", "tau"), tracer.forward()
        else:
            raise InputError(f"{quantity} is not available for mechanisms with coupled joints")
        options = {"regrouped": regroup, **self.options}
        return Program(name, schedule, setup, tracer.sizes(inputs), result_size(schedule), numbers, **options)


def hybrid_plan(plan: Plan, prescribed: frozenset[int]) -> Plan:
    """The plan with some links' joints marked as prescribed."""
    return replace(plan, links=tuple(replace(link, prescribed=i in prescribed) for i, link in enumerate(plan.links)))
