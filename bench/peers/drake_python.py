"""Drake from Python, where it is installed."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from typing import Any

import numpy as np

from bench.models import Model
from bench.peers.coordinates import Coordinates
from bench.peers.protocol import Array, Engine, Measured, States, best_time, main


def build(model: Model) -> Engine:
    """Drake's MultibodyPlant on one model."""
    if importlib.util.find_spec("pydrake") is None:
        raise SystemExit("drake: the wheel is not installed")
    robot = _Robot(model)
    quantities = {"forward_dynamics": robot.forward, "inverse_dynamics": robot.inverse, "mass_matrix": robot.mass}
    return Engine(quantities, {"version": importlib.metadata.version("drake")})


class _Robot:
    """A continuous plant and its context."""

    def __init__(self, model: Model) -> None:
        from pydrake.multibody.plant import MultibodyPlant
        from pydrake.multibody.tree import MultibodyForces

        self.plant = plant = MultibodyPlant(time_step=0.0)
        bodies: list[Any] = [plant.world_body()]
        for k in range(len(model.bodies)):
            bodies.append(add_body(plant, model, k, bodies))
        plant.mutable_gravity_field().set_gravity_vector(np.array(model.gravity))
        plant.Finalize()
        self.context = plant.CreateDefaultContext()
        self.coordinates = coordinates_of(plant, model)
        self.applied = plant.get_applied_generalized_force_input_port()
        self.forces = MultibodyForces(plant)

    def forward(self, states: States, seconds: float) -> Measured:
        """Time derivatives of a continuous plant (Drake's articulated-body algorithm)."""
        fixed = self.applied.FixValue(self.context, np.zeros(self.plant.num_velocities()))

        def call(x: Array, tau: Array) -> Any:
            self.plant.SetPositionsAndVelocities(self.context, x)
            fixed.GetMutableData().get_mutable_value().SetFromVector(tau)
            return self.plant.EvalTimeDerivatives(self.context).get_generalized_velocity().CopyToVector()

        answers, best = self._measure(call, states, self.coordinates.v(states.q, states.tau), seconds)
        return Measured(self.coordinates.a_back(states.q, states.v, answers), best)

    def inverse(self, states: States, seconds: float) -> Measured:
        """Newton-Euler with gravity as an external force."""

        def call(x: Array, a: Array) -> Any:
            self.plant.SetPositionsAndVelocities(self.context, x)
            self.plant.CalcForceElementsContribution(self.context, self.forces)
            return self.plant.CalcInverseDynamics(self.context, a, self.forces)

        answers, best = self._measure(call, states, self.coordinates.a(states.q, states.v, states.a), seconds)
        return Measured(self.coordinates.tau_back(states.q, answers), best)

    def mass(self, states: States, seconds: float) -> Measured:
        """Composite rigid bodies."""

        def call(x: Array, _: Array) -> Any:
            self.plant.SetPositionsAndVelocities(self.context, x)
            return self.plant.CalcMassMatrix(self.context)

        answers, best = self._measure(call, states, states.a, seconds)
        return Measured(self.coordinates.mass_back(states.q, answers), best)

    def _measure(self, call: Any, states: States, u: Array, seconds: float) -> tuple[Array, float]:
        x = np.hstack([self.coordinates.q(states.q), self.coordinates.v(states.q, states.v)])
        answers = np.array([np.array(call(x[i], u[i])) for i in range(len(x))])
        return answers, best_time(lambda i: call(x[i], u[i]), len(x), seconds)


def coordinates_of(plant: Any, model: Model) -> Coordinates:
    """Drake's free joint has our order, with both parts of the velocity in world axes; Drake numbers joints itself."""
    q_order, v_order = np.empty(model.nq, dtype=int), np.empty(model.nv, dtype=int)
    for k in range(len(model.bodies)):
        (joint,) = (
            plant.get_joint(j) for j in plant.GetJointIndices() if plant.get_joint(j).child_body().name() == f"b{k}"
        )
        at_q, at_v = joint.position_start(), joint.velocity_start()
        q_order[at_q : at_q + joint.num_positions()] = np.arange(model.q_start[k], model.q_start[k + 1])
        v_order[at_v : at_v + joint.num_velocities()] = np.arange(model.v_start[k], model.v_start[k + 1])
    return Coordinates(model, q_order, v_order, turned=(0, 3))


def add_body(plant: Any, model: Model, k: int, bodies: list[Any]) -> Any:
    """Body k of a neutral model, with its joint."""
    from pydrake.math import RigidTransform, RotationMatrix
    from pydrake.multibody.tree import PrismaticJoint, RevoluteJoint, RotationalInertia, SpatialInertia

    body = model.bodies[k]
    t, T = np.array(body.tensor), np.array(body.placement)
    central = RotationalInertia(t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2])
    made = plant.AddRigidBody(f"b{k}", SpatialInertia.MakeFromCentralInertia(body.mass, np.array(body.com), central))
    if body.kind == "free":
        return made  # Drake gives bodies without a joint a free one
    kind = RevoluteJoint if body.kind == "revolute" else PrismaticJoint
    # Drake checks orthogonality tightly: a placement read from text is projected to the nearest rotation.
    X_PF = RigidTransform(RotationMatrix.ProjectToRotationMatrix(T[:3, :3]), T[:3, 3])
    frame = plant.AddFrame(_fixed_frame(f"f{k}", bodies[body.parent + 1].body_frame(), X_PF))
    plant.AddJoint(kind(f"j{k}", frame, made.body_frame(), np.array(body.axis)))
    return made


def _fixed_frame(name: str, parent: Any, pose: Any) -> Any:
    from pydrake.multibody.tree import FixedOffsetFrame

    return FixedOffsetFrame(name, parent, pose)


if __name__ == "__main__":
    main(build)
