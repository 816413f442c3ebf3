"""Where bodies are."""

from anyjoint.dynamics.kinematics import POSES

from ..quantity import Q, Quantity, Row, sweeps

BODY_POSES = Quantity(
    "body_poses",
    "World poses of all bodies, as 4x4 matrices.",
    (Q,),
    (Row("poses", "bodies", (4, 4), "world poses"),),
    sweeps(POSES),
)
