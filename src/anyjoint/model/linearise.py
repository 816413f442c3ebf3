"""Linear models of motion about a state: of its rates, or of one step of any method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anyjoint.scalar import jet
from anyjoint.scalar.array import Floats

if TYPE_CHECKING:
    from .model import Model


def step_matrices(
    model: Model, step: str, state: tuple[Floats, ...], h: float, t: float | None, raw: bool
) -> tuple[Floats, Floats]:
    """(A, B) of one step: the state after it by that before it, and by tau; all directions are one batch.

    Behind q, v and tau, the state may have the one that the step looks back at. Then A and B are of both.
    """
    q, v, tau, *looked_at = state
    n, nv = (len(q) if raw else len(v)), len(v)
    m = n + nv
    units = np.eye((m if looked_at else 0) + m + nv)
    given = (q, v, tau, np.full(1, h), *looked_at, *model.clock(t))
    point = [np.repeat(x[None], len(units), axis=0) for x in given]
    ways = {"q": units[:, :n], "v": units[:, n:m], "tau": units[:, m : m + nv]}
    if looked_at:
        ways |= {"q_before": units[:, m + nv : m + nv + n], "v_before": units[:, m + nv + n :]}
    _, rates = model.jvp(step, tuple(point), ways, raw=raw)
    slope = np.hstack(rates).T
    A, B = slope[:, :m], slope[:, m : m + nv]
    if looked_at:
        A, B = np.block([[A, slope[:, m + nv :]], [np.eye(m), np.zeros((m, m))]]), np.vstack([B, np.zeros((m, nv))])
    return A, B


def rate_matrices(
    model: Model, state: tuple[Floats, Floats, Floats], t: float | None, raw: bool
) -> tuple[Floats, Floats]:
    """(A, B) of the rates of the state: d/dt (dq, dv) = A (dq, dv) + B dtau."""
    q, v, tau = state
    d = model.forward_dynamics_derivatives(q, v, tau, t, raw=raw)
    T = rate_matrix(model, q)
    turn = rate_slope(model, q, v)
    if not raw:
        # Tangents turn with the state: of d(T v) along each of them what T itself changes is no change.
        along = np.zeros(T.shape)
        for k, unit in enumerate(np.eye(len(v))):
            along[:, k] = rate_slope(model, q, unit) @ (T @ v)
        turn, T = tangent_inverse(model, q) @ (turn @ T - along), np.eye(len(v))
    return np.block([[turn, T], [d.q, d.v]]), np.vstack([np.zeros((len(T), len(v))), d.tau])


def rate_matrix(model: Model, q: Floats) -> Floats:
    """T with dq/dt = T v, (nq, nv)."""
    T = np.zeros((model.nq, model.nv))
    for body in model.mechanism.bodies:
        at = q[body.q].tolist()
        for k, unit in enumerate(np.eye(body.joint.nv).tolist()):
            T[body.q, body.v.start + k] = body.joint.rate(at, unit)
    return T


def tangent_inverse(model: Model, q: Floats) -> Floats:
    """T+ with T+ T = 1: of changes of coordinates what velocities can do, joint by joint."""
    T = rate_matrix(model, q)
    inverse = np.zeros(T.T.shape)
    for body in model.mechanism.bodies:
        if body.joint.nv:
            inverse[body.v, body.q] = np.linalg.pinv(T[body.q, body.v])
    return inverse


def rate_slope(model: Model, q: Floats, v: Floats) -> Floats:
    """d(T v)/dq, (nq, nq); zero but for joints whose velocities are no rates of coordinates."""
    slope = np.zeros((model.nq, model.nq))
    for body in model.mechanism.bodies:
        joint = body.joint
        if not joint.rates_are_velocities:  # as many may be others: those of rolling with slip
            speeds = v[body.v].tolist()
            _, partials, _ = jet(lambda at: list(joint.rate(at, speeds)), q[body.q].tolist(), [0.0] * joint.nq)  # noqa: B023
            slope[body.q, body.q] = np.array(partials, dtype=float).T
    return slope
