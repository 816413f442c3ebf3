"""Drake's discrete step with ball and weld constraints (SAP), many steps in one call."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.constrained_models import Case
from bench.peers.constrained_protocol import Measured, main
from bench.peers.drake_python import add_body, coordinates_of
from bench.peers.protocol import best_time

STEP, STEPS = 1e-3, 5


def measure(case: Case, seconds: float) -> dict[str, Measured]:
    """AdvanceTo from the first state on, again and again; a step is not an acceleration, so there is no answer."""
    from pydrake.systems.analysis import Simulator

    plant = _plant(case)
    simulator = Simulator(plant)
    context, neutral = simulator.get_mutable_context(), coordinates_of(plant, case.model)
    x = np.hstack([neutral.q(case.q)[0], neutral.v(case.q, case.v)[0]])

    def call(_: int) -> None:
        context.SetTime(0.0)
        plant.SetPositionsAndVelocities(context, x)
        simulator.Initialize()
        simulator.AdvanceTo(STEP * STEPS)

    return {"step": Measured(np.zeros(0), best_time(call, 1, max(seconds, 1e-3)) / STEPS)}


def _plant(case: Case) -> Any:
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant

    plant = MultibodyPlant(time_step=STEP)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    bodies: list[Any] = [plant.world_body()]
    for k in range(len(case.model.bodies)):
        bodies.append(add_body(plant, case.model, k, bodies))
    plant.mutable_gravity_field().set_gravity_vector(np.array(case.model.gravity))
    for row in case.held:
        A, B = bodies[row.first + 1], bodies[row.second + 1]
        if row.rows == 3:
            plant.AddBallConstraint(A, row.poses[0][:3, 3], B, row.poses[1][:3, 3])
        else:
            plant.AddWeldConstraint(A, RigidTransform(row.poses[0]), B, RigidTransform(row.poses[1]))
    plant.Finalize()
    return plant


if __name__ == "__main__":
    main(measure)
