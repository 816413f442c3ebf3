"""Steps that solve equations, on vectors that know their slopes: dense Newton steps, as an oracle."""

from dataclasses import dataclass

import numpy as np

from anyjoint.model.linearise import rate_matrix, rate_slope
from anyjoint.stepper import STEPPERS


@dataclass(frozen=True)
class Sloped:
    """A vector and its derivatives, a column for each number before the step."""

    value: np.ndarray
    slope: np.ndarray


class SlopedOps:
    """The operations of a step from (q, v) with tau held; behind them the state that it looks back at."""

    def __init__(self, model, h, *state):
        self.model, self.h = model, h
        parts = np.split(np.eye(sum(map(len, state))), np.cumsum([len(x) for x in state])[:-1])
        self.q, self.v, self.tau, *self.before = (Sloped(x, s) for x, s in zip(state, parts, strict=True))

    def rate(self, q, v):
        T = rate_matrix(self.model, q.value)
        return Sloped(T @ v.value, rate_slope(self.model, q.value, v.value) @ q.slope + T @ v.slope)

    def go(self, x, weights, rates):
        for weight, rate in zip(weights, rates, strict=True):
            x = Sloped(x.value + self.h * weight * rate.value, x.slope + self.h * weight * rate.slope)
        return x

    def share(self, part):
        return part * self.h

    def past(self):
        """Both steps have the same length: 4/3 y - 1/3 y_before, and 2/3 h."""
        q, v = (
            Sloped((4 * x.value - y.value) / 3, (4 * x.slope - y.slope) / 3)
            for x, y in zip((self.q, self.v), self.before, strict=True)
        )
        return q, v, 2 / 3 * self.h

    def solve(self, c, q, v, g):
        """q' = q + g T(q') v' and v' = v + g a(q', v'), and a."""
        nq, model, tau = len(q.value), self.model, self.tau
        y, z = q.value + g * rate_matrix(model, q.value) @ v.value, v.value
        for _ in range(30):
            a = np.asarray(model.forward_dynamics(y, z, tau.value), dtype=float)
            d = model.forward_dynamics_derivatives(y, z, tau.value, raw=True)
            T, turn = rate_matrix(model, y), rate_slope(model, y, z)
            K = np.eye(nq + len(z)) - g * np.block([[turn, T], [d.q, d.v]])
            change = np.linalg.solve(K, np.concatenate([q.value + g * T @ z - y, v.value + g * a - z]))
            y, z = y + change[:nq], z + change[nq:]
        slope = np.linalg.solve(K, np.vstack([q.slope, v.slope + g * d.tau @ tau.slope]))
        end = Sloped(y, slope[:nq]), Sloped(z, slope[nq:])
        pushed = d.q @ end[0].slope + d.v @ end[1].slope + d.tau @ tau.slope
        return *end, Sloped(a, pushed)


def slopes(model, method, h, *state):
    """The state after a step by all numbers before it."""
    q, v = STEPPERS[method].step(SlopedOps(model, h, *state))
    return np.vstack([q.slope, v.slope])
