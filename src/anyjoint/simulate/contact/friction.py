"""Coulomb's law at sliding contacts: friction mu n against the slip, where it and the normal forces n need each other.

Accelerations are affine in the friction f, two numbers per contact along its tangents: n = n0 + N f for the normal
forces, w = b + A f for the rates of slip. Where slip s is slow, its direction turns at a rate of mu n A / s, too fast
for any explicit step h; there the direction is the one that slip will have after a part of the step, d || s + tau w.
That bounds the rate by 1 / h, leaves friction itself as it is, and is nothing where slip is fast: the part is
tau = h x^2 / (1 + x^2) with x = h mu n A / s.
"""

from __future__ import annotations

import math

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats

from .impulse import Jammed

TURNS = 12  # of Newton's method for the directions
ALIKE = 1e-13  # radians
NUDGE = 1e-7  # radians
QUICK = 1e-3  # x of slip so quick that looking ahead would change its direction by no more than 1e-9 rad


JAMMED = (
    "jammed (Painleve): at the contact of {!r} friction presses the body onto its parent harder than the contact can "
    "push back; no motion of rigid bodies goes on from here. Lower the friction"
)


@frozen
class Response:
    """How k contacts answer to friction: slips s and directions that they began with (k, 2), the matrices above.

    `creeping` are contacts so slow that they keep to the direction that they began with.
    """

    names: tuple[str, ...]
    mu: Floats  # (k,)
    s: Floats  # (k, 2)
    begun: Floats  # (k, 2)
    creeping: Floats  # (k,)
    n0: Floats  # (k,)
    N: Floats  # (k, 2 k)
    b: Floats  # (2 k,)
    A: Floats  # (2 k, 2 k)

    def friction(self, h: float) -> Floats:
        """The friction of all contacts (2 k,) for steps of length h."""
        angles = self._angles()
        tau = self._ahead(angles, h)
        for _ in range(TURNS):
            if not tau.any():
                break
            off = self._off(angles, tau)
            slopes = np.array([self._off(angles + NUDGE * unit, tau) - off for unit in np.eye(len(angles))]).T / NUDGE
            slopes[self.creeping] = np.eye(len(angles))[self.creeping]
            step = np.linalg.lstsq(slopes, np.where(self.creeping, 0.0, off), rcond=None)[0]
            angles = angles - np.clip(step, -0.5, 0.5)
            if np.abs(step).max() < ALIKE:
                break
        return self._along(angles)

    def _angles(self) -> Floats:
        """Directions of slip as angles; where slip has turned round within a step, friction goes on as before."""
        turned = np.where((self.s * self.begun).sum(axis=1) < 0, -1.0, 1.0)
        s = np.where(self.creeping[:, None], self.begun, self.s * turned[:, None])
        return np.arctan2(s[:, 1], s[:, 0])

    def _ahead(self, angles: Floats, h: float) -> Floats:
        """tau of every contact."""
        size = np.linalg.norm(self.s, axis=1)
        strength = np.linalg.norm(self._along(angles).reshape(-1, 2), axis=1)
        ease = np.array([self.A[k, k] + self.A[k + 1, k + 1] for k in range(0, len(self.b), 2)])
        x = np.minimum(h * strength * ease / np.maximum(size, 1e-300), 1e8)
        return np.where(self.creeping | (x < QUICK), 0.0, h * x * x / (1 + x * x))

    def _off(self, angles: Floats, tau: Floats) -> Floats:
        """By how much friction is not along the slip to come: the cross product of both."""
        w = (self.b + self.A @ self._along(angles)).reshape(-1, 2)
        to_come = self.s + tau[:, None] * w
        return np.asarray(np.cos(angles) * to_come[:, 1] - np.sin(angles) * to_come[:, 0])

    def _along(self, angles: Floats) -> Floats:
        """Friction against these directions: n = n0 - N (mu n d) is solved for n."""
        if len(angles) == 1:
            return self._alone(math.cos(angles[0]), math.sin(angles[0]))
        d = np.zeros((len(self.b), len(angles)))
        for k, angle in enumerate(angles):
            d[2 * k : 2 * k + 2, k] = np.cos(angle), np.sin(angle)
        system = np.eye(len(angles)) + (self.N @ d) * self.mu
        if not np.isfinite(system).all():
            return np.full(len(self.b), np.nan)
        if np.linalg.eigvals(system).real.min() <= 0:
            raise Jammed(JAMMED.format(self.names[int(np.argmin(np.diag(system)))]))
        return np.asarray(-d @ (self.mu * np.linalg.solve(system, self.n0)))

    def _alone(self, x: float, y: float) -> Floats:
        """The same for one contact."""
        share = 1.0 + float(self.mu[0] * (self.N[0, 0] * x + self.N[0, 1] * y))
        if share <= 0:
            raise Jammed(JAMMED.format(self.names[0]))
        size = float(self.mu[0] * self.n0[0]) / share
        return np.array([-size * x, -size * y])
