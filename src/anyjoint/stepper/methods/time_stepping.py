"""Time stepping under contacts: a linearly implicit step in which contacts, stops and dry friction resist as they will
at its end. The accelerations of a step are where a convex function is least.

As Moreau has it, everything is seen from the middle of the step, to which velocities at its beginning lead: where
nothing resists and nothing is stiff the step is of second order, and energy hardly changes.
"""

from ..stepper import Ops, Stepper, Vector


def step(ops: Ops) -> tuple[Vector, Vector]:
    """Half a step along v, then v' = v + h a there, then half a step along v'."""
    middle = ops.go(ops.q, (0.5,), (ops.rate(ops.q, ops.v),))
    before = ops.carry(ops.q, middle, ops.v)
    after = ops.go(before, (1.0,), (ops.accelerate(0.5, middle, before),))
    end = ops.go(middle, (0.5,), (ops.rate(middle, after),))
    return end, ops.carry(middle, end, after)


TIME_STEPPING = Stepper(
    "time-stepping", "contacts, friction, stops and stiff forces in one convex step, of second order where none acts",
    2, step, implicit=True, damps=True, resists=True,
)  # fmt: skip
