"""Impulses of contacts that close at once: Newton's restitution and Coulomb's friction, contact by contact.

Velocities u and impulses p have three entries per contact: along two tangents, then along the separating normal. They
obey u' = u + W p. A contact takes what it needs to separate at the wanted speed and not to slip; where friction cannot
do that, it opposes the mean slip, so that it never brings energy. Contacts settle one after the other until none
changes (block Gauss-Seidel).
"""

from __future__ import annotations

import numpy as np

from anyjoint.errors import AnyjointError
from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats

ROUNDS = 20000
SAME = 1e-15  # change of impulses at which they have settled, relative to the largest
TURNS = 200  # of the direction of slip within one contact
HALVINGS = 50


class Jammed(AnyjointError):
    """Friction would have to push with more than it can, and more pushing needs more friction."""


@frozen
class Law:
    """Coefficients of friction and restitution of all contacts."""

    friction: Floats
    restitution: Floats


def impulses(W: Floats, u: Floats, law: Law) -> Floats:
    """The impulses of all contacts; restitution is lowered where Newton's law would bring energy."""
    p = settled(W, u, law, 1.0)
    if gain(W, u, p) <= 0.0:
        return p
    low, high = 0.0, 1.0  # shares of the restitution: the first brings no energy
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gain(W, u, settled(W, u, law, middle)) <= 0.0 else (low, middle)
    return settled(W, u, law, low)


def gain(W: Floats, u: Floats, p: Floats) -> float:
    """Energy that impulses bring: p times the mean velocity, 0 if it is nothing but rounding."""
    brought = float(p @ (u + 0.5 * (W @ p)))
    return brought if brought > 1e-12 * float(np.abs(p) @ np.abs(u)) else 0.0


def settled(W: Floats, u: Floats, law: Law, share: float) -> Floats:
    """Impulses for a share of the restitution."""
    p = np.zeros_like(u)
    count = len(u) // 3
    wanted = share * law.restitution * np.maximum(0.0, -u[2::3])
    for _ in range(ROUNDS):
        change = 0.0
        for i in range(count):
            own = slice(3 * i, 3 * i + 3)
            free = u[own] + W[own] @ p - W[own, own] @ p[own]
            new = one(W[own, own], u[own], free, float(wanted[i]), float(law.friction[i]))
            change = max(change, float(np.abs(new - p[own]).max()))
            p[own] = new
        if count == 1 or change <= SAME * float(np.abs(p).max(initial=0.0)):
            break
    return p


def one(W: Floats, before: Floats, free: Floats, wanted: float, friction: float) -> Floats:
    """The impulse of one contact whose velocity would be `free` without it."""
    if free[2] >= wanted:
        return np.zeros(3)
    if friction == 0.0:
        return np.array([0.0, 0.0, (wanted - free[2]) / W[2, 2]])
    stick: Floats = np.linalg.solve(W, np.array([0.0, 0.0, wanted]) - free)
    if stick[2] >= 0 and np.hypot(stick[0], stick[1]) <= friction * stick[2]:
        return stick
    return _slipping(W, before, free, wanted, friction)


def _slipping(W: Floats, before: Floats, free: Floats, wanted: float, friction: float) -> Floats:
    """Friction at its limit against the mean slip, whose direction is found by going round."""
    direction = _unit(before[:2] + free[:2])
    p = np.zeros(3)
    for k in range(TURNS):
        along = np.array([*(-friction * direction), 1.0])
        ease = float(W[2] @ along)
        if ease <= 0:
            raise Jammed("the contact jams (Painleve): friction presses it together harder than it can push apart")
        p = along * (wanted - free[2]) / ease
        after = free + W @ p
        turned = _unit(before[:2] + after[:2])
        if np.abs(turned - direction).max() < 1e-15:
            break
        direction = turned if k < 20 else _unit(direction + turned)
    return p


def _unit(x: Floats) -> Floats:
    size = float(np.linalg.norm(x))
    return x / size if size > 0 else np.array([1.0, 0.0])
