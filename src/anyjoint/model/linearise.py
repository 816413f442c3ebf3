"""Linear models of motion about a state: of its rates, or of one step of an explicit method.

Steps are functions of three operations (see stepper/stepper.py). Here they run on vectors that know their slopes by
the state before the step and by tau, so that any stepper is linearised by the chain rule over its own stages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anyjoint.scalar import jet
from anyjoint.stepper import Stepper

Floats = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Sloped:
    """A vector and its derivatives, a column for each coordinate, velocity and force before the step."""

    value: Floats
    slope: Floats


class LinearOps:
    """The operations of a step from (q, v) with tau held, on sloped vectors."""

    def __init__(self, model: Any, q: Floats, v: Floats, tau: Floats, h: float, t: float | None) -> None:
        self.model, self.h, self.t = model, h, t
        columns = np.eye(len(q) + len(v) + len(tau))
        parts = np.split(columns, np.cumsum([len(q), len(v)]))
        self.q, self.v, self.tau = (Sloped(x, slope) for x, slope in zip((q, v, tau), parts, strict=True))

    def accelerate(self, c: float, q: Sloped, v: Sloped) -> Sloped:
        """dv/dt, with the derivatives of forward dynamics."""
        t = None if self.t is None else self.t + c * self.h
        a = np.asarray(self.model.forward_dynamics(q.value, v.value, self.tau.value, t), dtype=float)
        d = self.model.forward_dynamics_derivatives(q.value, v.value, self.tau.value, t, raw=True)
        return Sloped(a, d.q @ q.slope + d.v @ v.slope + d.tau @ self.tau.slope)

    def rate(self, q: Sloped, v: Sloped) -> Sloped:
        """dq/dt, with those of the joints' rates."""
        T = rate_matrix(self.model, q.value)
        return Sloped(T @ v.value, rate_slope(self.model, q.value, v.value) @ q.slope + T @ v.slope)

    def go(self, x: Sloped, weights: Sequence[float], rates: Sequence[Sloped]) -> Sloped:
        """x + h times the weighted sum of rates."""
        for weight, rate in zip(weights, rates, strict=True):
            x = Sloped(x.value + self.h * weight * rate.value, x.slope + self.h * weight * rate.slope)
        return x


def step_matrices(
    model: Any, stepper: Stepper, state: tuple[Floats, Floats, Floats], h: float, t: float | None, raw: bool
) -> tuple[Floats, Floats]:
    """(A, B) of one step: the state after it by that before it, and by tau."""
    q, v, tau = state
    ops = LinearOps(model, q, v, tau, h, t)
    new_q, new_v = charted(model, *stepper.step(ops))
    slope = np.vstack([new_q.slope, new_v.slope])
    if not raw:
        slope = _block(tangent_inverse(model, new_q.value), len(v)) @ slope
        before = _block(rate_matrix(model, q), len(v))
        slope = np.hstack([slope[:, : len(q) + len(v)] @ before, slope[:, len(q) + len(v) :]])
    states = slope.shape[0]
    return slope[:, :states], slope[:, states:]


def rate_matrices(
    model: Any, state: tuple[Floats, Floats, Floats], t: float | None, raw: bool
) -> tuple[Floats, Floats]:
    """(A, B) of the rates of the state: d/dt (dq, dv) = A (dq, dv) + B dtau."""
    q, v, tau = state
    d = model.forward_dynamics_derivatives(q, v, tau, t, raw=raw)
    T = rate_matrix(model, q)
    turn = rate_slope(model, q, v)
    if not raw:
        # Tangents turn with the state: of d(T v) along each of them what T itself changes is no change.
        along = np.stack([rate_slope(model, q, unit) @ (T @ v) for unit in np.eye(len(v))], axis=1)
        turn, T = tangent_inverse(model, q) @ (turn @ T - along), np.eye(len(v))
    return np.block([[turn, T], [d.q, d.v]]), np.vstack([np.zeros((len(T), len(v))), d.tau])


def rate_matrix(model: Any, q: Floats) -> Floats:
    """T with dq/dt = T v, (nq, nv)."""
    T = np.zeros((model.nq, model.nv))
    for body in model.mechanism.bodies:
        at = q[body.q].tolist()
        for k, unit in enumerate(np.eye(body.joint.nv).tolist()):
            T[body.q, body.v.start + k] = body.joint.rate(at, unit)
    return T


def tangent_inverse(model: Any, q: Floats) -> Floats:
    """T+ with T+ T = 1: of changes of coordinates what velocities can do, joint by joint."""
    T = rate_matrix(model, q)
    inverse = np.zeros(T.T.shape)
    for body in model.mechanism.bodies:
        if body.joint.nv:
            inverse[body.v, body.q] = np.linalg.pinv(T[body.q, body.v])
    return inverse


def rate_slope(model: Any, q: Floats, v: Floats) -> Floats:
    """d(T v)/dq, (nq, nq); zero but for joints whose velocities are no rates of coordinates."""
    slope = np.zeros((model.nq, model.nq))
    for body in model.mechanism.bodies:
        joint = body.joint
        if joint.nq != joint.nv:
            speeds = v[body.v].tolist()
            _, partials, _ = jet(lambda at: list(joint.rate(at, speeds)), q[body.q].tolist(), [0.0] * joint.nq)  # noqa: B023
            slope[body.q, body.q] = np.array(partials, dtype=float).T
    return slope


def charted(model: Any, q: Sloped, v: Sloped) -> tuple[Sloped, Sloped]:
    """The state in the charts that joints want after a step."""
    new = [Sloped(x.value.copy(), x.slope.copy()) for x in (q, v)]
    for body in model.mechanism.bodies:
        joint = body.joint
        at = [*q.value[body.q].tolist(), *v.value[body.v].tolist()]
        if not joint.nq or joint.chart(at[: joint.nq], at[joint.nq :]) is None:
            continue
        values, partials, _ = jet(
            lambda x: [y for part in joint.chart(x[: joint.nq], x[joint.nq :]) for y in part], at, [0.0] * len(at)  # noqa: B023
        )
        made, slope = np.array(values, dtype=float), np.array(partials, dtype=float).T
        slope = slope @ np.vstack([q.slope[body.q], v.slope[body.v]])
        for part, place, rows in ((new[0], body.q, slice(0, joint.nq)), (new[1], body.v, slice(joint.nq, None))):
            part.value[place], part.slope[place] = made[rows], slope[rows]
    return new[0], new[1]


def _block(T: Floats, nv: int) -> Floats:
    """T for coordinates, 1 for velocities."""
    rows, columns = T.shape
    return np.block([[T, np.zeros((rows, nv))], [np.zeros((nv, columns)), np.eye(nv)]])
