"""What a model says about derivatives: of dynamics, steps, momentum and Jacobians; and by inertias, the regressor."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.options import meant, named_options
from anyjoint.scalar import is_real
from anyjoint.scalar.array import ArrayLike, Floats

from .arguments import checked_flag, checked_row, checked_rows, flat_out
from .identifiable import BaseParameters, base_parameters, inertial_numbers
from .linearise import rate_matrices, step_matrices
from .momentum import Centroidal, about_center
from .part import Part
from .redundancy import check_ranks

if TYPE_CHECKING:
    from anyjoint.model.parameter_rows import Given
    from anyjoint.model.part import WhichBody


@frozen
class InverseDerivatives:
    """dtau/dq, dtau/dv and dtau/da = M of inverse dynamics, (nv, nv) each; with a batch in front of it."""

    q: Floats
    v: Floats
    a: Floats


@frozen
class ForwardDerivatives:
    """da/dq, da/dv and da/dtau = M^-1 of forward dynamics, (nv, nv) each; with a batch in front of it."""

    q: Floats
    v: Floats
    tau: Floats


class Derivatives(Part):
    """The part of Model that is about derivatives."""

    @named_options
    def inverse_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, raw: bool = False, out: Floats | None = None,
        threads: int = 1, parameters: Given | None = None,
    ) -> InverseDerivatives:  # fmt: skip
        """How inverse dynamics changes: .q (by tangents; with `raw` by coordinates), .v, and .a, the mass matrix.

        A tangent is how coordinates go at unit velocities: column k is the rate along velocity k. The joints' own
        springs, dampers and armature count. `out` is one row (..., 3 nv^2) to write to.
        """
        made = self._matrices("inverse_dynamics_derivatives", (q, v, a), raw, out, threads, parameters)
        return InverseDerivatives(*made)

    @named_options
    def forward_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None = None, t: ArrayLike | None = None, *,
        raw: bool = False, out: Floats | None = None, threads: int = 1, parameters: Given | None = None,
    ) -> ForwardDerivatives:  # fmt: skip
        """How forward dynamics changes: .q (by tangents; with `raw` by coordinates), .v, and .tau.

        The last is the inverse of the mass matrix. `out` is one row (..., 3 nv^2) to write to.
        """
        given = (q, v, np.zeros(self.nv, self.dtype) if tau is None else tau, *self.whole.clock(t))
        made = self._matrices("forward_dynamics_derivatives", given, raw, out, threads, parameters)
        if self.mechanism.constraints:
            rows = None if parameters is None else self.whole.parameter_rows(parameters)
            check_ranks(self.whole, "forward_dynamics_derivatives", q, t, rows)
        return ForwardDerivatives(*made)

    def _matrices(
        self, name: str, given: tuple[Any, ...], raw: bool, out: Floats | None, threads: int, parameters: Given | None
    ) -> Any:
        from anyjoint.quantity.raw_derivatives import RAW

        quantity = RAW[name] if checked_flag(name, "raw", raw) and not self.rates_are_velocities else name
        return self.whole.program(quantity).split(self.whole.evaluate(quantity, given, out, threads, parameters))

    @named_options
    def linearise(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None = None, *, t: float | None = None,
        dt: float | None = None, method: str | None = None, before: tuple[ArrayLike, ArrayLike] | None = None,
        raw: bool = False,
    ) -> tuple[Floats, Floats]:  # fmt: skip
        """(A, B) of the motion near a state x = (q, v): of its rates, or with `dt` of one step by `method` ("rk4").

        d(dx)/dt = A dx + B dtau, or dx after the step = A dx + B dtau with tau held. Of q the tangents count, 2 nv rows
        in all; with `raw` the coordinates themselves, nq + nv rows. One state, or a batch. "bdf2" looks back: `before`
        is (q, v) a step earlier, and A and B are of x and the state before it, twice as many rows.
        """
        checked_flag("linearise", "raw", raw)
        inputs = [("q", self.nq), ("v", self.nv), ("tau", self.nv)]
        given = [q, v, np.zeros(self.nv) if tau is None else tau]
        if before is not None:
            if not isinstance(before, (tuple, list)) or len(before) != 2:
                raise InputError(f"linearise: before={before!r}; expected (q, v), the state a step earlier")
            given += before
            inputs += [("q before", self.nq), ("v before", self.nv)]
        if t is not None and not (is_real(t) and abs(t) <= sys.float_info.max):
            raise InputError(f"linearise: t={t!r}; expected a finite number of seconds, the same for all states")
        rows, batch = checked_rows("linearise", tuple(given), inputs, np.dtype(float))
        states = [np.broadcast_to(row, (*(batch or (1,)), row.shape[-1])) for row in rows]
        if dt is None:
            if method is not None or before is not None:
                raise InputError("linearise: method and before are those of a step; give its length, dt, as well")
            made = [rate_matrices(self.whole, state, t, raw) for state in zip(*states, strict=True)]
        else:
            step = self._step("rk4" if method is None else method, dt, before)
            made = [step_matrices(self.whole, step, state, dt, t, raw) for state in zip(*states, strict=True)]
        n = (2 if before is not None else 1) * ((self.nq if raw else self.nv) + self.nv)
        A, B = np.zeros((len(made), n, n), self.dtype), np.zeros((len(made), n, self.nv), self.dtype)
        for k, (of_state, of_inputs) in enumerate(made):
            A[k], B[k] = of_state, of_inputs
        return (A, B) if batch else (A[0], B[0])

    def _step(self, method: str, dt: float, before: object) -> str:
        """The quantity of a method's step."""
        from anyjoint.quantity.step import LOOKING_BACK, STEPS

        known = STEPS | LOOKING_BACK
        if not isinstance(method, str) or method not in known:
            hint = f"{meant(method, known, 0.3)}; choose one of {', '.join(known)}"
            raise InputError(f"linearise: method={method!r} is unknown{hint}")
        if (method in LOOKING_BACK) != (before is not None):
            wanted = "looks back; give" if before is None else "does not look back; leave out"
            raise InputError(f"linearise: {method!r} {wanted} before=(q, v), the state a step earlier")
        if not is_real(dt) or not 0 < dt < np.inf:
            raise InputError(f"linearise: dt={dt!r}; expected a positive finite number of seconds, or None for rates")
        return known[method].name

    @named_options
    def regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        out: Floats | None = None,
        threads: int = 1,
        parameters: Given | None = None,
    ) -> Floats:
        """Y (nv, 10 nb) with tau = Y pi: forces as a linear function of the inertias of all bodies.

        For each body in turn pi has its mass, h = mass times centre, and the tensor Ixx, Ixy, Ixz, Iyy, Iyz, Izz about
        its origin. Springs, dampers and armature of joints have no part in it.
        """
        table = self.nv, 10 * self.nb
        place = flat_out("regressor", out, table)
        row = self.whole.evaluate("regressor", (q, v, a), place, threads, parameters)
        return row.reshape(*row.shape[:-1], *table)

    @property
    def inertial_parameters(self) -> Floats:
        """The numbers pi of all bodies, as `regressor` counts them: (10 nb,)."""
        return np.concatenate([np.zeros(0), *(inertial_numbers(body.inertia) for body in self.mechanism.bodies)])

    @named_options
    def base_parameters(self, *, states: int | None = None, seed: int = 0) -> BaseParameters:
        """Which combinations of inertias forces determine, from regressors at random states."""
        return base_parameters(self.whole, states, seed)

    @named_options
    def centroidal(self, q: ArrayLike, v: ArrayLike, *, parameters: Given | None = None) -> Centroidal:
        """Momentum about the centre of mass in world axes: its matrix, its value, and how it changes."""
        row = self.whole.evaluate("centroidal", (q, v), parameters=parameters)
        parts = self.whole.program("centroidal").split(row)
        if not np.all(parts[-1] > 0):
            raise InputError(f"centroidal: nothing that moves in {self.mechanism.name!r} has mass, so it has no centre")
        return about_center(*parts)

    def jacobian_rate(self, q: ArrayLike, v: ArrayLike, body: WhichBody) -> Floats:
        """How `body_jacobian` changes in time at the velocities v, (6, nv)."""
        index, inputs = self.whole.body_index(body), [("q", self.nq), ("v", self.nv)]
        rows, batch = checked_rows("jacobian_rate", (q, v), inputs, self.dtype)
        q, v = (np.broadcast_to(row, (*(batch or (1,)), row.shape[-1])) for row in rows)
        n, units = self.nv, np.eye(self.nv, dtype=self.dtype)
        q, v, x = np.repeat(q, n, axis=0), np.repeat(v, n, axis=0), np.tile(units, (len(q), 1))
        made = self.whole.jacobian_rate_times(q, v, x)
        rate = np.asarray(made)[:, index].reshape(*batch, n, 6)
        return rate.swapaxes(-1, -2)

    def jacobian_derivative(self, q: ArrayLike, body: WhichBody) -> Floats:
        """How `body_jacobian` changes with coordinates, (6, nv, nv): the last index is the tangent."""
        at = checked_row("jacobian_derivative", q, "q", self.nq, self.dtype)
        units = (np.broadcast_to(unit, (*at.shape[:-1], self.nv)) for unit in np.eye(self.nv, dtype=self.dtype))
        rates = [self.jacobian_rate(at, unit, body) for unit in units]
        return np.stack(rates, axis=-1) if rates else np.zeros((*at.shape[:-1], 6, 0, 0), self.dtype)
