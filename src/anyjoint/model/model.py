"""Model: a compiled mechanism, called on NumPy arrays."""

from __future__ import annotations

import importlib
import math
import time
import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.codegen import OpCount
from anyjoint.dynamics.blocks import Block, split_blocks
from anyjoint.dynamics.hybrid import HYBRID
from anyjoint.dynamics.plan import Plan
from anyjoint.dynamics.rigid import adjoint, inverse
from anyjoint.errors import InputError

from .arguments import checked_out, checked_rows
from .cartesian import Cartesian
from .compiler import DENSE, Compiler, hybrid_plan
from .dense import large_forward, numeric_forward
from .diagnosis import explain
from .latex import document
from .numbers import numbers_of
from .parameters import Parameters, private_copy
from .places import Places
from .program import Program, build_program
from .quantities import DENSE_FORWARD, FORCES, KINEMATICS, NUMERIC_FORWARD, TRACED
from .report import Report, make_report
from .screen import Screen, look_closer, make_screen

Floats = np.ndarray[Any, np.dtype[Any]]


class Model:
    """Equations of motion of a mechanism as machine code. States are rows (n,) or batches (batch, n)."""

    def __init__(
        self,
        mechanism: Any,
        algorithm: str = "auto",
        dtype: str = "float64",
        form: str = "auto",
        width: int | None = None,
    ) -> None:
        self.mechanism = private_copy(mechanism)
        self.nq, self.nv, self.nb = mechanism.nq, mechanism.nv, mechanism.nb
        self.dtype = np.dtype(dtype)
        self._compiler = Compiler(self.mechanism, algorithm, form, dtype=self.dtype.name, width=width)
        self._programs: dict[str, Program] = {}
        self._numeric = algorithm if self._is_numeric(algorithm) else None
        begin = time.perf_counter()
        if self.nv:
            self._program("blocks" if self._numeric else "forward_dynamics").code.entry(1)
        self.compile_seconds = time.perf_counter() - begin

    def _is_numeric(self, algorithm: str) -> bool:
        if self._compiler.expansion:
            return False
        return algorithm in NUMERIC_FORWARD or (algorithm in DENSE_FORWARD and self.nv > DENSE)

    @property
    def plan(self) -> Plan:
        """Moving links in their inner frames."""
        return self._compiler.plan

    @property
    def formulation(self) -> str:
        """The formulation of forward dynamics in use."""
        return self._numeric or (self._program("forward_dynamics").name if self.nv else "none")

    def _program(self, quantity: str) -> Program:
        if quantity not in self._programs:
            self._programs[quantity] = self._compiler.build(quantity)
            self._programs[quantity].quantity = quantity
        return self._programs[quantity]

    @cached_property
    def parameters(self) -> Parameters:
        """Masses, centres of mass, tensors, placements, joint parameters and gravity by name; assign to change them."""
        return Parameters(self.mechanism, self._parameters_changed)

    def _parameters_changed(self) -> None:
        """Run the set-up programs again; drop programs that have built in a number which is another one now."""
        self._compiler.forget()
        for made in ("_screen", "_places"):
            self.__dict__.pop(made, None)
        stale = [q for q, program in self._programs.items() if not program.update(self._compiler.numbers(program))]
        for quantity in stale:
            del self._programs[quantity]
        if stale:
            warnings.warn(
                f"{', '.join(stale)}: a number that was exactly 0, 1 or -1 changed; compiling again", stacklevel=4
            )

    # -- dynamics -------------------------------------------------------------------------------------------

    def forward_dynamics(
        self, q: Any, v: Any, tau: Any = None, *, wrenches: Any = None, out: Floats | None = None, threads: int = 1
    ) -> Floats:
        """Accelerations for generalized forces tau (default none) and wrenches (nb, 6) on bodies, in their frames."""
        tau = self._zero if tau is None else tau
        if wrenches is not None:
            tau = tau + self.generalized_forces(q, wrenches)
        a = self._accelerations(q, v, tau, out, threads)
        if self._screen is not None and not self._screen.passes(q, a):
            look_closer(self, self._screen, q, v, tau, a)
        return a

    def _accelerations(self, q: Any, v: Any, tau: Any, out: Floats | None = None, threads: int = 1) -> Floats:
        if self._numeric:
            return self._forward_numerically((q, v, tau), out)
        return self._finite("forward_dynamics", (q, v, tau), out, threads)

    @cached_property
    def _places(self) -> Places | None:
        return Places(self.mechanism, self.dtype.name) or None

    @cached_property
    def _screen(self) -> Screen | None:
        return make_screen(self, self._accelerations)

    @cached_property
    def _zero(self) -> Floats:
        return np.zeros(self.nv, self.dtype)

    def _forward_numerically(self, arrays: tuple[Any, ...], out: Floats | None) -> Floats:
        name, inputs = "forward_dynamics", [("q", self.nq), ("v", self.nv), ("tau", self.nv)]
        rows, batch = checked_rows(name, arrays, inputs, np.dtype(float))
        if self._places:
            self._places.check(name, rows[0])
        result = checked_out(name, out, (*batch, self.nv), self.dtype, rows)
        forward = numeric_forward if self._numeric in NUMERIC_FORWARD else large_forward
        try:
            result[...] = forward(self, str(self._numeric), *rows)
        except np.linalg.LinAlgError:
            result[...] = np.nan
            if batch:  # state by state, to tell which one it is
                for k in range(len(result)):
                    result[k] = self._forward_numerically(tuple(x[k] if x.ndim == 2 else x for x in rows), None)
        explain(self, name, inputs, rows, result)
        return result

    def inverse_dynamics(
        self, q: Any, v: Any, a: Any, *, algorithm: str = "newton-euler", out: Floats | None = None, threads: int = 1
    ) -> Floats:
        """Generalized forces that produce the accelerations a; algorithm "newton-euler" or "lagrangian"."""
        names = {"newton-euler": "inverse_dynamics", "lagrangian": "inverse_dynamics_lagrangian"}
        if algorithm not in names:
            raise InputError(f"inverse_dynamics: algorithm {algorithm!r} is unknown; choose one of {', '.join(names)}")
        return self._finite(names[algorithm], (q, v, a), out, threads)

    def hybrid_dynamics(self, q: Any, v: Any, tau: Any, a: Any, prescribed: Sequence[Any]) -> tuple[Floats, Floats]:
        """Accelerations and forces of all joints, where the joints of the bodies `prescribed` follow a [RM alg. 6]."""
        if self._compiler.expansion:
            raise InputError("hybrid_dynamics is not available for mechanisms with coupled joints")
        chosen = {self._body_index(body) for body in prescribed}
        links = frozenset(i for i, link in enumerate(self.plan.links) if link.body in chosen)
        if len(links) != len(chosen):
            fixed = [self.mechanism.bodies[k].name for k in chosen - {self.plan.links[i].body for i in links}]
            raise InputError(f"hybrid_dynamics: {', '.join(map(repr, fixed))} has no coordinates to prescribe")
        name = f"hybrid {sorted(links)}"
        if name not in self._programs:
            plan = hybrid_plan(self.plan, links)
            numbers = numbers_of(plan, self.mechanism.gravity)
            options = self._compiler.options
            self._programs[name] = build_program(
                plan, numbers, self._compiler.joints, HYBRID, form="straight", **options
            )
        flat = self._finite(name, (q, v, tau, a), None, 1)
        accelerations, forces = [], []
        for link in self.plan.links:
            at = 2 * link.v.start
            accelerations.append(flat[..., at : at + link.joint.nv])
            forces.append(flat[..., at + link.joint.nv : at + 2 * link.joint.nv])
        return np.concatenate(accelerations, axis=-1), np.concatenate(forces, axis=-1)

    def mass_matrix(self, q: Any, *, threads: int = 1) -> Floats:
        """M(q), (nv, nv)."""
        if self.nv > DENSE and self._compiler.expansion:
            return self._mass_columns(np.asarray(q), threads)
        flat = self._finite("mass_matrix", (q,), None, threads)
        return flat.reshape(*flat.shape[:-1], self.nv, self.nv)

    def _mass_columns(self, q: Floats, threads: int) -> Floats:
        """M column by column: the forces of unit accelerations at rest, without gravity."""
        if q.ndim == 2:
            return np.array([self._mass_columns(row, threads) for row in q]).reshape(len(q), self.nv, self.nv)
        columns = self._finite("mass_times", (q, np.eye(self.nv)), None, threads)
        return (columns + columns.T) / 2

    def bias_forces(self, q: Any, v: Any, *, threads: int = 1) -> Floats:
        """Coriolis, centrifugal and gravity forces: M a + bias = tau."""
        return self._finite("bias_forces", (q, v), None, threads)

    def gravity_forces(self, q: Any, *, threads: int = 1) -> Floats:
        """Forces that hold the mechanism still against gravity."""
        return self._finite("gravity_forces", (q,), None, threads)

    def _finite(self, name: str, arrays: tuple[Any, ...], out: Floats | None = None, threads: int = 1) -> Floats:
        if self._places:
            self._places.check(name, arrays[0])
        program = self._programs.get(name) or self._program(name)
        if out is None and threads == 1:
            state = program.state(arrays)
            if state is not None:
                return state
        result = program(*arrays, out=out, threads=threads)
        flat = result.ravel()
        # One cheap look; an overflow of the sum alone is no harm. A dot product would start BLAS threads, which wait
        # long for each other on a busy machine.
        if not math.isfinite(flat.sum()):
            explain(self, name, program.inputs, arrays, result)
        return result

    # -- kinematics -----------------------------------------------------------------------------------------

    def body_poses(self, q: Any) -> Floats:
        """World poses of all bodies, (nb, 4, 4) or (batch, nb, 4, 4)."""
        lead = np.shape(q)[:-1]
        flat = self._finite("body_poses", (q,), None, 1) if self.plan.links else np.zeros((*lead, 0))
        rows = flat.reshape(*lead, len(self.plan.links), 12)
        R, p = rows[..., :9].reshape(*rows.shape[:-1], 3, 3), rows[..., 9:]
        out = np.zeros((*lead, self.nb, 4, 4), dtype=self.dtype)
        for k, (link, frame) in enumerate(self.plan.placed):
            if link < 0:
                out[..., k, :, :] = frame
                continue
            out[..., k, :3, :3] = R[..., link, :, :] @ frame[:3, :3]
            out[..., k, :3, 3] = (R[..., link, :, :] @ frame[:3, 3]) + p[..., link, :]
            out[..., k, 3, 3] = 1
        return out

    def body_jacobian(self, q: Any, body: Any) -> Floats:
        """The body's twist per unit velocities, (6, nv), angular rows first, in the body's own frame."""
        link, frame = self.plan.placed[self._body_index(body)]
        blocks = self.blocks(q, np.zeros(self.nv))
        width = max((part.v.stop for part in self.plan.links), default=0)
        out = np.zeros((*np.shape(q)[:-1], 6, width))
        carry = adjoint(inverse(frame))
        while link >= 0:
            part = self.plan.links[link]
            out[..., :, part.v] = carry @ blocks[link].S
            carry = carry @ blocks[link].to_child
            link = part.parent
        expansion = self._compiler.expansion
        if expansion is None:
            return out
        rows = np.asarray(q, dtype=float).reshape(-1, self.nq).tolist()
        Phi = np.array([expansion.coordinates(row, [0.0] * self.nv).Phi.astype(float) for row in rows])
        return np.asarray(out @ Phi.reshape(*np.shape(q)[:-1], width, self.nv))

    def blocks(self, q: Any, v: Any) -> list[Block]:
        """Per link: pose, joint Jacobian, velocity products and gyroscopic wrench, in link frames."""
        row = self._finite("blocks", (q, v), None, 1).astype(float)
        return split_blocks(row, [link.joint.nv for link in self.plan.links])

    def _body_index(self, body: Any) -> int:
        if isinstance(body, str):
            return int(self.mechanism[body].index)
        index = getattr(body, "index", body)
        known = isinstance(index, (int, np.integer)) and 0 <= index < self.nb
        if not known or getattr(body, "name", self.mechanism.bodies[index].name) != self.mechanism.bodies[index].name:
            raise InputError(
                f"body {body!r} is not one of the {self.nb} bodies of this model; give a name, body or index"
            )
        return int(index)

    def cartesian(self, q: Any, points: Any = None) -> Cartesian:
        """Jacobians, velocities and forces of all bodies in world axes, at their centres of mass or other points."""
        return Cartesian(self, q, points)

    def generalized_forces(self, q: Any, wrenches: Any) -> Floats:
        """J^T of wrenches (nb, 6) on all bodies, angular part first, in each body's own frame [RM alg. 3]."""
        given = np.asarray(wrenches, dtype=float)
        if given.shape[-2:] != (self.nb, 6):
            raise InputError(f"wrenches have shape {given.shape}; expected ({self.nb}, 6): one for each body")
        rows = np.zeros((*given.shape[:-2], len(self.plan.links), 6))
        for k, (link, frame) in enumerate(self.plan.placed):
            if link >= 0:
                rows[..., link, :] += given[..., k, :] @ adjoint(inverse(frame))
        return self._finite("jacobian_transposed_times", (q, rows.reshape(*rows.shape[:-2], -1)), None, 1)

    def body_twists(self, q: Any, v: Any) -> Floats:
        """Twists (nb, 6) of all bodies in their own frames, J v in linear time [RM alg. 2]."""
        return self._on_bodies(self._finite("jacobian_times", (q, v), None, 1))

    def jacobian_rate_times(self, q: Any, v: Any, x: Any) -> Floats:
        """Jdot x for all bodies (nb, 6) in linear time [RM alg. 2]; with x = v the velocity-product accelerations."""
        return self._on_bodies(self._finite("jacobian_rate_times", (q, v, x), None, 1))

    def joint_wrenches(self, q: Any, v: Any, a: Any) -> Floats:
        """Wrenches (nb, 6) that joints pass to their bodies, in body frames; zero for bodies welded to others."""
        flat = self._finite("constraint_wrenches", (q, v, a), None, 1)
        flat = flat.reshape(*flat.shape[:-1], len(self.plan.links), 6)
        out = np.zeros((*flat.shape[:-2], self.nb, 6))
        for i, link in enumerate(self.plan.links):
            out[..., link.body, :] = flat[..., i, :] @ adjoint(link.frame)
        return out

    def _on_bodies(self, flat: Floats) -> Floats:
        """Twists of links, carried to all bodies that ride on them."""
        rows = flat.reshape(*flat.shape[:-1], len(self.plan.links), 6)
        out = np.zeros((*rows.shape[:-2], self.nb, 6))
        for k, (link, frame) in enumerate(self.plan.placed):
            if link >= 0:
                out[..., k, :] = rows[..., link, :] @ adjoint(inverse(frame)).T
        return out

    def _measure(self, q: Any, v: Any) -> Floats:
        flat = self._finite("measure", (q, v), None, 1)
        return flat.reshape(*flat.shape[:-1], len(self.plan.links), 11)

    def energy(self, q: Any, v: Any) -> tuple[Any, Any]:
        """Kinetic and potential energy; the potential is zero where centres of mass are at the world's origin."""
        rows = self._measure(q, v)
        return rows[..., 0].sum(-1), -(rows[..., 1:4].sum(-2) @ np.asarray(self.mechanism.gravity))

    def momentum(self, q: Any, v: Any) -> Floats:
        """Total momentum in world axes about the world's origin: angular, then linear."""
        return np.asarray(self._measure(q, v)[..., 4:10].sum(-2))

    def center_of_mass(self, q: Any) -> Floats:
        """Centre of mass of all moving bodies."""
        rows = self._measure(q, self._zero)
        mass = rows[..., 10].sum(-1)[..., None]
        if not np.all(mass > 0):
            raise InputError(f"center_of_mass: nothing that moves in {self.mechanism.name!r} has mass")
        return np.asarray(rows[..., 1:4].sum(-2) / mass)

    # -- simulation, questions, sources ---------------------------------------------------------------------

    def simulate(self, q0: Any = None, v0: Any = None, duration: float = 10.0, **options: Any) -> Any:
        """Integrate the motion; see anyjoint.simulate.simulate for all options. Returns a Trajectory."""
        return importlib.import_module("anyjoint.simulate").simulate(self, q0, v0, duration, **options)

    def to_html(self, path: Any, *, live: bool = True, **options: Any) -> Any:
        """Write a page that runs the dynamics live in the browser, or with live=False one that shows the start pose."""
        if not live:
            return self.simulate(duration=0.0).to_html(path, **options)
        return importlib.import_module("anyjoint.view").model_page(self, path, **options)

    def op_count(self, quantity: str = "forward_dynamics") -> OpCount:
        """Operations of the generated code for one state."""
        return self._asked(quantity).op_count()

    def _asked(self, quantity: str) -> Program:
        known = ["forward_dynamics", *FORCES, *KINEMATICS, *TRACED]
        if quantity not in known:
            raise InputError(f"quantity {quantity!r} is unknown; choose one of {', '.join(known)}")
        if quantity == "forward_dynamics" and self._numeric:
            raise InputError(f'{self._numeric} solves numerically; ask for "blocks", its compiled part')
        return self._program(quantity)

    def report(self) -> Report:
        """What was compiled: formulation, programs, classes, operations per body, compile time."""
        return make_report(self)

    def source(self, language: str, quantity: str = "forward_dynamics") -> str:
        """Generated source of a quantity: "c", "js" or "llvm"; or "latex": the mechanism's equations, to read."""
        if language == "latex":
            return document(self._compiler)
        return self._asked(quantity).code.source(language)

    def __repr__(self) -> str:
        return f"<Model of {self.mechanism.name!r}: {self.nb} bodies, {self.nv} degrees of freedom>"


def compile_model(mechanism: Any, **options: Any) -> Model:
    """The pipeline's door: a mechanism to machine code."""
    return Model(mechanism, **options)
