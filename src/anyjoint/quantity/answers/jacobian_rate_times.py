"""What velocities alone accelerate bodies by."""

from anyjoint.dynamics.products import JDOT_TIMES

from ..quantity import Q, Quantity, Row, V, X, sweeps

JACOBIAN_RATE_TIMES = Quantity(
    "jacobian_rate_times",
    "Jdot x for all bodies in linear time [RM alg. 2]; with x = v the velocity-product accelerations.",
    (Q, V, X),
    (Row("rates", "bodies", (6,), "angular, then linear part"),),
    sweeps(JDOT_TIMES),
)
