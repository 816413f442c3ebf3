"""What joints pass to their bodies."""

from anyjoint.dynamics.constraint_wrench import CONSTRAINT_WRENCHES

from ..quantity import A, Q, Quantity, Row, V, sweeps

JOINT_WRENCHES = Quantity(
    "joint_wrenches",
    "Wrenches that joints (and welds) pass to their bodies, in body frames.",
    (Q, V, A),
    (Row("wrenches", "bodies", (6,), "torque, then force"),),
    sweeps(CONSTRAINT_WRENCHES),
    among="open",
)
