"""RedMax's hybrid scene by prescribed joints: Kim's recursion with ode45, which integrates given accelerations."""

import math

import numpy as np
import pytest

from dynamics.reference import SCENES, scene_mechanism
from simulate.test_redmax import matlab_ode45


def asked(t):
    """The acceleration of the first joint: the second derivative of b / (1 + exp(-a s)), s = 2 (t / 7 - 1/2)."""
    if t >= 7.0:
        return 0.0
    a, b, rate = 7.0, 1.5 * math.pi, 2 / 7
    share = 1 / (1 + math.exp(-a * 2 * (t / 7 - 0.5)))
    return b * (a * rate) ** 2 * share * (1 - share) * (1 - 2 * share)


class Hybrid:
    """Rates of a mechanism whose first joint follows given accelerations [RM alg. 6]."""

    def __init__(self, model):
        self.model, self.names = model, [model.mechanism.bodies[0].name]

    def rate(self, t, q, v):
        a, _ = self.model.hybrid_dynamics(q, v, np.zeros_like(v), [asked(t), 0.0, 0.0], self.names)
        return v, a

    def stages(self, t, q, v, h, tableau):
        y, n = np.concatenate([q, v]), len(q)
        rates = np.zeros((tableau.stages, 2 * n))
        for i, (c, weights) in enumerate(zip(tableau.c, tableau.a, strict=True)):
            at = y + h * (np.array(weights) @ rates[:i])
            rates[i] = np.concatenate(self.rate(t + c * h, at[:n], at[n:]))
        new = y + h * (np.array(tableau.b) @ rates)
        return (new[:n], new[n:]), rates


def test_energy_of_the_recursive_run():
    """No constraint and no feedback: the stored energy of the recursive run differs from RedMax's own by design."""
    scene = SCENES["9"]
    model = scene_mechanism(scene).compile()
    q, v = matlab_ode45(Hybrid(model), *model.mechanism.start, scene["t_end_euler"])
    kinetic, potential = model.energy(q, v)
    made = kinetic + potential - model.energy(*model.mechanism.start)[1]
    assert made == pytest.approx(scene["stored_H"]["recursive_ode45"], abs=1e-5)
