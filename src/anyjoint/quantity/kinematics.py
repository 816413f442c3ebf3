"""Where bodies are and how they move, body by body in their own frames."""

from anyjoint.dynamics.constraint_wrench import CONSTRAINT_WRENCHES
from anyjoint.dynamics.kinematics import POSES
from anyjoint.dynamics.products import J_TIMES, J_TRANSPOSED_TIMES, JDOT_TIMES

from .quantity import TAU, A, Q, Quantity, Row, V, X, sweeps

WRENCHES = Row("wrenches", "bodies", (6,), "torque, then force on every body, in its own frame")

BODY_POSES = Quantity(
    "body_poses",
    "World poses of all bodies, as 4x4 matrices.",
    (Q,),
    (Row("poses", "bodies", (4, 4), "world poses"),),
    sweeps(POSES),
)
BODY_TWISTS = Quantity(
    "body_twists",
    "Twists of all bodies in their own frames, angular part first: J v in linear time [RM alg. 2].",
    (Q, V),
    (Row("twists", "bodies", (6,), "angular, then linear velocity"),),
    sweeps(J_TIMES),
)
JACOBIAN_RATE_TIMES = Quantity(
    "jacobian_rate_times",
    "Jdot x for all bodies in linear time [RM alg. 2]; with x = v the velocity-product accelerations.",
    (Q, V, X),
    (Row("rates", "bodies", (6,), "angular, then linear part"),),
    sweeps(JDOT_TIMES),
)
GENERALIZED_FORCES = Quantity(
    "generalized_forces",
    "J^T of wrenches on all bodies, angular part first, in each body's own frame [RM alg. 3].",
    (Q, WRENCHES),
    (TAU,),
    sweeps(J_TRANSPOSED_TIMES),
)
JOINT_WRENCHES = Quantity(
    "joint_wrenches",
    "Wrenches that joints (and welds) pass to their bodies, in body frames.",
    (Q, V, A),
    (Row("wrenches", "bodies", (6,), "torque, then force"),),
    sweeps(CONSTRAINT_WRENCHES),
    among="open",
)
