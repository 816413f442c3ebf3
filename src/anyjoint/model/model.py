"""Model: a compiled mechanism, called on NumPy arrays.

What a first answer does not need is imported where it is asked for: half of a start from the cache is imports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.codegen import OpCount
from anyjoint.dynamics.blocks import Block, split_blocks
from anyjoint.errors import InputError
from anyjoint.mechanism import Mechanism
from anyjoint.options import meant, named_options
from anyjoint.quantity import QUANTITIES, Quantity
from anyjoint.quantity.answers.mass_matrix import DENSE
from anyjoint.quantity.constraints import HELD
from anyjoint.scalar import is_real
from anyjoint.scalar.array import ArrayLike, Floats

from .alarm import Alarm
from .arguments import ONE, checked_out, checked_row, checked_rows, flat_out, write_out
from .bearings import Bearings
from .center import center_of_mass
from .compiled import Compiled
from .constraints import ConstraintQuestions
from .derivatives import Derivatives
from .direct import Direct
from .frames import FrameQuestions
from .inverse_kinematics import InverseKinematics
from .method import add_methods
from .modes import ALONE, ModeQuestions
from .parameter_rows import Given, ParameterRows
from .part import WhichBody
from .paths import PathQuestions
from .product_questions import ProductQuestions
from .report import Report, make_report
from .screen import Screen, look_closer, make_screen
from .uses import Uses

if TYPE_CHECKING:
    from .cartesian import Cartesian
    from .held import Held

# Public to the rest of the package, and of no use to users: `dir(model)` does not show them.
INSIDE = frozenset({
    "answer", "answer_anywhere", "blocks", "by_joints", "clock", "constraint_blocks", "constraint_entries", "evaluate",
    "hard_rows", "held", "hybrid_quantity", "known", "numeric", "places", "plan", "position_correction", "products",
    "programs", "released", "row_programs", "screen", "shelf", "velocity_correction", "whole", "workshop",
})  # fmt: skip


class Model(
    Compiled, Bearings, ConstraintQuestions, ModeQuestions, Derivatives, ProductQuestions, FrameQuestions,
    InverseKinematics, PathQuestions, Uses,
):  # fmt: skip
    """Equations of motion of a mechanism as machine code; `mech.compile()` makes it.

    States are rows (n,) or batches (batch, n): `q` of nq coordinates, `v` of nv velocities. A pendulum of 1 m:

    >>> import anyjoint as aj
    >>> mech = aj.Mechanism("pendulum", gravity=(0, 0, -9.81))
    >>> bob = aj.Inertia.point(1.0, (0, 0, -1))
    >>> body = mech.add_body("bob", joint=aj.joints.Revolute(axis=(0, 1, 0)), inertia=bob)
    >>> model = mech.compile()
    >>> model.nq, model.nv, model.nb
    (1, 1, 1)
    >>> q, v = [0.1], [0.0]
    >>> a = model.forward_dynamics(q, v)
    >>> round(float(a[0]), 4)
    -0.9794
    >>> bool(abs(model.inverse_dynamics(q, v, a)[0]) < 1e-12)  # no force is needed to fall
    True
    >>> model.forward_dynamics([[0.1], [0.2], [0.3]], [[0.0]] * 3).shape  # three states at once
    (3, 1)

    Beside the methods below, every quantity of `model.quantities` that is a plain function of the state is a method.
    """

    if TYPE_CHECKING:  # methods that come from the list of quantities

        def __getattr__(self, name: str) -> Callable[..., Any]: ...

    # -- calls ----------------------------------------------------------------------------------------------

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None = None, t: ArrayLike | None = None, *,
        wrenches: ArrayLike | None = None, out: Floats | None = None, threads: int = 1, parameters: Given | None = None,
    ) -> Floats:  # fmt: skip
        """Accelerations for generalized forces tau (default none) and wrenches (nb, 6) on bodies, in their frames.

        They satisfy the constraints. `t` is the time, for mechanisms that depend on it. `parameters` gives every state
        of a batch its own: {"rod/mass": masses}, or `model.parameter_rows(...)`.
        """
        tau = self._zero if tau is None else tau
        if parameters is not None:
            rows = self.parameter_rows(parameters)
            if wrenches is not None:
                tau = self._with_wrenches(q, tau, wrenches, rows)
            given = (q, v, tau, *self.clock(t))
            if not self.held:
                return self.evaluate("forward_dynamics", given, out, threads, rows)
            row = self.evaluate(HELD, given, None, threads, rows)
            return self.held.accelerations("forward_dynamics", row, q, t, out, rows)
        if wrenches is None and t is None and threads is ONE and self._direct is not None:
            state = self._direct((q, v, tau), out)
            if state is not None:
                return state
        if wrenches is not None:
            tau = self._with_wrenches(q, tau, wrenches)
        if self.held:
            a = self.held.accelerations("forward_dynamics", self._held_rows(q, v, tau, t, threads), q, t, out)
        else:
            a = self._accelerations(q, v, tau, t, out, threads)
        if self.screen is not None and not self.screen.passes(q, a):
            look_closer(self, "forward_dynamics", (q, v, tau), a)
        return a

    def _with_wrenches(
        self, q: ArrayLike, tau: ArrayLike, wrenches: ArrayLike, parameters: ParameterRows | None = None
    ) -> Floats:
        """Generalized forces tau and those of wrenches on bodies together."""
        given = checked_row("forward_dynamics", tau, "tau", self.nv, self.dtype)
        more: Floats = self.generalized_forces(q, wrenches, parameters=parameters)
        if given.ndim == more.ndim == 2 and len(given) != len(more):
            raise InputError(f"forward_dynamics: tau has {len(given)} rows beside {len(more)} states; give one each")
        return given + more

    def _accelerations(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, t: ArrayLike | None = None, out: Floats | None = None,
        threads: int = 1,
    ) -> Floats:  # fmt: skip
        if self.numeric:
            from .dense import solved_forward
            from .redundancy import check_ranks

            a = solved_forward(self, self.numeric, (q, v, tau, *self.clock(t)), out)
            check_ranks(self, "forward_dynamics", q, t)
            return a
        if self.held:
            return self._held_rows(q, v, tau, t, threads)[..., : self.nv]
        return self.answer_anywhere(self.program("forward_dynamics"), (q, v, tau, *self.clock(t)), out, threads)

    def _held_rows(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, t: ArrayLike | None, threads: int) -> Floats:
        """Accelerations under constraints, and multipliers behind them."""
        return self.answer_anywhere(self.program(HELD), (q, v, tau, *self.clock(t)), None, threads)

    @cached_property
    def _direct(self) -> Callable[[tuple[Any, ...], Any], Floats | None] | None:
        """Forward dynamics of one state without delay; None comes back where a closer look is needed."""
        if self.numeric or self.mechanism.timed:
            return None
        program = self.program(HELD if self.held else "forward_dynamics")
        direct = program.state
        if self.places is not None or self.screen is not None:
            limit, share = (self.screen.limit, self.screen.share) if self.screen else (np.inf, 0.0)
            alarm = self.by_joints(("alarm", share), lambda: Alarm(self.mechanism, self.dtype.name, share))
            direct = Direct(program, alarm.up_to(limit)).state
        return self.held.directly(direct) if self.held else direct

    @cached_property
    def held(self) -> Held | None:
        """What looks at how many rows of constraints hold accelerations; None where none do."""
        if self.numeric or not self.hard_rows.any():
            return None
        from .held import Held

        return Held(self)

    @cached_property
    def screen(self) -> Screen | None:
        """What tells that a singular place may be near; None where there is none."""
        return make_screen(self, self._accelerations)

    @cached_property
    def _zero(self) -> Floats:
        return np.zeros(self.nv, self.dtype)

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *,
        actuated: WhichBody | Sequence[WhichBody] | None = None, t: ArrayLike | None = None,
        algorithm: str = "newton-euler", out: Floats | None = None, threads: int = 1, parameters: Given | None = None,
    ) -> Floats:  # fmt: skip
        """Generalized forces that produce the accelerations a; algorithm "newton-euler" or "lagrangian".

        These are the forces of the tree, M a + bias, as if all joints were driven and constraints did not push. With
        `actuated`, a list of bodies or coordinates, only those have forces and constraints do the rest, at the time t:
        the smallest forces where there are several choices.
        """
        names = {"newton-euler": "inverse_dynamics", "lagrangian": "inverse_dynamics_lagrangian"}
        if algorithm not in names:
            raise InputError(f"inverse_dynamics: algorithm {algorithm!r} is unknown; choose one of {', '.join(names)}")
        if actuated is None:
            return self.evaluate(names[algorithm], (q, v, a), out, threads, parameters)
        tau = self.evaluate(names[algorithm], (q, v, a), None, threads, parameters)
        inputs = [("q", self.nq), ("v", self.nv), ("a", self.nv)]
        rows, _ = checked_rows("inverse_dynamics", (q, v, a), inputs, self.dtype)
        from .actuated import actuated_forces

        forces = actuated_forces(self, rows, tau, actuated, t, parameters)
        result = checked_out("inverse_dynamics", out, forces.shape, self.dtype, ())
        result[...] = forces
        return result

    @named_options
    def step(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None = None, *, dt: float = 1e-3, t: ArrayLike | None = None,
        method: str = "rk4", out: tuple[Floats, Floats] | None = None, threads: int = 1,
        parameters: Given | None = None,
    ) -> tuple[Floats, Floats]:  # fmt: skip
        """The state after one step of dt seconds, in which tau is held; for control and learning loops.

        One state or a batch, by any stepper with a step of its own ("rk4", "semi-implicit-euler", ...); `t` is the time
        before it, for mechanisms that depend on time. `out` are two arrays to write to. `parameters` gives every state
        of a batch its own. Limits of joints, contacts and dry friction are felt by "time-stepping" alone.

        >>> q, v = model.step([0.1], [0.0], dt=1e-3)
        >>> bool(abs(v[0] + 9.81e-3 * 0.0998) < 1e-6)
        True
        """
        if not is_real(dt) or not 0 < dt < np.inf:
            raise InputError(f"step: dt={dt!r}; expected a positive finite number of seconds")
        given = (q, v, self._zero if tau is None else tau, np.array([dt], self.dtype), *self.clock(t))
        row = self.evaluate(self._steps.get(method) or self._step_by(method), given, None, threads, parameters)
        state = row[..., : self.nq], row[..., self.nq :]
        return state if out is None else write_out("step", out, state)

    @cached_property
    def _steps(self) -> dict[object, Quantity]:
        return {}  # those that were asked for, by method

    def _step_by(self, method: str) -> Quantity:
        """The step of a method, refused where there is none."""
        from anyjoint.quantity.step import STEPS
        from anyjoint.stepper import STEPPERS

        self.refuse_modes("step", ALONE)
        if method not in STEPS:
            back = "looks back at steps before, so simulate takes it, and step does not"
            what = back if method in STEPPERS else f"is unknown{meant(method, STEPS, 0.3)}"
            raise InputError(f"step: method={method!r} {what}; choose one of {', '.join(STEPS)}")
        if self.numeric:
            raise InputError(f"step: {self.numeric} solves numerically; compile with another algorithm, or simulate")
        self._steps[method] = STEPS[method]
        return STEPS[method]

    def hybrid_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, a: ArrayLike, prescribed: Sequence[WhichBody], *,
        t: ArrayLike | None = None,
    ) -> tuple[Floats, Floats]:  # fmt: skip
        """Accelerations and forces of all joints, where the joints of the bodies `prescribed` follow a [RM alg. 6].

        Other entries of a, and forces tau of prescribed joints, are not read. `t` is the time, for mechanisms that
        depend on it.
        """
        quantity = self.hybrid_quantity(prescribed)
        found: tuple[Floats, Floats]
        found = self.program(quantity).split(self.evaluate(quantity, (q, v, tau, a, *self.clock(t))))
        if self.mechanism.constraints:
            from .actuated import checked_accelerations
            from .redundancy import check_ranks

            checked_accelerations(self, "hybrid_dynamics", q, v, np.asarray(found[0], dtype=float), t)
            check_ranks(self, "hybrid_dynamics", q, t)
        return found

    def hybrid_quantity(self, prescribed: Sequence[WhichBody]) -> Quantity:
        """What `hybrid_dynamics` evaluates for one choice of bodies."""
        if isinstance(prescribed, str) or not isinstance(prescribed, Iterable):
            raise InputError(f"hybrid_dynamics: prescribed={prescribed!r}; expected a list of bodies")
        chosen = frozenset(self.body_index(body) for body in prescribed)
        fixed = [body.name for body in self.mechanism.bodies if body.index in chosen and not body.joint.nv]
        if fixed:
            raise InputError(f"hybrid_dynamics: {', '.join(map(repr, fixed))} has no coordinates to prescribe")
        from anyjoint.quantity.hybrid_dynamics import hybrid_dynamics

        return hybrid_dynamics(chosen)

    def mass_matrix(
        self, q: ArrayLike, *, out: Floats | None = None, threads: int = 1, parameters: Given | None = None
    ) -> Floats:
        """M(q), (nv, nv)."""
        if self.nv > DENSE and self.workshop.expansion and parameters is None:
            columns = self._mass_columns(np.asarray(q), threads)
            return columns if out is None else write_out("mass_matrix", (out,), (columns,))[0]
        square = (self.nv, self.nv)
        flat = self.evaluate("mass_matrix", (q,), flat_out("mass_matrix", out, square), threads, parameters)
        return flat.reshape(*flat.shape[:-1], *square) if out is None else out

    def _mass_columns(self, q: Floats, threads: int) -> Floats:
        """M column by column: the forces of unit accelerations at rest, without gravity."""
        if q.ndim == 2:
            return np.array([self._mass_columns(row, threads) for row in q]).reshape(len(q), self.nv, self.nv)
        columns = self.evaluate("mass_times", (q, np.eye(self.nv)), None, threads)
        return (columns + columns.T) / 2

    def blocks(self, q: ArrayLike, v: ArrayLike) -> list[Block]:
        """Per link: pose, joint Jacobian, velocity products and gyroscopic wrench, in link frames."""
        row = self.evaluate("blocks", (q, v)).astype(float)
        return split_blocks(row, [link.joint.nv for link in self.plan.links])

    def body_index(self, body: WhichBody) -> int:
        """The index of a body given as itself, its name or its index."""
        if isinstance(body, str):
            return int(self.mechanism[body].index)
        index: Any = getattr(body, "index", body)
        known = isinstance(index, (int, np.integer)) and not isinstance(index, bool) and 0 <= index < self.nb
        if not known or getattr(body, "name", self.mechanism.bodies[index].name) != self.mechanism.bodies[index].name:
            raise InputError(
                f"body {body!r} is not one of the {self.nb} bodies of this model; give a name, body or index"
            )
        return int(index)

    def cartesian(self, q: ArrayLike, points: ArrayLike | None = None) -> Cartesian:
        """Jacobians, velocities and forces of all bodies in world axes, at their centres of mass or other points."""
        from .cartesian import Cartesian

        return Cartesian(self, q, points)

    def center_of_mass(self, q: ArrayLike) -> Floats:
        """Centre of mass of all moving bodies; of all bodies where nothing moves."""
        return center_of_mass(self, q)

    # -- questions, sources --------------------------------------------------------------------------------------

    def op_count(self, quantity: str = "forward_dynamics") -> OpCount:
        """Operations of the generated code for one state."""
        return self.program(quantity).op_count()

    def report(self) -> Report:
        """What was compiled: formulation, programs, classes, operations per body, compile time."""
        return make_report(self)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled and copied as mechanism (with its present parameters) and options; code comes from the cache."""
        options = (self.algorithm, self.dtype.name, self.workshop.form, self.width, self.vary)
        return type(self), (self.mechanism, *options)

    def __dir__(self) -> list[str]:
        """What users ask for; completion leaves out what parts of the package say to each other."""
        return [name for name in super().__dir__() if name not in INSIDE]

    def __repr__(self) -> str:
        return f"<Model of {self.mechanism.name!r}: {self.mechanism.size}>"


add_methods(Model, QUANTITIES)


@named_options
def compile_model(
    mechanism: Mechanism, algorithm: str = "auto", dtype: str = "float64", form: str = "auto",
    width: int | None = None, vary: Sequence[str] = (),
) -> Model:  # fmt: skip
    """The pipeline's door: a mechanism to machine code; the options are those of `Mechanism.compile`."""
    return Model(mechanism, algorithm, dtype, form, width, vary)
