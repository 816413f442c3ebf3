"""Pinocchio from Python: what a user of its bindings pays per call."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.models import Model
from bench.peers import coordinates
from bench.peers.protocol import Array, Engine, Measured, States, best_time, main


def build(model: Model) -> Engine:
    """Pinocchio's bindings on one model."""
    if importlib.util.find_spec("pinocchio") is None:
        raise SystemExit("pinocchio: the pin wheel is not installed")
    import pinocchio

    robot = _pinocchio_model(model)
    data = robot.createData()
    neutral = coordinates.pinocchio(model)

    def quantity(call: Callable[..., Any], u_name: str, finish: Any = np.array) -> Callable[[States, float], Measured]:
        def run(states: States, seconds: float) -> Measured:
            q = list(neutral.q(states.q))
            v, u = (list(neutral.v(states.q, x)) for x in (states.v, getattr(states, u_name)))
            answers = np.array([finish(call(q[i], v[i], u[i])) for i in range(len(q))])
            best = best_time(lambda i: call(q[i], v[i], u[i]), len(q), seconds)
            back = neutral.tau_back if answers.ndim == 2 else neutral.mass_back
            return Measured(back(states.q, answers), best)

        return run

    quantities = {
        "forward_dynamics": quantity(lambda q, v, u: pinocchio.aba(robot, data, q, v, u), "tau"),
        "inverse_dynamics": quantity(lambda q, v, u: pinocchio.rnea(robot, data, q, v, u), "a"),
        "mass_matrix": quantity(lambda q, v, u: pinocchio.crba(robot, data, q), "a", _mirror),
    }
    return Engine(quantities, {"version": importlib.metadata.version("pin")})


def _pinocchio_model(model: Model) -> Any:
    import pinocchio as pin

    robot = pin.Model()
    for k, body in enumerate(model.bodies):
        T = np.array(body.placement)
        joint = robot.addJoint(
            body.parent + 1, _joint(pin, body.kind, np.array(body.axis)), pin.SE3(T[:3, :3], T[:3, 3]), f"b{k}"
        )
        inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.tensor))
        robot.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    robot.gravity.linear = np.array(model.gravity)
    return robot


def _joint(pin: Any, kind: str, axis: Array) -> Any:
    if kind == "free":
        return pin.JointModelFreeFlyer()
    for k, letter in enumerate("XYZ"):
        if axis[k] == 1.0:
            return getattr(pin, f"JointModel{'R' if kind == 'revolute' else 'P'}{letter}")()
    return (pin.JointModelRevoluteUnaligned if kind == "revolute" else pin.JointModelPrismaticUnaligned)(axis)


def _mirror(M: Array) -> Array:
    """Pinocchio fills the upper triangle; completing it is not charged to the peer."""
    return np.triu(M) + np.triu(M, 1).T


if __name__ == "__main__":
    main(build)
