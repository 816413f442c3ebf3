"""Three tori swing themselves up into a tower: torques along the slides, by L-BFGS on gradients through the run.

Each torus hangs in the one above by bilateral contact, and its slides have motors. At the end all stand on top of one
another: every contact has travelled half-way around a tube, from its inner to its outer equator. Such a tower falls
at the slightest touch, so it must arrive at rest. The first guess is what a controller with a model does that leads
all contacts along a smooth way; played back without the controller it misses the tower, and costs three times as much
as what is found. The page has a slider over the iterations.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint import gallery
from anyjoint.optimal import Optimised

DURATION, DT, SAMPLES = 1.0, 0.01, 51
STIFFNESS = 200.0  # of the controller, 1/s^2


def tubes(n: int) -> list[int]:
    """Coordinates that say where on a tube a contact is: pi on the inner equator, 0 on the outer one."""
    return [1, *(2 + 4 * k + i for k in range(n - 1) for i in (1, 3))]


def hanging(n: int) -> np.ndarray:
    """All contacts on inner equators."""
    return np.array([0.0, math.pi] + [math.pi, math.pi, 0.0, math.pi] * (n - 1))


def led(model: aj.Model, q0: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Torques that lead from q0 to q0 + change along a smooth way, as a controller finds them on the way."""

    def control(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        s = min(t / DURATION, 1.0)
        way, rate, bend = 10 * s**3 - 15 * s**4 + 6 * s**5, 30 * (s * (1 - s)) ** 2, 60 * s * (1 - s) * (1 - 2 * s)
        off, slow = q0 + way * change - q, rate / DURATION * change - v
        a = bend / DURATION**2 * change + STIFFNESS * off + 2 * math.sqrt(STIFFNESS) * slow
        return model.inverse_dynamics(q, v, a)

    run = model.simulate(q0, np.zeros(model.nv), duration=DURATION, dt=DT, tau=control)
    kept = np.linspace(0, len(run.t) - 1, SAMPLES).round().astype(int)
    return np.array([control(float(run.t[k]), run.q[k], run.v[k]) for k in kept])


def swing_up(n: int = 3, iterations: int = 100) -> Optimised:
    """Torques that end the motion with every contact on an outer equator, at rest."""
    mech = gallery.torus_chain(n, damping=0.05)
    mech.description = __doc__ or ""
    model, q0, at = mech.compile(), hanging(n), tubes(n)
    others = [k for k in range(model.nq) if k not in at]
    guess = led(model, q0, np.where(np.isin(np.arange(model.nq), at), -math.pi, 0.0))

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
