"""x >= 0, w = W x + b >= 0, x . w = 0, for a symmetric W without negative eigenvalues: an active-set method.

It is the least of x W x / 2 + b x over x >= 0 [Lawson & Hanson, chapter 23]; what pushes is taken in one by one, and
let go again where it would pull.
"""

from __future__ import annotations

import numpy as np

from anyjoint.scalar.array import Floats

ROUNDING = 1e-13  # of the largest number in b


def complementary(W: Floats, b: Floats) -> Floats:
    """The x of the complementarity problem."""
    x, pushing = np.zeros(len(b)), np.zeros(len(b), dtype=bool)
    slack = ROUNDING * float(np.abs(b).max(initial=0.0))
    for _ in range(3 * len(b) + 1):
        w = np.where(pushing, np.inf, W @ x + b)
        worst = int(np.argmin(w)) if len(w) else 0
        if not len(w) or w[worst] >= -slack:
            break
        pushing[worst] = True
        x, pushing = _pushed(W, b, x, pushing)
    return x


def _pushed(W: Floats, b: Floats, x: Floats, pushing: Floats) -> tuple[Floats, Floats]:
    """The x at which all that push have w = 0, without those that would have to pull for it."""
    pushing = pushing.copy()
    while True:
        to = np.zeros(len(b))
        to[pushing] = np.linalg.lstsq(W[np.ix_(pushing, pushing)], -b[pushing], rcond=None)[0]
        pulls = pushing & (to < 0)
        if not pulls.any():
            return to, pushing
        share = np.min(x[pulls] / (x[pulls] - to[pulls]))
        x = x + share * (to - x)
        pushing &= ~(pulls & (x <= 1e-14 * np.abs(to).max()))
