"""Model: a compiled mechanism, called on NumPy arrays."""

from __future__ import annotations

import time
import warnings
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.codegen import OpCount
from anyjoint.dynamics.body import Algorithm
from anyjoint.dynamics.newton_euler import MOMENTUM
from anyjoint.dynamics.plan import Plan, adjoint, make_plan
from anyjoint.errors import InputError, SingularityError

from .joints_cache import JointCache
from .numbers import Numbers, numbers_of
from .parameters import Parameters, private_copy
from .program import Program, build_program, result_size
from .quantities import FORCES, KINEMATICS, STRAIGHT_ONLY, SWEEPS
from .straight import input_sizes

Floats = np.ndarray[Any, np.dtype[Any]]


class Model:
    """Equations of motion of a mechanism as machine code. States are rows (n,) or batches (batch, n)."""

    def __init__(
        self, mechanism: Any, algorithm: str = "auto", dtype: str = "float64", form: str = "auto", width: int | None = None
    ) -> None:
        if algorithm != "auto" and algorithm not in FORWARD:
            raise InputError(f"algorithm {algorithm!r} is unknown; choose one of {', '.join(['auto', *FORWARD])}")
        self.mechanism, self.algorithm, self.form = private_copy(mechanism), algorithm, form
        self.dtype, self.width = np.dtype(dtype), width
        self.nq, self.nv, self.nb = mechanism.nq, mechanism.nv, mechanism.nb
        self._joints = JointCache()
        self._programs: dict[str, Program] = {}
        begin = time.perf_counter()
        if self.nv:
            self._program("forward_dynamics").code.entry(1)
        self.compile_seconds = time.perf_counter() - begin

    # -- plans and programs ---------------------------------------------------------------------------------

    @cached_property
    def plan(self) -> Plan:
        """Links in their canonical frames."""
        return make_plan(self.mechanism)

    @cached_property
    def fast_plan(self) -> Plan:
        """The same with inertia regrouped, for quantities that do not ask for joint wrenches."""
        return make_plan(self.mechanism, regroup=True)

    def _numbers(self, plan: Plan, name: str = "") -> Numbers:
        return numbers_of(plan, (0.0, 0.0, 0.0) if name == MOMENTUM.name else self.mechanism.gravity)

    @cached_property
    def parameters(self) -> Parameters:
        """Masses, centres of mass, tensors, placements, joint parameters and gravity, by name; assign to change them."""
        return Parameters(self.mechanism, self._parameters_changed)

    def _parameters_changed(self) -> None:
        """Run the set-up programs again; drop programs that have built in a number which is another one now."""
        regrouped = {name for name, program in self._programs.items() if program.plan is self.fast_plan}
        del self.plan, self.fast_plan
        dropped = []
        for name, program in list(self._programs.items()):
            program.plan = self.fast_plan if name in regrouped else self.plan
            if not program.update(self._numbers(program.plan, program.name)):
                dropped.append(name)
                del self._programs[name]
        if dropped:
            warnings.warn(f"{', '.join(dropped)}: a number that was exactly 0, 1 or -1 changed; compiling again", stacklevel=4)

    def _program(self, name: str) -> Program:
        if name not in self._programs:
            self._programs[name] = self._build(name)
        return self._programs[name]

    def _build(self, name: str) -> Program:
        if name == "forward_dynamics":
            return self._build_forward()
        if name in FORCES:
            return self._sweeps(FORCES[name], self.fast_plan)
        if name in KINEMATICS:
            return self._sweeps(KINEMATICS[name], self.plan)
        return self._straight(name, self.fast_plan)

    def _build_forward(self) -> Program:
        if self.algorithm in SWEEPS:
            return self._sweeps(SWEEPS[self.algorithm], self.plan)
        if self.algorithm == "composite-rigid-body":
            return self._straight(self.algorithm, self.plan)
        candidates = [self._sweeps(SWEEPS["articulated-body"], self.fast_plan)]
        if self.nv <= SMALL:
            candidates.append(self._straight("composite-rigid-body", self.fast_plan))
        return min(candidates, key=lambda program: program.op_count().total)

    def _sweeps(self, algorithm: Algorithm, plan: Plan) -> Program:
        program = build_program(
            plan, self._numbers(plan, algorithm.name), self._joints, algorithm, form=self.form, dtype=self.dtype.name, width=self.width
        )
        program.plan = plan
        return program

    def _straight(self, name: str, plan: Plan) -> Program:
        inputs, trace = STRAIGHT_ONLY[name]
        numbers = self._numbers(plan)
        schedule, setup = trace(plan, numbers, self._joints)
        sizes = input_sizes(plan, inputs)
        program = Program(name, schedule, setup, sizes, result_size(schedule), numbers, self.dtype.name, self.width)
        program.plan = plan
        return program

    # -- dynamics -------------------------------------------------------------------------------------------

    def forward_dynamics(self, q: Any, v: Any, tau: Any = None, *, out: Floats | None = None, threads: int = 1) -> Floats:
        """Accelerations of the generalized coordinates for generalized forces tau (default none)."""
        tau = np.zeros(self.nv) if tau is None else tau
        return self._finite("forward_dynamics", (q, v, tau), out, threads)

    def inverse_dynamics(self, q: Any, v: Any, a: Any, *, out: Floats | None = None, threads: int = 1) -> Floats:
        """Generalized forces that produce the accelerations a."""
        return self._finite("inverse_dynamics", (q, v, a), out, threads)

    def mass_matrix(self, q: Any, *, threads: int = 1) -> Floats:
        """M(q), (nv, nv)."""
        if self.nv > DENSE:
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

    def _finite(self, name: str, arrays: tuple[Any, ...], out: Floats | None, threads: int) -> Floats:
        result = self._program(name)(*arrays, out=out, threads=threads)
        flat = result.ravel()
        if not np.isfinite(flat.dot(flat)):
            self._explain(name, arrays, result)
        return result

    def _explain(self, name: str, arrays: tuple[Any, ...], result: Floats) -> None:
        """Say why a result is not finite; an overflow of the check alone is no reason."""
        if np.isfinite(result).all():
            return
        for (what, _), array in zip(self._program(name).inputs, arrays, strict=True):
            bad = np.argwhere(~np.isfinite(np.asarray(array, dtype=float)))
            if len(bad):
                raise InputError(f"{name}: {what}{[int(k) for k in bad[0]]} is not finite; give finite numbers")
        raise SingularityError(self._singular_message(name, np.asarray(arrays[0], dtype=float), result))

    def _singular_message(self, name: str, q: Floats, result: Floats) -> str:
        bad = np.argwhere(~np.isfinite(result))[0]
        row = q if q.ndim == 1 else q[bad[0]]
        for body in self.mechanism.bodies:
            reason = body.joint.singularity(row[body.q]) if body.joint.nq else None
            if reason:
                return f"{name}: body {body.name!r} at q = {row[body.q].tolist()}: {reason}"
        index = min(int(bad[-1]), self.nv - 1)
        body = next((b for b in self.mechanism.bodies if b.v.start <= index < b.v.stop), self.mechanism.bodies[0])
        return (
            f"{name}: the mass matrix is singular or a joint breaks down at q = {row.tolist()}; the first result that is not"
            f" finite belongs to body {body.name!r}. Give moving bodies inertia, or move away from this configuration."
        )

    # -- kinematics -----------------------------------------------------------------------------------------

    def _link_frames(self, q: Any) -> tuple[Floats, Floats]:
        """Rotations (..., links, 3, 3) and origins (..., links, 3) of the links in the world."""
        flat = np.asarray(self._program("body_poses")(q))
        rows = flat.reshape(*flat.shape[:-1], len(self.plan.links), 12)
        return rows[..., :9].reshape(*rows.shape[:-1], 3, 3), rows[..., 9:]

    def body_poses(self, q: Any) -> Floats:
        """World poses of all bodies, (nb, 4, 4) or (batch, nb, 4, 4)."""
        R, p = self._link_frames(q)
        out = np.zeros((*R.shape[:-3], self.nb, 4, 4), dtype=self.dtype)
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
        index = self._body_index(body)
        link, frame = self.plan.placed[index]
        blocks = self.blocks(q, np.zeros(self.nv))
        out = np.zeros((*blocks[0].S.shape[:-2], 6, self.nv), dtype=float) if blocks else np.zeros((6, self.nv))
        carry = adjoint(np.linalg.inv(frame))
        while link >= 0:
            part = self.plan.links[link]
            out[..., :, part.v] = carry @ blocks[link].S
            carry = carry @ blocks[link].X
            link = part.parent
        return out

    def blocks(self, q: Any, v: Any) -> list[Block]:
        """Per link: adjoint from the parent, joint Jacobian, velocity products, gyroscopic wrench; in link frames."""
        flat, at, made = np.asarray(self._program("blocks")(q, v)), 0, []
        for link in self.plan.links:
            n = link.joint.nv
            row = flat[..., at : at + 24 + 6 * n]
            at += 24 + 6 * n
            S = row[..., 24:].reshape(*row.shape[:-1], 6, n)
            made.append(Block(row[..., :9].reshape(*row.shape[:-1], 3, 3), row[..., 9:12], row[..., 12:18], row[..., 18:24], S))
        return made

    def _body_index(self, body: Any) -> int:
        if isinstance(body, str):
            return int(self.mechanism[body].index)
        index = getattr(body, "index", body)
        if not isinstance(index, int) or not 0 <= index < self.nb:
            raise InputError(f"body {body!r} is not one of the {self.nb} bodies of this model; give a name, body or index")
        return index

    def _measure(self, q: Any, v: Any) -> Floats:
        flat = np.asarray(self._program("measure")(q, v))
        return flat.reshape(*flat.shape[:-1], len(self.plan.links), 11)

    def energy(self, q: Any, v: Any) -> tuple[Any, Any]:
        """Kinetic and potential energy; the potential is zero where centres of mass are at the world's origin."""
        rows = self._measure(q, v)
        potential = -(rows[..., 1:4].sum(-2) @ np.asarray(self.mechanism.gravity))
        return rows[..., 0].sum(-1), potential

    def momentum(self, q: Any, v: Any) -> Floats:
        """Total momentum in world axes about the world's origin: angular, then linear."""
        return np.asarray(self._measure(q, v)[..., 4:10].sum(-2))

    def center_of_mass(self, q: Any) -> Floats:
        """Centre of mass of all moving bodies."""
        rows = self._measure(q, np.zeros(self.nv))
        return np.asarray(rows[..., 1:4].sum(-2) / rows[..., 10].sum(-1)[..., None])

    # -- questions ------------------------------------------------------------------------------------------

    def op_count(self, quantity: str = "forward_dynamics") -> OpCount:
        """Operations of the generated code for one state."""
        known = ["forward_dynamics", *FORCES, *KINEMATICS, *STRAIGHT_ONLY]
        if quantity not in known:
            raise InputError(f"op_count: {quantity!r} is unknown; choose one of {', '.join(known)}")
        return self._program(quantity).op_count()

    def __repr__(self) -> str:
        return f"<Model of {self.mechanism.name!r}: {self.nb} bodies, {self.nv} degrees of freedom>"


class Block:
    """One link's part of the dense formulations."""

    def __init__(self, R: Floats, p: Floats, a: Floats, b: Floats, S: Floats) -> None:
        self.R, self.p, self.a, self.b, self.S = R, p, a, b, S

    @cached_property
    def X(self) -> Floats:
        """Ad(G^-1), from the parent's twists to this link's [SG eq. 8]."""
        Rt = np.swapaxes(self.R, -1, -2)
        out = np.zeros((*self.R.shape[:-2], 6, 6))
        out[..., :3, :3] = out[..., 3:, 3:] = Rt
        x, y, z = self.p[..., 0], self.p[..., 1], self.p[..., 2]
        P = np.zeros_like(self.R)
        P[..., 0, 1], P[..., 0, 2], P[..., 1, 2] = -z, y, -x
        out[..., 3:, :3] = -Rt @ (P - np.swapaxes(P, -1, -2))
        return out


FORWARD = (*SWEEPS, "composite-rigid-body")
DENSE = 40  # coordinates up to which the mass matrix is one straight-line program
SMALL = 16  # coordinates up to which the dense method is worth counting


def compile_model(mechanism: Any, **options: Any) -> Model:
    """The pipeline's door: a mechanism to machine code."""
    return Model(mechanism, **options)
