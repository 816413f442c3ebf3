"""MuJoCo from Python: the same stages as the C loop, called through its bindings."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.models import Model
from bench.peers import coordinates, mjcf
from bench.peers.protocol import Array, Engine, Measured, States, best_time, main


def build(model: Model) -> Engine:
    """MuJoCo's bindings on one model."""
    if importlib.util.find_spec("mujoco") is None:
        raise SystemExit("mujoco: the wheel is not installed")
    robot = _Robot(model)
    quantities = {"forward_dynamics": robot.forward, "inverse_dynamics": robot.inverse}
    return Engine(quantities, {"version": importlib.metadata.version("mujoco")})


class _Robot:
    """MuJoCo's model and data, in neutral coordinates."""

    def __init__(self, model: Model) -> None:
        import mujoco

        self.mujoco, self.coordinates = mujoco, coordinates.mujoco(model)
        try:
            self.model = mujoco.MjModel.from_xml_string(mjcf.text(model))
        except ValueError as error:
            raise SystemExit(f"mujoco: {' '.join(str(error).split())}") from error
        self.data = mujoco.MjData(self.model)
        self.out = np.zeros(model.nv)

    def forward(self, states: States, seconds: float) -> Measured:
        """Kinematics to solve: mj_forward with contacts, constraints and sensors off."""
        tau = self.coordinates.v(states.q, states.tau)
        answer, best = self._run(self._forward, states, tau, seconds)
        return Measured(self.coordinates.a_back(states.q, states.v, answer), best)

    def inverse(self, states: States, seconds: float) -> Measured:
        """Kinematics and Newton-Euler."""
        a = self.coordinates.a(states.q, states.v, states.a)
        answer, best = self._run(self._inverse, states, a, seconds)
        return Measured(self.coordinates.tau_back(states.q, answer), best)

    def _forward(self, q: Array, v: Array, tau: Array) -> Any:
        data = self.data
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
        self.mujoco.mj_forward(self.model, data)
        return data.qacc

    def _inverse(self, q: Array, v: Array, a: Array) -> Array:
        data = self.data
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        self.mujoco.mj_kinematics(self.model, data)
        self.mujoco.mj_comPos(self.model, data)
        self.mujoco.mj_comVel(self.model, data)
        self.mujoco.mj_rne(self.model, data, 1, self.out)
        return self.out

    def _run(self, call: Callable[..., Any], states: States, u: Array, seconds: float) -> tuple[Array, float]:
        q, v = list(self.coordinates.q(states.q)), list(self.coordinates.v(states.q, states.v))
        answers = np.array([np.array(call(q[i], v[i], u[i])) for i in range(len(q))])
        return answers, best_time(lambda i: call(q[i], v[i], u[i]), len(q), seconds)


if __name__ == "__main__":
    main(build)
