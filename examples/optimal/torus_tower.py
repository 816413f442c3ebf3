"""A chain of tori swings itself up into a tower: torques along the slides, by L-BFGS on gradients through the run.

Each torus hangs in the one above by bilateral contact, and its slides have motors. At the end all stand on top of one
another: every contact has travelled half-way around a tube, from its inner to its outer equator. Such a tower falls
at the slightest touch, so it must arrive at rest. The page has a slider over the iterations.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint import gallery
from anyjoint.optimal import Optimised

DURATION, DT, SAMPLES = 1.5, 0.01, 31


def tubes(n: int) -> list[int]:
    """Coordinates that say where on a tube a contact is: pi on the inner equator, 0 on the outer one."""
    return [1, *(2 + 4 * k + i for k in range(n - 1) for i in (1, 3))]


def hanging(n: int) -> np.ndarray:
    """All contacts on inner equators."""
    return np.array([0.0, math.pi] + [math.pi, math.pi, 0.0, math.pi] * (n - 1))


def swing_up(n: int = 2, iterations: int = 200) -> Optimised:
    """Torques that end the motion with every contact on an outer equator, at rest."""
    mech = gallery.torus_chain(n, damping=0.05)
    mech.description = __doc__ or ""
    model, q0, at = mech.compile(), hanging(n), tubes(n)
    others = [k for k in range(model.nq) if k not in at]
    guess = np.zeros((SAMPLES, model.nv))
    guess[: SAMPLES // 2, at] = 0.5  # the first half of the time, over the tubes

    def final(q: Sequence[Any], v: Sequence[Any]) -> Any:
        upright = sum(1 - aj.cos(q[k]) for k in at)
        astray = sum((q[k] - float(q0[k])) ** 2 for k in others)
        return 10 * upright + astray + 0.1 * sum(x * x for x in v)

    return aj.optimise(
        model, {"tau": guess}, q0=q0, v0=np.zeros(model.nv), duration=DURATION, dt=DT, iterations=iterations,
        final=final, running=lambda t, q, v, tau: 1e-3 * sum(x * x for x in tau),
    )  # fmt: skip


if __name__ == "__main__":
    found = swing_up()
    print(found)
    print(found.to_html("torus_tower.html"))
