"""How bodies move."""

from anyjoint.dynamics.products import J_TIMES

from ..quantity import Q, Quantity, Row, V, sweeps

BODY_TWISTS = Quantity(
    "body_twists",
    "Twists of all bodies in their own frames, angular part first: J v in linear time [RM alg. 2].",
    (Q, V),
    (Row("twists", "bodies", (6,), "angular, then linear velocity"),),
    sweeps(J_TIMES),
)
